"""Regions of a chat: what a part is made of, found out from many texts of it, and when each of its texts is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import and_, or_
from typing import NamedTuple

from msgspec.structs import replace

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats.filling import SlotAnswer
from toolect._chats.turn_facts import answer_facts, following, literal_facts, turn_facts
from toolect._message import dumps
from toolect._spec.chat_model import OWN_GUARDS, WORDS, ChatRole, Fact
from toolect._spec.prompts import ToolText
from toolect.conversation import Assistant, System, User
from tools.chats.induction.known_words import (
    Atom,
    Atoms,
    Slot,
    common_end,
    common_start,
    is_text,
    numbered_turns,
)  # fmt: skip


class InductionError(Exception):
    """Something that a template does is not understood; one sentence."""


@dataclass
class Draft:
    """The grammar and the entry of a chat, as far as they are known."""

    tools: ToolText | None = None
    rules: dict[str, str] = field(default_factory=dict)
    roles: dict[str, ChatRole] = field(default_factory=dict)
    when: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What was not found out."""

    def add(self, name: str, body: str, role: ChatRole | None = None, guard: str | None = None) -> str:
        """Add a rule; gives its name, which is another one where there is a rule of that name."""
        known, count = name, 1
        same = body, role, guard
        while known in self.rules and (self.rules[known], self.roles.get(known), self.when.get(known)) != same:
            count += 1
            known = f"{name}_{count}"
        self.rules[known] = body
        self.roles |= {known: role} if role is not None else {}
        self.when |= {known: guard} if guard is not None else {}
        return known

    def text(self, text: str, name: str, guard: str) -> str:
        """A rule for a text that is written now and then, named by its first words, if it has any."""
        words = list(dict.fromkeys(re.findall(r"[a-z]{2,}", text.lower())))[:2]
        named = "_".join(words if len(words) > 1 else [name, *words]) if words else "line" if text == "\n" else "gap"
        return self.add(named, dumps(text), None, guard)


_TEXT = re.compile(r'("(?:\\.|[^"\\])*")|([^"]+)')
"""A text in a rule, or what stands between texts."""


def joined(*parts: str) -> str:
    """The parts of a rule, one after the other; texts beside one another are one."""
    whole: list[str] = []
    for text, other in _TEXT.findall(" ".join(filter(None, parts))):
        if text and whole and whole[-1][-1:] == text[:1]:
            whole[-1] = whole[-1][:-1] + text[1:]
        elif text or other.strip():
            whole.append(text or other.strip())
    return " ".join(whole)


def quoted(text: str) -> str:
    """A text as it stands in a rule; nothing for an empty one."""
    return dumps(text) if text else ""


# Facts

_ITEM_FACTS = int(Fact.FIRST_ITEM | Fact.LAST_ITEM | Fact.NAMED | Fact.HAS_ID | Fact.ARGUMENTS | Fact.IS_TEXT)
"""What is so about one of several things."""


class Facts(NamedTuple):
    """The facts of a conversation: of what stands before the turns, of each of these, and of what follows them."""

    head: int
    turns: list[int]
    tail: int


def facts_of(case: ChatCase, default: bool) -> Facts:
    """The facts of a conversation in a chat whose system text stands at the head; `default`: there is always one."""
    shared = literal_facts(case.thinking, case.generate) | (int(Fact.TOOLS) if case.conversation.tools else 0)
    turns = [turn for number, turn in numbered_turns(case) if number >= 0]
    head = case.conversation.turns[0] if len(turns) < len(case.conversation.turns) else None
    if isinstance(head, System):
        shared |= int(Fact.GIVEN | Fact.SYSTEM) | (int(Fact.SYSTEM_TEXT) if head.text else 0)
    elif default:
        shared |= int(Fact.SYSTEM | Fact.SYSTEM_TEXT)
    answers = [turn.message if isinstance(turn, Assistant) else None for turn in turns]
    said = [None if one is None else SlotAnswer(one, one.content, one.reasoning, one.calls, True) for one in answers]
    found = turn_facts(turns, said, shared)
    own = [
        facts | (_text_facts(turn) if one is None else answer_facts(one.content, one.reasoning))
        for turn, one, facts in zip(turns, answers, found, strict=True)
    ]
    tail = shared | (following(turns[-1], found[-1]) if turns else int(Fact.EMPTY))
    return Facts(shared, own, tail)


def _text_facts(turn: object) -> int:
    return int(Fact.CONTENT) if isinstance(turn, User | System) and turn.text else 0


def _item_facts(item: Atoms, at: int, count: int) -> int:
    """The facts of one of several things, by what is written of it."""
    kinds = {slot.kind: slot for slot in item if isinstance(slot, Slot)}
    found = (int(Fact.FIRST_ITEM) if at == 0 else 0) | (int(Fact.LAST_ITEM) if at == count - 1 else 0)
    found |= int(Fact.HAS_ID | Fact.NAMED) if "k" not in kinds or "n" in kinds else 0
    found |= int(Fact.ARGUMENTS) if "a" in kinds or "k" in kinds else 0
    value = kinds.get("v")
    return found | (int(Fact.IS_TEXT) if value and is_text(value.turn, value.item, value.pair) else 0)


_LIKELY = (
    Fact.CONTENT, Fact.CALLS, Fact.REASONING, Fact.TOOLS, Fact.GIVEN, Fact.SYSTEM_TEXT, Fact.NO_THINKING, Fact.THINKING,
    Fact.LATEST, Fact.AFTER_USER, Fact.AFTER_RESULTS, Fact.AFTER_ANSWER, Fact.FIRST, Fact.LAST, Fact.FIRST_ITEM,
    Fact.IS_TEXT, Fact.ARGUMENTS, Fact.SEVERAL_CALLS, Fact.FIRST_USER, Fact.LAST_USER, Fact.AFTER_CALLS, Fact.ROUND,
)  # fmt: skip
"""The facts that templates ask for; of two guards of one length that with the first ones counts."""
_WORD = {fact: word for word, fact in WORDS.items()}
MAX_LITERALS = 48
"""Facts, and what is not so, that guards are made of. Beyond it: the less likely ones are left out."""


def which(examples: Iterable[tuple[int, bool]]) -> str | None:
    """The shortest guard that tells the facts of examples that are true from others; None where none of three does."""
    known: dict[int, bool] = {}
    for facts, label in examples:
        if known.setdefault(facts, label) != label:
            return None
    rows = list(known)
    whole = (1 << len(rows)) - 1
    wanted = sum(1 << at for at, facts in enumerate(rows) if known[facts])
    if wanted in (0, whole):
        return "always" if wanted else "never"
    masks: dict[int, str] = {}
    for fact in dict.fromkeys((*_LIKELY, *WORDS.values())):
        mask = sum(1 << at for at, facts in enumerate(rows) if facts & fact)
        for held, words in ((mask, _WORD[fact]), (whole & ~mask, f"not {_WORD[fact]}")):
            if held not in (0, whole):
                masks.setdefault(held, words)
    return next(_guards(masks, wanted), None)


def _guards(masks: dict[int, str], wanted: int) -> Iterator[str]:
    """The guards that hold where `wanted` says, the shortest first."""
    if wanted in masks:
        yield masks[wanted]
    chosen = list(masks.items())[:MAX_LITERALS]
    above = [(mask, words) for mask, words in chosen if mask & wanted == wanted]
    below = [(mask, words) for mask, words in chosen if mask & wanted == mask]
    for size in (2, 3):
        for some, joint, fold in ((above, " and ", and_), (below, " or ", or_)):
            for few in combinations(some, size):
                if reduce(fold, [mask for mask, _ in few]) == wanted:
                    yield joint.join(words for _, words in few)
        for (b, one), (c, two) in combinations(chosen, 2) if size == 2 else ():
            yield from (f"{words} and ({one} or {two})" for a, words in above if a & (b | c) == wanted)
            yield from (f"{one} and {two} or {words}" for a, words in below if a | (b & c) == wanted)


# Forms


class Example(NamedTuple):
    """A part as it is written somewhere: what is so there, and the text with its places."""

    facts: int
    atoms: Atoms


class Macro(NamedTuple):
    """Several things in a row: the atoms from the first place of one to the last."""

    kind: str
    inner: Atoms


INLINE = {"u": "TEXT", "o": "TEXT", "n": "NAME", "i": "ID", "a": "ARGUMENTS", "k": "KEY", "v": "VALUE", "t": "TOOL"}
"""What stands for a place in its own rule."""
RULES: dict[str, tuple[str, ChatRole | None]] = {
    "d": ("dated", None), "s": ("said", ChatRole.SYSTEM), "r": ("think", ChatRole.REASONING),
    "c": ("content", ChatRole.CONTENT),
}  # fmt: skip
"""The rule that a place has to itself, and its role."""
MACROS: dict[str, tuple[str, str, ChatRole, str, ChatRole]] = {
    "T": ("t", "tools", ChatRole.TOOLS, "tool", ChatRole.TOOL),
    "X": ("niakv", "calls", ChatRole.CALLS, "call", ChatRole.CALL),
    "O": ("oni", "results", ChatRole.RESULTS, "result", ChatRole.RESULT),
    "A": ("kv", "arguments", ChatRole.CALL, "argument", ChatRole.ARGUMENT),
}
"""Things in a row: the kinds of places in them, the rule that tells them all, its role, and those of one of them."""


@dataclass
class Form:
    """One example in texts and places: there is one text more than places."""

    facts: int
    texts: list[str]
    slots: list[Slot | Macro]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the places; of one that stands in its rule again it is doubled."""
        found: list[str] = []
        for slot in self.slots:
            found.append(slot.kind * 2 if slot.kind in found and slot.kind in INLINE else slot.kind)
        return found

    def after(self, kind: str | None) -> str:
        """The text behind a place, or the first one; nothing where there is no such place."""
        if kind is None:
            return self.texts[0]
        return self.texts[self.kinds.index(kind) + 1] if kind in self.kinds else ""


def _form(example: Example, macro: str) -> Form:
    """The example in texts and places, with what stands in a row as one."""
    parts: list[Atom | Macro] = [*example.atoms]
    kinds = MACROS[macro][0] if macro else ""
    inside = [at for at, part in enumerate(parts) if isinstance(part, Slot) and part.kind in kinds]
    if inside:
        row = example.atoms[inside[0] : inside[-1] + 1]
        if any(isinstance(atom, Slot) and atom.kind not in kinds for atom in row):
            raise InductionError(f"there is something else between the {MACROS[macro][1]}")
        parts[inside[0] : inside[-1] + 1] = [Macro(macro, row)]
    texts = [part for part in parts if isinstance(part, str)]
    return Form(example.facts, texts, [part for part in parts if not isinstance(part, str)])


def _ordered(lists: Sequence[Sequence[str]]) -> list[str]:
    """All kinds in the order that they have everywhere."""
    if any(len({*one}) < len(one) for one in lists):
        raise InductionError("something is told twice")
    left = dict.fromkeys(kind for one in lists for kind in one)
    order: list[str] = []
    while left:
        free = next((k for k in left if not any(k in one and {*one[: one.index(k)]} - {*order} for one in lists)), None)
        if free is None:
            raise InductionError(f"the order of {', '.join(left)} differs")
        order.append(free)
        del left[free]
    return order


def _items_of(row: Atoms, kind: str) -> tuple[list[Atoms], list[str]]:
    """The things in a row, each with empty texts around it, and the texts between them."""
    items: list[list[Atom]] = []
    gaps: list[str] = []
    key: object = None
    for atom in row:
        if isinstance(atom, str):
            items[-1].append(atom)
            continue
        own = (atom.item, atom.pair) if kind == "A" else atom.item
        if own != key:
            gaps += [str(items[-1].pop())] if items else []
            items.append([""])
            key = own
        items[-1].append(atom)
    return [(*item, "") for item in items], gaps


# Regions

_FIRST = "TXOArscd"
"""The order in which places get the texts beside them that they always have."""


class Region:
    """Finds out one part of a chat; what it adds to the draft are rules that the part is made of."""

    def __init__(self, draft: Draft, name: str, macro: str = "") -> None:
        self.draft, self.name, self.macro = draft, name, macro

    def found(self, examples: Sequence[Example], openings: Sequence[str] = ()) -> str:
        """What the part is written by. Raises InductionError.

        `openings` are what asks for an answer: an answer begins with no more than one of them.
        """
        return self._optional([_form(one, self.macro) for one in examples], openings)

    def _optional(self, forms: Sequence[Form], openings: Sequence[str] = ()) -> str:
        filled = [form for form in forms if form.texts != [""]]
        if len(filled) == len(forms) or not filled:
            return self._written(filled, openings) if filled else ""
        guard = self._guard([(form.facts, form.texts != [""]) for form in forms], self.name)
        body = self._written(filled, openings)
        return body if re.fullmatch(r"\w+\?", body) else self.draft.add(self.name, body, None, guard) + "?"

    def _written(self, forms: Sequence[Form], openings: Sequence[str]) -> str:
        order = _ordered([form.kinds for form in forms])
        beside = {kind: self._beside(kind, forms, True) for kind in "AO" if kind in order}
        opener = common_start(form.texts[0] for form in forms)
        if openings:
            opener = max((common_start([opener, one]) for one in openings), key=len)
        for form in forms:
            form.texts[0] = form.texts[0][len(opener) :]
        closer = common_end(form.texts[-1] for form in forms)
        for form in forms:
            form.texts[-1] = form.texts[-1][: len(form.texts[-1]) - len(closer)]
        if self.name == "head" and any(form.texts == [""] for form in forms) and opener + closer:
            return joined(quoted(opener), Region(self.draft, "head")._optional(forms), quoted(closer))
        beside |= {kind: self._beside(kind, forms) for kind in _FIRST if kind in order and kind not in beside}
        parts = [quoted(opener), *self._gap(forms, None)]
        for kind in order:
            parts += [self._place(kind, forms, beside.get(kind, ("", ""))), *self._gap(forms, kind)]
        return joined(*parts, quoted(closer))

    def _beside(self, kind: str, forms: Sequence[Form], rows: bool = False) -> tuple[str, str]:
        """The texts that a place always has before and behind it, or each thing in its row, taken from the forms."""
        held = [(form, at) for form in forms for at, slot in enumerate(form.slots) if slot.kind == kind]
        macros = [
            slot for form in forms for slot in form.slots if rows and isinstance(slot, Macro) and slot.kind == kind
        ]
        middles = [text for row in macros for text in _items_of(row.inner, kind)[1]]
        if rows and not middles:
            return "", ""
        before = common_end([*middles, *(form.texts[at] for form, at in held)])
        left = [text.removesuffix(before) for text in middles]
        for form, at in held:
            form.texts[at] = form.texts[at].removesuffix(before)
        after = common_start([*left, *(form.texts[at + 1] for form, at in held)])
        for form, at in held:
            form.texts[at + 1] = form.texts[at + 1].removeprefix(after)
        return before, after

    def _gap(self, forms: Sequence[Form], kind: str | None) -> list[str]:
        """What is written behind a place, or at the beginning."""
        texts = [form.after(kind) for form in forms]
        if len({*texts}) == 1:
            return [quoted(texts[0])]
        names = []
        for text in sorted({*texts} - {""}):
            guard = self._guard([(form.facts, one == text) for form, one in zip(forms, texts, strict=True)], repr(text))
            names.append(self.draft.text(text, self.name, guard))
        return [f"({' | '.join(names)})?" if len(names) > 1 else f"{names[0]}?"]

    def _place(self, kind: str, forms: Sequence[Form], beside: tuple[str, str]) -> str:
        held = [(form.facts, kind in form.kinds) for form in forms]
        if kind[0] in INLINE:
            if not all(label for _, label in held):
                raise InductionError(f"`{INLINE[kind[0]]}` is written now and then in `{self.name}`")
            return INLINE[kind[0]]
        if kind in MACROS:
            body = self._row(kind, beside, forms)
            if kind in "OA":
                return body
            _, name, own_role, *_ = MACROS[kind]
            role: ChatRole | None = own_role
        else:
            name, role = RULES[kind]
            body = joined(quoted(beside[0]), "DATE" if kind == "d" else "TEXT", quoted(beside[1]))
        own = OWN_GUARDS.get(role, 0) if role else 0
        always = own and all(label == bool(facts & own) for facts, label in held)
        return self.draft.add(name, body, role, None if always else self._guard(held, name)) + "?"

    def _guard(self, examples: Iterable[tuple[int, bool]], what: str) -> str:
        guard = which(examples)
        if guard is None:
            raise InductionError(f"when {what} is written in `{self.name}` is not plain to see")
        return guard

    def _row(self, kind: str, beside: tuple[str, str], forms: Sequence[Form]) -> str:
        """What things in a row are written by: what one is made of, and what is between, before and behind them."""
        before, after = beside
        rows = [(form.facts, slot.inner) for form in forms for slot in form.slots if isinstance(slot, Macro)]
        parted = [(facts, *_items_of(row, kind)) for facts, row in rows]
        middles = [text for _, _, texts in parted for text in texts]
        if not middles:
            return joined(*self._items(kind, parted, before, after, ""))
        opener = common_end([before, *middles])
        left = [text.removesuffix(opener) for text in middles]
        closer = common_start([after, *left])
        gap, *others = {text.removeprefix(closer) for text in left}
        if others:
            raise InductionError(f"what stands between two of the {MACROS[kind][1]} differs")
        inner = self._items(kind, parted, opener, closer, gap)
        return joined(quoted(before.removesuffix(opener)), *inner, quoted(after.removeprefix(closer)))

    def _items(
        self, kind: str, parted: Sequence[tuple[int, list[Atoms], list[str]]], opener: str, closer: str, gap: str
    ) -> list[str]:
        between, tools = closer + gap + opener, self.draft.tools
        if kind == "T" and tools is not None and between.strip() in ("", ","):
            self.draft.tools = replace(tools, between=between)
            return [quoted(opener), "TOOLS", quoted(closer)]
        *_, name, role = MACROS[kind]
        examples = []
        for facts, items, _ in parted:
            for at, item in enumerate(items):
                own = facts & ~_ITEM_FACTS | _item_facts(item, at, len(items))
                examples.append(Example(own, (opener + str(item[0]), *item[1:-1], str(item[-1]) + closer)))
        body = Region(self.draft, name, "A" if kind == "X" else "").found(examples)
        if gap:
            body = f"{self.draft.text(gap, name, 'not first-item')}? {body}"
        return [self.draft.add(name, body, role) + ("*" if kind == "A" else "+")]
