"""Files that are either whole or not there.

Each writer fills a temporary file beside the target, flushes it to the disk and renames
it: a crash or a full disk leaves the old file as it was.
"""

import io
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import yaml

from pingda.errors import PingdaError


def write_bytes(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content`` in one step.

    Raises:
        PingdaError: The disk is full, or the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _flush_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        kept = "; the file that was there is kept" if path.is_file() else ""
        raise PingdaError(
            f"cannot write {path}: {reason}{kept}; free space or choose another place"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where folders can be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text in one step."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write one JSON object, indented, with numbers that JSON knows."""
    write_text(path, json.dumps(value, indent=2, allow_nan=False) + "\n")


def write_yaml(path: Path, value: Mapping[str, Any]) -> None:
    """Write one YAML mapping in the given order."""
    write_text(path, yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True))


def write_arrays(path: Path, compress: bool = True, **arrays: np.ndarray) -> None:
    """Write named arrays as ``.npz`` in one step."""
    buffer = io.BytesIO()
    save = np.savez_compressed if compress else np.savez
    save(buffer, allow_pickle=False, **arrays)
    write_bytes(path, buffer.getvalue())


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read all arrays of an ``.npz`` file; pickled objects are refused.

    Raises:
        PingdaError: The file is missing or damaged.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileNotFoundError as error:
        raise PingdaError(f"there is no file {path}") from error
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise PingdaError(f"cannot read {path} as .npz: {error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object."""
    return _mapping(path, lambda: json.loads(_read_text(path)))


def read_yaml(path: Path) -> dict[str, Any]:
    """Read one YAML mapping with the safe loader."""
    return _mapping(path, lambda: yaml.safe_load(_read_text(path)))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PingdaError(f"cannot read {path}: {error.strerror or error}") from error


def _mapping(path: Path, parse: Callable[[], Any]) -> dict[str, Any]:
    try:
        value = parse()
    except (ValueError, yaml.YAMLError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PingdaError(f"{path} is damaged or not of its format: {first}") from error
    if not isinstance(value, dict):
        raise PingdaError(f"{path} must hold a mapping, not {type(value).__name__}")
    return value
