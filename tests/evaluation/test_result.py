import json

import pytest

from pingda.evaluation.result import Evaluation, mean_and_deviation


def test_deviation_is_that_of_a_sample() -> None:
    assert mean_and_deviation([0.1, 0.3]) == (
        pytest.approx(0.2),
        pytest.approx(0.02**0.5),
    )
    assert mean_and_deviation([0.5]) == (0.5, 0.0)


def test_a_result_has_the_keys_of_the_contract() -> None:
    result = Evaluation.of("strict", [0.8, 0.9], raw=[0.5, 0.6], ppr=[0.7, 0.7])
    plain = json.loads(json.dumps(result.to_dict()))
    required = """
        protocol metric mean std n raw_features_mean raw_features_std
        ppr_features_mean ppr_features_std per_split
    """
    for key in required.split():
        assert key in plain
    assert plain["metric"] == "accuracy"
    assert plain["per_split"] == [0.8, 0.9]
    assert result.found == (result.mean, result.std)
    assert result.raw_features[0] == pytest.approx(0.55)
    assert result.ppr_features == (pytest.approx(0.7), pytest.approx(0.0))
