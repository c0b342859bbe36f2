"""Verdicts on the dialect of a chat template: every dialect reads the template's turns, and writes them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.index import index
from toolect._detection.ranking import candidates
from toolect._message import Call, Json, Message
from toolect._rendered import RenderError
from toolect._rendering.differences import MEANING, unchanged
from toolect._shown import alike
from toolect.chat_template.probes import TOOLS
from toolect.chat_template.sandbox import TemplateError
from toolect.chat_template.turn import Turn, bodies, cut, turns

TAIL = 64
"""Characters of a prompt that may belong to the answer's first marker."""
OTHERWISE, SPACED = "is written otherwise", "is written with other whitespace"


class Difference(NamedTuple):
    """First difference between a turn and its rendering in the dialect: `at` is an offset in `template`."""

    probe: str
    what: str
    at: int = 0
    template: str = ""
    dialect: str = ""


class Verdict(NamedTuple):
    """Verdict on a dialect for the turns of a template.

    `read` turns are read to exactly what was put in, `written` of them render back byte for byte, of `turns`; `spaced`
    more render back with other whitespace. `missing` lists the parts that the template leaves out of its turns.
    """

    dialect: str
    read: int
    written: int
    spaced: int
    turns: int
    differences: tuple[Difference, ...] = ()
    missing: tuple[str, ...] = ()
    called: int = 0
    """Turns with calls among those that are read."""

    @property
    def exact(self) -> bool:
        """True when all turns are read and written."""
        return self.read == self.written == self.turns


def judge(dialect: Dialect, turns: Sequence[Turn], tools: Json = None) -> Verdict:
    """Return the verdict on the dialect for these turns; `tools` are those of the probes unless others are given."""
    read = written = spaced = called = 0
    differences = []
    given = TOOLS if tools is None else tools
    for turn in turns:
        turn = turn._replace(text=cut(turn, dialect.spec.end))
        message = dialect.parse(turn.text, given, prefix=turn.prompt)
        wrong = _unread(turn, message)
        if wrong and turn.asked not in ("", turn.prompt):  # the model answers that prompt, whatever histories look like
            message = dialect.parse(turn.text, given, prefix=turn.asked)
            turn, wrong = turn._replace(prompt=turn.asked), _unread(turn, message)
        if wrong:
            differences.append(Difference(turn.probe, wrong))
            continue
        read += 1
        called += bool(turn.message.calls)
        try:
            rendered = str(dialect.render(message, given))
        except RenderError as error:
            differences.append(Difference(turn.probe, f"cannot be written: {error}"))
            continue
        if difference := _unwritten(dialect, turn, rendered):
            differences.append(difference)
            spaced += difference.what == SPACED
        else:
            written += 1
    missing = tuple(f"{turn.probe}: {part}" for turn in turns for part in turn.missing)
    return Verdict(dialect.name, read, written, spaced, len(turns), tuple(differences), missing, called)


def marked(styles: Iterable[Sequence[Turn]]) -> list[Dialect]:
    """The dialects that have left a mark in turns with calls: others cannot read them."""
    known = index()
    texts = {turn.prompt[-TAIL:] + turn.text for turns in styles for turn in turns if turn.message.calls}
    return [registry.dialect(name) for name in {name: None for text in texts for name in candidates(known, text)}]


def verdicts(dialects: Iterable[Dialect], styles: Iterable[Sequence[Turn]], tools: Json = None) -> list[Verdict]:
    """Verdicts on the dialects that read a turn with a call, each in the style it does best in; the best first."""
    found: list[tuple[Verdict, int]] = []
    styles = list(styles)
    for dialect in dialects:
        best = max((judge(dialect, turns, tools) for turns in styles), key=lambda v: (v.read, v.written, v.spaced))
        if best.called:
            found.append((best, len(dialect.spec.models)))
    return [verdict for verdict, _ in sorted(found, key=_rank)]


def best_dialect(template: str) -> Dialect | None:
    """The dialect that does best on a chat template; None where none reads its calls, or it renders no turns."""
    try:
        styles = turns(template)
    except TemplateError:
        return None
    best = verdicts(marked(styles), styles)[:1]
    return registry.dialect(best[0].dialect) if best else None


def _rank(entry: tuple[Verdict, int]) -> tuple[object, ...]:
    """Sort key of a verdict: most turns read, most written, smallest differences, then most models of the dialect."""
    verdict, models = entry
    off = sum(abs(len(one.template) - len(one.dialect)) for one in verdict.differences)
    return -verdict.read, -verdict.written, -verdict.spaced, off, -models, verdict.dialect


def _unread(turn: Turn, message: Message) -> str:
    """Difference of a message from the input, or "": outer whitespace, which templates add and drop, is ignored."""
    put = turn.message
    if not unchanged(Message(put.calls), Message(message.calls), MEANING):
        return f"calls {list(map(_shown, message.calls))}, expected {list(map(_shown, put.calls))}"
    for field, got, expected in (
        ("content", message.content, put.content),
        ("reasoning", message.reasoning, put.reasoning),
    ):
        if got.strip() != expected.strip():
            return f"{field} {got!r}, expected {expected!r}"
    return ""


def _shown(call: Call) -> str:
    return f"{call.name} {call.arguments_text} {call.status}"


def _unwritten(dialect: Dialect, turn: Turn, rendered: str) -> Difference | None:
    """Difference of the rendered text from the turn, or None: parts that no message holds may differ, see `_bare`."""
    written = _written(dialect, turn, rendered)
    bare = sorted(_bare(dialect, turn), key=len)
    if written & {*bare}:
        return None
    body, text = max(((b, t) for b in bare for t in sorted(written)), key=lambda pair: alike(*pair))
    same = {*map(_solid, bare)} & {*map(_solid, written)}
    return Difference(turn.probe, SPACED if same else OTHERWISE, alike(body, text), body, text)


def _solid(text: str) -> str:
    """The text without whitespace."""
    return "".join(text.split())


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
    """The rendered text, also without the end of the prompt that it begins with."""
    tails = (tail for tail in dialect.spec.prefill if turn.prompt.endswith(tail))
    return {rendered, rendered.removeprefix(max(tails, key=len, default=""))}
