import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pingda.errors import PingdaError
from pingda.graph.raw_files import RawFiles


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Serve a folder on this machine: the real download, from a real server."""
    folder = tmp_path / "site"
    folder.mkdir()
    handler = partial(Silent, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _empty_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINGDA_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("PINGDA_MIRROR", raising=False)


def test_files_are_downloaded_once_and_kept(
    site: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = site
    (folder / "a").write_text("content")
    raw = RawFiles("X/raw", ("a",), address)
    assert not raw.at_hand()
    assert raw.locate("x") == tmp_path / "data" / "raw" / "X" / "raw"
    (folder / "a").unlink()
    assert (raw.locate("x") / "a").read_text() == "content"
    assert raw.at_hand()


def test_named_files_are_taken_out_of_an_archive(
    site: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = site
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("deep/raw/a", "content")
        archive.writestr("../../escaped", "no")
    place = RawFiles("X/raw", ("a",), f"{address}/all.zip").locate("x")
    assert (place / "a").read_text() == "content"
    assert not list(tmp_path.rglob("escaped"))


def test_the_mirror_comes_first(
    site: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = tmp_path / "mirror"
    (mirror / "X" / "raw").mkdir(parents=True)
    (mirror / "X" / "raw" / "a").write_text("mirrored")
    monkeypatch.setenv("PINGDA_MIRROR", str(mirror))
    assert RawFiles("X/raw", ("a",), site[1]).locate("x") == mirror / "X" / "raw"


@pytest.mark.parametrize("ending", ["", "/all.zip"])
def test_without_network_both_variables_are_named(
    site: tuple[Path, str], ending: str
) -> None:
    raw = RawFiles("X/raw", ("a",), site[1] + ending)
    with pytest.raises(PingdaError, match="PINGDA_MIRROR.*PINGDA_DATA.*File not found"):
        raw.locate("x")


def test_an_archive_without_the_files_is_no_success(site: tuple[Path, str]) -> None:
    folder, address = site
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("other", "content")
    with pytest.raises(PingdaError, match="has no a"):
        RawFiles("X/raw", ("a",), f"{address}/all.zip").locate("x")
