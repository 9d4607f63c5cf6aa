from dataclasses import replace

import torch

from pingda.graph import Graph, SparseFeatures
from pingda.graph.transforms import pack_features


def test_counts(toy: Graph) -> None:
    assert (toy.nodes, toy.features, toy.classes) == (60, 12, 2)
    assert toy.edges == toy.edge_index.shape[1] // 2
    assert toy.identifiers().tolist() == list(range(60))


def test_unknown_labels_are_no_class(toy: Graph) -> None:
    assert toy.y is not None
    assert replace(toy, y=torch.full_like(toy.y, -1)).classes == 0
    assert replace(toy, y=None).classes == 0


def test_fingerprints_tell_graphs_apart(toy: Graph) -> None:
    assert isinstance(toy.x, torch.Tensor)
    changed = toy.x.clone()
    changed[3, 4] += 1e-3
    weights = torch.ones(toy.edge_index.shape[1])
    prints = {
        graph.fingerprint()
        for graph in (
            toy,
            replace(toy, x=changed),
            replace(toy, edge_index=toy.edge_index[:, :-1]),
            replace(toy, edge_weight=weights),
        )
    }
    assert len(prints) == 4
    assert replace(toy, y=None, name="other").fingerprint() == toy.fingerprint()


def test_fingerprints_of_sparse_features(cora: Graph) -> None:
    assert isinstance(cora.x, SparseFeatures)
    packed = pack_features(cora.x.to_scipy())
    assert replace(cora, x=packed).fingerprint() == cora.fingerprint()
    doubled = cora.x.with_values(cora.x.values * 2)
    assert replace(cora, x=doubled).fingerprint() != cora.fingerprint()
