"""Metrics and log of a server: requests, calls and repairs by dialect and status, and latencies."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from toolect._exchange.sent_calls import finish_reason
from toolect.serve.answer_reading import AnswerReading
from toolect.serve.api_errors import ApiName

LOG = logging.getLogger("toolect.serve")
_REASONS = ("stop", "length", "tool_calls", "content_filter")
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class ServeMetrics:
    """The metrics of one application. Labels have few values: no model ids, and no words of a client."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        given: dict[str, Any] = {"namespace": "toolect", "registry": self.registry}
        self.requests = Counter(
            "requests", "Requests, by API, way, dialect and HTTP status.", ["api", "mode", "dialect", "status"], **given
        )
        self.finished = Counter(
            "answers", "Choices of answers, by how they finished.", ["api", "dialect", "finish"], **given
        )
        self.calls = Counter(
            "calls", "Attempts at calls: ok, repaired, truncated, malformed.", ["dialect", "status"], **given
        )
        self.repairs = Counter("repairs", "Repairs of calls, by their kind.", ["dialect", "kind"], **given)
        self.open = Gauge("open_requests", "Requests that are being answered.", **given)
        given["buckets"] = _SECONDS
        self.first_delta = Histogram(
            "first_delta_seconds", "Seconds from a request to the first delta of a stream.", ["api"], **given
        )
        self.seconds = Histogram("request_seconds", "Seconds that a request took.", ["api"], **given)

    def page(self) -> bytes:
        """The metrics as text, as Prometheus reads it."""
        return generate_latest(self.registry)


@dataclass
class RequestLog:
    """Fields of a request's line in the log: nothing of the texts."""

    api: ApiName
    began: float = field(default_factory=time.perf_counter)
    model: str = ""
    dialect: str = "none"
    mode: str = "none"
    stream: bool = False
    status: int = 0
    error: str = ""
    finish: str = ""
    calls: Mapping[str, int] = field(default_factory=dict)
    repairs: int = 0
    first: float | None = None
    """Seconds to the first delta."""

    def count(self, answer: AnswerReading, metrics: ServeMetrics) -> None:
        """The attempts of an answer, and how its choices finished."""
        self.calls, self.repairs = answer.statuses, answer.repairs.total()
        for status, number in answer.statuses.items():
            metrics.calls.labels(self.dialect, status).inc(number)
        for kind, number in answer.repairs.items():
            metrics.repairs.labels(self.dialect, kind).inc(number)
        for choice in answer.choices.values():
            known = choice.finish in _REASONS
            finish = finish_reason(choice.finish, choice.rules.ended) if known else "other"
            metrics.finished.labels(self.api, self.dialect, finish).inc()

    def write(self, metrics: ServeMetrics) -> None:
        """Write the line, and update the metrics."""
        took = time.perf_counter() - self.began
        fields: dict[str, Any] = {
            "api": self.api, "model": self.model[:80], "mode": self.mode, "dialect": self.dialect,
            "stream": self.stream, "status": self.status, "finish": self.finish,
            **{f"calls_{status}": number for status, number in self.calls.items()},
            "repairs": self.repairs or None, "first_ms": self.first and round(self.first * 1e3, 1),
            "ms": round(took * 1e3, 1), "error": self.error,
        }  # fmt: skip
        said = " ".join(f"{key}={_shown(value)}" for key, value in fields.items() if value not in ("", None))
        LOG.log(logging.WARNING if self.status >= 500 else logging.INFO, "request %s", said, extra={"toolect": fields})
        metrics.requests.labels(self.api, self.mode, self.dialect, str(self.status)).inc()
        metrics.seconds.labels(self.api).observe(took)
        if self.first is not None:
            metrics.first_delta.labels(self.api).observe(self.first)


def _shown(value: Any) -> str:
    """A value of a line: quoted, where it is no word."""
    return str(value) if not isinstance(value, str) or re.fullmatch(r"[\w.,-]+", value, re.ASCII) else repr(value)
