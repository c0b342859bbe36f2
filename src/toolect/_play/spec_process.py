"""Sandbox process for a visitor's spec: lint it, and read a text with it, within a bound of time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from toolect._play.view_models import Asked, View, reading

SECONDS = 20
"""Time for one spec. Beyond it: the answer says so."""
MEMORY = 2 << 30
"""Bytes for one spec, where the system can bound them. Beyond it: the answer says so."""
MAX_SPEC = 100_000
"""Characters of an entry and a grammar together. Beyond it: refused."""
MAX_FOUND = 50
"""Diagnostics that are shown."""
_UNASKED = frozenset(("missing-corpus", "missing-case"))
"""Checks of what a page has no place for."""


def examine(asked: Asked) -> View:
    """The findings of lint on the spec of `asked`, and its text as the spec reads it; in a process of its own.

    Raises ValueError for a spec that is too long.
    """
    if len(asked.entry) + len(asked.grammar) > MAX_SPEC:
        raise ValueError(f"expected a spec of at most {MAX_SPEC:,} characters")
    command = [sys.executable, "-m", "toolect._play.spec_process"]
    try:
        done = subprocess.run(
            command, input=msgspec.json.encode(asked), capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return _failed(f"the spec was still being looked at after {SECONDS} seconds: make it smaller")
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        return _failed(f"the spec could not be looked at: {last or f'exit code {done.returncode}'}")
    view: View = json.loads(done.stdout)
    return view


def _failed(why: str) -> View:
    return {"diagnostics": [{"check": "bounds", "severity": "error", "message": why, "file": "", "line": 0}]}


def _examine(asked: Asked) -> View:
    """The work itself, in the process that may be ended."""
    from toolect._authoring.lint.runner import lint
    from toolect._compiled import Dialect
    from toolect._diagnostic import SpecError
    from toolect._spec.load import load_spec
    from toolect.registry import bases

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "dialects.yaml")
        path.write_text(asked.entry, encoding="utf-8")
        name = next((line.partition(":")[0].strip() for line in asked.entry.split("\n") if line[:1].strip("# -\t")), "")
        grammar = Path(folder, "grammars", f"{name}.lark")
        grammar.parent.mkdir()
        if asked.grammar.strip() and name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            grammar.write_text(asked.grammar, encoding="utf-8")
        found = [one for one in lint(path).diagnostics if one.check not in _UNASKED]
        view: View = {"diagnostics": [_diagnostic(one) for one in found[:MAX_FOUND]]}
        try:
            view |= reading(asked, Dialect(load_spec(path, name, *bases(path))))
        except SpecError:
            pass  # what keeps it from being read is among the diagnostics
    return view


def _diagnostic(one: Any) -> View:
    return {
        "check": one.check,
        "severity": str(one.severity),
        "message": one.message,
        "help": one.help,
        "file": "grammar" if one.place.path.endswith(".lark") else "entry",
        "line": one.place.line,
        "texts": [{"label": text.label, "text": text.text} for text in one.texts],
    }


def main() -> None:
    """Read a request from standard input, and write the answer."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass  # no such bound here; time is bounded all the same
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
    sys.stdout.write(json.dumps(_examine(asked)))


if __name__ == "__main__":
    main()
