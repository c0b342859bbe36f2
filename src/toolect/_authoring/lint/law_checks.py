"""Laws: what must hold of every dialect, tried on its corpus and on messages drawn with a fixed seed.

Each law reports a dialect once, by the smallest text or message that breaks it: what was given, what is written, what
is read. The first law is the corpus; a dialect that breaks it is tried no further.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice, pairwise
from random import Random
from typing import NamedTuple

from msgspec import structs

from toolect import _cache as cache
from toolect import registry
from toolect._authoring.corpus import Case, CorpusError, describe, message_of, outline
from toolect._authoring.derivation import derive, explain
from toolect._authoring.escaping import FREE, Escape, EscapeResult, escapes
from toolect._authoring.generate import derivations
from toolect._authoring.generate.facts import facts
from toolect._authoring.generate.random_messages import ROME, TEXT, minimal
from toolect._authoring.generate.random_messages import message as draw
from toolect._authoring.laws import carried, same, stream
from toolect._authoring.lint.subject import Group, Subject, patterns, role_of
from toolect._authoring.lint.update import REASONS, Manner, doubtful, true
from toolect._authoring.lint.update import written as stated
from toolect._compiled import Dialect
from toolect._detection.index import Index, index
from toolect._detection.ranking import among, candidates
from toolect._detection.traits import traits
from toolect._diagnostic import Diagnostic, Place, Severity, Text, warning
from toolect._graph.node import STRONG
from toolect._message import Call, Content, Json, Message, Segment, dumps, same_json
from toolect._rendered import Part, Rendered, RenderError
from toolect._rendering.call import NO_ID
from toolect._rendering.differences import IDS, MEANING, SegmentChange, differences
from toolect._rendering.message_writer import word_for
from toolect._rendering.roundtrip import Tools, round_trip, tools_of, write
from toolect._shown import alike, cut, one_line
from toolect._spec.grammar_model import Pattern
from toolect._spec.leaves import leaves
from toolect._spec.model import Gaps, Role
from toolect._values.toolset import tool_schemas

DRAWN = 10
"""Messages drawn besides the smallest ones. Beyond it: what only others would show is not found, here and below."""
CHUNKED = 6
"""Texts that are read in chunks."""
DERIVED = 8
"""Texts that are made from the grammar; the first ones take every option of it."""
MAX_PLACES = 6
"""Places that one report points to."""

Related = tuple[tuple[Place, str], ...]


class Trial(NamedTuple):
    """A message, the tools it was read with, the text it was written as, and what was read; or why it was refused."""

    message: Message
    tools: Tools
    text: Rendered | None
    back: Message | None
    refusal: RenderError | None = None
    same: bool = False
    """The message came back."""

    @property
    def lost(self) -> bool:
        """True when what was written is not read as the same message, without a repair."""
        return self.back is not None and not (self.back.exact and self.same)

    @property
    def texts(self) -> tuple[Text, ...]:
        """The message, its text, what that is read as."""
        text = "nothing" if self.text is None else str(self.text)
        written = Text("written", text, wire=self.text is not None)
        return (_said("given", self.message), written, *([_said("read as", self.back)] if self.back else []))


def attempt(dialect: Dialect, message: Message) -> Trial:
    """`message` written and read back in strict mode, with tools that declare just the types of its arguments."""
    tools = tools_of(message)
    try:
        done = round_trip(dialect, message, tools, "strict")
    except RenderError as error:
        return Trial(message, tools, None, None, error)
    return Trial(*done, same=carried(done.back, message, made=dialect.spec.ids is not None))


@lru_cache(maxsize=2)
def trials(dialect: Dialect) -> tuple[Trial, ...]:
    """The smallest messages of each kind, in order of size, and some drawn ones: written and read back."""
    random = Random(dialect.name)
    drawn = [draw(dialect, random) for _ in range(DRAWN)]
    return tuple(attempt(dialect, message) for message in (*minimal(dialect), *drawn))


def _said(label: str, message: Message) -> Text:
    return Text(label, outline(message), wire=False)


# Cases


def failing_case(subject: Subject) -> Iterator[Diagnostic]:
    """The cases of the corpus that are not read as they say, or whose attributes do not hold; the first in full."""
    failing = [(d, case) for case, message in subject.readings if (d := _failing(subject, case, message)) is not None]
    failing.sort(key=lambda one: (str(one[0].severity), not one[1].canonical, one[1].has("prefix"), len(one[1].text)))
    for diagnostic, _ in failing[:1]:
        others = tuple((d.place, f"`{case.title}` fails too") for d, case in failing[1:])
        yield structs.replace(diagnostic, related=(*diagnostic.related, *others))


def _failing(subject: Subject, case: Case, message: Message) -> Diagnostic | None:
    try:
        expected = case.expectations
    except CorpusError:  # which has a check of its own
        return None
    said, wanted = describe(message).splitlines(), [line for _, line in expected]
    manner, found = stated(case), true(case, message, subject.dialect)
    statuses = [call.status.value for call in message.calls]
    if said != wanted:
        place, label = _difference(case, expected, said)
        what = "is not read as it says" if expected else "does not say what is read"
        advice, severity = _advice(case, message, found), Severity.ERROR
    elif manner is not found or manner is Manner.ERROR and case.get("error") not in statuses:
        line = case.line + 1 + (1 + [name for name, _ in case.attributes].index(manner) if manner else 0)
        place, label = Place(str(case.path), line, 1, len(f":{manner}" if manner else case.title)), ""
        why = REASONS[found] if manner is not found else f"no call in it is {case.get('error')}"
        what = f"{f'is marked `:{manner}`' if manner else 'is not marked'}, but {why}"
        status = next((call.status for call in message.calls if not call.runnable), "")
        right = f":{found} {status}".rstrip()
        advice, severity = f"write `{right}`" if found else f"delete `:{manner}`", Severity.WARNING
    else:
        return None
    meant = message_of(wanted) if wanted else message
    related, texts = _beside(subject, case, meant, message, manner)
    title = f"the case `{case.title}` {what}"
    return Diagnostic("failing-case", title, place, severity, label, advice, texts, related)


def _difference(case: Case, expected: list[tuple[int, str]], said: list[str]) -> tuple[Place, str]:
    """The first line that differs, and what is read in its stead."""
    for (number, line), got in zip(expected, said, strict=False):
        if line != got:
            return Place(str(case.path), number, 1, len(line)), f"is read as `{got.strip()}`"
    if len(expected) > len(said):
        number, line = expected[len(said)]
        return Place(str(case.path), number, 1, len(line)), "nothing else is read"
    if expected:
        number, line = expected[-1]
        return Place(str(case.path), number, 1, len(line)), f"after this comes `{said[len(expected)].strip()}`"
    return Place(str(case.path), case.line + 1, 1, len(case.title)), ""


def _advice(case: Case, message: Message, found: Manner) -> str:
    status = next((call.status for call in message.calls if not call.runnable), None)
    if case.has("error"):
        return "mend the dialect, or the case: of a case of `:error`, `--update` writes what is read, and no more"
    if status is not None:
        return f"mend the dialect, or write `:error {status}` and what is read if that is right"
    accept = " --accept" if case.expected.strip() or doubtful(case, found) else ""
    return f"mend the dialect; if what is read is right, `toolect lint --update{accept}` writes it"


def _beside(
    subject: Subject, case: Case, meant: Message, read: Message, manner: Manner
) -> tuple[Related, tuple[Text, ...]]:
    """Places in the spec that wrote or read a case's text otherwise; that text, and the one written for the case."""
    dialect, tools, at, note = subject.dialect, case.options.get("tools"), -1, ""
    related: list[tuple[Place, str]] = []
    text: Rendered | None = None
    written = Text("written", "nothing: the prompt has begun it", wire=False)
    if "prefix" not in case.options and all(call.runnable for call in meant.calls):
        try:
            own = dialect._with_names(tool_schemas(tools))
            text = write(own, meant, tools_of(meant) if tools is None else tools)
        except RenderError as error:
            written = Text("written", f"nothing: {error}", wire=False)
            related += _given(subject, _ROLES.get(error.slot, ()))
            if (rule := subject.spec.rules.get(error.slot)) is not None:
                names = [part.name for part in leaves(rule.expr) if isinstance(part, Pattern)]
                related += ((place, "not written here") for place in (rule.place, *map(subject.places.terminal, names)))
            if error.reason.startswith("no place"):
                related.append((subject.places.rule("start"), "the order of an answer"))
                related.append((subject.places.entry("map"), "what the parts mean"))
    if text is not None and text != case.text:
        at = alike(text, case.text) if manner is Manner.CANONICAL else -1
        written = Text("written", str(text), at, "they differ here" if at >= 0 else "")
        if at < 0 and case.text.startswith(text):
            related.append((subject.places.entry("end"), "what may come behind it"))
    elif case.clean and (trouble := _trouble(dialect, case, read)):
        at, note = trouble
        related += [(subject.places.rule("start"), "the order of an answer")] if read.repairs else []
    if text is not None:
        written = written if text != case.text else Text("written", "the same", wire=False)
        related += _written_at(subject, case, text, at, meant) if at >= 0 else ()
    if "prefix" in case.options:
        related.append((subject.places.entry("prefill"), "which tails of a prompt are known"))
    related += _read_by(subject, meant, read)
    texts = Text("given", case.text, at, note), written, _said("read as", read)
    first = dict(reversed(related))  # what is said of a place first
    return tuple((place, first[place]) for place in dict.fromkeys(p for p, _ in related))[:MAX_PLACES], texts


def _trouble(dialect: Dialect, case: Case, read: Message) -> tuple[int, str] | None:
    """Offset at which the grammar cannot go on with a case's text, or where that is repaired; and a sentence on it."""
    for failure in derive(dialect, case.text, **case.options).failures:
        return failure.at, f"expected {' or '.join(failure.expected) or 'the end'}"
    for repair in (*read.repairs, *(repair for call in read.calls for repair in call.repairs)):
        return max(repair.at, 0), explain(repair)
    return None


_ROLES: dict[str, tuple[Role, ...]] = {
    Part.NAME: (Role.NAME, Role.REF), Part.ID: (Role.ID, Role.REF), Part.KEY: (Role.KEY,), "argument key": (Role.KEY,),
    Part.VALUE: (Role.VALUE,), Part.ARGUMENTS: (Role.ARGUMENTS,),
}  # fmt: skip
"""Parts of a call, and as rendering calls them, and the roles of what holds them."""


def _written_at(subject: Subject, case: Case, text: Rendered, at: int, meant: Message) -> Iterator[tuple[Place, str]]:
    """Places that wrote the text at character `at`: markers, what an entry says of a part, the rule of the segment."""
    met: list[tuple[bool, bool, int, Place]] = []
    for word in subject.places.words:
        start = text.rfind(word.text, 0, at + len(word.text)) if word.marker and word.text else -1
        if 0 <= start <= at <= start + len(word.text):  # best if it goes on there, then if it begins there
            met.append((start + len(word.text) == at, start == at, -len(word.text), word.place))
    for place in list(dict.fromkeys(place for *_, place in sorted(met, key=lambda one: one[:3])))[:3]:
        yield place, "written here"
    if text[at : at + 1].isspace() or case.text[at : at + 1].isspace():
        yield subject.places.entry("gaps"), "where the gaps between segments are, or would be"
    span = next((span for span in text.spans if span.start <= at < span.end), None)
    if span is not None:
        yield subject.places.segment(meant.segments[span.segment]), "written here"
        yield from _given(subject, _ROLES.get(span.part, ()))
    if not met or span is not None and span.part in (Part.VALUE, Part.ARGUMENTS):
        yield subject.places.values(), "what values look like"


def _read_by(subject: Subject, meant: Message, read: Message) -> Iterator[tuple[Place, str]]:
    """Places that read the first segment that is read otherwise, and that give it its meaning."""
    found = next(differences(meant, read, MEANING | IDS), None)
    if found is None:
        return
    odd = found.old or found.new
    assert odd is not None
    if found.change is SegmentChange.NAME:
        yield from _given(subject, (Role.NAME,))
    yield subject.places.segment(odd), "read here"
    yield from _given(subject, (role_of(odd),))
    old, new = (one.arguments if isinstance(one, Call) else None for one in (found.old, found.new))
    if isinstance(old, dict) and isinstance(new, dict) and found.change is SegmentChange.ARGUMENTS:
        yield from _given(subject, (Role.KEY,) if new.keys() - old.keys() else ())
        yield subject.places.values(), "what values look like"
        rules = subject.spec.rules
        for name in (_kind(_apart(old, new)[0]), "value"):
            yield from [(rules[name].place, "values are read here")] if name in rules and rules[name].value else ()
    if found.change in (SegmentChange.KIND, SegmentChange.LOST, SegmentChange.ADDED):
        yield subject.places.rule("start"), "the order of an answer"


def _apart(old: Json, new: Json) -> tuple[Json, Json]:
    """The innermost value of `old` that `new` lacks, and what that has in its place."""
    pairs: list[tuple[Json, Json]] = []
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = [(value, new.get(key, ...)) for key, value in old.items()]
    elif isinstance(old, list) and isinstance(new, list):
        pairs = [*zip(old, new, strict=False)]
    return next((_apart(*pair) for pair in pairs if not same_json(*pair)), (old, new))


def _kind(value: Json) -> Role:
    """Role of such values in a value language."""
    kinds = {bool: Role.TRUE, int: Role.NUMBER, float: Role.NUMBER, str: Role.STRING, list: Role.ARRAY}
    return Role.FALSE if value is False else (kinds | {dict: Role.OBJECT}).get(type(value), Role.NULL)


def _given(subject: Subject, roles: Sequence[Role]) -> Iterator[tuple[Place, str]]:
    """Place of the first entry key that has one of the roles, and of its terminal or slot."""
    for key, role in subject.spec.roles.items():
        if role in roles:
            yield subject.places.entry("map", key), "with this meaning"
            name = key.split("/")[-1]
            if name.isupper() and role in (Role.NAME, Role.ID, Role.KEY):
                yield subject.places.terminal(name), "what it matches"
            return


# Messages, written and read back


def broken_round_trip(subject: Subject) -> Iterator[Diagnostic]:
    """The smallest message that is read back as something else than was written."""
    for trial in trials(subject.dialect):
        if not trial.lost:
            continue
        assert trial.back is not None
        odd = next(differences(trial.message, trial.back, MEANING), None)
        segment = odd.old if odd is not None and odd.old is not None else trial.message.segments[-1]
        place, why = subject.places.segment(segment), f"this {word_for(segment)} does not come back"
        words = [_with_words(segment) for segment in trial.message.segments]
        if Message(words) != trial.message and attempt(subject.dialect, Message(words)).same:
            if _of_one_type(trial.message, trial.back):  # raw text that loses a part of itself, which `render` refuses
                continue
            place, why = subject.places.values(), "with a word for each value, the message comes back"
        elif attempt(Dialect(structs.replace(subject.spec, gaps=Gaps())), trial.message).same:
            place, why = subject.places.entry("gaps"), "without the gaps, the message comes back"
        silent = trial.back.exact
        yield Diagnostic(
            "broken-round-trip",
            "a message that is written is read as something else" + ", and nothing tells it" * silent,
            place,
            Severity.ERROR if silent else Severity.WARNING,
            label=why,
            texts=trial.texts,
            help=_taken(subject, trial) or "write a marker where it begins or ends, or do not allow it there",
        )
        return


def _taken(subject: Subject, trial: Trial) -> str:
    """Help about a terminal that matches more than was written for it; empty where none does."""
    text, roles = trial.text or Rendered(""), {Part.NAME: Role.NAME, Part.KEY: Role.KEY, Part.ID: Role.ID}
    for rule, one in patterns(subject.spec):
        role = subject.spec.roles.get(f"{rule.name}/{one.name}", subject.spec.roles.get(one.name))
        for start, end, part, _ in text.spans:
            match = re.compile(one.regex).match(text, start) if part in roles and roles[part] is role else None
            if match is not None and match.end() > end:
                found = cut(one_line(text[end : match.end()]), 20)
                return f"`{one.name}` matches the `{found}` behind it, too: leave such signs out of its pattern"
    return ""


def _of_one_type(message: Message, back: Message) -> bool:
    """True when the first value that does not come back is read as another one of its type."""
    calls = ((a.arguments, b.arguments) for a, b in zip(message.calls, back.calls, strict=False))
    old, new = next((_apart(*pair) for pair in calls if not same_json(*pair)), (None, None))
    return type(old) is type(new)


def _with_words(segment: Segment) -> Segment:
    """A call with a word for each value; any other segment as it is."""
    if not isinstance(segment, Call):
        return segment
    return structs.replace(segment, arguments=dict.fromkeys(segment.arguments, "x"))


_KINDS: dict[str, Callable[[Message], bool]] = {
    "content": lambda m: _is(m, Content),
    "a call": lambda m: _is(m, Call),
    "a call without arguments": lambda m: _is(m, Call) and not m.calls[0].arguments,
    "a call with two arguments": lambda m: _is(m, Call) and len(m.calls[0].arguments) == 2,
    "two calls": lambda m: _is(m, Call, Call),
    "three calls": lambda m: _is(m, Call, Call, Call),
    "content before a call": lambda m: _is(m, Content, Call),
    "reasoning": lambda m: bool(m.reasoning),
}
"""Messages that every dialect should carry, by name, each with a test for it."""
_NAMES, _KEYS = ("get_weather", "getWeather", "search2"), ("start_date", "startDate", "line2")
_VALUE = "argument '"
"""Start of the slot of a refusal that blames a value: those are of `unwritable-value`."""
_FITTED = ("name", "id", "argument key")
"""Slots that have to match an expression when written: reading may accept more spellings."""


def _is(message: Message, *types: type[Segment]) -> bool:
    return [type(segment) for segment in message.segments] == [*types]


def unwritable_message(subject: Subject) -> Iterator[Diagnostic]:
    """A message that any dialect should carry, and this one refuses; else a text that it reads and cannot write."""
    refused = [
        (kind, same[0])
        for kind, shows in _KINDS.items()
        if (same := [trial for trial in trials(subject.dialect) if shows(trial.message)])
        and all(trial.refusal and not trial.refusal.slot.startswith(_VALUE) for trial in same)
    ]
    if not refused and not facts(subject.dialect).fixed:
        named = [("a tool", name, Call(name, {})) for name in _NAMES]
        named += [("a parameter", key, Call("f", {key: "x"})) for key in _KEYS]
        tried = [(f"{what} called `{name}`", attempt(subject.dialect, Message([call])))
                 for what, name, call in named]  # fmt: skip
        refused = [(why, trial) for why, trial in tried if trial.refusal and trial.refusal.slot in _FITTED]
    for why, trial in refused[:1] or islice(_read_only(subject), 1):
        segments = trial.message.segments
        others, slot = [other for other, _ in refused[1:]], trial.refusal.slot if trial.refusal is not None else ""
        at = [place for place, _ in _given(subject, _ROLES.get(slot, ()))]
        yield warning(
            "unwritable-message",
            f"neither {why} nor {others[0]} can be written" if others else f"{why} cannot be written",
            at[-1] if at else subject.places.segment(segments[-1]) if segments else subject.places.rule("start"),
            label=str(trial.refusal),
            texts=trial.texts,
            help=_place_for(trial.refusal),
            related=((subject.places.entry("ids"), "how ids are made"),) if slot == "id"
            else ((subject.places.rule("start"), "the order of an answer"),) if len(segments) > 1 else (),
        )  # fmt: skip


def _read_only(subject: Subject) -> Iterator[tuple[str, Trial]]:
    """Texts that strict mode reads, of the corpus and of the grammar, whose message has no place in the grammar."""
    clean = ((case, message) for case, message in subject.readings if case.clean and not case.canonical)
    read = [(case.text, message) for case, message in clean if not case.has("policy")]
    derived = [(sample.text, sample.message) for sample in derivations(subject.dialect, DERIVED, seed=0)]
    for text, message in (*read, *sorted(derived, key=lambda pair: len(pair[0]))):
        apart = all(isinstance(a, Call) or type(a) is not type(b) for a, b in pairwise(message.segments))
        if message.exact and apart:  # else two of a kind are beside each other: on the wire they are one
            trial = attempt(subject.dialect, Message(message.segments))
            if trial.refusal is not None and trial.refusal.slot not in _FITTED:
                yield f"what is read in `{cut(one_line(text), 80)}`", trial


def _place_for(refusal: RenderError | None) -> str:
    """Advice where a message is refused for this reason."""
    slot, reason = (refusal.slot, refusal.reason) if refusal is not None else ("", "")
    if reason == NO_ID:
        return 'say how ids are made: `ids: {form: "call_{index}"}`'
    if slot in _FITTED:
        return r"let the terminal match it: write what ends it, `/[^\s<>]+/`, not what it is made of"
    return "give it a place in the grammar, `start: think? (content | call)*`, with a role in `map`"


def unwritable_value(subject: Subject) -> Iterator[Diagnostic]:
    """The values that are refused as the only argument of a call, where a string is not."""
    single = [(t, next(iter(t.message.calls[0].arguments.values()))) for t in trials(subject.dialect) if _is_single(t)]
    refused = [(trial, dumps(value)) for trial, value in single if trial.refusal is not None]
    if refused and any(value == "x" and trial.text is not None for trial, value in single):
        (trial, first), *others = refused
        also = f" (nor {', '.join(f'`{value}`' for _, value in others[:4])})" if others else ""
        yield warning(
            "unwritable-value",
            f"there is no way to write the value `{first}`{also}",
            subject.places.values(),
            label=str(trial.refusal),
            texts=trial.texts,
            help="use a codec that tells it from others, as `schema` does; in a value language, give it a rule",
        )


def _is_single(trial: Trial) -> bool:
    """True for nothing but a call of `f` with the argument `a`."""
    call = trial.message.calls[0] if _is(trial.message, Call) else None
    return call is not None and call.name == "f" and [*call.arguments] == ["a"]


# Streams, slots, other dialects


def chunk_variance(subject: Subject) -> Iterator[Diagnostic]:
    """The shortest text that is read differently when it arrives in chunks."""
    for text, trial in sorted(_broken(subject), key=lambda one: len(one[0])):
        whole = subject.dialect.parse(text, trial.tools)
        parts = stream(subject.dialect, text, tools=trial.tools)[0]
        if not same(whole, parts):
            yield warning(
                "chunk-variance",
                "this text is read differently when it arrives character by character",
                subject.places.segment(trial.message.segments[-1]),
                label="something in here looks at what follows",
                texts=(Text("given", text), _said("read as", whole), _said("in chunks", parts)),
                help="look for an expression that looks around, or `costs` of the entry; else it is toolect's mistake",
            )
            return


def unseen_cut(subject: Subject) -> Iterator[Diagnostic]:
    """A call that is cut off in a text, and may be run all the same."""
    trial = attempt(subject.dialect, Message([Call("f", {"a": "northern"})]))
    text = str(trial.text or "").partition("thern")[0]
    if trial.same and (read := subject.dialect.parse(text)).runnable:
        yield warning(
            "unseen-cut",
            "a call that is cut off in a value is read as a whole one, and may be run",
            subject.places.segment(read.calls[0]),
            label="nothing in here shows that a text is over",
            texts=(_said("given", trial.message), Text("cut off", text), _said("read as", read)),
            help='write what ends calls or answers into the grammar: `start: (content | call)* "<|end|>"`',
        )


def _broken(subject: Subject) -> Iterator[tuple[str, Trial]]:
    """Texts as the dialect writes them, cut off, and with a marker too many."""
    random, markers = Random(subject.name), facts(subject.dialect).markers
    written = [(str(trial.text), trial) for trial in trials(subject.dialect) if trial.text is not None]
    for text, trial in random.sample(written, min(CHUNKED // 2, len(written))):
        at = random.randint(0, len(text))
        yield text, trial
        yield text[:at] + random.choice((*markers, "")) + text[at:] if random.random() < 0.5 else text[:at], trial


def injection(subject: Subject) -> Iterator[Diagnostic]:
    """Slots that are left by a text that rendering writes, or by a short marker, which ordinary text is full of."""
    for escape in escapes(subject.dialect):
        slot = f"the {escape.slot}"
        if escape.answer is EscapeResult.WRITES:
            severity, advice = Severity.ERROR, "close the slot with a marker of its own"
            message = f"the text `{escape.witness}` in {slot} is written, and read as something else"
        elif _is_weak(escape):
            severity, advice = Severity.WARNING, "use `ESCAPED` between quotes, `escapes: entities`, or a longer closer"
            end = escape.witness if escape.anywhere and len(escape.witness) < STRONG else escape.closer
            message = f"the text `{end}` ends {slot}, and not every {escape.slot} with it in can be written"
        else:
            continue
        forged = [_COUNTED[goal] for goal in escape.forgeries if goal in _COUNTED]
        yield Diagnostic(
            "injection",
            message,
            subject.places.values() if escape.slot in (Part.VALUE, Part.ARGUMENTS)
            else subject.places.segment(escape.intended),
            severity,
            label=f"who fills it can forge {' or '.join(forged)}" if forged else "",
            texts=(
                _said("given", Message([escape.intended])), Text("written", escape.text), _said("read as", escape.read),
            ),
            help=advice,
        )  # fmt: skip


_COUNTED = {"argument": "an argument", "call": "a call"}


def _is_weak(escape: Escape) -> bool:
    """True when a marker that may be anywhere in ordinary text ends the slot."""
    if escape.slot not in FREE or escape.answer is not EscapeResult.REFUSES:
        return False
    if escape.anywhere and len(escape.witness) < STRONG:
        return True
    return 0 < len(escape.closer) < STRONG and any(goal in _COUNTED for goal in escape.forgeries)


_VALUES = Call("set", {"a": "b", "n": 3, "f": 0.5, "t": True, "z": None, "l": [1, "b"], "o": {"k": "v"}})
_MESSAGES: tuple[tuple[Segment, ...], ...] = ((TEXT, ROME), (_VALUES,))
"""Messages that every dialect writes as far as it can; those that are only compared with write the first alone."""


def detection_collision(group: Group) -> Iterator[Diagnostic]:
    """The dialects with a text that is taken for another one, which reads it otherwise."""
    made = index().traits if group.others else {}
    known = Index(made[n] if n in made and n in group.others else traits(d) for n, d in group.dialects.items())
    texts = _texts(group)
    for name in group.specs:
        own = name in group.subjects
        for text in texts.get(name, ()):
            if not own and not any(other in group.subjects for other in candidates(known, text)):
                continue
            found = among(text, known, group.dialects.__getitem__, None, 1, "")
            taken = found[0].dialects if found else (name,)
            if name not in taken and (own or taken[0] in group.subjects):
                here, there = (name, taken[0]) if own else (taken[0], name)
                yield warning(
                    "detection-collision",
                    f"a text of `{name}` is taken for `{taken[0]}`, which reads it otherwise",
                    group.specs[here].place,
                    related=((group.specs[there].place, "the other one"),) if there in group.names else (),
                    texts=(
                        _said("given", group.dialects[name].parse(text)),
                        Text("written", text),
                        _said("read as", group.dialects[taken[0]].parse(text)),
                    ),
                    help="tell them apart by a marker; allow it with a reason if models do write both",
                )
                break


def _texts(group: Group) -> dict[str, list[str]]:
    """Texts that the dialects write; those of shipped dialects that are only compared with are cached."""
    made = cache.state("_graph/*.py", "_rendering/*.py", "_values/*.py")
    key = cache.key([registry.fingerprint().encode(), made])
    found = cache.load("texts", key, dict[str, list[str]]) or {}
    home = str(registry.shipped())
    packed = {name: dialect for name, dialect in group.others.items() if dialect.spec.place.path == home}
    if packed.keys() - found:
        found |= {name: list(_written(dialect, _MESSAGES[:1])) for name, dialect in packed.items()}
        cache.store("texts", key, found)
    return {name: found[name] for name in packed} | {
        name: list(_written(dialect, _MESSAGES if name in group.subjects else _MESSAGES[:1]))
        for name, dialect in group.dialects.items()
        if name not in packed
    }


def _written(dialect: Dialect, messages: Iterable[tuple[Segment, ...]]) -> Iterator[str]:
    for segments in messages:
        with suppress(RenderError):
            yield str(dialect.render(Message(segments)))


CHECKS = {
    "failing-case": failing_case,
    "broken-round-trip": broken_round_trip,
    "unwritable-message": unwritable_message,
    "unwritable-value": unwritable_value,
    "unseen-cut": unseen_cut,
    "chunk-variance": chunk_variance,
    "injection": injection,
}
COMPARED = {"detection-collision": detection_collision}
