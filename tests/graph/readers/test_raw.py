from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from pingda.graph.readers.raw import RawGraph


def test_what_a_reader_returned_stays_as_it_is() -> None:
    raw = RawGraph(np.eye(2), np.zeros((2, 0), dtype=np.int64), None)
    with pytest.raises(FrozenInstanceError):
        raw.y = np.zeros(2)  # type: ignore[misc]
