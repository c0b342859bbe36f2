"""How the tests run: `--update` rewrites corpus expectations, `--hypothesis-profile=deep` draws more examples."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", max_examples=10, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=1000, print_blob=True, **_COMMON)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--update`."""
    parser.addoption("--update", action="store_true", help="rewrite the corpus's expectations (never those of :error)")
