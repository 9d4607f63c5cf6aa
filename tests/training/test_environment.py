import torch

from pingda import __version__
from pingda.training.environment import describe_environment


def test_versions_and_machine_are_recorded() -> None:
    found = describe_environment(torch.device("cpu"))
    assert found["packages"]["pingda"] == __version__
    assert found["packages"]["torch"] == torch.__version__
    assert found["device"] == "cpu"
    assert found["threads"] == torch.get_num_threads()
