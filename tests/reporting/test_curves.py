from xml.etree import ElementTree as ET

from pingda.reporting.curves import curves

ROWS = [{"epoch": 1, "loss": 2.0}, {"epoch": 2, "loss": 1.0, "keep_mean": 0.5}]


def test_curves_are_well_formed_svg_and_repeatable() -> None:
    svg = curves(ROWS, ("loss", "keep_mean", "missing"), "value")
    assert svg is not None
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert "http://www.w3.org/2000/svg" in root.tag


def test_columns_that_are_not_there_give_no_picture() -> None:
    assert curves(ROWS, ("missing",), "value") is None
    assert curves([], ("loss",), "value") is None
