"""``report.html``: one self-contained page about one run."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from pingda.methods.meter import verdict
from pingda.reporting.curves import curves

PLOTS = (
    ("Loss", ("loss",), "InfoNCE"),
    (
        "Edges kept by the noise (1: no noise)",
        ("keep_mean", "keep_below_half", "keep_intra_class", "keep_inter_class"),
        "weight, share",
    ),
    (
        "Attribute noise",
        ("noise_to_signal", "mean_to_signal", "deviation"),
        "share of ‖X‖",
    ),
    (
        "Task entropy: with the noise, with blind noise, without noise",
        ("task_entropy", "task_entropy_blind", "task_entropy_clean"),
        "nats",
    ),
    ("What the noise tells of the task, I(T;E)", ("information",), "nats"),
    ("Agreement of the two views", ("positive_cosine",), "cosine"),
)


def render_report(
    config: Mapping[str, Any],
    metrics: Sequence[dict[str, float]],
    evaluations: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the page; every text of the user is escaped, and no script runs.

    Args:
        config: The run's configuration.
        metrics: Its log.
        evaluations: Its results by protocol.
    """
    plots = []
    for title, names, label in PLOTS:
        svg = curves(metrics, names, label)
        if svg is not None:
            plots.append((title, Markup(svg)))  # noqa: S704 - drawn above
    measured = [line for line in metrics if "information" in line]
    template = (files("pingda.reporting") / "report.html.jinja").read_text("utf-8")
    page = Environment(autoescape=True).from_string(template)
    return page.render(
        config=config,
        plots=plots,
        evaluations=evaluations,
        verdict=verdict(measured[-1]) if measured else None,
        last=metrics[-1] if metrics else {},
    )
