import numpy as np

from pingda.graph import digits


def test_every_image_is_joined_to_its_nearest_ones() -> None:
    raw = digits.read()
    assert isinstance(raw.x, np.ndarray)
    source, target = raw.edge_index
    assert (np.bincount(target) == digits.NEIGHBOURS).all()
    distance = np.linalg.norm(raw.x - raw.x[5], axis=1)
    distance[5] = np.inf
    nearest = np.sort(distance)[: digits.NEIGHBOURS]
    found = np.sort(distance[source[target == 5]])
    assert np.allclose(found, nearest)
