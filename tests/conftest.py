"""How the tests run: `--update` rewrites corpus expectations, `--all` takes all of what else a share is drawn from,
`--seed` draws another one, and `--part 10` takes a tenth of all tests. `--hypothesis-profile=deep` draws more examples,
with `--runs` for the fuzzer; `unshrunk` shows the first one that fails.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
import shares
from hypothesis import HealthCheck, Phase, settings
from registries import own_registries

from toolect._canonical import fast_path
from toolect._processes import collect_less

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", max_examples=10, derandomize=True, database=None, **_COMMON)
settings.register_profile("unshrunk", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("deep", max_examples=1000, print_blob=True, **_COMMON)
settings.load_profile("default")
fast_path.MIN_READ = 0  # so that a law that reads few answers is held against fused markers, too


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--update`, `--all`, `--seed`, `--part` and `--runs`."""
    parser.addoption("--update", action="store_true", help="rewrite the corpus's expectations (never those of :error)")
    parser.addoption("--all", action="store_true", help="take all of what otherwise a share is drawn from")
    parser.addoption("--seed", type=int, metavar="N", help="what draws the share; the number of commits by default")
    parser.addoption("--part", type=int, metavar="N", help="take one of so many parts of all tests")
    parser.addoption("--runs", type=int, metavar="N", help="texts that the fuzzer reads, over all that is fuzzed")


def pytest_configure(config: pytest.Config) -> None:
    """Pass the options on to what draws shares."""
    shares.everything = config.getoption("--all")
    chosen = config.getoption("--seed")
    shares.seed = shares.commits() if chosen is None else chosen


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed, so that a run can be had again."""
    if not shares.everything:
        terminalreporter.write_line(f"a share of the tests, by --seed {shares.seed}; --all takes all of them")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of this run's share, but nothing that was asked for by its name."""
    named = config.getoption("keyword") or any("::" in argument for argument in config.args)
    if shares.everything or named:
        return
    kept = shares.drawn(items, config.getoption("--part"))
    left = {*items}.difference(kept)
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = kept


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
