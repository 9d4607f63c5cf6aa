import pytest
import torch

from pingda.errors import PingdaError
from pingda.training.device import choose_device


def test_auto_takes_what_is_there() -> None:
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert choose_device("auto").type == expected
    assert choose_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize("name", ["nonsense", "cuda:77", ""])
def test_devices_that_are_not_there(name: str) -> None:
    with pytest.raises(PingdaError, match="cannot be used .*device=cpu"):
        choose_device(name)
