"""Which dialect a chat template writes: every dialect reads the template's turns, and writes them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolect.chat_template import TOOLS, Turn, bodies
from toolect.ir import Call, Json, Message, same_json
from toolect.rendered import Unrepresentable

if TYPE_CHECKING:
    from toolect.compiled import Dialect


class Difference(NamedTuple):
    """Where a turn and what the dialect makes of it part: `at` is the character of `template` where they do."""

    probe: str
    what: str
    at: int = 0
    template: str = ""
    dialect: str = ""


class Verdict(NamedTuple):
    """How a dialect does on the turns of a template.

    `read` turns are read to exactly what was put in, `written` of them render back byte for byte, of `turns`.
    """

    dialect: str
    read: int
    written: int
    turns: int
    differences: tuple[Difference, ...] = ()

    @property
    def exact(self) -> bool:
        """True when all turns are read and written."""
        return self.read == self.written == self.turns


def judge(dialect: Dialect, turns: Sequence[Turn], tools: Json = None) -> Verdict:
    """How the dialect does on these turns; `tools` are those of the probes unless others are given."""
    read = written = 0
    differences = []
    for turn in turns:
        message = dialect.parse(turn.text, TOOLS if tools is None else tools, prefix=turn.prompt)
        if wrong := _unread(turn, message):
            differences.append(Difference(turn.probe, wrong))
            continue
        read += 1
        try:
            rendered = str(dialect.render(message, TOOLS if tools is None else tools))
        except Unrepresentable as error:
            differences.append(Difference(turn.probe, f"cannot be written: {error}"))
            continue
        if difference := _unwritten(dialect, turn, rendered):
            differences.append(difference)
        else:
            written += 1
    return Verdict(dialect.name, read, written, len(turns), tuple(differences))


def verdicts(dialects: Iterable[Dialect], styles: Iterable[Sequence[Turn]], tools: Json = None) -> list[Verdict]:
    """How each dialect that reads at least one turn with a call does, in the style it does best in; the best first."""
    found = []
    styles = list(styles)
    for dialect in dialects:
        best = max((judge(dialect, turns, tools) for turns in styles), key=lambda v: (v.read, v.written))
        silent = sum(not turn.message.calls for turn in styles[0])
        if best.read > silent:
            found.append(best)
    return sorted(found, key=lambda v: (-v.read, -v.written, v.dialect))


def _unread(turn: Turn, message: Message) -> str:
    """How the message differs from what was put in, outer whitespace of texts aside, which templates add and drop."""
    put = turn.message
    if not (len(message.calls) == len(put.calls) and all(map(_same, message.calls, put.calls))):
        return f"calls {list(map(_shown, message.calls))}, expected {list(map(_shown, put.calls))}"
    for field, got, expected in (
        ("content", message.content, put.content),
        ("reasoning", message.reasoning, put.reasoning),
    ):
        if got.strip() != expected.strip():
            return f"{field} {got!r}, expected {expected!r}"
    return ""


def _same(got: Call, put: Call) -> bool:
    return got.runnable and got.name == put.name and same_json(got.arguments, put.arguments)


def _shown(call: Call) -> str:
    return f"{call.name} {call.arguments_text} {call.status}"


def _unwritten(dialect: Dialect, turn: Turn, rendered: str) -> Difference | None:
    """Where the rendered text differs from the turn; what no message holds may: see `_bare`, and the end token."""
    written = _written(dialect, turn, rendered)
    bare = sorted(_bare(dialect, turn), key=len)
    if written & {*bare}:
        return None
    body, text = max(((b, t) for b in bare for t in sorted(written)), key=lambda pair: _common(*pair))
    return Difference(turn.probe, "is written otherwise", _common(body, text), body, text)


def _bare(dialect: Dialect, turn: Turn) -> Iterator[str]:
    """The turn, also without its end token, and without an empty reasoning, which the prompt may have begun."""
    empty = [tail for tail, rule in dialect.spec.prefill.items() if rule == "start"]
    cuts = {0} | {
        len(tail) - k
        for tail in empty
        for k in range(len(tail))
        if turn.text.startswith(tail[k:]) and (turn.prompt.endswith(tail[:k]) or tail[k - 1] == ">")
    }
    for body in bodies(turn.text, dialect.spec.end):
        yield from (body[cut:] for cut in cuts)


def _written(dialect: Dialect, turn: Turn, rendered: str) -> set[str]:
    """What was rendered, also without what the prompt wrote already."""
    tails = (tail for tail in dialect.spec.prefill if turn.prompt.endswith(tail))
    return {rendered, rendered.removeprefix(max(tails, key=len, default=""))}


def _common(a: str, b: str) -> int:
    """How many characters two texts begin with in common."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
