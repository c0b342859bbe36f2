"""The rules of a chat, found out from texts that are cut into their turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from copy import deepcopy
from functools import partial

from toolect._spec.chat_model import ChatRole, Fact
from toolect.conversation import Assistant, Results, System, User
from tools.chats.induction.chat_draft import Draft, InductionError, joined
from tools.chats.induction.cutting import Cut
from tools.chats.induction.known_words import Atom, Atoms, Slot
from tools.chats.induction.marker_tokens import tokens
from tools.chats.induction.regions import Region
from tools.chats.induction.told_facts import facts_of
from tools.chats.induction.which_facts import which
from tools.chats.induction.written_forms import Example

_ROLES = ((User, "user"), (Assistant, "answer"), (Results, "results"), (System, "notice"))
_ROWS = {"answer": "X", "results": "O", "user": "T"}
"""What comes several times in a turn."""


def default_of(cuts: Sequence[Cut]) -> str:
    """The system text of conversations that have none; empty where there is none, or not in the same place."""
    plain = [cut for cut in cuts if not cut.written.case.conversation.tools and cut.turns]
    given = {cut.written.case.thinking: cut.head for cut in plain if _given(cut)}
    for cut in plain:
        head = given.get(cut.written.case.thinking, ())
        if _given(cut) or len(cut.head) != 1:
            continue
        if len(head) == 3 and isinstance(head[1], Slot) and head[1].kind == "s":
            text, before, after = str(cut.head[0]), str(head[0]), str(head[2])
            if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
                return text[len(before) : len(text) - len(after)]
    return ""


def _given(cut: Cut) -> bool:
    turns = cut.written.case.conversation.turns
    return bool(turns) and isinstance(turns[0], System)


def _with_default(atoms: Atoms, default: str) -> Atoms:
    """The atoms with the place of the default system text."""
    for at, atom in enumerate(atoms if default else ()):
        if isinstance(atom, str) and default in atom:
            before, _, after = atom.partition(default)
            return (*atoms[:at], before, Slot("s"), after, *atoms[at + 1 :])
    return atoms


def start_of(draft: Draft, cuts: Sequence[Cut], default: str, final: str) -> str:
    """The start rule; all others are added to the draft. Raises InductionError.

    `default` is the system text of conversations that have none, `final` what ends a text that asks for no answer.
    """
    heads: list[Example] = []
    tails: list[Example] = []
    turns: dict[str, list[Example]] = {}
    for cut in cuts:
        case = cut.written.case
        facts, asking = (facts_of(case._replace(generate=ask), bool(default)) for ask in (False, True))
        if cut.turns:
            heads.append(Example(facts.head, cut.head if _given(cut) else _with_default(cut.head, default)))
        for turn, own, atoms in zip(cut.written.turns, facts.turns, cut.turns, strict=True):
            name = next(name for kind, name in _ROLES if isinstance(turn, kind))
            turns.setdefault(name, []).append(Example(own, atoms))
        if cut.tail is not None:
            tails += [Example(asking.tail, (cut.tail,)), Example(facts.tail, (final,))]
    openings = list(dict.fromkeys(str(one.atoms[0]) for one in tails if one.facts & Fact.GENERATE and one.atoms[0]))
    untold = [one for one in heads if not one.facts & Fact.TOOLS]
    head = _tried(draft, [partial(Region(draft, "head", "T").found, some) for some in (heads, untold)])
    loop = [part for name, examples in turns.items() for part in _turns(draft, name, examples, openings)]
    tail = _tried(draft, [partial(Region(draft, "opening").found, tails)])
    if "opening" in draft.rules:
        draft.roles["opening"] = ChatRole.OPENING
        if draft.when.get("opening") == "generate":
            del draft.when["opening"]
    return joined(head, f"({' | '.join(loop)})*", tail)


def _tried(draft: Draft, ways: Sequence[Callable[[], str]]) -> str:
    """What the first of some ways finds that finds anything; where none does it is noted why the first does not."""
    why = ""
    for way in ways:
        before = deepcopy(draft)
        try:
            found = way()
        except InductionError as error:
            vars(draft).update(vars(before))
            why = why or str(error)
        else:
            return found
    draft.notes.append(why)
    return ""


def _turns(draft: Draft, name: str, examples: Sequence[Example], openings: Sequence[str]) -> list[str]:
    """The rules of a kind of turn: one, or several that begin otherwise."""
    if name == "notice":
        examples = [one._replace(atoms=tuple(map(_as_text, one.atoms))) for one in examples]
    asked = openings if name == "answer" else ()
    first = _apart(examples, {tokens(one)[0] for one in asked}) if asked else [examples]
    ways = (first, _by_beginning(examples))
    tries = [partial(_grouped, draft, name, examples, way, asked) for way in ways]
    found = _tried(draft, tries)
    return [found] if found else []


def _as_text(atom: Atom) -> Atom:
    return atom._replace(kind="u") if isinstance(atom, Slot) else atom


def _grouped(
    draft: Draft, name: str, examples: Sequence[Example], groups: Sequence[Sequence[Example]], openings: Sequence[str]
) -> str:
    """A rule for each group of examples, with what tells it from the others."""
    rules = []
    role = ChatRole.SYSTEM if name == "notice" else ChatRole(name)
    for group in groups:
        guard = None
        if len(groups) > 1:
            inside = {*map(id, group)}
            guard = which((one.facts, id(one) in inside) for one in examples)
            if guard is None:
                raise InductionError(f"which of {len(groups)} ways a turn of `{name}` begins in is not plain to see")
        body = Region(draft, name, _ROWS.get(name, "")).found(group, openings)
        rules.append(draft.add(name, body, role, guard))
    return " | ".join(rules)


def _apart(examples: Sequence[Example], begins: Set[str]) -> list[list[Example]]:
    """The examples that begin with each of these tokens, and the others."""
    groups: dict[str, list[Example]] = {}
    for one in examples:
        first = next(iter(tokens(str(one.atoms[0]))), "")
        groups.setdefault(first if first in begins else "", []).append(one)
    return list(groups.values())


def _by_beginning(examples: Sequence[Example]) -> list[list[Example]]:
    """The examples by the first token of their texts."""
    groups: dict[str, list[Example]] = {}
    for one in examples:
        groups.setdefault(next(iter(tokens(str(one.atoms[0]))), ""), []).append(one)
    return list(groups.values())
