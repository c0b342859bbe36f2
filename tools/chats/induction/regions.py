"""Regions of a chat: what a part is made of, found out from many texts of it, and when each of its texts is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from operator import and_, or_
from typing import NamedTuple

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats.filling import SlotAnswer
from toolect._chats.turn_facts import answer_facts, following, literal_facts, turn_facts
from toolect._message import dumps
from toolect._spec.chat_model import OWN_GUARDS, WORDS, ChatRole, Fact
from toolect.conversation import Assistant, Results
from tools.chats.induction.known_words import Part, Slot, common_end, common_start, is_text, turns_of

MAX_LITERALS = 48
"""Facts, and what is not so, that guards are made of. Beyond it: the less likely ones are left out."""
_LIKELY = (
    "content", "calls", "reasoning", "tools", "given", "system-text", "no-thinking", "thinking", "latest", "after-user",
    "after-results", "after-answer", "first", "last", "first-item", "is-text", "several-calls", "after-calls", "round",
)  # fmt: skip
"""The facts that templates ask for; of two guards of one length that with the first ones counts."""


def facts_of(case: ChatCase, default: bool) -> tuple[int, list[int], int]:
    """The facts of the head, of each turn, and of what follows; with `default` there is always a system text."""
    shared = literal_facts(case.thinking, case.generate) | (int(Fact.TOOLS) if case.conversation.tools else 0)
    shared |= int(Fact.SYSTEM | Fact.SYSTEM_TEXT) if default else 0
    turns = turns_of(case)
    if len(turns) < len(case.conversation.turns):
        shared |= int(Fact.GIVEN | Fact.SYSTEM | Fact.SYSTEM_TEXT)
    answers = [turn.message if isinstance(turn, Assistant) else None for turn in turns]
    said = [None if one is None else SlotAnswer(one, one.content, one.reasoning, one.calls, True) for one in answers]
    found = turn_facts(turns, said, shared)
    for at, (turn, one) in enumerate(zip(turns, said, strict=True)):
        text = 0 if isinstance(turn, Results) else int(Fact.CONTENT)
        found[at] |= text if one is None else answer_facts(one.content, one.reasoning)
    return shared, found, shared | (following(turns[-1], found[-1]) if turns else int(Fact.EMPTY))


def which(examples: Iterable[tuple[int, bool]]) -> str | None:
    """The shortest guard that separates the facts of true examples from others; None where none of three facts does."""
    known: dict[int, bool] = {}
    for facts, label in examples:
        if known.setdefault(facts, label) != label:
            return None
    whole = (1 << len(known)) - 1
    wanted = sum(1 << at for at, label in enumerate(known.values()) if label)
    if wanted in (0, whole):
        return "always" if wanted else "never"
    literals: dict[int, str] = {}
    for word in dict.fromkeys((*_LIKELY, *WORDS)):
        mask = sum(1 << at for at, facts in enumerate(known) if facts & WORDS[word])
        for held, words in ((mask, word), (whole & ~mask, f"not {word}")):
            if held not in (0, whole):
                literals.setdefault(held, words)
    return literals.get(wanted) or next(_guards(literals, wanted), None)


def _guards(literals: Mapping[int, str], wanted: int) -> Iterator[str]:
    """The guards of two or three facts that hold in the examples `wanted`; `literals` are facts by where they hold."""
    chosen = [*literals.items()][:MAX_LITERALS]
    above = [(mask, words) for mask, words in chosen if mask & wanted == wanted]
    below = [(mask, words) for mask, words in chosen if mask & wanted == mask]
    for size in (2, 3):
        for some, joint, fold in ((above, " and ", and_), (below, " or ", or_)):
            for few in combinations(some, size):
                if reduce(fold, [mask for mask, _ in few]) == wanted:
                    yield joint.join(words for _, words in few)
    for (b, one), (c, two) in combinations(chosen, 2):
        yield from (f"{words} and ({one} or {two})" for a, words in above if a & (b | c) == wanted)
        yield from (f"{one} and {two} or {words}" for a, words in below if a | (b & c) == wanted)


# Rules


class InductionError(Exception):
    """Something that a template does is not understood; one sentence."""


class Rule(NamedTuple):
    """A rule of the grammar, its role, and when it is written: always, or as the role has it, without a guard."""

    body: str
    role: ChatRole | None = None
    guard: str | None = None


class Draft(dict[str, Rule]):
    """The rules of a chat by their names, as far as they are known."""

    def add(self, name: str, body: str, role: ChatRole | None = None, guard: str | None = None) -> str:
        """Add a rule; gives its name, which is another one where there is a rule of that name."""
        known, count = name, 1
        while self.setdefault(known, Rule(body, role, guard)) != (body, role, guard):
            count += 1
            known = f"{name}_{count}"
        return known

    def text(self, text: str, guard: str) -> str:
        """A rule for a text that is written now and then, named by its first words, if it has any."""
        words = dict.fromkeys(re.findall(r"[a-z]{2,}", text.lower()))
        return self.add("_".join([*words][:2]) or ("line" if text == "\n" else "gap"), dumps(text), None, guard)


_TEXT = re.compile(r'("(?:\\.|[^"\\])*")|([^"]+)')
"""A text in a rule, or what stands between texts."""


def joined(*parts: str) -> str:
    """The parts of a rule, one after the other; texts beside one another are one, and empty ones are left out."""
    whole: list[str] = []
    for text, other in _TEXT.findall(" ".join(parts)):
        if text and whole and whole[-1][-1:] == text[:1]:
            whole[-1] = whole[-1][:-1] + text[1:]
        elif (text or other.strip()) and text != '""':
            whole.append(text or other.strip())
    return " ".join(whole)


INLINE = {"u": "TEXT", "o": "TEXT", "n": "NAME", "i": "ID", "a": "ARGUMENTS", "k": "KEY", "v": "VALUE", "t": "TOOL"}
"""Slots of the grammar for places inside a rule, by kind of place."""
RULES: dict[str, tuple[str, ChatRole | None, str]] = {
    "d": ("dated", None, "DATE"), "s": ("said", ChatRole.SYSTEM, "TEXT"), "r": ("think", ChatRole.REASONING, "TEXT"),
    "c": ("content", ChatRole.CONTENT, "TEXT"), "T": ("tools", ChatRole.TOOLS, ""), "X": ("calls", ChatRole.CALLS, ""),
}  # fmt: skip
"""The rule that a place has to itself, its role, and its slot; of things in a row, they are in its place."""
ROWS: dict[str, tuple[str, str, ChatRole]] = {
    "T": ("t", "tool", ChatRole.TOOL),
    "X": ("niakv", "call", ChatRole.CALL),
    "O": ("oni", "result", ChatRole.RESULT),
    "A": ("kv", "argument", ChatRole.ARGUMENT),
}
"""Things in a row: the kinds of places in them, and the rule of one of them with its role."""
_ITEM_FACTS = int(Fact.FIRST_ITEM | Fact.LAST_ITEM | Fact.NAMED | Fact.HAS_ID | Fact.ARGUMENTS | Fact.IS_TEXT)
"""Facts about one of several things."""


def _gather(part: Part, row: str) -> None:
    """Make one place of what stands in a row."""
    kinds, name, _ = ROWS[row]
    inside = [at for at, slot in enumerate(part.slots) if slot.kind in kinds]
    if not inside:
        return
    first, last = inside[0], inside[-1] + 1
    if len(inside) < last - first:
        raise InductionError(f"there is something else between each {name}")
    key = None
    for at in inside:
        slot = part.slots[at]
        own = slot.item, slot.pair if row == "A" else 0
        if own == key:
            part.items[-1].texts.insert(-1, part.texts[at])
            part.items[-1].slots.append(slot)
        else:
            part.items.append(Part(["", ""], [slot]))
            part.gaps += [part.texts[at]] if key is not None else []
        key = own
    part.texts[first + 1 : last] = []
    part.slots[first:last] = [Slot(row)]
    for at, item in enumerate(part.items):
        held = {slot.kind: slot for slot in item.slots}
        facts = Fact.FIRST_ITEM * (at == 0) | Fact.LAST_ITEM * (at == len(part.items) - 1)
        facts |= (Fact.HAS_ID | Fact.NAMED) * ("k" not in held or "n" in held)
        facts |= Fact.ARGUMENTS * ("a" in held or "k" in held)
        facts |= Fact.IS_TEXT * ("v" in held and is_text(*held["v"][1:]))
        item.facts = part.facts & ~_ITEM_FACTS | int(facts)


def _kinds(part: Part) -> list[str]:
    """The kinds of the places."""
    return [slot.kind for slot in part.slots]


def _ordered(lists: Sequence[Sequence[str]]) -> list[str]:
    """All kinds in the order that they have everywhere."""
    before: dict[str, dict[str, None]] = {}
    for one in lists:
        if len({*one}) < len(one):
            raise InductionError("something is written twice")
        for at, kind in enumerate(one):
            before.setdefault(kind, {}).update(dict.fromkeys(one[:at]))
    try:
        return [*TopologicalSorter(before).static_order()]
    except CycleError:
        raise InductionError(f"the order of {', '.join(before)} differs") from None


class Region:
    """Finds out a part of a chat, and adds rules to the draft; an answer begins with no more than one of `openings`."""

    def __init__(self, draft: Draft, name: str, row: str = "", openings: Sequence[str] = ()) -> None:
        self.draft, self.name, self.row, self.openings = draft, name, row, openings

    def found(self, parts: Sequence[Part]) -> str:
        """Expression of the grammar that writes the part. Raises InductionError."""
        for part in parts if self.row else ():
            _gather(part, self.row)
        return self._optional(parts)

    def _optional(self, parts: Sequence[Part]) -> str:
        filled = [part for part in parts if part.texts != [""]]
        if len(filled) == len(parts) or not filled:
            return self._written(filled) if filled else ""
        held = [(part.facts, part.texts != [""]) for part in parts]
        body = self._written(filled)
        role = ChatRole.OPENING if self.name == ChatRole.OPENING else None
        return body if re.fullmatch(r"\w+\?", body) else self._rule(self.name, body, role, held)

    def _written(self, parts: Sequence[Part]) -> str:
        order = _ordered([_kinds(part) for part in parts])
        bodies = {kind: self._items(kind, parts) for kind in "AO" if kind in order}
        opener = common_start(part.texts[0] for part in parts)
        if self.openings:
            opener = max((common_start([opener, one]) for one in self.openings), key=len)
        for part in parts:
            part.texts[0] = part.texts[0].removeprefix(opener)
        closer = common_end(part.texts[-1] for part in parts)
        for part in parts:
            part.texts[-1] = part.texts[-1].removesuffix(closer)
        if self.name == "head" and any(part.texts == [""] for part in parts) and opener + closer:
            return joined(dumps(opener), self._optional(parts), dumps(closer))
        bodies |= {kind: self._items(kind, parts) for kind in "TX" if kind in order}
        for kind in filter(order.__contains__, "TXOArscd"):  # in this order places get the texts beside them
            before, after = _beside(kind, parts)
            body = bodies[kind] if kind in bodies else RULES[kind][2]
            bodies[kind] = joined(dumps(before), body, dumps(after))
        written = [dumps(opener), *self._gap(parts, "")]
        for kind in order:
            written += [self._place(kind, parts, bodies.get(kind, "")), *self._gap(parts, kind)]
        return joined(*written, dumps(closer))

    def _gap(self, parts: Sequence[Part], kind: str) -> list[str]:
        """Expressions for the text behind a place; with no kind, at the beginning."""
        kinds = [["", *_kinds(part)] for part in parts]
        texts = [part.texts[its.index(kind)] if kind in its else "" for its, part in zip(kinds, parts, strict=True)]
        if len({*texts}) == 1:
            return [dumps(texts[0])]
        names = []
        for text in sorted({*texts} - {""}):
            guard = self._guard([(part.facts, one == text) for part, one in zip(parts, texts, strict=True)], repr(text))
            names.append(self.draft.text(text, guard))
        return [f"({' | '.join(names)})?" if len(names) > 1 else f"{names[0]}?"]

    def _place(self, kind: str, parts: Sequence[Part], body: str) -> str:
        """Expression for a place: its slot, things in a row, or a rule of its own."""
        held = [(part.facts, kind in _kinds(part)) for part in parts]
        if kind in INLINE:
            if not all(label for _, label in held):
                raise InductionError(f"`{INLINE[kind]}` is written now and then in `{self.name}`")
            return INLINE[kind]
        if kind in "OA":
            return body
        name, role, _ = RULES[kind]
        return self._rule(name, body, role, held)

    def _rule(self, name: str, body: str, role: ChatRole | None, held: Sequence[tuple[int, bool]]) -> str:
        """A rule that is written now and then: by a guard, or as its role has it."""
        own = OWN_GUARDS.get(role, 0) if role else 0
        always = own and all(label == bool(facts & own) for facts, label in held)
        return self.draft.add(name, body, role, None if always else self._guard(held, name)) + "?"

    def _guard(self, examples: Iterable[tuple[int, bool]], what: str) -> str:
        guard = which(examples)
        if guard is None:
            raise InductionError(f"when {what} is written in `{self.name}` is not plain to see")
        return guard

    def _items(self, kind: str, parts: Sequence[Part]) -> str:
        """Expression for things in a row: the rule of one, with the texts that each has beside it."""
        _, name, role = ROWS[kind]
        gaps = [text for part in parts for text in part.gaps]
        opener, closer = _beside(kind, parts, gaps) if gaps else ("", "")
        gap, *others = {text.removesuffix(opener).removeprefix(closer) for text in gaps} or {""}
        if others:
            raise InductionError(f"what stands between one {name} and the next differs")
        items = [item for part in parts for item in part.items]
        for item in items:
            item.texts[0], item.texts[-1] = opener, closer
        body = Region(self.draft, name, "A" if kind == "X" else "").found(items)
        if gap:
            body = f"{self.draft.text(gap, 'not first-item')}? {body}"
        return self.draft.add(name, body, role) + ("*" if kind == "A" else "+")


def _beside(kind: str, parts: Sequence[Part], gaps: Sequence[str] = ()) -> tuple[str, str]:
    """The texts that places always have before and behind them, taken from the parts; `gaps` are between two."""
    held = [(part.texts, at) for part in parts for at, slot in enumerate(part.slots) if slot.kind == kind]
    before = common_end([*gaps, *(texts[at] for texts, at in held)])
    for texts, at in held:
        texts[at] = texts[at].removesuffix(before)
    after = common_start([*(gap.removesuffix(before) for gap in gaps), *(texts[at + 1] for texts, at in held)])
    for texts, at in held:
        texts[at + 1] = texts[at + 1].removeprefix(after)
    return before, after
