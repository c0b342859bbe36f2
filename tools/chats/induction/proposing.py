"""A chat for a chat template: its rules, and its entry."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from operator import eq
from pathlib import Path
from typing import Any

import yaml
from msgspec import to_builtins
from msgspec.structs import replace

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._authoring.induction.equations import tokens
from toolect._chats.answers import plain_dialect
from toolect._chats.control_tokens import control_tokens
from toolect._chats.grammar_chat import Chat
from toolect._chats.turn_facts import ROLES
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Json, MessageError
from toolect._rendered import RenderError
from toolect._spec.chat_load import load_chat
from toolect._spec.chat_model import WORDS, ChatRole, ChatSpec, Fact, Lost, Systems, Thoughts, Trim
from toolect._spec.guards import read_guard
from toolect._spec.prompts import Notation, Syntax, ToolText
from tools.chats.induction.cutting import Cut, cuts_of
from tools.chats.induction.known_words import Part, turns_of
from tools.chats.induction.regions import Draft, InductionError, Region, facts_of, joined, which
from tools.chats.induction.template_asking import DAY, Spellings, Template
from tools.random_conversations import cases

LEARNED, FITTED = 160, 80
"""Conversations that a chat is made of, each after each of its turns, and those that choose its fields: those of four
times as many that have empty texts choose, too.
"""
_ROWS = {"answer": "X", "results": "O", "user": "T"}
"""Kinds of places that come several times in a turn, by the turn's rule."""
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
_ALTERNATE = "user and odd or (answer or results or notice) and not odd"
"""Guard that templates mean that say that roles must alternate."""


def induced(template: Template, name: str, dialect: Dialect | None) -> tuple[Chat, dict[str, str]]:
    """The chat that is found out from what a template writes, and its files by their paths. Raises InductionError."""
    spellings = template.spellings()
    texts, refused = template.written(5, LEARNED, spellings)
    if not texts:
        raise InductionError(f"the template renders no conversation: {refused[0][1]}")
    cuts = cuts_of(texts)
    if 4 * len(cuts) < len(texts):
        raise InductionError(f"where turns begin is plain to see in {len(cuts)} of {len(texts)} texts only")
    draft, default = Draft(), bool(spellings.system)
    lines = [f"start: {_start_of(draft, cuts, default)}", *(f"{rule}: {one.body}" for rule, one in draft.items())]
    slots = dict.fromkeys(re.findall(r"\b[A-Z]+\b", _TEXT.sub("", "\n".join(lines))))
    title = f"// {name}: as its chat template writes it."
    grammar = "\n".join([title, *lines, f"%declare {' '.join(slots)}", ""])
    refusals = _refusals([one.case for one in texts], refused, default)
    entry = _entry_of(draft, spellings, {*slots}, dialect, refusals)
    try:
        made = Chat(spec_of(name, entry, grammar), dialect or plain_dialect())
    except SpecError as error:
        raise InductionError(f"what was found makes no chat: {error.diagnostics[0].message}") from None
    made, entry = _fitted(made, entry, template)
    return made, files_of(name, entry, grammar)


# Rules


def _start_of(draft: Draft, cuts: Sequence[Cut], default: bool) -> str:
    """The start rule, others added to the draft. `default`: there always is a system text. Raises InductionError."""
    heads: list[Part] = []
    tails: list[Part] = []
    turns: dict[type, list[Part]] = {}
    for cut in cuts:
        cut.head.facts, own, after = facts_of(cut.case._replace(generate=False), default)
        *_, asking = facts_of(cut.case._replace(generate=True), default)
        heads += [cut.head] if cut.turns else []
        for turn, facts, part in zip(turns_of(cut.case), own, cut.turns, strict=True):
            part.facts = facts
            turns.setdefault(type(turn), []).append(part)
        if cut.asking is not None:
            tails += [Part([cut.asking], [], asking), Part([cut.end], [], after)]
    openings = [*dict.fromkeys(one.texts[0] for one in tails if one.facts & Fact.GENERATE and one.texts[0])]
    head = Region(draft, "head", "T").found(heads)
    loop = [_turns(draft, kind, some, openings) for kind, some in turns.items()]
    return joined(head, f"({' | '.join(loop)})*", Region(draft, "opening").found(tails))


def _turns(draft: Draft, kind: type, parts: Sequence[Part], openings: Sequence[str]) -> str:
    """The rules of a kind of turn: one, and for answers one for each opening, with what is its own."""
    role = ROLES[kind]
    name = "notice" if role is ChatRole.SYSTEM else str(role)
    asked = openings if role is ChatRole.ANSWER else ()
    begins = {tokens(one)[0] for one in asked}
    firsts = [first if (first := "".join(tokens(part.texts[0])[:1])) in begins else "" for part in parts]
    rules = []
    for first in dict.fromkeys(firsts):
        guard = which((part.facts, its == first) for part, its in zip(parts, firsts, strict=True))
        if guard is None:
            raise InductionError(f"which of the ways a turn of `{name}` begins in is not plain to see")
        group = [part for part, its in zip(parts, firsts, strict=True) if its == first]
        body = Region(draft, name, _ROWS.get(name, ""), asked).found(group)
        rules.append(draft.add(name, body, role, guard if guard != "always" else None))
    return " | ".join(rules)


# The entry


def _entry_of(
    draft: Draft, spellings: Spellings, slots: set[str], dialect: Dialect | None, refusals: Mapping[str, str]
) -> dict[str, Json]:
    """The fields of the entry."""
    lost = {Lost.TOOLS: {"TOOL"}, Lost.CALLS: {"ARGUMENTS", "KEY"}, Lost.RESULTS: {"results"}}
    body = draft["answer"].body if "answer" in draft else ""
    texts = [json.loads(one[0]) for one in _TEXT.finditer(body) if one.end() == len(body)]
    ends = control_tokens(texts[-1:])[:1] or texts[-1:]  # what ends answers: the text behind them, or its first token
    fields: dict[str, Json] = {
        "about": "As its chat template writes it",
        "dialect": dialect.name if dialect is not None else "",
        "map": {name: str(one.role) for name, one in draft.items() if one.role not in (None, name)},
        "when": {name: one.guard for name, one in draft.items() if one.guard is not None},
        "system": spellings.system,
        "tools": _changed(to_builtins(spellings.tools), to_builtins(ToolText())) if "TOOL" in slots else {},
        "arguments": _changed(to_builtins(spellings.arguments), to_builtins(Notation())),
        "output": str(spellings.output or ""),
        "date": spellings.date if "DATE" in slots else "",
        "lost": [str(one) for one, parts in lost.items() if not parts & {*slots, *draft}],
        "tokens": {"end": ends} if ends else {},
        "refuse": dict(refusals),
    }
    return {key: value for key, value in fields.items() if value}


def _changed(given: Any, usual: Any) -> Any:
    """Fields of a notation that are not as usual."""
    if not isinstance(given, dict) or not isinstance(usual, dict):
        return given
    return {key: _changed(value, usual[key]) for key, value in given.items() if value != usual[key]}


def spec_of(name: str, entry: Mapping[str, Json], grammar: str) -> ChatSpec:
    """The spec of an entry and its grammar. Raises SpecError."""
    with tempfile.TemporaryDirectory() as folder:
        spec, *_ = write(Path(folder), files_of(name, entry, grammar))
        return load_chat(spec, name)


def files_of(name: str, entry: Mapping[str, Json], grammar: str) -> dict[str, str]:
    """The files of a chat by their paths, its entry first."""
    text = yaml.safe_dump({name: dict(entry)}, sort_keys=False, allow_unicode=True, width=100)
    return {f"{name}.chats.yaml": text, f"grammars/chats/{name}.lark": grammar}


def write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write files that are not there yet: where they are."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    return [folder / name for name in files]


def _refusals(rendered: Sequence[ChatCase], refused: Sequence[tuple[ChatCase, str]], default: bool) -> dict[str, str]:
    """The guards of turns that a template refuses, by its reasons, where a guard separates them from all others."""

    def facts(case: ChatCase) -> list[int]:
        head, turns, _ = facts_of(case, default)
        return turns or [head | int(Fact.EMPTY | Fact.UNASKED)]

    fine = [facts(case) for case in rendered]
    pairs = combinations([*WORDS, *(f"not {word}" for word in WORDS)], 2)
    guards = {guard: read_guard(guard) for guard in (_ALTERNATE, *WORDS, *map(" and ".join, pairs))}
    reasons: dict[str, list[list[int]]] = {}
    for case, why in refused:
        reasons.setdefault(re.sub(r"^the template raises \w+: ", "", why), []).append(facts(case))
    found: dict[str, str] = {}
    for (why, wrong), (guard, holds) in product(reasons.items(), guards.items()):
        fits = why not in found and all(any(map(holds, some)) for some in wrong)
        if fits and not any(any(map(holds, some)) for some in fine):
            found[why] = guard
    return found


# Fields that no text shows


def _rendered(chat: Chat, case: ChatCase) -> str | None:
    """A conversation as the chat writes it, whatever its texts hold; None where it refuses it."""
    try:
        return str(chat.render(case.conversation, case.generate, thinking=case.thinking, date=DAY, unsafe="keep"))
    except (RenderError, MessageError):
        return None


def _fitted(chat: Chat, entry: dict[str, Json], template: Template) -> tuple[Chat, dict[str, Json]]:
    """The chat with those fields by which it writes most conversations as the template does."""
    rows = ((case, json.dumps(case.conversation.to_openai())) for case in cases(11, 5 * FITTED))
    given = [case for case, text in rows if case.number < FITTED or re.search(r'"(content|text|output)": "\s*"', text)]
    texts = [text if isinstance(text, str) else None for text in template.rendered(given)]
    best = sum(map(eq, map(partial(_rendered, chat), given), texts))
    for field, option in _options(chat.spec):
        if best == len(given):
            break
        value = {**getattr(chat.spec, field), **option} if isinstance(option, dict) else option
        other = Chat(replace(chat.spec, **{field: value}), chat.dialect)
        if (count := sum(map(eq, map(partial(_rendered, other), given), texts))) > best:
            best, chat, entry = count, other, {**entry, field: to_builtins(value)}
    return chat, entry


def _options(spec: ChatSpec) -> Iterator[tuple[str, Any]]:
    """Fields, and what they may be besides what they are."""
    for word in ("user", "content", "reasoning", "result", "system", "notice"):
        if word in spec.rules or word in {*spec.roles.values()}:
            yield from (("trim", {word: trim}) for trim in Trim if trim is not Trim.NONE)
    for rule, guard in spec.when.items():
        yield "when", {rule: re.sub(r"(?<![\w-])given(?![\w-])", "system-text", guard)}
    for rule, role in spec.roles.items():
        if role is ChatRole.SYSTEM and rule not in spec.when and rule != "notice":
            yield "when", {rule: "system-text"}
    yield from (("thoughts", Thoughts.TAKEN), ("scalars", Syntax.PYTHON), ("systems", Systems.LAST))
