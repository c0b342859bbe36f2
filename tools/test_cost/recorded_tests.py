"""Coverage contexts: a pytest plugin that records under each test its seconds and the lines that it executes.

Processes that a test starts record theirs under its name, too: coverage.py's settings read it from the environment.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import coverage
import msgspec
import pytest

SECONDS = "TOOLECT_TEST_SECONDS"
"""The variable that names the file of seconds by test."""
_seconds: dict[str, float] = defaultdict(float)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Lines are those of this test from here on."""
    if (found := coverage.Coverage.current()) is not None:
        found.switch_context(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up setup, call and teardown."""
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what the workers have reported."""
    if not hasattr(session.config, "workerinput"):
        Path(os.environ[SECONDS]).write_bytes(msgspec.json.encode(_seconds))
