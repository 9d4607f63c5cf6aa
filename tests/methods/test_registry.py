import pytest

from pingda.errors import PingdaError
from pingda.methods import METHODS, method_class


def test_methods_are_found_by_name() -> None:
    assert method_class("pingda") is METHODS["pingda"]


def test_an_unknown_method_gets_a_hint() -> None:
    with pytest.raises(PingdaError, match="unknown method 'pinda' .did you mean"):
        method_class("pinda")
