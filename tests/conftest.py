"""How the tests run: `--update` rewrites corpus expectations, `--hypothesis-profile=deep` draws more examples, and
`--all` takes all of what otherwise a share is drawn from.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
import shares
from hypothesis import HealthCheck, settings
from registries import own_registries

from toolect.authoring.processes import collect_less

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", max_examples=10, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=1000, print_blob=True, **_COMMON)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--update` and `--all`."""
    parser.addoption("--update", action="store_true", help="rewrite the corpus's expectations (never those of :error)")
    parser.addoption("--all", action="store_true", help="take all of what otherwise a share is drawn from")


def pytest_configure(config: pytest.Config) -> None:
    """Tells the option to what draws shares."""
    shares.everything = config.getoption("--all")


def pytest_collection_finish() -> None:
    """What is there by now stays, as do the graphs of dialects: going over them took a seventh of the time."""
    gc.collect()
    gc.freeze()
    collect_less()


@pytest.fixture(scope="module")
def own_registry() -> Iterator[None]:
    """What the tests of a module define is gone after them."""
    with own_registries():
        yield
