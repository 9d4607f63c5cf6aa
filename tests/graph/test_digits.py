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


def test_ties_are_settled_the_same_on_every_machine() -> None:
    """Plain loops; 0 and 2 are equally far from 1, and the first of them counts."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 3, (40, 5))
    found = digits.nearest_images(pixels)
    for image, row in enumerate(pixels):
        others = [
            (int(((row - other) ** 2).sum()), place)
            for place, other in enumerate(pixels)
            if place != image
        ]
        assert [p for _, p in sorted(others)[: digits.NEIGHBOURS]] == list(found[image])
