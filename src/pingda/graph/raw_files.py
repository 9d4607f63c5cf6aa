"""Raw files of a benchmark: in the mirror, downloaded before, or downloaded now."""

import shutil
import zipfile
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

from pingda.errors import PingdaError
from pingda.files import write_bytes
from pingda.graph.places import data_folder, mirror

TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class RawFiles:
    """The raw files of one benchmark and their address.

    Args:
        folder: Folder below the mirror, in PyG's layout.
        names: Files that must be there.
        address: Web folder of those files, or a ``.zip`` that holds them.
    """

    folder: str
    names: tuple[str, ...]
    address: str

    def locate(self, name: str) -> Path:
        """Return a folder that holds all files of benchmark ``name``.

        Raises:
            PingdaError: They are nowhere, and downloading failed.
        """
        for place in self._places():
            if all((place / file).is_file() for file in self.names):
                return place
        try:
            return self._download()
        except (URLError, TimeoutError, OSError, zipfile.BadZipFile) as error:
            reason = getattr(error, "reason", error)
            raise PingdaError(
                f"cannot get {name}: PINGDA_MIRROR ({mirror() or 'not set'}) has no "
                f"{self.folder}/{self.names[0]}, PINGDA_DATA ({data_folder()}) neither,"
                f" and {self.address} cannot be downloaded ({reason}); connect to the "
                "network, or point PINGDA_MIRROR at a folder with the raw files"
            ) from error

    def at_hand(self) -> bool:
        """Tell whether nothing has to be downloaded."""
        return any(
            all((place / file).is_file() for file in self.names)
            for place in self._places()
        )

    def _places(self) -> list[Path]:
        root = mirror()
        mirrored = [] if root is None else [root / self.folder]
        return [*mirrored, data_folder() / "raw" / self.folder]

    def _download(self) -> Path:
        target = data_folder() / "raw" / self.folder
        if self.address.endswith(".zip"):
            self._download_archive(target)
        else:
            for file in self.names:
                write_bytes(target / file, _fetch(f"{self.address}/{file}"))
        return target

    def _download_archive(self, target: Path) -> None:
        """Take the named files out of an archive, wherever in it they lie."""
        with TemporaryDirectory() as folder:
            archive = Path(folder) / "archive.zip"
            with _open(self.address) as answer, archive.open("wb") as file:
                shutil.copyfileobj(answer, file)
            with zipfile.ZipFile(archive) as members:
                for member in members.namelist():
                    name = member.rsplit("/", 1)[-1]
                    if name in self.names:
                        write_bytes(target / name, members.read(member))
        for name in self.names:
            if not (target / name).is_file():
                raise OSError(f"the archive has no {name}")


def _open(address: str) -> HTTPResponse:
    answer: HTTPResponse = urlopen(address, timeout=TIMEOUT_SECONDS)  # noqa: S310
    return answer


def _fetch(address: str) -> bytes:
    with _open(address) as answer:
        return answer.read()
