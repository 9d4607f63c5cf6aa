"""Everything that is needed to repeat a run."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pingda import __version__
from pingda.errors import PingdaError
from pingda.graph.graph import Graph


class DataSummary(BaseModel):
    """What the run's graph was, so that another one is noticed."""

    model_config = ConfigDict(extra="forbid")

    name: str
    nodes: int
    edges: int
    features: int
    classes: int
    fingerprint: str
    transforms: list[str]

    @classmethod
    def of(cls, graph: Graph) -> "DataSummary":
        """Summarise a prepared graph."""
        return cls(
            name=graph.name,
            nodes=graph.nodes,
            edges=graph.edges,
            features=graph.features,
            classes=graph.classes,
            fingerprint=graph.fingerprint(),
            transforms=list(graph.transforms),
        )


class RunConfig(BaseModel):
    """The content of ``config.yaml``.

    ``source`` is None for a graph that was given in memory; ``settings`` are dotted
    keys, complete and resolved.
    """

    model_config = ConfigDict(extra="forbid")

    pingda: str = __version__
    source: str | None
    method: str
    recipe: str | None
    seed: int
    settings: dict[str, Any]
    data: DataSummary

    @classmethod
    def read(cls, content: dict[str, Any], place: str) -> "RunConfig":
        """Check the content of a configuration file.

        Raises:
            PingdaError: It is not one that a run wrote.
        """
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            fault = error.errors()[0]
            key = ".".join(str(part) for part in fault["loc"])
            raise PingdaError(
                f"{place} is no run's configuration: {key}: {fault['msg'].lower()}"
            ) from error

    def difference(self, other: "RunConfig") -> str | None:
        """Name the first thing in which two runs differ; None if they are the same."""
        mine, theirs = self.facts(), other.facts()
        for key in {**mine, **theirs}:
            if mine.get(key) != theirs.get(key):
                return f"{key} is {mine.get(key)!r} there and {theirs.get(key)!r} here"
        return None

    def facts(self) -> dict[str, Any]:
        """Return all that decides over the result."""
        return {
            "source": self.source,
            "method": self.method,
            "seed": self.seed,
            **self.settings,
            "data": self.data.fingerprint,
        }
