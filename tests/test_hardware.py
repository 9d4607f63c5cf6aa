from pathlib import Path

import pytest
import torch

from pingda import hardware


@pytest.fixture(autouse=True)
def _ask_again() -> None:
    hardware.core_cache_bytes.cache_clear()
    hardware.multiplies_bf16.cache_clear()


@pytest.mark.parametrize(
    ("text", "size"),
    [("2048K\n", 2 << 20), ("1M", 1 << 20), ("", 1 << 20), ("many", 1 << 20)],
)
def test_the_cache_is_read_or_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, size: int
) -> None:
    file = tmp_path / "size"
    file.write_text(text)
    monkeypatch.setattr(hardware, "_LEVEL_2", file)
    assert hardware.core_cache_bytes() == size


@pytest.mark.parametrize("there", [True, False])
def test_auto_takes_bfloat16_only_where_it_is_fast(
    monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(hardware, "_cpu_multiplies_bf16", lambda: there)
    single, double = torch.zeros(1), torch.zeros(1, dtype=torch.float64)
    expected = torch.bfloat16 if there else torch.float32
    assert hardware.product_dtype("auto", single) == expected
    assert hardware.product_dtype("auto", double) == torch.float64
    assert hardware.product_dtype("fp32", single) == torch.float32
    assert hardware.product_dtype("bf16", single) == torch.bfloat16


def test_products_are_lowered_only_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The factors are rounded to bfloat16 where the processor can, and nowhere else."""
    cpu = torch.device("cpu")
    torch.manual_seed(0)
    a, b = torch.randn(64, 64), torch.randn(64, 64)
    exact = a @ b
    with hardware.products_in("bf16", cpu):
        lowered = a @ b
    assert torch.equal(a @ b, exact)
    error = float((lowered - exact).norm() / exact.norm())
    assert error < 2**-7
    if hardware.multiplies_bf16(cpu):
        assert error > 1e-5
    monkeypatch.setattr(hardware, "multiplies_bf16", lambda _device: False)
    for precision in ("fp32", "auto"):
        with hardware.products_in(precision, cpu):
            assert torch.equal(a @ b, exact)
