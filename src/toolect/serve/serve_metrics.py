"""Metrics of a server for Prometheus: requests, calls and repairs by dialect and status, and latencies."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class ServeMetrics:
    """The metrics of one application. Labels have few values: no model ids, and no words of a client."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        prefix = "toolect_"
        self.requests = Counter(
            prefix + "requests", "Requests, by API, way, dialect and HTTP status.",
            ["api", "mode", "dialect", "status"], registry=self.registry,
        )  # fmt: skip
        self.finished = Counter(
            prefix + "answers", "Choices of answers, by how they finished.", ["api", "dialect", "finish"],
            registry=self.registry,
        )  # fmt: skip
        self.calls = Counter(
            prefix + "calls", "Attempts at calls: ok, repaired, truncated, malformed.", ["dialect", "status"],
            registry=self.registry,
        )  # fmt: skip
        self.repairs = Counter(
            prefix + "repairs", "Repairs of calls, by their kind.", ["dialect", "kind"], registry=self.registry
        )
        self.first_delta = Histogram(
            prefix + "first_delta_seconds", "Seconds from a request to the first delta of a stream.", ["api"],
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            prefix + "request_seconds", "Seconds that a request took.", ["api"], buckets=_SECONDS,
            registry=self.registry,
        )  # fmt: skip
        self.open = Gauge(prefix + "open_requests", "Requests that are being answered.", registry=self.registry)

    def page(self) -> bytes:
        """All of them, as text."""
        return generate_latest(self.registry)
