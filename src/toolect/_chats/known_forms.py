"""Forms of conversations that are known to be read back as they were told, so that not every text has to be.

What a chat writes is ready pieces with texts between them, each of which stays in its place. So of two conversations of
one form whose texts are nothing but words there, one is read back as the other is. A form, a list of tools, and calls
with arguments of the same types are each read back once; what is unusual has no form, and is read back each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from toolect._chats.answers import Answers
from toolect._chats.call_texts import CallTexts
from toolect._chats.comparing import LEFT_OUT, OF_TOOLS, Change, signatures, told_otherwise, tool_changes
from toolect._chats.filling import SlotAnswer
from toolect._chats.known_tools import NONE, KnownTools
from toolect._chats.marker_scan import JOINT, Scan
from toolect._chats.ops import Each
from toolect._chats.plain_texts import Key, is_bare, key_of_call
from toolect._chats.plain_turns import Calling, PlainTurns, shape_of
from toolect._chats.ready_texts import CompiledTranscript, ToolsPlace, place_of, ready
from toolect._chats.told_tools import read_definition
from toolect._chats.writing import Place, Writer
from toolect._message import Call
from toolect._spec.chat_model import ChatSlot, ChatSpec
from toolect._transcript import Given, Origin
from toolect._turns import Assistant, Results, System
from toolect.conversation import Conversation

MAX_KNOWN, MAX_TOOLS = 4096, 128
"""Forms and calls of one chat that are known at a time, and lists of tools. Beyond it: all are found out anew."""


class ConversationForm(NamedTuple):
    """All that decides what is read back of a conversation, whose tools and calls are known or not."""

    shape: Key
    calls: frozenset[Key] | None
    """None where a call has to be read back."""


class Known(NamedTuple):
    """What is told otherwise of the turns of a form."""

    changes: tuple[Change, ...]
    apart: bool
    """Calls that have to be read back were among them: each answer with calls is read apart."""


class KnownForms:
    """The forms, tools and calls of one chat that have been read back."""

    def __init__(self, spec: ChatSpec, scan: Scan, answers: Answers, heard: Callable[[str], str]) -> None:
        self._spec, self._answers = spec, answers
        self._system = spec.system
        """The system text that stands for none."""
        self._heard = heard
        """What is read as a result's output, of the text that is written for it."""
        self._edges = scan.edges
        self._call_texts = CallTexts(answers.plans)
        self._forms: dict[Key, Known] = {}
        """What is known of each shape."""
        self._calls: set[tuple[int | Key, Key]] = set()
        """Calls, each with what its tool declares, or else with the list of tools, by its identity."""
        self._tools: dict[int, KnownTools] = {0: NONE}
        """Lists of tools by their identity."""
        self.pieces: dict[Place, list[Given]] = {}
        """How tools are told."""
        self._ready: dict[Key, CompiledTranscript | None] = {}
        self._told: dict[Key, str] = {}
        """How tools are told, as one text each."""

    def text(
        self, turns: PlainTurns, wishes: Key, conversation: Conversation, writer: Writer, compare: bool
    ) -> tuple[str, tuple[Change, ...]] | None:
        """The text of a conversation whose form is known, and what is told otherwise; None where it is not.

        Tools and calls that are not known are read back apart from all else; without `compare` nothing is.
        """
        known = self._ready.get((*wishes, bool(conversation.tools), turns.key))
        if known is None or isinstance(conversation.turns[0], System) and turns.texts[0] == self._system:
            return None
        form = self._forms.get(known.shape)
        if form is None and compare:
            return None
        number = id(conversation.tools) if conversation.tools else 0
        tools = self._tools.get(number)
        if compare and tools is not None and tools.read is None:
            return None
        writer.tools = conversation.tools
        filled = known.filled(turns, writer, self._call_texts, self._told)
        if known.suspects(turns, writer):
            return None
        texts = [text for text, _, _ in writer.held]
        plain = self._edges.keep_all([*turns.texts, *texts], JOINT.join([turns.whole, *texts]))
        if not plain and not self._edges.keep([*writer.held, *known.held(turns)]):
            return None
        if not self._answers.is_text(turns.said, conversation.tools):
            return None
        if form is None or not compare:
            if any(key is None for one in turns.answers for key in one.keys):
                return None
            if tools is None:
                self._keep_told(KnownTools(conversation.tools, None, ()), known, filled)
            return "".join(filled), ()
        if tools is None:
            tools = self._tools_apart(conversation, known, writer, filled)
            if tools is None:
                return None
        for at, one in enumerate(turns.answers):
            if form.apart or not all(key is not None and (number, key) in self._calls for key in one.keys):
                own = [(tools.declared(call.name), key) for call, key in zip(one.calls, one.keys, strict=True)]
                if not form.apart and all(call in self._calls for call in own):
                    self._calls.update((number, key) for _, key in own if key is not None)
                    continue
                said = known.said(at, filled)
                if said is None or not self._is_read(one, said, tools, form):
                    return None
                self._calls.update((number, key) for key in one.keys if key is not None)
                self._calls.update((kind, key) for kind, key in own if kind is not None and key is not None)
        return "".join(filled), tools.changes + form.changes

    def _tools_apart(
        self, conversation: Conversation, known: CompiledTranscript, writer: Writer, filled: Sequence[str]
    ) -> KnownTools | None:
        """What is read of tools, each where it is told; None where that is not to be told from what is around."""
        told = {text: op for text, op, _ in writer.held if op.slot in (ChatSlot.TOOL, ChatSlot.TOOLS)}
        if not all(map(is_bare, told)):
            return None
        read = [tool for text in told for tool in read_definition(self._spec.tools, text)]
        found = KnownTools(conversation.tools, read, tuple(tool_changes(conversation.tools, read)))
        self._keep_told(found, known, filled)
        return found

    def _keep_told(self, tools: KnownTools, known: CompiledTranscript, filled: Sequence[str]) -> None:
        """Keep a list of tools, and how they are told."""
        self._make_room()
        self._tools[id(tools.given)] = tools
        for part, text in zip(known.parts, filled, strict=True):
            if isinstance(part, ToolsPlace):
                self._told[place_of(part, tools.given)] = text

    def _is_read(self, one: Calling, said: str, tools: KnownTools, form: Known) -> bool:
        """True when an answer is read back, apart from all else, as its form tells it."""
        back = self._answers.read(said, tools.read or ())
        claimed = [change.what for change in form.changes if change.turn == one.number]
        ids = [call.id for call in back.calls]
        if any(ids) and ids != [call.id for call in one.calls]:
            return False
        return [*told_otherwise(one.turn, Assistant(back))] == claimed

    def changes(self, form: ConversationForm, conversation: Conversation) -> tuple[Change, ...] | None:
        """What is told otherwise of a conversation; None where only reading it back can tell."""
        number = id(conversation.tools) if conversation.tools else 0
        tools, known = self._tools.get(number), self._forms.get(form.shape)
        if tools is None or tools.read is None or known is None or known.apart or form.calls is None:
            return None
        return tools.changes + known.changes if all((number, call) in self._calls for call in form.calls) else None

    def prepare(
        self, turns: PlainTurns, wishes: Key, form: ConversationForm, conversation: Conversation, writer: Writer
    ) -> None:
        """Keep how conversations of a form are written, and the tools of this one."""
        key = *wishes, bool(conversation.tools), turns.key
        if key not in self._ready:
            assert writer.outline is not None and writer.written is not None
            self._make_room()
            self._ready[key] = ready(writer.outline, writer.written[0], conversation.turns, form.shape, writer)
        known = self._ready[key]
        for part in known.parts if known is not None else ():
            if isinstance(part, ToolsPlace):
                told = writer.all_tools
                if isinstance(part.op, Each):
                    pieces = self.pieces.get((part.op.rule, part.number, part.facts, id(conversation.tools)))
                    told = None if pieces is None else "".join(piece[0] for piece in pieces)
                if told is not None and id(conversation.tools) in self._tools:
                    self._told[place_of(part, conversation.tools)] = told

    def find_answers(
        self, turns: PlainTurns, wishes: Key, conversation: Conversation, back: Conversation, text: str, writer: Writer
    ) -> None:
        """Keep where answers with calls stand in what is written for a form, of which `text` was read as `back`."""
        key = *wishes, bool(conversation.tools), turns.key
        known = self._ready.get(key)
        if known is None or known.cuts or not turns.answers:
            return
        writer.tools = conversation.tools
        filled = known.filled(turns, writer, self._call_texts, self._told)
        if known.suspects(turns, writer) or "".join(filled) != text:
            self._ready[key] = None
            return
        spans: dict[int, list[tuple[int, int]]] = {}
        for span in back.spans:
            if span.origin is Origin.ANSWER:
                spans.setdefault(span.turn, []).append((span.start, span.end))
        found = (spans.get(one.number, ()) for one in turns.answers)
        self._ready[key] = known.with_cuts(filled, [one[0] if len(one) == 1 else None for one in found])

    def learn(
        self,
        form: ConversationForm,
        conversation: Conversation,
        writer: Writer,
        changes: Sequence[Change],
        back: Conversation,
    ) -> None:
        """Keep what reading back a conversation as `back` told, if it is so for all of its form."""
        if any(change.what not in LEFT_OUT and change.what not in OF_TOOLS for change in changes):
            return
        self._make_room()
        number = id(conversation.tools) if conversation.tools else 0
        of_tools = tuple(change for change in changes if change.what in OF_TOOLS)
        known = self._tools.get(number)
        if known is None or known.read is None:
            self._tools[number] = KnownTools(conversation.tools, back.tools, of_tools)
        elif known.changes != of_tools:
            return
        self.pieces |= writer.new_tools
        self._calls.update((number, call) for call in form.calls or ())
        if form.calls is not None or form.shape not in self._forms:
            of_turns = tuple(change for change in changes if change.what not in OF_TOOLS)
            self._forms[form.shape] = Known(of_turns, form.calls is None)

    def _make_room(self) -> None:
        """Forget what is known of forms, or of tools, where it is too much."""
        if len(self._forms) >= MAX_KNOWN or len(self._ready) >= MAX_KNOWN:
            self._forms, self._ready = {}, {}
        if len(self._tools) >= MAX_TOOLS or len(self._told) >= MAX_KNOWN or len(self._calls) >= MAX_KNOWN:
            self._tools, self._calls, self._told = {0: NONE}, set(), {}
            self.pieces.clear()

    def form(self, conversation: Conversation, writer: Writer) -> ConversationForm | None:
        """The form of a conversation that was written; None for an unusual one."""
        if writer.has_markers or writer.written is None:
            return None
        body, shared = writer.written
        first, system = conversation.turns[0] if body.system_turn >= 0 else None, writer.system
        if first is not None and not (isinstance(first, System) and first.text == system and self._is_given(system)):
            return None
        if len(body.turns) + body.first != len(conversation.turns):
            return None
        calls: list[Key] = []
        said: list[Key] = []
        asked: Sequence[Call] = ()
        unseen = False
        for number, turn in enumerate(body.turns):
            if isinstance(turn, Assistant):
                one = body.data[number]
                if turn.text is not None or not isinstance(one, SlotAnswer) or not _is_told(one):
                    return None
                asked = one.calls
                if asked:
                    named = shape_of(asked)
                    if named is None:
                        return None
                    for call in asked:
                        found = key_of_call(call)
                        unseen = unseen or found is None
                        calls += () if found is None else (found,)
                    said.append((number, *named))
            elif isinstance(turn, Results):
                if (told := self._results(turn, asked)) is None:
                    return None
                said.append((number, *told))
                asked = ()
            elif isinstance(turn, System) and (number or not self._is_given(turn.text)) or not is_bare(turn.text):
                return None
            else:
                asked = ()
        return ConversationForm((shared, body.system_turn, body.shape, *said), None if unseen else frozenset(calls))

    def _is_given(self, system: str) -> bool:
        return system != self._system and is_bare(system)

    def _results(self, turn: Results, asked: Sequence[Call]) -> Key | None:
        """What there is of each result; None where they are not those of the calls before, one by one."""
        if len(turn.results) != len(asked):
            return None
        found = []
        for result, call in zip(turn.results, asked, strict=True):
            if result.is_error or (result.call_id or call.id) != call.id or (result.name or call.name) != call.name:
                return None
            if not is_bare(result.output) or self._heard(result.output) != result.output:
                return None
            found.append((bool(result.output), bool(result.call_id), bool(result.name)))
        return (*found,)


def _is_told(said: SlotAnswer) -> bool:
    """True for an answer whose texts the chat takes as they are, and that nothing is said of besides."""
    content, reasoning = said.message.content, said.message.reasoning
    return (
        said.ordered
        and not signatures(said.message)
        and said.content == content
        and said.reasoning == reasoning
        and is_bare(content)
        and is_bare(reasoning)
    )
