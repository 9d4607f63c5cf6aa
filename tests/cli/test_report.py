from pathlib import Path

from conftest import Command


def test_reports_are_made_again(
    pingda: Command, tmp_path: Path, toy_file: Path
) -> None:
    quick = ("--set", "epochs=2", "--set", "dim=4")
    pages = []
    for name in ("a", "b"):
        pingda("fit", toy_file, *quick, "-o", name)
        pages.append(tmp_path / name / "report.html")
        pages[-1].unlink()
    done = pingda("report", "a", "b")
    assert done.stdout.split() == ["a/report.html", "b/report.html"]
    assert all("Collapse" in p.read_text() or "Loss" in p.read_text() for p in pages)
    assert pingda("report", "nowhere").returncode == 1
