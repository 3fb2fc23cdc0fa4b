"""Counters and histograms of plain numbers, which a Prometheus registry reads at scrape time.

Those of the client library take a lock and several calls for each increment, which is too slow for code that runs with
every move. Here an increment is an addition. It is not locked, so only one thread may write to a series. There are no
`_created` samples, which would double the size of the page.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.utils import floatToGoString


class CounterSeries:
    """One counter. Code that runs with every move adds to `value` and saves the call."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0.0

    def inc(self, amount: float = 1) -> None:
        self.value += amount


class HistogramSeries:
    """The number of values in each bucket, and their total."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        """`bounds` are the inclusive upper bounds of the buckets, ascending, without infinity."""
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """Return the bounds, ending with infinity, each with the number of values up to it."""
        bounds = map(floatToGoString, (*self._bounds, float("inf")))
        return list(zip(bounds, accumulate(self._counts), strict=True))


SeriesT = TypeVar("SeriesT", CounterSeries, HistogramSeries)


class MetricFamily(ABC, Generic[SeriesT]):
    """A Prometheus collector of all series of one name, which differ in the values of their labels."""

    def __init__(self, registry: CollectorRegistry, name: str, meaning: str, *label_names: str) -> None:
        self._name = name
        self._meaning = meaning
        self._label_names = label_names
        self._series: dict[tuple[str, ...], SeriesT] = {}
        registry.register(self)

    def labels(self, *values: str) -> SeriesT:
        """Return the series with these values of the labels, which is exported from the first call on."""
        series = self._series.get(values)
        if series is None:
            series = self._series[values] = self._create_series()
        return series

    def describe(self) -> list[Metric]:
        """Return the family without its series; the registry rejects a second one of the same name."""
        return [self._export({})]

    def collect(self) -> Iterator[Metric]:
        yield self._export(self._series.copy())

    @abstractmethod
    def _create_series(self) -> SeriesT: ...

    @abstractmethod
    def _export(self, series: dict[tuple[str, ...], SeriesT]) -> Metric: ...


class CounterFamily(MetricFamily[CounterSeries]):
    """Counters; `_total` is added to their name."""

    def _create_series(self) -> CounterSeries:
        return CounterSeries()

    def _export(self, series: dict[tuple[str, ...], CounterSeries]) -> Metric:
        family = CounterMetricFamily(self._name, self._meaning, labels=self._label_names)
        for labels, counter in series.items():
            family.add_metric(labels, counter.value)
        return family


class HistogramFamily(MetricFamily[HistogramSeries]):
    def __init__(
        self, registry: CollectorRegistry, name: str, meaning: str, bounds: Sequence[float], *label_names: str
    ) -> None:
        """For `bounds` see HistogramSeries."""
        self._bounds = bounds
        super().__init__(registry, name, meaning, *label_names)

    def _create_series(self) -> HistogramSeries:
        return HistogramSeries(self._bounds)

    def _export(self, series: dict[tuple[str, ...], HistogramSeries]) -> Metric:
        family = HistogramMetricFamily(self._name, self._meaning, labels=self._label_names)
        for labels, histogram in series.items():
            family.add_metric(labels, histogram.buckets(), histogram.total)
        return family
