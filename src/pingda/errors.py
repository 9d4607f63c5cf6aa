"""The one error that a user is meant to read, and hints for mistyped names."""

from collections.abc import Iterable
from difflib import get_close_matches


class PingdaError(Exception):
    """Something the user can mend: what is wrong, where, and what to do.

    The command line prints the message alone and exits with 1.
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, or nothing."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""
