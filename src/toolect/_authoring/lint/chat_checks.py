"""Checks of a chat: its conversations come back, and its answers end and begin as its dialect has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from toolect._authoring.generate.small_conversations import ChatCase, small_conversations
from toolect._authoring.lint.grammar_checks import unreached
from toolect._authoring.lint.subject import ChatSubject, descend
from toolect._chats.chat_grammar import frame_of
from toolect._chats.grammar_chat import Chat
from toolect._chats.plan import Plans
from toolect._chats.transcript_writer import Unsafe
from toolect._chats.turn_facts import literal_facts
from toolect._diagnostic import Diagnostic, Text, shown, warning
from toolect._message import Content, Json, Message, MessageError, Reasoning
from toolect._rendered import RenderError
from toolect._shown import alike, cut, one_line
from toolect._spec.chat_model import ChatRole, Fact, Lost
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves, reached
from toolect._spec.problems import Problems, one_of
from toolect._transcript import Transcript
from toolect.conversation import Assistant, Conversation, Results, System, User

DAY = "2026-01-01"
"""The date of chats that write one."""
_TEXT = "text"
_UNTOLD: tuple[ChatRole, object] = (ChatRole.ANSWER, None)
"""An answer of which nothing that it says has to come back."""


class Talk(NamedTuple):
    """A conversation as a chat writes it; no text where the chat refuses it, which `refused` says."""

    case: ChatCase
    text: Transcript | None
    refused: str = ""


class Unlike(NamedTuple):
    """First difference of a conversation that is read back, in a turn of this role; None for the whole."""

    role: ChatRole | None
    what: str


def talk(chat: Chat, case: ChatCase, unsafe: Unsafe = "refuse") -> Talk:
    """The case, written; `unsafe` says what becomes of texts that hold markup."""
    try:
        text = chat.render(case.conversation, case.generate, thinking=case.thinking, date=DAY, unsafe=unsafe)
    except (RenderError, MessageError) as error:
        return Talk(case, None, str(error))
    return Talk(case, text)


def unlike(chat: Chat, given: Talk) -> Unlike | None:
    """First undeclared difference between a written conversation and what is read back; None if there is none."""
    assert given.text is not None
    lost, before = {*chat.spec.lost}, given.case.conversation
    back = chat.parse(given.text)
    if back.repairs:
        repair = back.repairs[0]
        return Unlike(None, f"reading it back needs the repair `{repair.kind}` at character {repair.at}")
    silent = [isinstance(turn, Assistant) and not (turn.message.calls or turn.message.content.strip())
              for turn in before.turns]  # fmt: skip
    if Lost.TURNS in lost and (any(silent) or any(isinstance(turn, Results) for turn in before.turns)):
        return None
    if Lost.SYSTEM in lost and any(isinstance(turn, System) for turn in before.turns):
        return None
    if Lost.TOOLS not in lost and (why := _tools(before, back)):
        return Unlike(ChatRole.TOOLS, why)
    written = _by_turn(given.text)
    untyped = Lost.TOOLS in lost or any(tool.get("type") == _TEXT for tool in back.tools)
    old = [*_told(before, lost, untyped, lambda number, said: said in written.get(number, ""))]
    new = [*_told(back, lost, untyped, lambda _, __: True)]
    for number, ((role, one), (other_role, other)) in enumerate(zip_longest(old, new, fillvalue=(None, None))):
        if role is None or other_role is None:
            return Unlike(role or other_role, f"{len(old)} turns became {len(new)}")
        if role is not other_role:
            return Unlike(role, f"turn {number}, {_a(role)}, became {_a(other_role)}")
        if one != other and None not in (one, other):
            return Unlike(role, f"turn {number}, {_a(role)}, {_shown(one)} became {_shown(other)}")
    return None


def _shown(given: object) -> str:
    return cut(one_line(f"`{given if isinstance(given, str) else repr(given)}`"), 200)


def _a(role: ChatRole) -> str:
    return "an answer" if role is ChatRole.ANSWER else "results" if role is ChatRole.RESULTS else f"a {role} turn"


def _by_turn(text: Transcript) -> dict[int, str]:
    """All that is written for each turn."""
    found: dict[int, str] = {}
    for span in text.spans:
        found[span.turn] = found.get(span.turn, "") + text[span.start : span.end]
    return found


def _tools(before: Conversation, back: Conversation) -> str:
    if any(tool.get("type") == _TEXT for tool in back.tools):  # the notation does not carry schemas
        return "" if before.tools else "tools are read where there are none"
    names = [[tool["function"]["name"] for tool in one.tools] for one in (before, back)]
    return "" if names[0] == names[1] else f"the tools {', '.join(names[0])} became {', '.join(names[1]) or 'none'}"


def _told(
    conversation: Conversation, lost: set[Lost], untyped: bool, kept: Callable[[int, str], bool]
) -> Iterator[tuple[ChatRole, object]]:
    """The contents of each turn that must come back: no ids, no blanks that a chat may cut off, nothing that is lost.

    Reasoning is written that is `kept`. Of `untyped` values nobody knows whether they are texts, or JSON.
    """
    for number, turn in enumerate(conversation.turns):
        match turn:
            case Assistant(message):
                if Lost.CALLS in lost and not message.content:
                    yield _UNTOLD
                    continue
                given = [
                    (call.name, (_loose(call.arguments) or {}) if untyped else call.arguments) for call in message.calls
                ]
                calls = [] if Lost.CALLS in lost else given
                content = "" if Lost.CONTENT in lost and message.calls else message.content.strip()
                reasoning = message.reasoning.strip()
                yield ChatRole.ANSWER, (content, reasoning if kept(number, reasoning) else "", calls)
            case Results(results) if Lost.RESULTS not in lost:
                yield ChatRole.RESULTS, [result.output.strip() for result in results]
            case System(said):
                if said.strip():
                    yield ChatRole.SYSTEM, said.strip()
            case User(said):
                yield ChatRole.USER, said.strip()
            case _:
                pass


def _loose(value: Json) -> Json:
    """A value with the JSON in its texts as what that is, and nothing for what holds nothing."""
    if isinstance(value, dict | list) and not value:
        return ""
    if isinstance(value, dict):
        return {key: _loose(inner) for key, inner in value.items()}
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def unreachable_rule(subject: ChatSubject) -> Iterator[Diagnostic]:
    """The rules that no way from `start` leads to."""
    rules = subject.spec.rules
    found = reached(rules)
    yield from (unreached(rule) for name, rule in rules.items() if name not in found)


def unread_conversation(subject: ChatSubject) -> Iterator[Diagnostic]:
    """The first turn that does not come back, else a text that is written otherwise when it was read."""
    tried = (talk(subject.chat, case, "keep") for case in small_conversations())
    same: list[Talk] = []
    for given in tried:
        found = unlike(subject.chat, given) if given.text is not None else None
        if found is None:
            same += [given] if given.text is not None else []
        elif talk(subject.chat, given.case).text is not None:  # else rendering refuses it
            yield warning(
                "unread-conversation",
                f"what is written for a conversation is read back otherwise: {found.what}",
                subject.rule(found.role) if found.role else subject.place,
                texts=shown(written=str(given.text)),
                help="write a marker where the text begins or ends, or say under `lost` what the chat does not tell",
            )
            return
    if {Lost.SYSTEM, Lost.TURNS} & {*subject.spec.lost}:
        return
    for given in same:
        assert given.text is not None
        again = talk(subject.chat, given.case._replace(conversation=subject.chat.parse(given.text)), "keep")
        if again.text != given.text:
            at = alike(given.text, again.text or "")
            yield warning(
                "unread-conversation",
                "a text that is read is written otherwise" + (f": {again.refused}" if again.refused else ""),
                subject.place,
                texts=(Text("given", given.text, at), Text("written", again.text or "", at)),
                help="let what may be left out be found by what is written, or by what it is of",
            )


def unlike_end(subject: ChatSubject) -> Iterator[Diagnostic]:
    """The end tokens that the chat's dialect does not know; and answers that end with none of them."""
    spec, dialect = subject.spec, subject.chat.dialect
    answers = [spec.rules[name] for name, role in spec.roles.items() if role is ChatRole.ANSWER]
    closers = [closer for rule in answers if (closer := frame_of(rule.expr)[1])]
    own = "end" in {key.text for key, _ in subject.loaded.entry.mapping("tokens", Problems()).entries}
    answer = dialect.render(Message([Content("It is high.")]))
    marks = {
        part.text for rule in dialect.spec.rules.values() for part in leaves(rule.expr) if isinstance(part, Literal)
    }
    for end in spec.end:
        if own and spec.dialect and end in dialect.parse(answer + end).content and end not in "\0".join(marks):
            yield warning(
                "unlike-end",
                f"`{end}` ends an answer of `{spec.name}`, and is content in `{spec.dialect}`",
                descend(subject.loaded.entry.table, ("tokens", "end", end)) or subject.place,
                help=f"write it under `end` of `{spec.dialect}` too, or leave it out here",
            )
    if spec.end and closers and not any(end in closer for end in spec.end for closer in closers):
        yield warning(
            "unlike-end",
            f"no answer of `{spec.name}` ends with {one_of(spec.end)}",
            subject.rule(ChatRole.ANSWER),
            label=f"it ends with {one_of(closers)}".replace("\n", "\\n"),
            help="write under `end` of `tokens` what the model ends its answers with",
        )


def unlike_opening(subject: ChatSubject) -> Iterator[Diagnostic]:
    """The openings that leave reasoning open, or close it, where the dialect reads on otherwise."""
    plans, dialect = Plans(subject.spec), subject.chat.dialect
    if not plans.thought_opener:  # what such a chat writes for reasoning is not the chat's to tell
        return
    facts = (literal_facts(thinking, True) for thinking in (None, True, False))
    after = (Fact.AFTER_USER, Fact.AFTER_RESULTS)
    openings = {plans.opening(fact | int(one)) for fact in facts for one in after}
    for opening in sorted(openings - {""}):
        begun = dialect.parse("It is high.", prefix=opening).segments
        inside = bool(begun) and isinstance(begun[0], Reasoning)
        opened = opening.rfind(plans.thought_opener) > opening.rfind(plans.thought_closer)
        if inside != opened:
            wanted, got = ("reasoning", "content") if opened else ("content", "reasoning")
            yield warning(
                "unlike-opening",
                f"after the opening of `{subject.name}` an answer begins with {wanted}, `{dialect.name}` reads {got}",
                subject.rule(ChatRole.OPENING),
                texts=shown(written=opening),
                help=f"name the end of the opening under `prefill` of `{dialect.name}`, or open the answer otherwise",
            )


CHECKS = {
    "unreachable-rule": unreachable_rule,
    "unread-conversation": unread_conversation,
    "unlike-end": unlike_end,
    "unlike-opening": unlike_opening,
}
