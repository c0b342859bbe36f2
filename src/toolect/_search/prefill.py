"""Prefill: the end of a prompt that begins the answer."""

from __future__ import annotations

from collections.abc import Iterable

from toolect._message import check_type

_TAIL = 256
"""Characters of a prompt's end that are looked at."""


def prompt_tail(tails: Iterable[str], prefix: str) -> tuple[str, str]:
    """The longest of `tails` that `prefix` ends with, whatever whitespace comes last, and as it stands there.

    Both are empty where there is none. Raises TypeError for what is no text.
    """
    check_type(prefix, str, "the end of a prompt")
    end = prefix[-_TAIL:]
    said = end.rstrip()
    found = [tail for tail in tails if tail and said.endswith(tail.rstrip())]
    tail = max(found, key=lambda tail: (len(tail.rstrip()), prefix.endswith(tail), len(tail)), default="")
    return tail, end[len(said) - len(tail.rstrip()) :] if tail else ""
