"""Advice for YAML files that cannot be read: blanks, and signs that YAML takes for its own."""

from __future__ import annotations

import re
from collections.abc import Sequence


def advice(lines: Sequence[str], line: int, column: int, why: str) -> str:
    """Advice on the reader's message `why` about a line and a column, which count from 1; empty for none."""
    here = lines[line - 1] if line <= len(lines) else ""
    blank = here[: len(here) - len(here.lstrip())]
    if "\t" in blank + here[column - 1 : column]:
        return "indent with spaces, not with tabs"
    sign = here[column - 1 : column]
    if "mapping values are not allowed" in why:
        if re.match(r"\s*(?:- )?[^\s:]+:\s+\S", here[: column - 1]):
            return "a text with a colon and a blank in it stands between quotes"
        return _alike(lines, line)
    if "cannot start any token" in why and sign:
        return f"a text that begins with `{sign}` stands between quotes"
    if re.search("flow (mapping|sequence)|expected ',' or", why):
        return "close the bracket, and put texts with brackets or commas in them between quotes"
    if "unknown escape" in why:
        return "write `\\\\` for a backslash, or put the text between single quotes, where nothing is an escape"
    if re.match(r"\s*[\w-]+:?\s*[{\[]", here) and not re.match(r"\s*[\w-]+: ", here):
        return "write a colon and a blank after the key"
    if "quoted scalar" in why or len(blank) < column - 1 or "end of stream" in why:
        return "a quote is missing, here or above"
    return _alike(lines, line) if "expected key" in why or "block" in why else ""


def _alike(lines: Sequence[str], line: int) -> str:
    """That a line is indented in another way than its neighbour above."""
    depths = [len(text) - len(text.lstrip()) for text in lines[:line] if text.strip() and text.strip()[0] != "#"]
    if len(depths) < 2 or depths[-1] == depths[-2]:
        return ""
    return f"fields beside each other are indented alike: the line above has {depths[-2]} blanks, this one {depths[-1]}"
