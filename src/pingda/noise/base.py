"""The protocol that all noise shares."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from torch import Generator, Tensor, nn

from pingda.graph.sparse import SparseFeatures
from pingda.graph.view import GraphView


@dataclass(frozen=True)
class Draw:
    """One draw of noise: the noisy view, and what was done to get it.

    Args:
        view: The noisy view.
        keep: How much of each edge was kept, [e] in 0 … 1; None if edges were left.
        measure: Returns sizes of the attribute noise, each a scalar:
            ``noise_to_signal`` ‖X^ε−X‖/‖X‖ and, for Gaussian noise, ``mean_to_signal``
            ‖μ‖/‖X‖ and ``deviation`` (mean σ). Asked after the view was used, since
            noise that is never there as a whole is measured on the way.
    """

    view: GraphView
    keep: Tensor | None = None
    measure: Callable[[], dict[str, Tensor]] = dict


class Noise(nn.Module):
    """Turns a view of a graph into a noisy one.

    Calling the module gives the noisy view; :meth:`draw` also says what was done. A
    new kind of noise defines :meth:`draw` alone.
    """

    @abstractmethod
    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw noise once.

        Args:
            view: The view to disturb; it is left as it is.
            generator: Source of randomness; None means PyTorch's global one.
        """

    def uninformed(self, _view: GraphView) -> "Noise":
        """Return noise of the same kind and power that does not know where to go.

        It draws the same random numbers. Random noise is its own.
        """
        return self

    def forward(self, graph: Any, generator: Generator | None = None) -> GraphView:
        """Return a noisy view of a :class:`GraphView` or a PyG ``Data``.

        Noisy features are a tensor, for models that know nothing of other kinds.
        """
        view = self.draw(GraphView.of(graph), generator).view
        if isinstance(view.x, Tensor | SparseFeatures):
            return view
        return view.with_features(view.x.to_dense())


class Compose(Noise):
    """Apply several kinds of noise, one after the other.

    Args:
        parts: In the order of application; no part leaves the view as it is.
    """

    def __init__(self, parts: Iterable[Noise] = ()) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def draw(self, view: GraphView, generator: Generator | None = None) -> Draw:
        """Draw from each part in turn and report on all of them."""
        result = Draw(view)
        for part in self.parts:
            assert isinstance(part, Noise)  # noqa: S101 - as __init__ was given them
            result = then(result, part, generator)
        return result


def then(first: Draw, noise: Noise, generator: Generator | None) -> Draw:
    """Disturb a drawn view further and report on both."""
    second = noise.draw(first.view, generator)
    keep = second.keep
    if keep is None or first.keep is None:
        keep = first.keep if keep is None else keep
    else:
        keep = first.keep * keep

    def measure() -> dict[str, Tensor]:
        return {**first.measure(), **second.measure()}

    return Draw(second.view, keep, measure)
