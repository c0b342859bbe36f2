"""Test selection: of tests and of things that a law is held against, the share that one run takes.

The seed of a run is the number of commits, or `--seed`. A share rotates with it: what has ten parts is taken whole over
ten seeds. `--all` takes everything.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")
everything = False
"""True with `--all`."""
seed = 0
"""The seed of this run."""
PARTS = {
    "test_fuzz.py::test_chunks_do_not_matter_in_odd_grammars": 1,  # each grammar is the only one of its kind
    "test_attacks.py": 6,
    "test_floods.py": 10,
    "test_formats.py": 3,
    "test_injection.py": 3,
    "test_made_up_formats.py": 3,
    "test_judge.py::test_a_call_that_is_quoted_does_not_run": 4,
    "test_play.py::test_everybody_can_use_it": 4,
    "test_terminal.py": 4,
    "test_answers.py": 4,
    "test_serve*.py": 4,
    "test_new*.py": 6,
    "test_mistakes.py::test_most_are_found_by_their_cause": 10,  # each report is tested, too
    "test_mistakes.py": 6,
    "test_prompting.py": 5,
    "test_chats.py": 5,
    "test_code.py": 4,
    "test_corpus.py::test_chunks_do_not_matter": 4,
    "test_agent_server.py": 3,
    "test_cli.py": 3,
    "test_data.py": 5,
    "test_declared.py": 6,
    "test_explanation.py": 4,
    "test_fast_path.py": 6,
    "test_fuzz.py": 4,
    "test_generate.py": 6,
    "test_inner_calls.py": 4,
    "test_laws.py": 4,
    "test_openai_client.py::test_reads_our_chunks": 4,
    "test_search.py": 4,
    "test_template_chats.py": 6,
    "test_templates.py": 6,
    "test_tokens.py": 4,
    "test_training.py": 6,
    "test_value_languages.py": 6,
    "test_checks.py": 3,
    "test_odd_specs.py": 3,
    "test_values.py": 3,
    "test_detection.py": 3,
    "test_escaped_texts.py": 3,
    "test_matrix.py": 3,
    "test_shapes.py": 3,
}
"""Of the cases of each test of a file, or of one test, a run takes one part of so many; the first that fits counts."""
SLOW = {
    "test_data.py": 3,
    "test_detection.py": 3,
    "test_floods.py": 6,
    "test_formats.py": 3,
    "test_fuzz.py": 4,
    "test_made_up_formats.py": 3,
    "test_judge.py": 3,
    "test_new*.py": 6,
    "test_quotations.py": 3,
}
"""The same for tests that have no cases; of other files a run takes all."""


def commits() -> int:
    """The number of commits of this checkout; 0 where there is no repository."""
    command = ["git", "rev-list", "--count", "HEAD"]
    try:
        return int(subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, check=True).stdout)
    except (OSError, subprocess.CalledProcessError):
        return 0


def share(things: Sequence[T], most: int, name: str) -> list[T]:
    """So many of these at most, in order; `name` tells one draw from others of the same run."""
    if everything or len(things) <= most:
        return [*things]
    mixed = Random(name).sample(range(len(things)), len(things))
    parts = -(-len(things) // most)
    return [things[at] for at in sorted(mixed[seed % parts :: parts])]


@cache
def parts_of(file: str, function: str, *, cases: bool) -> int:
    """Of how many parts of the cases of a test, or of the tests of a file, a run takes one."""
    table = PARTS if cases else SLOW
    return next((parts for glob, parts in table.items() if fnmatch(function, glob) or fnmatch(file, glob)), 1)


def drawn(items: Sequence[pytest.Item], parts: int | None = None) -> list[pytest.Item]:
    """The tests of this run; with `parts`, one of so many parts of all tests."""
    kept, counts = [], dict[str, int]()
    for item in items:
        file = item.path.name
        function = f"{file}::{getattr(item, 'originalname', item.name)}"
        cases = hasattr(item, "callspec")
        group = function if cases else file
        place = counts[group] = counts.get(group, crc32(group.encode())) + 1
        of = parts or parts_of(file, function, cases=cases)
        if place % of == seed % of:
            kept.append(item)
    return kept
