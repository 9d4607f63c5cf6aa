import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pingda.evaluation.comparison import compare, holm
from pingda.experiments.findings import HEAD, Findings, percent
from pingda.experiments.study import Cell

RNG = np.random.default_rng(0)


def cells(dataset: str, arm: str, accuracy: list[float], **more: Any) -> list[Cell]:
    values = {
        "ppr": 0.6, "splits": 4, "width": 8, "validation": 0.7, "information": 0.1,
        "information_error": 0.01, "edge_auc": None, "settings": {"noise.x": 0.5},
    }  # fmt: skip
    return [
        Cell(dataset, arm, seed, a, raw=0.5 + 0.01 * seed, **{**values, **more})
        for seed, a in enumerate(accuracy)
    ]


PLAIN = [0.70, 0.72, 0.71, 0.73, 0.70, 0.74]
BETTER = [a + 0.02 + 0.001 * k for k, a in enumerate(PLAIN)]
ALL = [
    *cells("cora", "random", PLAIN),
    *cells("cora", "budgeted", BETTER, edge_auc=0.75),
    *cells("texas", "random", PLAIN),
    *cells("texas", "budgeted", PLAIN[::-1]),
]


def test_comparisons_are_paired_and_corrected() -> None:
    found = Findings(ALL).against_random()
    assert set(found) == {("cora", "budgeted"), ("texas", "budgeted")}
    cora, texas = compare(BETTER, PLAIN), compare(PLAIN[::-1], PLAIN)
    assert found["cora", "budgeted"][0] == cora
    expected = holm([cora.p, texas.p])
    assert [p for _, p in found.values()] == expected


def test_a_row_says_all_that_is_known() -> None:
    rows = {
        (row[0], row[1]): dict(zip(HEAD, row, strict=True))
        for row in Findings(ALL).rows()
    }
    row = rows["cora", "budgeted"]
    assert row["n"] == "6"
    assert row["strict"] == percent(BETTER)
    assert row["− floor"] == f"{100 * (np.mean(BETTER) - 0.6):+.2f}"  # ppr is higher
    assert row["− random"] == "+2.25"
    assert row["AUC"] == "0.750"
    assert row["chosen"] == "x=0.5"
    assert rows["cora", "random"]["− random"] == "–"
    assert rows["cora", "random"]["AUC"] == "–"


def test_seeds_that_do_not_match_are_not_compared() -> None:
    found = Findings([*cells("a", "random", PLAIN), *cells("a", "budgeted", PLAIN[:4])])
    assert found.against_random() == {}
    lone = Findings(cells("a", "budgeted", [0.7]))
    assert lone.rows()[0][6:9] == ["+10.00", "–", "–"]


def test_three_files_with_the_same_numbers(tmp_path: Path) -> None:
    findings = Findings(ALL)
    paths = findings.write(tmp_path, "study")
    assert [path.name for path in paths] == ["study.md", "study.csv", "study.tex"]
    markdown, table, latex = (path.read_text() for path in paths)
    rows = list(csv.reader(io.StringIO(table)))
    assert rows[0] == list(HEAD)
    assert len(rows) == 5
    for row in rows[1:]:
        assert "| " + " | ".join(row) + " |" in markdown
        assert row[3].replace("±", r"$\pm$") in latex
    assert r"\toprule" in latex
    assert latex.count(r"\\") == 3


@pytest.mark.parametrize(("values", "text"), [([], "–"), ([0.5], "50.00 ± 0.00")])
def test_percent(values: list[float], text: str) -> None:
    assert percent(values) == text
