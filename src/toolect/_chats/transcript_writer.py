"""Writer of transcripts: the plan of each turn, filled with its texts, each of which stays in its slot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date as Date  # noqa: N812
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from toolect._chats.answers import Answers
from toolect._chats.conversation_diff import changes, turn_changes
from toolect._chats.filler import PlanFiller
from toolect._chats.filling import Data, SlotAnswer, check_spelled
from toolect._chats.given_texts import compared
from toolect._chats.marker_scan import HeldText, Scan
from toolect._chats.outline import Body, Outline, Outlines, SampledPlace, answer_shape, turn_shape
from toolect._chats.plan import AnswerPlan
from toolect._chats.plan_ops import Each, Fill
from toolect._chats.read_back_cache import ListedTools, ReadBackCache
from toolect._chats.turn_facts import Thinking, literal_facts
from toolect._message import Call, Content, Message, Reasoning
from toolect._rendered import Part, Rendered
from toolect._spec.chat_model import ChatRole, ChatSlot, Fact, Systems
from toolect._transcript import Author, Given, Origin, Transcript
from toolect._turns import Assistant, PendingCalls, Results, System, Turn, User
from toolect.conversation import Conversation

Unsafe: TypeAlias = Literal["refuse", "neutralise", "keep"]
"""Treatment of a text that would break out of its slot."""
SAMPLED = Fill(ChatSlot.ANSWER, ChatRole.ANSWER, "answer", Origin.ANSWER)
"""The place of an answer that is written as it was sampled."""
_TOOLS, _GIVEN, _SYSTEM, _SYSTEM_TEXT = int(Fact.TOOLS), int(Fact.GIVEN), int(Fact.SYSTEM), int(Fact.SYSTEM_TEXT)
_DEFINITIONS = ChatSlot.TOOL, ChatSlot.TOOLS
_DEVELOPER, _UNASKED = int(Fact.DEVELOPER), int(Fact.EMPTY | Fact.UNASKED)


def check_unsafe(unsafe: object) -> None:
    """Raise ValueError for what says nothing of texts that would break out, as a word that is spelled otherwise."""
    if unsafe not in get_args(Unsafe):
        raise ValueError(f"expected 'refuse', 'neutralise' or 'keep', got {unsafe!r} - at unsafe")


class Writer(PlanFiller):
    """Writes one conversation."""

    def __init__(
        self,
        outlines: Outlines,
        answers: Answers,
        scan: Scan,
        read_back: ReadBackCache,
        unsafe: Unsafe,
        day: Date | str | None,
    ) -> None:
        check_unsafe(unsafe)
        super().__init__(outlines.plans, day=day)
        self.outlines, self.answers, self.scan, self.read_back = outlines, answers, scan, read_back
        self.keep = unsafe == "keep"
        self.listed: ListedTools
        """The tools of the conversation, with the cache for them."""
        self.held: list[HeldText] = []
        """The texts that were filled in, with their places."""
        self.odd: list[tuple[int, SlotAnswer]] = []
        """The answers with calls, and those whose parts have another order than most, with their places."""
        self.callers: list[SlotAnswer | None] = []
        """For each turn the last answer with calls."""
        self.written: tuple[Body, int] | None = None
        """The turns that were written, and the facts of all turns."""
        self.has_markers = self.has_odd_calls = False
        """True when a text looks like markup, or a call is of a kind that never came back."""

    def write(
        self, turns: Sequence[Turn], tools: Sequence[Mapping[str, Any]], generate: bool, thinking: Thinking
    ) -> Transcript:
        """The conversation's text. Raises RenderError for what the chat cannot carry."""
        turns, at, shared = self.begin(turns, tools, generate, thinking)
        if len(turns) == at:
            self.plans.check(None, shared | _UNASKED)
        body = self.body(turns[at:])
        outline = self.outlines.outline(body, shared)
        if not self.keep:
            for index, one in self.odd:
                if index in outline.written:
                    check_spelled(one.message)
        self.follow(outline, body)
        self.written = body, shared
        self.look(body, outline.written)
        return Transcript(self.pieces, (), self.author)

    def begin(
        self, turns: Sequence[Turn], tools: Sequence[Mapping[str, Any]], generate: bool, thinking: Thinking
    ) -> tuple[Sequence[Turn], int, int]:
        """The turns as the chat has them, the number of the first that is no system text at the head, and what is so
        of all of them.
        """
        shared = literal_facts(thinking, generate) | (_TOOLS if tools else 0)
        self.tools, self.listed = tools, self.read_back.listed(tools)
        at = 0
        if self.spec.systems is not Systems.HEAD:
            turns = self.gathered(turns)
        if self.plans.hoists:
            if turns and isinstance(turns[0], System):
                trim = self.plans.system_trim
                self.system, self.system_turn, at = trim(turns[0].text) if trim else turns[0].text, 0, 1
                shared |= _GIVEN | (_DEVELOPER if turns[0].developer else 0)
            elif self.spec.system is not None:
                self.system = self.spec.system
            if at or self.spec.system is not None:
                shared |= _SYSTEM | (_SYSTEM_TEXT if self.system else 0)
        return turns, at, shared

    @property
    def author(self) -> Author:
        """Author of the transcript."""
        return Author(self.answers.dialect, self.plans.texts)

    def look(self, body: Body, written: Collection[int], held: int = 0) -> None:
        """Look at all texts that were filled in after `held`, and at the answers `written`."""
        if self.keep:
            return
        answers: dict[int, SlotAnswer] = {}
        calls: list[Call] = []
        for index in written:
            one = body.data[index]
            if isinstance(one, SlotAnswer):
                answers[index] = one
                calls += one.calls
                if not (one.content or one.reasoning or one.calls) and one.message.content:
                    self.has_markers = True  # an answer of markers alone, of which nothing is left
        are_known = self.read_back.has(calls, self.listed)
        self.has_markers |= self.scan.suspects(self.held[held:], partial(_are_alone, body.turns), are_known)
        doubtful = self.answers.doubtful(answers, self.tools)
        if not are_known:
            odd = {index for index, one in answers.items() if not self.read_back.has(one.calls, self.listed)}
            self.has_odd_calls |= bool(odd)
            if any(map(_is_of_calls, self.held)):
                doubtful |= {one for one in odd if not self.read_back.is_harmless(answers[one].calls, self.listed)}
        if doubtful and not self.has_markers:  # nothing else in the text ends where it should not
            self.has_markers = not self._are_read_back({body.first + index: answers[index] for index in doubtful})

    def _are_read_back(self, answers: Mapping[int, SlotAnswer]) -> bool:
        """True when each of some answers, by the numbers of their turns, is read by itself as it was given.

        It is read with the tools that are read back: not every chat's are.
        """
        tools = self.read_back.definitions(tuple(text for text, op in self.held if op.slot in _DEFINITIONS))
        texts: dict[int, list[str]] = {number: [] for number in answers}
        for text, _, number, *_ in self.pieces:
            if number in texts:
                texts[number].append(text)
        for number, one in answers.items():
            given = Assistant(Message([Reasoning(one.reasoning), Content(one.content), *one.calls]))
            said = self.plans.slot("".join(texts[number]))
            back = Assistant(self.answers.read(said, tools))
            if any(turn_changes(given, back)):
                pair = compared(Conversation([given])), compared(Conversation([back]))
                if changes(*pair, ids=False):
                    return False
            self.read_back.learn(one.calls, back.message.calls, self.listed, are_calls=True)
        return True

    def body(self, turns: Sequence[Turn]) -> Body:
        """The turns that are written one after the other, with what their answers say."""
        data: list[Turn | SlotAnswer | None] = []
        shape = []
        asked = next((turn.text for turn in reversed(turns) if isinstance(turn, User)), "")
        caller = None
        for turn in turns:
            if isinstance(turn, Assistant):
                one = self.answers.said(turn.message)
                if one.calls:
                    caller = one
                if one.calls or not one.ordered:
                    self.odd.append((len(data), one))
                data.append(one)
                shape.append(answer_shape(one, self.answers.has_text(turn)))
            else:
                data.append(turn)
                shape.append(turn_shape(turn, asked))
            self.callers.append(caller)
        data.append(None)
        return Body(turns, data, tuple(shape), self.system_turn)

    def follow(self, outline: Outline, body: Body) -> None:
        """Write what an outline says, its places filled."""
        pieces, held, everything = self.pieces, self.held, body.data
        for ready, op, index, number, facts in outline.steps:
            pieces += ready
            self.caller = self.callers[index] if index >= 0 else None
            if type(op) is Fill:
                data, take, trim, part = everything[index], op.take, op.trim, op.part
                text = self.value(op, data) if take is None else take(data, 0)
                if trim is not None:
                    text = trim(text)
                held.append((text, op))
                pieces.append((text, op.origin, number) if part is None else (text, op.origin, number, part))
            elif type(op) is Each:
                self.each(op, everything[index], number, facts)
            elif type(op) is SampledPlace:
                turn = body.turns[index]
                assert isinstance(turn, Assistant) and turn.text is not None
                self.sampled(turn.text, turn.opened, op.plan, number, facts)

    def gathered(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The turns with what the system says at the head."""
        said = [turn for turn in turns if isinstance(turn, System)]
        if not said:
            return turns
        systems = self.spec.systems
        if systems is Systems.FIRST:
            return [said[0], *(turn for turn in turns if turn is not said[0])]
        between = "" if systems is Systems.GLUED else "\n\n"
        text = said[-1].text if systems is Systems.LAST else between.join(turn.text for turn in said)
        return [System(text), *(turn for turn in turns if not isinstance(turn, System))]

    def sampled(self, text: str, opened: str | None, plan: AnswerPlan, number: int, facts: int) -> None:
        """Write an answer as it was sampled, after the opening that asked for it."""
        opening = self.plans.opening(facts)
        opener = self.plans.opener(opening) or plan.opener
        if plan.silent and not text:
            opening = plan.opener
        elif opened is not None:
            opening = opener + opened
        elif not opening or text.startswith(opening.removeprefix(opener)):
            opening = opener  # some servers give what the prompt opened as a part of the answer
        endings = "".join([op.text for op in plan.closers]), *self.spec.end
        text = text.removesuffix(max(filter(text.endswith, endings), key=len, default=""))
        self.pieces.append((opening, Origin.SCAFFOLD, number))
        self.put(text if isinstance(text, Rendered) else Rendered(text), SAMPLED, number)
        if plan.lead and not text.endswith(plan.lead):
            self.pieces.append((plan.lead, Origin.ANSWER, number))

    def each(self, op: Each, data: Data, number: int, facts: int) -> None:
        """Write one by one what a place is for; tools as they were written there before."""
        if op.role is not ChatRole.TOOL:
            super().each(op, data, number, facts)
            return
        key = op.rule, number, facts
        known = self.listed.written.get(key)
        if known is None:
            pieces, held = len(self.pieces), len(self.held)
            super().each(op, data, number, facts)
            self.listed.written[key] = self.pieces[pieces:], self.held[held:]
        else:
            self.pieces += known[0]
            self.held += known[1]

    # Texts

    def value(self, op: Fill, data: Data) -> str:
        """The text of a place that more than the data tells."""
        if op.role is ChatRole.SYSTEM:
            return self.system
        if isinstance(data, SlotAnswer) and op.slot is ChatSlot.CALLS:
            return self.answers.calls(data.calls, self.tools)
        if isinstance(data, SlotAnswer) and op.slot is ChatSlot.ANSWER:
            return self.answers.whole(data.message, self.tools)
        return super().value(op, data)

    def put(self, text: str, op: Fill, number: int) -> None:
        """Write a text into its slot, and hold it to be looked at."""
        self.held.append((text, op))
        self.pieces.append(piece(text, op, number))


def _are_alone(turns: Sequence[Turn]) -> bool:
    """True when each result is the only one, of the only call that waits, and all calls are written as they are."""
    waiting = PendingCalls()
    for turn in turns:
        if isinstance(turn, Results) and len(turn.results) * len(waiting.calls) != 1:
            return False
        if isinstance(turn, Assistant) and turn.text is not None:
            return False
        waiting.follow(turn)
    return True


def _is_of_calls(held: HeldText) -> bool:
    """True for a text that a call brings; some chats write none of them."""
    op = held[1]
    is_words = op.part is Part.CONTENT or op.part is Part.REASONING
    return op.origin is Origin.ANSWER and op is not SAMPLED and not is_words or op.slot is ChatSlot.CALLED


def piece(text: str, op: Fill, number: int) -> Given:
    """A text that fills a place, as a piece of the transcript."""
    return (text, op.origin, number) if op.part is None else (text, op.origin, number, op.part)
