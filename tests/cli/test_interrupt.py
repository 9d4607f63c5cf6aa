import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pingda.cli.interrupt import stop_requests


def test_the_first_signal_is_a_request_and_the_old_handlers_return() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_requests() as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        assert stop()
        assert signal.getsignal(signal.SIGINT) is before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_fit_says_how_to_go_on_and_does(
    tmp_path: Path, toy_file: Path, number: int
) -> None:
    words = [str(Path(sys.executable).with_name("pingda")), "fit", str(toy_file)]
    words += ["--set", "epochs=1500", "--set", "dim=8", "--set", "hidden=16"]
    process = subprocess.Popen(
        [*words, "-o", "run"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    log = tmp_path / "run" / "metrics.jsonl"
    deadline = time.monotonic() + 60
    while not (log.is_file() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "the same command with --resume -o run goes on from there" in errors
    for folder in (["-o", "run", "--resume"], ["-o", "whole"]):
        subprocess.run([*words, *folder], cwd=tmp_path, check=True, capture_output=True)
    resumed, whole = (
        np.load(tmp_path / name / "embeddings.npz")["embeddings"]
        for name in ("run", "whole")
    )
    assert np.array_equal(resumed, whole)
