"""Drawn diagnostics in colour: the check stands out, the lines of files step back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._cli._shared.drawing import KEY, LABEL, PLAIN, QUIET, Styled

ERROR, WARNING = "bold red", "bold yellow"
_HEAD = re.compile(r"(error|warning)(\[[\w-]+\])(.*)")
_SIDE = re.compile(r"(\s*(?:-->|:::|= [\w ]+:))(.*)")
_MARKED = re.compile(r"(\s*\| )( *)(\^+|-+)(.*)")
_LINE = re.compile(r"(\s*\d* \|)(.*)")


def coloured(text: str) -> Iterator[Styled]:
    """What `toolect._diagnostic.draw` writes, in styled pieces that are the same text."""
    style = ERROR
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\n")
        if found := _HEAD.fullmatch(body):
            style = ERROR if found[1] == "error" else WARNING
            yield from ((style, found[1] + found[2]), (LABEL, found[3]))
        elif found := _MARKED.fullmatch(body):
            yield from (
                (QUIET, found[1]),
                (PLAIN, found[2]),
                (style if found[3][0] == "^" else KEY, found[3] + found[4]),
            )
        elif found := _SIDE.fullmatch(body) or _LINE.fullmatch(body):
            yield from ((QUIET, found[1]), (PLAIN, found[2]))
        else:
            yield PLAIN, body
        yield PLAIN, line[len(body) :]
