"""The two folders that data comes from and goes to."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def mirror() -> Path | None:
    """Return the read-only folder of raw files (``PINGDA_MIRROR``), if one is set."""
    value = os.environ.get("PINGDA_MIRROR")
    return Path(value).expanduser() if value else None


def data_folder() -> Path:
    """Return the folder of downloads and caches (``PINGDA_DATA``)."""
    value = os.environ.get("PINGDA_DATA")
    return Path(value).expanduser() if value else user_cache_path("pingda")
