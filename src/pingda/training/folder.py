"""The folder of one run: which file says what."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from pingda.errors import PingdaError
from pingda.files import read_arrays, read_yaml, write_text, write_yaml
from pingda.training.checkpoint import read_tensors, write_state
from pingda.training.state import TrainingState, unpack

FORMAT = 1


class RunFolder:
    """Names and guards the files of one run.

    ``result.json`` is written last: a folder without it holds an unfinished run.

    Args:
        path: The folder; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.metrics = path / "metrics.jsonl"
        self.weights = path / "model.safetensors"
        self.state = path / "state.safetensors"
        self.embeddings = path / "embeddings.npz"
        self.splits = path / "splits.npz"
        self.result = path / "result.json"
        self.environment = path / "environment.json"
        self.report = path / "report.html"

    @property
    def begun(self) -> bool:
        """Whether a run was begun here."""
        return self.config.is_file()

    @property
    def finished(self) -> bool:
        """Whether a run was finished here."""
        return self.begun and self.result.is_file()

    def write_config(self, config: dict[str, Any]) -> None:
        """Write everything that is needed to repeat the run."""
        write_yaml(self.config, {"format": FORMAT, **config})

    def read_config(self) -> dict[str, Any]:
        """Read the configuration.

        Raises:
            PingdaError: There is no run, or one of another format.
        """
        if not self.begun:
            raise PingdaError(f"{self.path} holds no run (it has no config.yaml)")
        config = read_yaml(self.config)
        found = config.pop("format", None)
        if found != FORMAT:
            raise PingdaError(
                f"{self.path} was written by another version of pingda "
                f"({config.get('pingda', 'unknown')}, format {found}); this one reads "
                f"format {FORMAT}: fit the run again, or use that version"
            )
        return config

    def checkpoint(self, state: TrainingState) -> None:
        """Make the log durable, then the state that says how far it counts."""
        with self.metrics.open("rb") as log:
            os.fsync(log.fileno())
        write_state(self.state, state)

    def load_state(self, state: TrainingState) -> None:
        """Bring a fresh state to the last checkpoint."""
        tensors = read_tensors(self.state)
        try:
            unpack(tensors, state)
        except (KeyError, ValueError, RuntimeError) as error:
            raise PingdaError(
                f"{self.state} does not fit its config.yaml; one of them was changed: "
                "fit the run again"
            ) from error

    def restore(
        self, state: TrainingState, rewrite: bool = True
    ) -> list[dict[str, float]]:
        """Go back to the last checkpoint, and bring the log to the same epoch.

        Args:
            state: Brought to the checkpoint.
            rewrite: Whether the file of the log is cut too.

        Returns:
            The log up to that epoch; empty if there is no checkpoint yet.
        """
        if self.state.is_file():
            self.load_state(state)
        rows = [row for row in self.read_metrics() if row["epoch"] <= state.epoch]
        if rewrite:
            self.rewrite_metrics(rows)
        return rows

    def rewrite_metrics(self, rows: list[dict[str, float]]) -> None:
        """Replace the log."""
        write_text(self.metrics, "".join(json.dumps(row) + "\n" for row in rows))

    def read_embeddings(self) -> tuple[np.ndarray, np.ndarray]:
        """Return embeddings [n, dim] and the identifiers of their rows [n]."""
        arrays = read_arrays(self.embeddings)
        if not {"embeddings", "ids"} <= arrays.keys():
            raise PingdaError(f"{self.embeddings} holds no embeddings and ids")
        return arrays["embeddings"], arrays["ids"]

    def log(self, row: dict[str, float]) -> None:
        """Append one line to the log."""
        try:
            with self.metrics.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        except OSError as error:
            raise PingdaError(
                f"cannot write {self.metrics}: {error.strerror}; free space and go on "
                "with --resume"
            ) from error

    def read_metrics(self) -> list[dict[str, float]]:
        """Read the log; a last line that was cut off by a crash does not count."""
        if not self.metrics.is_file():
            return []
        rows = []
        for line in self.metrics.read_text(encoding="utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError:
                break
        return rows
