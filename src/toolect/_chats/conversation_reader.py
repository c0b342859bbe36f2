"""Reader of conversations: makes turns and tools of the course of a transcript through its grammar."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec.structs import replace

from toolect._chats.answers import Answers
from toolect._chats.media_tokens import without_tokens
from toolect._chats.prompt_tools import read_definition
from toolect._chats.slot_ends import MAX_SIGNS
from toolect._chats.transcript_reader import Course, Held
from toolect._prompting.outputs import written
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec, Fact
from toolect._spec.guards import read_guard
from toolect._spec.prompts import OutputKind
from toolect._transcript import Origin, OriginSpan
from toolect._turns import Assistant, PendingCalls, Results, System, ToolResult, Turn, User
from toolect.conversation import Conversation

_ORIGINS = {
    ChatRole.SYSTEM: Origin.SYSTEM,
    ChatRole.USER: Origin.USER,
    ChatRole.ANSWER: Origin.ANSWER,
    ChatRole.RESULT: Origin.RESULT,
    ChatRole.TOOL: Origin.TOOLS,
    ChatRole.TOOLS: Origin.TOOLS,
}
_GIVEN, _SYSTEM = int(Fact.GIVEN), int(Fact.SYSTEM | Fact.SYSTEM_TEXT)
_DEFAULT = _SYSTEM, _SYSTEM | int(Fact.TOOLS)
"""The facts of a conversation without a system text, in a chat that has one of its own."""


class _ConversationDraft(NamedTuple):
    role: ChatRole
    texts: list[Held]
    results: list[list[Held]]

    def said(self, text: str) -> str:
        """What the turn says."""
        return "".join(text[held.start : held.end] for held in self.texts if held.slot is not ChatSlot.NUMBER)


class ConversationReader:
    """Makes a conversation of the course of one text."""

    def __init__(self, spec: ChatSpec, answers: Answers) -> None:
        self.spec, self.answers = spec, answers
        guards = ((rule, read_guard(guard)) for rule, guard in spec.when.items())
        self._of_default = {
            rule for rule, holds in guards if all(holds(facts) and not holds(facts | _GIVEN) for facts in _DEFAULT)
        }
        """The rules that are written with the chat's own system text, and never with one that was given."""

    def conversation(self, text: str, course: Course) -> Conversation:
        """The turns and tools of the text, with its spans and repairs; those of answers are in their messages."""
        drafts, definitions = self._drafts(course)
        drafts = [draft for draft in drafts if draft.texts or draft.role is not ChatRole.SYSTEM]
        if self._has_default(text, drafts, course):
            del drafts[0]
        texts = dict.fromkeys(text[held.start : held.end] for held in definitions)  # some chats tell them twice
        tools = [tool for one in texts for tool in read_definition(self.spec.tools, one)]
        turns: list[Turn] = []
        waiting = PendingCalls()
        numbers: dict[int, int] = {}
        for draft in drafts:
            turn = self._turn(text, draft, tools, waiting)
            for held in (*draft.texts, *(held for some in draft.results for held in some)):
                numbers[held.start] = len(turns)
            if not isinstance(turn, Results):
                waiting.follow(turn)
            turns.append(turn)
        spans = tuple(self._spans(text, course, numbers))
        return Conversation(tuple(turns), tuple(tools), tuple(course.repairs), spans)

    def _drafts(self, course: Course) -> tuple[list[_ConversationDraft], list[Held]]:
        drafts: list[_ConversationDraft] = []
        definitions: list[Held] = []
        open_turns: list[_ConversationDraft] = []
        roles: list[ChatRole | None] = []
        """The roles of the rules that are open; of a rule in another one of its role only the outer one counts."""
        for part in course.parts:
            if isinstance(part, Held):
                role = self.spec.roles.get(part.rule)
                if part.slot in (ChatSlot.TOOL, ChatSlot.TOOLS):
                    definitions.append(part)
                elif role is ChatRole.RESULT and open_turns and open_turns[-1].results:
                    open_turns[-1].results[-1].append(part)
                elif open_turns and part.slot is not ChatSlot.DATE and role is not ChatRole.TOOL:
                    open_turns[-1].texts.append(part)
                continue
            if part.enters:
                role = self.spec.roles.get(part.rule)
                roles.append(None if role in roles else role)
            match role := roles[-1] if part.enters else roles.pop():
                case ChatRole.SYSTEM | ChatRole.USER | ChatRole.ANSWER | ChatRole.RESULTS:
                    if part.enters:
                        draft = _ConversationDraft(role, [], [])
                        # A system text inside of the user's turn stands before it.
                        drafts.insert(len(drafts) - len(open_turns), draft)
                        open_turns.append(draft)
                    elif open_turns:
                        open_turns.pop()
                case ChatRole.RESULT if part.enters and open_turns:
                    open_turns[-1].results.append([])
        return drafts, definitions

    def _has_default(self, text: str, drafts: Sequence[_ConversationDraft], course: Course) -> bool:
        """True when the first turn is the system text that the chat writes by itself, where nobody gave one."""
        roles = [draft.role for draft in drafts[:2]]
        if roles[:1] != [ChatRole.SYSTEM] or drafts[0].said(text) != self.spec.system:
            return False
        entered = {part.rule for part in course.parts if not isinstance(part, Held)}
        return roles[1:] != [ChatRole.SYSTEM] and self._of_default <= entered

    def _turn(self, text: str, draft: _ConversationDraft, tools: Sequence[Any], waiting: PendingCalls) -> Turn:
        said = draft.said(text)
        match draft.role:
            case ChatRole.SYSTEM:
                return System(said)
            case ChatRole.USER:
                return User(*without_tokens(said, self.spec.media))
            case ChatRole.ANSWER:
                return Assistant(self.answers.read(said, tools), said, self.answers.dialect.name, "")
            case _:
                return self._results(text, draft, waiting)

    def _results(self, text: str, draft: _ConversationDraft, waiting: PendingCalls) -> Results:
        found = []
        for parts in self._alone(text, draft.results) if len(waiting.calls) == 1 else draft.results:
            slots = {held.slot: text[held.start : held.end] for held in parts}
            output, media = without_tokens(self._output(slots.get(ChatSlot.TEXT, "")), self.spec.media)
            found.append(ToolResult(slots.get(ChatSlot.ID, ""), slots.get(ChatSlot.NAME, ""), output, media=media))
        results = []
        for result, call in zip(found, waiting.follow(Results(tuple(found))), strict=True):
            if call is not None:
                result = replace(result, call_id=result.call_id or call.id or "", name=result.name or call.name)
            results.append(result)
        return Results(tuple(results))

    def _alone(self, text: str, results: list[list[Held]]) -> list[list[Held]]:
        """The result of a single call: a comma or a line break in it separates no results, as it would of several."""
        if not all(len(parts) == 1 and parts[0].slot is ChatSlot.TEXT for parts in results):
            return results
        held = [part for parts in results for part in parts]
        between = (text[one.end : two.start] for one, two in pairwise(held))
        return [[held[0]._replace(end=held[-1].end)]] if all(len(one) <= MAX_SIGNS for one in between) else results

    def output_read(self, output: str) -> str:
        """A result's output as it is read back."""
        return output if self.spec.output is OutputKind.TEXT else self._output(written(self.spec.output, output))

    def _output(self, text: str) -> str:
        """A result's output, of the text that it is written as."""
        if self.spec.output is OutputKind.TEXT:
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if isinstance(value, str) else text

    def _spans(self, text: str, course: Course, numbers: dict[int, int]) -> list[OriginSpan]:
        spans = []
        at = 0
        for part in course.parts:
            if isinstance(part, Held) and part.end > part.start:
                if part.start > at:
                    spans.append(OriginSpan(at, part.start, Origin.SCAFFOLD, -1))
                role = self.spec.roles.get(part.rule)
                origin = _ORIGINS.get(role, Origin.SCAFFOLD) if role else Origin.SCAFFOLD
                spans.append(OriginSpan(part.start, part.end, origin, numbers.get(part.start, -1)))
                at = part.end
        if at < len(text):
            spans.append(OriginSpan(at, len(text), Origin.SCAFFOLD, -1))
        return spans
