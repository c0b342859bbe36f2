"""Makes a finding small: a shorter text, fewer options and plainer chunks that still break the same law."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from tools.fuzz.fuzz_laws import Finding, Run, broken

TRIES = 3000
"""How many smaller runs are tried. Beyond it: the smallest so far is reported."""


def shrunk(dialect: Dialect | Auto, finding: Finding) -> Finding:
    """The smallest run found that breaks the law of `finding`."""
    left = TRIES

    def breaks(run: Run) -> bool:
        nonlocal finding, left
        left -= 1
        found = broken(dialect, run) if left >= 0 else None
        if found is None or found.law is not finding.law:
            return False
        finding = found
        return True

    before = None
    while before != finding.run and left > 0:
        before = finding.run
        while any(map(breaks, _plainer(finding.run))):
            pass
        size = len(finding.run.text) // 2
        while size:
            at = 0
            while at < len(text := finding.run.text):
                if not breaks(msgspec.structs.replace(finding.run, text=text[:at] + text[at + size :])):
                    at += size
            size //= 2
    return finding


def _plainer(run: Run) -> Iterator[Run]:
    """The text, read in a plainer way."""
    for name, value in run.options.items():
        yield msgspec.structs.replace(run, options={k: v for k, v in run.options.items() if k != name})
        if name == "tools":
            for i in range(len(value) if len(value) > 1 else 0):
                yield msgspec.structs.replace(run, options={**run.options, "tools": [*value[:i], *value[i + 1 :]]})
    if run.sizes != (1,):
        yield msgspec.structs.replace(run, sizes=(1,))
