"""One row while it is read: its columns, its tools, its turns, and notes on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from string import punctuation
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from toolect._chats.chat_registry import chat, chats
from toolect._chats.conversation_diff import DROPPED, Change, dropped, unread
from toolect._detection.dropped import quoted_ends, with_dropped
from toolect._detection.guess import reader as reader_of
from toolect._detection.leaks import begins_reasoning, has_marker_of, left_in, markers
from toolect._exchange.embedded_tools import definitions_in, embedded_tools, tells_of
from toolect._exchange.openai_messages import plain_turns
from toolect._message import Call, Content, Json, Message, Reasoning, RepairKind
from toolect._rows.calls_and_results import BEGINS, CallTextReader, weights_of
from toolect._rows.finish_reasons import CUT_OFF, END_TOKENS, unsaid, without_end, without_result
from toolect._rows.ignored_fields import check_read, left_out, of_message
from toolect._rows.normalize import Tools, mended_messages, tools_in
from toolect._rows.row_fields import TurnShape, row_kinds
from toolect._rows.row_source import TRANSCRIPT, Source
from toolect._shown import cut
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.grammar_model import Literal, Ref
from toolect._spec.leaves import leaves
from toolect._turns import Assistant, PendingCalls, Results, System, Turn
from toolect.conversation import Conversation

UNDECLARED = "calls of a tool that is not declared"
NO_TOOLS = "calls, and no tools are declared"
REPAIRED = "calls were repaired"
ANSWER_REPAIRED = "an answer without calls was repaired"
HAS_MARKERS = "markers stand in the text of an answer, and stay there"
RESULT_HAS_ELEMENT = "a result begins with an element that nothing closes, and stays as it is"
SAME_IDS = "calls of one answer have the same id: the later ones get others"
TOOLS_UNREAD = "the system text has definitions of tools that cannot be read: it stays"
DESCRIBED = "the system text described the tools: it is left out, the tools are kept"
REST_STAYS = "the system text described the tools: they are kept as tools, and what else it says stays"
MAY_TELL = "the system text names the tools, and no definitions of them that could be left out: it stays"


_CLOSER = re.compile(r"\s*(?:<[^<>\n]{1,40}>|\[/\w{1,40}\])\s*")
"""Matches the closer of an answer's reasoning."""


_BROKEN = re.compile(r"<tools>\s*[\[{]\s*[\[{\"']")
"""Matches the beginning of definitions in an element of their own."""


class RowReading(NamedTuple):
    """The conversation of a row, the columns that it stands in, and notes and changes."""

    conversation: Conversation
    columns: frozenset[str]
    notes: tuple[Change, ...] = ()
    changes: tuple[Change, ...] = ()
    weights: Mapping[int, float] = MappingProxyType({})
    """The weights of answers, by the numbers of their turns."""
    rejected: Conversation | None = None
    """The rejected side of a pair; the conversation is the chosen one."""
    kind: str = TRANSCRIPT
    """The kind of the row."""
    wanted: bool = True
    """False when the row labels its answer as unwanted."""

    @property
    def cut(self) -> tuple[int, ...]:
        """The answers that were cut off, by the numbers of their turns."""
        return tuple(note.turn for note in self.notes if note.what == CUT_OFF)


class OpenRow:
    """One row while it is read, with the `dialect` of calls in its texts: "" for none."""

    def __init__(
        self, row: Mapping[str, Json], source: Source, taken: frozenset[str], dialect: str, shape: TurnShape
    ) -> None:
        self.row, self.source, self.dialect, self.shape = row, source, dialect, shape
        self.taken = taken
        self.notes: list[Change] = []
        self.changes: list[Change] = []
        self.beside: list[Change] = []
        """Changes that list the unread fields of the messages whose turns are kept."""
        self.seen: list[Change] = []
        """Notes on the last answer of the turns that are kept: of several answers each has its own."""
        self.weights: dict[int, float] = {}
        """The weights of answers, by their numbers among the answers."""
        self.tools: Tools = tools_in(None)
        self._calls_beside = False
        """True when calls stand in fields beside the texts of answers."""

    def declare(self, given: Json) -> None:
        """Declare further tools."""
        more = tools_in(given)
        self.notes += more.notes
        self.tools = more if not self.tools.tools else self.tools.joined(more)

    def declared(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The turns; tools defined in their system texts are declared, where no tools are."""
        if not self.tools.tools:
            for number, turn in enumerate(turns):
                if not isinstance(turn, System):
                    continue
                self.declare([*definitions_in(turn.text)])
                if not self.tools.tools and _BROKEN.search(turn.text):
                    self.notes.append(Change(TOOLS_UNREAD, number))
        return turns

    def turns(self, messages: list[Json], where: str, system: str = "") -> tuple[Turn, ...]:
        """The turns of messages, with the calls and the results that stand in their texts, after a system text."""
        self.weights = weights_of(messages)
        if not self.dialect and (turns := plain_turns(messages)) is not None:
            return (System(system), *turns) if system else turns
        if not self.tools.tools:
            first = messages[0] if messages and not system else {"role": "system", "content": system}
            if isinstance(first, Mapping) and first.get("role") == "system" and isinstance(first.get("content"), str):
                self.declare([*definitions_in(first["content"])])
        mended = mended_messages(messages, self.tools, self.notes)
        others = [[*of_message(one, self.shape.fields.ignore)] for one in mended]
        for number, (one, names) in enumerate(zip(mended, others, strict=True)):
            check_read(one, names, f"{where}[{number}]")
        self.beside = left_out(others)
        self._calls_beside = any(
            isinstance(one, Mapping) and (one.get("tool_calls") or one.get("function_call")) for one in mended
        )
        reader = CallTextReader(self.spoken if self.dialect else None, self.shape.fields.results, self.shape.result)
        return reader.turns(mended, where, system)

    def without_tool_prompt(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The turns without the descriptions of tools in system texts; if these are to stay, no tool is declared."""
        systems = [turn for turn in turns if isinstance(turn, System)]
        if not any(tells_of(turn.text, self.tools.tools) for turn in systems):
            return (*turns,)
        if not self.source.retell:
            self.tools = tools_in(None)
            return (*turns,)
        return tuple(
            one for turn in turns for one in (self._without_tools(turn) if isinstance(turn, System) else (turn,))
        )

    def _without_tools(self, turn: System) -> Iterator[System]:
        """A system turn without its description of tools; none where nothing else is left."""
        rest = besides(turn.text, row_kinds(self.source.files).prompts)
        if rest.names != {*self.tools.schemas}:
            if tells_of(turn.text, self.tools.tools):
                self.notes.append(Change(MAY_TELL, detail=turn.text[:60]))
            yield turn
        elif rest.text and not self.source.drop_prompt:
            self.changes.append(Change(REST_STAYS, detail=rest.text[:60]))
            yield replace(turn, text=rest.text)
        else:
            self.changes.append(Change(DESCRIBED, detail=turn.text[:60]))

    def spoken(self, text: str) -> Message:
        """Return the message that a text is in the dialect of the source."""
        if not self.dialect:
            return Message([Content(text)] if text else [])
        doubted = self.source.guessed and (not self.tools.tools or self._calls_beside)
        if doubted and not (markers().within(text) or begins_reasoning(text)):
            return Message([Content(text)])
        reader, tools = reader_of(self.dialect), list(self.tools.tools) or None
        message = reader.parse(text, tools)
        if any(repair.kind is RepairKind.AFTER_END for repair in message.repairs):
            veil, hidden = quoted_ends(text)
            message = veil.message(reader.parse(hidden, tools)) if hidden != text else message
        if doubted and message.calls:
            message = self._marked(text, message)
        return Message(message.segments, with_dropped(text, message))

    def _marked(self, text: str, message: Message) -> Message:
        """A message without the calls that have no marker of their dialect: code is an answer here."""
        calls = message.calls
        names = getattr(message, "dialects", (self.dialect,) * len(calls))
        ends = [len(text) if call.span is None else call.span[1] for call in calls]
        marked = [name for name, end in zip(names, ends, strict=True) if has_marker_of(name, text[:end])]
        if len(marked) == len(calls):
            return message
        if marked:
            return reader_of(marked[0]).parse(text)
        thought = next(iter(message.segments))
        if not isinstance(thought, Reasoning) or thought.span is None:
            return Message([Content(text)])
        closer = _CLOSER.match(text, thought.span[1])
        return Message([thought, Content(text[closer.end() if closer else thought.span[1] :])])

    def conversation(self, turns: Sequence[Turn]) -> RowReading:
        """The conversation of the turns, with notes and changes."""
        found = read_of(turns, self.tools, self.taken, [*self.notes, *self.seen], [*self.changes, *self.beside])
        if not self.weights:
            return found
        answers = [number for number, turn in enumerate(found.conversation.turns) if isinstance(turn, Assistant)]
        weights = {answers[at]: weight for at, weight in self.weights.items() if at < len(answers)}
        return found._replace(weights=weights)


def read_of(
    turns: Sequence[Turn], tools: Tools, columns: frozenset[str], notes: list[Change], changes: Sequence[Change] = ()
) -> RowReading:
    """The conversation of turns, with notes and changes; answers are kept as messages, without their original text."""
    bare = [*turns]
    left = [*changes]
    calls: dict[int, int] = {}
    schemas = tools.schemas
    for number, turn in enumerate(turns):
        if (empty := unsaid(turn)) is not None:
            notes.append(empty._replace(turn=number))
        if type(turn) is not Assistant:
            if isinstance(turn, Results) and any(BEGINS.match(one.output) for one in turn.results):
                notes.append(Change(RESULT_HAS_ELEMENT, number))
            continue
        message = without_end(turn.message)
        if message is not turn.message:
            notes.append(Change(END_TOKENS, number))
        if turn.text is not None or message is not turn.message:
            bare[number] = Assistant(message)
        repairs, unknown = message.repairs, []
        for one in message.segments:
            if type(one) is Content and (found := left_in(one.text)):
                notes.append(Change(HAS_MARKERS, number, ", ".join(dict.fromkeys(found))))
            elif type(one) is Call:
                if one.repairs:
                    repairs += one.repairs
                if one.runnable:
                    calls[number] = calls.get(number, 0) + 1
                    if one.name not in schemas:
                        unknown.append(one.name)
        if repairs:
            kinds = {repair.kind for repair in repairs} - {RepairKind.WHITESPACE, RepairKind.COERCION}
            if RepairKind.AFTER_END in kinds and (rest := dropped(turn)):
                kinds.remove(RepairKind.AFTER_END)
                left += unread(DROPPED, rest, number)
            if kinds:
                notes.append(Change(REPAIRED if message.calls else ANSWER_REPAIRED, number, ", ".join(sorted(kinds))))
        ids = [call.id for call in message.calls if call.id] if calls.get(number, 0) > 1 else []
        if len({*ids}) < len(ids):
            notes.append(Change(SAME_IDS, number))
        if unknown:
            notes.append(Change(UNDECLARED, number, ", ".join(unknown)) if tools.schemas else Change(NO_TOOLS))
    notes += results_of_others(turns)
    if calls:
        notes += without_result(turns, calls)
    return RowReading(Conversation((*bare,), tools.tools), columns, (*notes,), (*left,))


# Which calls results are of, where a row says it in two ways that contradict one another


OF_ANOTHER = "a result has the name of another tool than its call"


def results_of_others(turns: Sequence[Turn]) -> Iterator[Change]:
    """A note for each turn with results that are of a call by id, or by order, and have another name than it."""
    if not any(_is_odd(turn, turns[at - 1] if at else None) for at, turn in enumerate(turns) if type(turn) is Results):
        return
    waiting = PendingCalls()
    for number, turn in enumerate(turns):
        calls = waiting.follow(turn)
        if not isinstance(turn, Results):
            continue
        for call, result in zip(calls, turn.results, strict=True):
            if call is not None and (result.name or call.name) != call.name:
                both = f"`{cut(result.name, 40)}`, and the call is of `{cut(call.name, 40)}`"
                yield Change(OF_ANOTHER, number, both)
                break


def _is_odd(turn: Results, before: Turn | None) -> bool:
    """False for the results of the answer before, call by call."""
    calls = before.message.calls if isinstance(before, Assistant) else ()
    return [one.name for one in turn.results] != [call.name for call in calls]


# What a system text says besides telling of tools
#
# The definitions go, and what stands around them if a chat that is known, or a data set whose prompt is declared,
# writes it there, or it has no words of its own. All else stays: a persona and instructions cannot be distinguished.


MAX_KEPT = 64
"""Texts that are kept for rows to come. Beyond it: they are looked at again."""
MAX_SENTENCE = 2_000
"""Characters of a sentence. Beyond it: it is only known as a whole."""
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?:]+(?=\s|\Z)|(?=\n)|\Z)")
_OPENER = re.compile(r"(?:<(\w[\w.-]{0,40})>|\[([A-Z_]{1,40})\]|(`{3,9})\w{0,20})\s{0,100}\Z")
_LOOK = 200
"""Characters before definitions in which the opener of a tag is looked for."""


class Besides(NamedTuple):
    """The names of the tools that a text defines, and the rest of the text."""

    names: frozenset[str]
    text: str


@lru_cache(MAX_KEPT)
def besides(system: str, prompts: tuple[str, ...] = ()) -> Besides:
    """A system text without tool definitions and the known sentences around them; all of it if it defines none."""
    found = embedded_tools(system)
    if not found.spans:
        return Besides(frozenset(), system)
    names = frozenset(tool["function"]["name"] for tool in found.tools)
    known = _known((*chats(),), prompts) | {_key(name) for name in names}
    edges = [0, *(edge for span in _widened(system, found.spans) for edge in span), len(system)]
    gaps = [(edges[at], edges[at + 1]) for at in range(0, len(edges), 2)]
    kept = [
        _kept(system, start, end, known, behind=at > 0, before=at + 1 < len(gaps))
        for at, (start, end) in enumerate(gaps)
    ]
    spans = [span for span in kept if span[0] < span[1]]
    breaks = ["\n\n" if "\n" in system[one[1] : other[0]] else " " for one, other in pairwise(spans)]
    texts = [system[start:end].rstrip() for start, end in spans]
    return Besides(names, "".join(part for pair in zip(texts, [*breaks, ""], strict=False) for part in pair))


def _widened(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans with the tags and fences that are around each of them, and around nothing else."""
    for start, end in spans:
        while (opener := _OPENER.search(text, max(0, start - _LOOK), start)) is not None:
            tag, token, fence = opener.groups()
            closer = f"</{tag}>" if tag else f"[/{token}]" if token else fence
            closed = re.compile(rf"\s{{0,100}}{re.escape(closer)}").match(text, end)
            if closed is None:
                break
            start, end = opener.start(), closed.end()
        yield start, end


def _kept(text: str, start: int, end: int, known: frozenset[str], behind: bool, before: bool) -> tuple[int, int]:
    """The span that stays of `start:end`: tool definitions are `behind` its start, or its end is `before` some."""
    found = [match.span() for match in _SENTENCE.finditer(text, start, end)]

    def goes(span: tuple[int, int]) -> bool:
        said = _key(text[slice(*span)])
        if not said or said in known:
            return True
        cuts = range(1, len(said) if len(said) < MAX_SENTENCE else 0)  # a chat may write the rest in several ways
        return any(said[:at] in known and said[at:] in known for at in cuts)

    if behind:
        found = found[sum(1 for _ in takewhile(goes, found)) :]
    if before:
        found = found[: len(found) - sum(1 for _ in takewhile(goes, reversed(found)))]
    return (found[0][0], found[-1][1]) if found else (start, start)


@lru_cache(4)
def _known(names: tuple[str, ...], prompts: tuple[str, ...]) -> frozenset[str]:
    """The sentences that chats and prompts have around the definitions of tools."""
    texts = (*(text for name in names for text in _around_tools(chat(name).spec)), *prompts)
    parts = (part for text in texts for part in (text, _CLOSED.sub("", text), _OPENED.sub("", text)))
    return frozenset(_key(sentence) for part in parts for sentence in _SENTENCE.findall(part))


_CLOSED = re.compile(r"\A\s*</\w+>")
_OPENED = re.compile(r"<\w+>\s*\Z")


def _around_tools(spec: ChatSpec) -> Iterator[str]:
    """The texts of a chat around the definitions of tools."""
    roles = (ChatRole.TOOLS, ChatRole.TOOL)
    todo = [name for name, role in spec.roles.items() if role in roles]
    for rule in todo:
        for leaf in leaves(spec.rules[rule].expr):
            if isinstance(leaf, Literal):
                yield leaf.text
            elif isinstance(leaf, Ref) and leaf.rule not in {*todo, *spec.roles}:
                todo.append(leaf.rule)
    if spec.tools is not None:
        yield from _HOLE.split(spec.tools.text)
        yield from _HOLE.split(spec.tools.each)


_HOLE = re.compile(r"\{[\w/]+\}")


def _key(sentence: str) -> str:
    """Key of a sentence: without blanks and the signs of a heading or a list, with one kind of quotes; "" for signs."""
    key = "".join(sentence.split()).replace("'", '"')
    return key.strip("#*`-") if key.strip(punctuation) else ""
