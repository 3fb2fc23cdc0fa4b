"""The metrics page, parsed as Prometheus parses it."""

from collections.abc import Iterator
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from referee.observability.metrics import GaugeSources, Metrics


def gauge_sources(**changed: Any) -> GaugeSources:
    """Return the sources of a server without matches, except those given here."""
    nothing: dict[str, Any] = {"matches": list, "sessions": list, "lag_us": int, "stalls": lambda: [0] * 7}
    return GaugeSources(**nothing | {"ready": lambda: True} | changed)


class Page:
    """Values of all metrics at one moment."""

    def __init__(self, metrics: Metrics) -> None:
        self.families = {family.name: family for family in text_string_to_metric_families(metrics.text().decode())}

    def value(self, name: str, **labels: str) -> float:
        """Return the value of one sample, or 0 if it does not exist."""
        return next((value for sample_labels, value in self._samples(name) if sample_labels == labels), 0.0)

    def all(self, name: str) -> dict[tuple[str, ...], float]:
        """Return all samples other than 0, by their label values in the order of the label names."""
        return {
            tuple(sample_labels[label] for label in sorted(sample_labels)): value
            for sample_labels, value in self._samples(name)
            if value
        }

    def labels(self, family: str) -> set[str]:
        return {label for sample in self.families[family].samples for label in sample.labels}

    def _samples(self, name: str) -> Iterator[tuple[dict[str, str], float]]:
        for family in self.families.values():
            for sample in family.samples:
                if sample.name == name:
                    yield sample.labels, sample.value
