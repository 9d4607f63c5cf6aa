"""Planetoid's raw files are pickles; this reads them without running what they say.

A pickle may name any function and have it called. Here only those names are known that
numpy and scipy arrays and Planetoid's dictionary of neighbours are made of.
"""

import pickle
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy._core.multiarray import _reconstruct

from pingda.errors import PingdaError


def _latin1(text: str, encoding: str) -> bytes:
    """Return bytes that Python 3 wrote as text, in its one encoding for that."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it encodes bytes as {encoding}")
    return text.encode("latin1")


# Python 2 wrote these files, so old names of the same things stand beside the new.
_ALLOWED: dict[str, Callable[..., Any]] = {
    "numpy.ndarray": np.ndarray,
    "numpy.dtype": np.dtype,
    "numpy.core.multiarray._reconstruct": _reconstruct,
    "numpy._core.multiarray._reconstruct": _reconstruct,
    "scipy.sparse.csr.csr_matrix": sp.csr_matrix,
    "scipy.sparse._csr.csr_matrix": sp.csr_matrix,
    "collections.defaultdict": defaultdict,
    "_codecs.encode": _latin1,
    "__builtin__.list": list,
    "builtins.list": list,
}


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        known = _ALLOWED.get(f"{module}.{name}")
        if known is None:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is no array")
        return known


def load_arrays(path: Path) -> Any:
    """Read one pickled array, sparse matrix or dictionary of lists.

    Raises:
        PingdaError: The file is damaged or asks for anything else.
    """
    try:
        with path.open("rb") as file:
            return _ArrayUnpickler(file, encoding="latin1").load()
    except OSError as error:
        raise PingdaError(f"cannot read {path}: {error.strerror}") from error
    except Exception as error:  # a hostile pickle can raise anything
        raise PingdaError(f"{path} is not a pickled array: {error}") from error
