"""Metrics as Prometheus reads them: the text format, version 0.0.4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_IN_LABEL = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_IN_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})


class Sample(NamedTuple):
    """One number of a metric. `suffix` is `_bucket`, `_sum` or `_count` for those of a histogram."""

    labels: Mapping[str, str]
    value: float
    suffix: str = ""


class Metric(NamedTuple):
    """A metric with its numbers."""

    name: str
    kind: str  # counter, gauge or histogram
    meaning: str
    samples: Sequence[Sample]


def histogram(bounds: Sequence[float], buckets: Mapping[int, int], total: float) -> list[Sample]:
    """Returns the samples of a histogram. `buckets` counts by place in `bounds`; one more place has the rest."""
    samples, count = [], 0
    for place, bound in enumerate(bounds):
        count += buckets.get(place, 0)
        samples.append(Sample({"le": repr(bound)}, count, "_bucket"))
    count += buckets.get(len(bounds), 0)
    samples.append(Sample({"le": "+Inf"}, count, "_bucket"))
    return [*samples, Sample({}, total, "_sum"), Sample({}, count, "_count")]


def rendered(metrics: Iterable[Metric]) -> bytes:
    """Returns the text of `metrics`."""
    return "".join(line + "\n" for metric in metrics for line in _lines(metric)).encode("utf-8", "replace")


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.meaning.translate(_IN_HELP)}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for labels, value, suffix in metric.samples:
        yield f"{metric.name}{suffix}{_labelled(labels)} {value!r}"


def _labelled(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{value.translate(_IN_LABEL)}"' for name, value in labels.items()) + "}"
