"""Comments that allow a diagnostic: `# toolect: allow CHECK reason`, in a grammar `// toolect: allow CHECK reason`.

At the end of a line such a comment speaks of that line; on a line of its own, of the definition or entry that follows.
What it allows of a dialect's entry it allows of the whole dialect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

import msgspec

from toolect._authoring.lint.catalogue import pages
from toolect._diagnostic import Diagnostic, Place, warning
from toolect._spec.problems import near

_COMMENT = re.compile(r"(?:#|//)[ \t]*toolect:[ \t]*allow\b[ \t]*([^\s#/]*)[ \t]*(.*)")


class Allowance(msgspec.Struct, frozen=True):
    """One comment: the check it allows, why, and the lines it speaks of (`last` included)."""

    check: str
    reason: str
    place: Place
    first: int
    last: int

    def covers(self, place: Place) -> bool:
        """True when `place` is among its lines."""
        return place.path == self.place.path and self.first <= place.line <= self.last


def allowances(path: str, text: str) -> Iterator[Allowance]:
    """The comments of a file."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if (match := _COMMENT.search(line)) is None:
            continue
        place = Place(path, number, match.start() + 1, len(match[0].rstrip()))
        first = last = number
        if not line[: match.start()].strip():
            first, last = _following(lines, number)
        yield Allowance(match[1], match[2].strip(), place, first, last)


def _following(lines: list[str], number: int) -> tuple[int, int]:
    """The definition after line `number`: a line that is no comment, and those that are indented further."""
    first, *_ = (*(n for n in range(number, len(lines)) if not _COMMENT.match(lines[n].strip())), len(lines))
    depth = _depth(lines[first]) if first < len(lines) else 0
    inside = takewhile(
        lambda line: not line.strip() or _depth(line) > depth or line.lstrip().startswith("|"), lines[first + 1 :]
    )
    return first + 1, first + 1 + sum(1 for _ in inside)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def apply(
    found: Iterable[tuple[Diagnostic, Place]], comments: list[Allowance]
) -> tuple[list[tuple[Diagnostic, Place]], set[Allowance]]:
    """The diagnostics that no comment allows, and the comments that allow something.

    Each diagnostic comes with the place of the entry of its dialect.
    """
    kept, used = [], set()
    for diagnostic, entry in found:
        same = [a for a in comments if a.check == diagnostic.check]
        allowing = [a for a in same if a.covers(diagnostic.place) or a.first == entry.line and a.covers(entry)]
        used.update(allowing)
        kept += [] if allowing else [(diagnostic, entry)]
    return kept, used


def mistakes(
    comments: Iterable[Allowance], used: set[Allowance], judged: Callable[[Place], bool]
) -> Iterator[Diagnostic]:
    """What is wrong with the comments themselves.

    Whether one is of use is known only where it is `judged`: all was looked for that it may allow.
    """
    known = pages()
    for comment in comments:
        check = comment.check
        if check not in known:
            message = "expected the name of a check" + f", got `{check}`" * bool(check)
            advice = near(check, known) or "`toolect spec checks` lists them"
            yield warning("unknown-check", message, comment.place, help=advice)
        elif not comment.reason:
            message = f"expected a reason for allowing `{check}`"
            yield warning("allowed-without-reason", message, comment.place, help=f"say why after `{check}`")
        elif comment not in used and judged(comment.place):
            message = f"nothing here is found by `{check}`"
            yield warning("unused-allow", message, comment.place, help="delete the comment")
