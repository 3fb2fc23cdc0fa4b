"""The page of metrics as Prometheus reads it."""

from collections.abc import Iterator

from prometheus_client.parser import text_string_to_metric_families

from referee.telemetry.metrics import Metrics


class Page:
    """What the metrics are at one moment."""

    def __init__(self, metrics: Metrics) -> None:
        self.families = {family.name: family for family in text_string_to_metric_families(metrics.text().decode())}

    def value(self, name: str, **labels: str) -> float:
        """Of one sample; 0 if there is none."""
        return next((value for has, value in self._samples(name) if has == labels), 0.0)

    def all(self, name: str) -> dict[tuple[str, ...], float]:
        """Of every sample that is not 0, by the values of its labels in order of their names."""
        return {tuple(has[label] for label in sorted(has)): value for has, value in self._samples(name) if value}

    def labels(self, family: str) -> set[str]:
        return {label for sample in self.families[family].samples for label in sample.labels}

    def _samples(self, name: str) -> Iterator[tuple[dict[str, str], float]]:
        for family in self.families.values():
            for sample in family.samples:
                if sample.name == name:
                    yield sample.labels, sample.value
