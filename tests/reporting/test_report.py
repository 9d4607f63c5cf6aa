from pingda.evaluation.result import Evaluation
from pingda.reporting.report import render_report

CONFIG = {
    "method": "pingda",
    "pingda": "0",
    "seed": 1,
    "data": {
        "name": "<script>alert(1)</script>",
        "nodes": 1000,
        "edges": 2000,
        "features": 3,
        "transforms": ["a & b"],
        "fingerprint": "f",
    },
    "settings": {"lr": 0.1, "path": "<b>"},
}
ROWS = [{"epoch": 1, "loss": 2.0, "keep_mean": 0.5}]


def test_user_text_is_escaped_and_nothing_is_fetched() -> None:
    page = render_report(CONFIG, ROWS, {})
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "a &amp; b" in page
    assert "Content-Security-Policy" in page
    assert 'src="http' not in page
    assert "1,000 nodes" in page
    assert "Not evaluated yet" in page


def test_accuracy_is_never_shown_without_protocol_and_n() -> None:
    result = Evaluation.of("strict", [0.8, 0.9], raw=[0.5, 0.6], ppr=[0.7, 0.7])
    page = " ".join(render_report(CONFIG, ROWS, {"strict": result.to_dict()}).split())
    assert "protocol <code>strict</code>, n = 2" in page
    assert "85.00 ± 7.07" in page
    assert "55.00" in page
    assert "70.00" in page
    assert "rule <code>paper</code>" not in page


def test_the_authors_rule_carries_its_warning() -> None:
    result = Evaluation.of("paper", [0.8], raw=[0.5], ppr=[0.7])
    page = render_report(CONFIG, ROWS, {"paper": result.to_dict()})
    assert "largest test accuracy" in page
