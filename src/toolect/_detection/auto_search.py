"""Reading by search over all grammars at once: an opener in free text is an edge into each grammar that has it.

Where content comes again, whichever dialect wrote what came before, equal hypotheses are one: the cheaper goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from toolect import registry
from toolect._detection.island_index import AHEAD, Index, tool_like
from toolect._graph.graph import Graph
from toolect._graph.network import Network
from toolect._graph.node import STRONG, Node
from toolect._reading.builder import Builder
from toolect._reading.inner_calls import NEVER, without_inner
from toolect._reading.whole_answer import prompt_tail
from toolect._search import text_edges
from toolect._search.actions import CloseText, MoreText, Note
from toolect._search.answer_search import AnswerSearch
from toolect._search.hypothesis import WAIT, Action, Context, Doubt, Hypothesis, Mode, Onwards, Waits
from toolect._search.island import Island, island
from toolect._search.marker_edges import Found
from toolect._search.performer import Performer
from toolect._spec.grammar_model import Ref, Repeat, Slot, SlotKind
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.policies import Policies
from toolect._values.toolset import ToolSchemas
from toolect.diagnostic import Place
from toolect.message import Call, Message, RepairKind

_TAIL: Final = 200
_MAX_FENCE: Final = 64
_FENCED: Final = 1000
_SHOWN: Final = 256
"""Characters in which a call in a code block names its tool, which must be declared: others are shown."""
_FENCE_LINE: Final = re.compile(r"(?:\A|\r?\n)[ \t]*```[\w+.-]{0,32}[ \t]*(?:\r?\n[ \t]*)?\Z")
FENCE_END: Final = re.compile(r"\s*```[ \t]*(?=\r?\n|\Z)")
_FENCE_HELD: Final = re.compile(r"\s*`{0,3}[ \t\r]*\Z")
_PART: Final = 32
_NAME: Final = 64
_LED: Final = 100
_SLACK: Final = 4
_NEAR: Final = 44
_ALIVE: Final = 24
"""Hypotheses that live at one time, of all dialects."""
_UNDECLARED: Final = 3
"""What it costs that any key of JSON may be a tool."""
_GIVE_UP: Final = 4
"""What it costs besides that a dialect cannot read on: another one may."""
_CUT: Final = 2
"""What it costs that the text ends in the middle."""
_ONLY_TEXT: Final = 3
"""What it costs besides that an opener, or JSON that names a tool, is only text: the markers after it are not known."""
_CONTENT: Final = (Role.CONTENT, None)
_NOWHERE: Final = Place("", 1, 1)
_PLAIN: Final = Spec(
    "",
    rules={
        "start": Rule("start", Repeat(Ref("content"), 0), _NOWHERE),
        "content": Rule("content", Slot(SlotKind.TEXT), _NOWHERE),
    },
    roles={"content": Role.CONTENT},
)
"""Text that nothing has been found in yet."""


class MixedMessage(Message, frozen=True, eq=False):
    """A message, and beside it which dialect read each of its calls. Two are equal when their segments are."""

    dialects: tuple[str, ...] = ()
    """The dialect of each call, in the order of `calls`."""


class Switch(NamedTuple):
    """What follows is in another dialect."""

    graph: Graph
    fence: int

    def perform(self, to: MixedPerformer) -> None:
        """Do it."""
        to.switch(*self)


class MixedPerformer(Performer):
    """Performs actions of several dialects. `readers` has where each begins."""

    __slots__ = ("fence", "fenced", "readers")

    def __init__(self, graph: Graph, builder: Builder, raw: Callable[[int, int], str]) -> None:
        super().__init__(graph, builder, raw)
        self.fence, self.fenced = NEVER, False
        self.readers = [(0, graph.network.spec.name)]

    def more_text(self, upto: int) -> None:
        """The open text goes on up to character `upto`; no line of a code block around a call is of it."""
        island = self.island
        if island is None:
            return
        upto = min(upto, self.fence)
        if self.fenced and not island.begun and upto > island.start:
            text = self.raw(island.start, upto)
            if (match := FENCE_END.match(text)) is not None:
                island.start = island.emitted = island.start + match.end()
            self.fenced = match is None and text.isspace()
        super().more_text(upto)

    def close_text(self, end: int) -> None:
        """The open text is over."""
        fence, self.fenced = self.fence, False
        super().close_text(min(end, fence))
        self.fence = NEVER
        if fence < end:
            self.builder.note(RepairKind.STRAY_MARKER, fence, "```")
            self.fenced = True

    def switch(self, graph: Graph, fence: int) -> None:
        """What follows is in the dialect of `graph`; a code block around it begins at character `fence`."""
        self.fence = fence
        if graph is not self.graph:
            self.graph = graph
            self.builder.obey(graph.network.spec, graph.policies)
            self.readers.append((0 if self.island is None else self.island.start, graph.network.spec.name))


def _key(one: Hypothesis) -> tuple[object, ...]:
    """What equal hypotheses have in common: in content any dialect may go on."""
    if one.mode is Mode.TEXT and one.node.text_field().role in _CONTENT:
        return one.pos, Mode.TEXT, one.state[1:]
    return one.key


class AutoSearch(AnswerSearch):
    """One answer in any dialect, or in several."""

    _performer: MixedPerformer
    performs = MixedPerformer
    key_of = staticmethod(_key)

    def __init__(
        self,
        index: Index,
        tools: ToolSchemas,
        policies: Mapping[str, str],
        strict: bool = False,
        prefix: str = "",
        streaming: bool = False,
    ) -> None:
        tail = prompt_tail(index.prefill, prefix)[0] if prefix else ""
        self._index, self._policies = index, policies
        graph = self._of(index.prefill[tail]) if tail else Graph(Network(_PLAIN), _under(policies))
        super().__init__(graph.network.spec, graph, tools, strict, prefix, streaming)
        self._search.most = _ALIVE

    def _of(self, name: str) -> Graph:
        return registry.dialect(name).graph(self._policies)

    # Edges

    def expand(self, one: Hypothesis, final: bool) -> list[Hypothesis] | Onwards | Waits:
        """The hypotheses that follow one."""
        self._speak(one.node)
        if one.mode is Mode.TEXT and one.node.text_field().role in (*_CONTENT, Role.REASONING):
            return self._text(one, final)
        found = super().expand(one, final)
        for other in found if isinstance(found, list) else ():
            if other.mode is Mode.SKIPPED and one.mode is Mode.BETWEEN:
                other.cost += _GIVE_UP
            elif other.mode is Mode.END and other.node.done is None:
                other.cost += _CUT
        return found

    def _speak(self, node: Node) -> None:
        window, graph = self._window, node.graph
        assert isinstance(graph, Graph)
        window.graph, window.ref = graph, graph.network.spec.ref

    def _text(self, one: Hypothesis, final: bool) -> Found:
        """The hypotheses that follow one in content or reasoning: any dialect may go on."""
        window, plan = self._window, island(one.node)
        buf, base, size = window.buf, window.base, len(window.buf)
        low = at = one.emitted - base
        while True:
            place = self._place(one, plan, at, final)
            if isinstance(place, Waits):
                return WAIT
            if place == size:
                break
            names = self._names(one, plan, place, at, final)
            if isinstance(names, Waits):
                return WAIT
            found = self._branches(one, names, place, final) if names else []
            if isinstance(found, Waits):
                return WAIT
            if found:
                return found
            at = place + 1
        if not final:
            return WAIT
        torn = self._index.torn(buf, low) if plan.content else ""
        other = self._as(one, self._of(torn) if torn else one.node.graph, size)
        return text_edges.expand(window, other, final)

    def _place(self, one: Hypothesis, plan: Island, at: int, final: bool) -> int | Waits:
        """The first index from `at` on where something may begin; the size of the text for none."""
        window, index = self._window, self._index
        size = len(window.buf)
        found = [
            match.start()
            for match in self._matches(plan, at)
            if match is not None
        ]  # fmt: skip
        place = min(found, default=size)
        if not final and index.held(window.buf, at) < min(place, size):
            return WAIT
        return place

    def _matches(self, plan: Island, at: int) -> Iterable[re.Match[str] | None]:
        window, index = self._window, self._index
        yield window.find(index.regex, at, index.longest)
        yield window.find(plan.regex, at, plan.longest)
        yield window.find(index.near, at, _PART)
        if not plan.content:
            return
        if window.tools.declared:
            yield window.find(window.names, at, _NAME)
        for words, _ in index.led:
            yield window.find(words, at, _LED)

    def _names(self, one: Hypothesis, plan: Island, at: int, low: int, final: bool) -> list[str] | Waits:
        """The dialects of which something may begin at index `at`, one for those that go on alike."""
        window, index = self._window, self._index
        buf, size = window.buf, len(window.buf)
        own = one.node.graph.network.spec.name
        names = list[str]()
        hits = index.hits(buf, at, final, window.tools)
        if isinstance(hits, Waits):
            return WAIT
        if index.strong.match(buf, at) is not None:
            hits = [hit for hit in hits if len(hit.opener.core) >= STRONG or window.tools.declared]
        if not plan.content:
            hits = [hit for hit in hits if own in hit.names or hit.opener.call and len(hit.opener.core) >= STRONG]
        names += [own if own in hit.names else hit.names[0] for hit in hits]
        if plan.content:
            more = self._unmarked(at, final)
            if isinstance(more, Waits):
                return WAIT
            names += more
        if not final and not names and size - at < _NEAR:
            window.needs(window.base + at + _NEAR)
            return WAIT
        if not hits and buf[at] != "`":
            misspelt = index.misspelt(buf, at, final)
            if isinstance(misspelt, Waits):
                return WAIT
            names += misspelt
        if own in names or plan.regex.match(buf, at) is not None:
            names = [own, *names]
        return list(dict.fromkeys(names))

    def _unmarked(self, at: int, final: bool) -> list[str] | Waits:
        """Those whose call may begin without markers, or that have something else than an opener here."""
        window, index = self._window, self._index
        buf, size = window.buf, len(window.buf)
        names = list[str]()
        if buf[at] in "{[":
            if buf[max(at - 200, 0) : at].rstrip().endswith(index.long_openers):
                return []
            bare = index.bare_at(buf, at, final, window.tools)
            if isinstance(bare, Waits):
                return WAIT
            names += bare
        for core, name in index.closers.items():
            if buf.startswith(core, at):
                names.append(name)
        for end, name in index.ends.items():
            if buf.startswith(end, at) and self._only_ends(at):
                if not final:
                    return WAIT
                names.append(name)
        if window.tools.declared and (named := window.names.match(buf, at)) is not None:
            if not final and size - named.end() < _LED:
                window.needs(window.base + named.end() + _LED)
                return WAIT
            names += index.named(buf, named.end())
        for words, owners in index.led:
            if words.match(buf, at) is not None and tool_like(buf, at, window.tools):
                names += owners
        return names

    def _only_ends(self, at: int) -> bool:
        """True when nothing but end tokens and blanks follow."""
        rest = self._window.buf[at : at + 256]
        for end in self._index.ends:
            rest = rest.replace(end, "")
        return not rest.strip() or any(end.startswith(rest.strip()) for end in self._index.ends)

    def _branches(self, one: Hypothesis, names: list[str], at: int, final: bool) -> Found:
        """What each of the dialects makes of what stands at index `at`; none where it is text to all."""
        window, search, base, index = self._window, self._search, self._window.base, self._index
        meant, texts, made = list[Hypothesis](), list[Hypothesis](), list[Hypothesis]()
        reasoning = one.node.text_field().role is Role.REASONING
        if window.tools.declared and self._in_block(one, at):
            if not final and len(window.buf) - at < _SHOWN:
                window.needs(base + at + _SHOWN)
                return WAIT
            if window.names.search(window.buf, at, at + _SHOWN) is None:
                return []
        waits, called, state = False, None, one.state
        alone = list[Hypothesis]()
        fence = self._fence(one, at)
        for name in names:
            own = name == one.node.graph.network.spec.name
            if reasoning and not own:
                called = called or self._out(one, at)
                continue
            other = self._as(one, one.node.graph if own else self._of(name), at, fence)
            made.append(other)
            self._speak(other.node)
            if not other.node.text:
                end = base + at
                meant.append(window.stay(other, 0, end, Mode.BETWEEN, "", MoreText(end), CloseText(end)))
                continue
            found = text_edges.expand(window, other, final)
            if isinstance(found, Waits):
                waits = True
                break
            here = [h for h in found if h.mode is Mode.TEXT and h.node is other.node]
            if len(here) < len(found):
                for h in found:
                    if h.mode is Mode.JSON and h.state.bare:
                        h.cost += _UNDECLARED if index.is_open(name) else 0
                        h.context = h.context._replace(doubt=h.context.doubt | Doubt.NO_OPENERS)
                texts += here
                meant += [h for h in found if h not in here]
            elif own:
                texts += here
                alone = here
            else:
                state = next((h.state for h in here if h.state.quotation != one.state.quotation), state)
                search.discard(here)
        self._speak(one.node)
        if alone and not meant and called is None and not waits:
            self._clear(one, made)
            return alone
        if called is not None and not texts:
            meant.append(called)
            texts.append(window.stay(one, window.costs.opener_in_reasoning, base + at + 1, Mode.TEXT, one.state._replace(solid=True)))
        elif called is not None:
            meant.append(called)
        if waits or not meant:
            search.discard([*meant, *texts])
            self._clear(one, made)
            if state is not one.state and not waits:
                return [window.stay(one, 0, base + at + 1, Mode.TEXT, state)]
            return WAIT if waits else []
        found = meant
        if texts:
            dear = max(texts, key=lambda h: h.cost)
            cost_of = dear.cost > one.cost
            act = dear.action.act
            acts = [act] if isinstance(act, Note) and not window.line(at, one.state.start).strip() else []
            cost = dear.cost - one.cost + (_ONLY_TEXT if cost_of and self._is_telling(at) else 0)
            text = window.stay(one, cost, base + at + 1, Mode.TEXT, dear.state, *acts)
            text.context = one.context._replace(doubt=dear.context.doubt)
            found = [*meant, text]
            search.discard(texts)
        self._clear(one, made)
        return found

    def _out(self, one: Hypothesis, at: int) -> Hypothesis | None:
        """Reasoning is over before an opener of another dialect at index `at`; nothing where that is only shown."""
        window, base, costs = self._window, self._window.base, self._window.costs
        graph = one.node.graph
        if graph.policies.reasoning_calls == "ignore":
            return None
        start = one.state.start
        shown, _ = text_edges.quotation_at(window, island(one.node), one.state, at, at + 1)
        if shown:
            return None
        after = one.node.step(SlotKind.TEXT).node
        closer = next((core for core, wrong in after.marks.items() if not wrong and not after.first(core)), None)
        if closer is None:
            return None
        end = base + text_edges.lead_end(window, after.lead(closer), at, start)
        path = window.path(one).add(MoreText(end), CloseText(end)).over_text().imply((closer,), base + at)
        if not path.node.text or path.node.text_field().role not in _CONTENT:
            return None
        return window.make(one, costs.implied_closer + costs.fits, base + at, Mode.BETWEEN, "", path)

    def _in_block(self, one: Hypothesis, at: int) -> bool:
        """True where a code block is open, or begins."""
        buf = self._window.buf
        start = max(one.state.start - self._window.base, at - _FENCED, 0)
        return one.node.text_field().role in _CONTENT and buf.count("```", start, at + 3) % 2 == 1

    def _fence(self, one: Hypothesis, at: int) -> int:
        """The character where a line begins that begins a code block around what stands at index `at`."""
        buf, base, index = self._window.buf, self._window.base, self._index
        if buf.startswith((*index.closers, *index.ends), at) or one.node.text_field().role not in _CONTENT:
            return NEVER
        match = _FENCE_LINE.search(buf, max(one.state.start - base, at - _MAX_FENCE, 0), at)
        return NEVER if match is None else base + match.start()

    def _is_telling(self, at: int) -> bool:
        """True where an opener stands, or JSON in which the name of a declared tool comes soon."""
        window = self._window
        if window.buf[at] in "{[" and self._index.strong.match(window.buf, at) is None:
            return window.tools.declared and window.names.search(window.buf, at, at + AHEAD) is not None
        return window.buf[at] != "`" and self._index.strong.match(window.buf, at) is not None

    def _clear(self, one: Hypothesis, made: list[Hypothesis]) -> None:
        for other in made:
            if other.action is not one.action:
                self._search.drop(other)

    def _as(self, one: Hypothesis, graph: Graph, at: int, fence: int = NEVER) -> Hypothesis:
        """A hypothesis in the free text of an answer as `graph` has it, at index `at`."""
        own = graph is one.node.graph
        node = one.node if own else graph.start
        same = own and fence == NEVER
        action = one.action if same else Action(one.action, Switch(graph, fence))
        context = one.context if own else Context()
        new = Hypothesis(one.cost, one.pos, one.order, node, Mode.TEXT, one.state, context, action)
        new.emitted = self._window.base + at
        action.holders += not same
        return new

    # Reading

    def _safe(self, best: Hypothesis, plan: Island, low: int) -> int:
        """The index up to which the open text can only be text, from index `low` on."""
        self._speak(best.node)
        at = super()._safe(best, plan, low)
        if plan.role not in (*_CONTENT, Role.REASONING):
            return at
        window, index = self._window, self._index
        buf, size = window.buf, len(window.buf)
        at = min(at, index.held(buf, low), *(m.start() for m in self._matches(plan, low) if m is not None))
        begun = index.near_begun.search(buf, max(low, at - _NEAR), at)
        at = at if begun is None else begun.start()
        if plan.content:
            cut = max(best.state.start - window.base, size - _TAIL, 0)
            led = index.led_held.search(buf[cut:])
            at = at if led is None else min(at, max(low, cut + led.start()))
            begins = best.state.start - window.base
            if self._performer.fenced and _FENCE_HELD.match(buf[max(begins, 0) :]):
                return low
            fence = _FENCE_LINE.search(buf, max(begins, low, at - _MAX_FENCE), at)
            at = at if fence is None else fence.start()
        while at > low and buf[at - 1].isspace():
            at -= 1
        return at

    @property
    def message(self) -> MixedMessage:
        """What has been read so far."""
        builder, readers = self._builder, self._performer.readers
        torn = builder.draft.torn[0]
        closers = {core for _, name in readers if name for core in self._of(name).closers}
        drops = self._policies.get("after_calls") == "drop"
        found = without_inner(list(builder.segments), builder.repairs, torn, None if drops else closers, self.closed)
        dialects = []
        for segment in found:
            if isinstance(segment, Call):
                start = segment.span[0] if segment.span else 0
                dialects.append([name for at, name in readers if at <= start][-1])
        return MixedMessage(tuple(found), tuple(builder.repairs), tuple(dialects))


def _under(policies: Mapping[str, str]) -> Policies:
    return msgspec.structs.replace(Policies(), **policies)
