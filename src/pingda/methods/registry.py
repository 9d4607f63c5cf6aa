"""Methods by name."""

from pingda.errors import PingdaError, did_you_mean
from pingda.methods.base import Method
from pingda.methods.grace import GRACE
from pingda.methods.pingda import PiNGDA

METHODS: dict[str, type[Method]] = {"pingda": PiNGDA, "grace": GRACE}


def method_class(name: str) -> type[Method]:
    """Return the method of that name.

    Raises:
        PingdaError: There is none.
    """
    if name not in METHODS:
        raise PingdaError(
            f"unknown method {name!r}{did_you_mean(name, METHODS)}; "
            f"the methods are {', '.join(METHODS)}"
        )
    return METHODS[name]
