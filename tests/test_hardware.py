from pathlib import Path

import pytest
import torch

from pingda import hardware

CPU = torch.device("cpu")


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


def relative_error(found: torch.Tensor, exact: torch.Tensor) -> float:
    return float((found.double() - exact).norm() / exact.norm())


def test_products_are_lowered_only_meanwhile() -> None:
    """The factors are rounded to bfloat16 where a matrix unit does it, nowhere else."""
    torch.manual_seed(0)
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    before, exact = a @ b, a.double() @ b.double()
    with hardware.products_in("bf16", CPU):
        assert hardware.ambient_dtype(a) == torch.bfloat16
        assert hardware.ambient_dtype(a.double()) == torch.float64
        lowered = a @ b
    assert torch.equal(a @ b, before)
    assert hardware.ambient_dtype(a) == torch.float32
    assert relative_error(lowered, exact) < 2**-7
    with hardware.products_in("fp32", CPU):
        assert hardware.ambient_dtype(a) == torch.float32
        assert relative_error(a @ b, exact) < 1e-6


def test_auto_lowers_nothing_where_that_would_be_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = torch.randn(256, 256)
    monkeypatch.setattr(hardware, "multiplies_bf16", lambda _device: False)
    with hardware.products_in("auto", CPU):
        assert hardware.ambient_dtype(a) == torch.float32
        assert relative_error(a @ a, a.double() @ a.double()) < 1e-6


@pytest.mark.parametrize(
    ("words", "possible"),
    [
        ({"AuthenticAMD", "avx512_bf16"}, True),
        ({"GenuineIntel", "avx512_bf16"}, False),
        ({"AuthenticAMD", "avx512_bf16", "amx_bf16"}, False),
        (set(), False),
    ],
)
def test_another_library_is_taken_only_if_it_is_exact(
    monkeypatch: pytest.MonkeyPatch, words: set[str], possible: bool
) -> None:
    """On a machine with a matrix unit the product shows that it is not."""
    monkeypatch.setattr(hardware, "_processor_words", lambda: frozenset(words))
    hardware.onednn_is_exact.cache_clear()
    chosen = hardware.onednn_is_exact()
    assert chosen <= possible
    monkeypatch.setattr(hardware, "EXACT", 0.0)
    hardware.onednn_is_exact.cache_clear()
    assert not hardware.onednn_is_exact()
    hardware.onednn_is_exact.cache_clear()


def test_freed_memory_is_kept_where_the_library_can() -> None:
    hardware.keep_freed_memory()
    assert torch.zeros(1 << 20).sum() == 0
