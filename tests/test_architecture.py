"""The rules that keep the rooms apart and the package light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pingda

ROOT = Path(pingda.__file__).parent
ROOMS = [
    "graph",
    "noise",
    "nn",
    "losses",
    "methods",
    "training",
    "evaluation",
    "reporting",
    "experiments",
    "cli",
]
FOUNDATION = {"errors", "files", "hardware", "processes", "seeding"}
# One method is its views, its loss and its learners; the loop is another room's.
FILES = sorted(ROOT.rglob("*.py"))


def imported_rooms(path: Path) -> set[str]:
    """Return the first part below ``pingda`` of all that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [str(node.module)]
        parts = [name.split(".") for name in names]
        found |= {part[1] for part in parts if part[0] == "pingda" and len(part) > 1}
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_to_its_left(room: str) -> None:
    allowed = {*ROOMS[: ROOMS.index(room) + 1], *FOUNDATION}
    for path in (ROOT / room).rglob("*.py"):
        extra = imported_rooms(path) - allowed
        assert not extra, f"{path} imports from {extra}"


def test_the_foundation_imports_no_room() -> None:
    for name in FOUNDATION:
        assert imported_rooms(ROOT / f"{name}.py") <= FOUNDATION


def test_every_room_has_a_place_in_the_order() -> None:
    found = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    assert found == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small_and_hold_no_pickle(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    if path.name != "unpickle.py":
        assert "import pickle" not in text
    assert "torch.load" not in text
    assert "torch.save" not in text
    assert "yaml.load(" not in text
    assert "allow_pickle=True" not in text


def test_tests_stand_in_the_same_tree() -> None:
    tests = Path(__file__).parent
    missing = [
        str(path.relative_to(ROOT))
        for path in FILES
        if not path.name.startswith("__") and not _has_test(tests, path)
    ]
    assert missing == []


def _has_test(tests: Path, path: Path) -> bool:
    place = tests / path.relative_to(ROOT)
    return place.with_name(f"test_{path.name}").is_file()


@pytest.mark.parametrize("words", [["-c", "import pingda"], ["-m", "pingda", "--help"]])
def test_nothing_heavy_is_imported_before_it_is_needed(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rsplit("|")[-1].strip() for line in done.stderr.splitlines()}
    heavy = {"torch", "numpy", "sklearn", "scipy", "matplotlib", "torch_geometric"}
    assert loaded & heavy == set()
