"""Makes a finding small: a shorter text, fewer options and plainer chunks that still break the same law."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from toolect._detection.auto import Auto
from toolect.compiled import Dialect
from tools.fuzz.fuzz_laws import Finding, Run, broken

TRIES = 1000
"""How many smaller runs are tried. Beyond it: the smallest so far is reported."""


def shrunk(dialect: Dialect | Auto, finding: Finding) -> Finding:
    """The smallest run found that breaks the law of `finding`."""
    left = TRIES
    better = True
    while better and left > 0:
        better = False
        for run in _smaller(finding.run):
            left -= 1
            found = broken(dialect, run)
            if found is not None and found.law is finding.law:
                finding, better = found, True
                break
            if left <= 0:
                break
    return finding


def _smaller(run: Run) -> Iterator[Run]:
    """Runs with less in them, the smallest first."""
    for name, value in run.options.items():
        yield msgspec.structs.replace(run, options={k: v for k, v in run.options.items() if k != name})
        if name == "tools":
            for i in range(len(value) if len(value) > 1 else 0):
                yield msgspec.structs.replace(run, options={**run.options, "tools": [*value[:i], *value[i + 1 :]]})
    if run.sizes != (1,):
        yield msgspec.structs.replace(run, sizes=(1,))
    text = run.text
    size = len(text) // 2
    while size:
        for at in range(0, len(text), size):
            yield msgspec.structs.replace(run, text=text[:at] + text[at + size :])
        size //= 2
