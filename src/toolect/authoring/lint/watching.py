"""Waiting for the files of specs to change."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from toolect.authoring.lint.subject import corpus_folder

PAUSE = 0.3
"""Seconds between two looks."""


def changes(paths: Iterable[Path]) -> Iterator[None]:
    """Once at first, and whenever a file of these YAML files changes, comes or goes: themselves, grammars, corpora."""
    watched = [*paths]
    before: dict[Path, int] | None = None
    while True:
        now = dict(_times(watched))
        if now != before:
            before = now
            yield
        else:
            time.sleep(PAUSE)


def _times(paths: Iterable[Path]) -> Iterator[tuple[Path, int]]:
    for path in paths:
        folders = [path.parent / "grammars", *([corpus] if (corpus := corpus_folder(path)) else ())]
        for file in (*path.parent.glob("*.y*ml"), *(file for folder in folders for file in folder.rglob("*.*"))):
            with suppress(OSError):
                yield file, file.stat().st_mtime_ns
