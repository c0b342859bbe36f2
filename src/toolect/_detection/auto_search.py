"""Reading by search over all grammars at once: an opener in free text is an edge into each grammar that has it.

Where content comes again, whichever dialect wrote what came before, equal hypotheses are one: the cheaper goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from toolect import registry
from toolect._building.inner_calls import NEVER, without_inner
from toolect._building.quotation import said
from toolect._detection.index import AHEAD, Index, tool_like
from toolect._detection.mixed import FENCE, MixedMessage, MixedPerformer, Switch
from toolect._diagnostic import Place
from toolect._graph.graph import Graph
from toolect._graph.network import Network
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_NAME
from toolect._search import text_boundaries, text_edges, text_markers
from toolect._search.actions import CloseText, Imply, MoreText, Note, PassOver
from toolect._search.answer_search import AnswerSearch
from toolect._search.follow import TEXT
from toolect._search.hypothesis import (
    WAIT,
    Action,
    Doubt,
    EdgeContext,
    Expansion,
    Found,
    Hypothesis,
    Mode,
    Waits,
)
from toolect._search.island import Island, island
from toolect._search.performer import Performer
from toolect._search.prefill import prompt_tail
from toolect._search.stepping import Stepping, StepResult, TextSigns, safe
from toolect._search.trace import Trace
from toolect._search.window import Window
from toolect._spec.codec_model import Spelling
from toolect._spec.grammar_model import Ref, Repeat, Slot, SlotKind
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.policies import Policies
from toolect._values.codec import decode
from toolect._values.toolset import ToolSchemas

_MOST: Final = 24
"""Hypotheses that live at one time, of all dialects."""
_ANY_KEY: Final = 3
"""Cost of bare JSON in a dialect where any key may be a tool."""
_GIVEN_UP: Final = 3
"""Extra cost where a dialect cannot read on: another one may."""
_CUT: Final = 2
"""Cost of a text that ends, or goes on, in the middle of a call: there it may be over in another dialect."""
_ONLY_TEXT: Final = 4
"""Extra cost where an opener, or JSON that names a tool, is only text: the markers after it are not known."""
_VAIN: Final = 7
"""Cost at most with that."""
_SHOWN: Final = 256
"""Characters in which a call in a code block names its tool, where some are declared. Beyond it: it is shown."""
_BLOCK: Final = 1000
"""Characters before a marker in which a code block may begin."""
_FENCE_LINE: Final = re.compile(r"(?:\A|\r?\n)[ \t]*```[\w+.-]{0,32}[ \t]*(?:\r?\n[ \t]*)?\Z")
_JSON: Final = re.compile(r"""\{\s*[\w"']|\[\s*\{""")
_FENCE_HELD: Final = re.compile(r"\s*`{0,3}[ \t\r]*\Z")
_LINE: Final = 64
_TAIL: Final = 200
_PART: Final = 32
_NAME: Final = 64
_LED: Final = 100
_A_NAME: Final = "tool"
"""Stands for a declared name, which may have signs that no grammar has for one."""
_NEAR: Final = 44
_CONTENT: Final = (Role.CONTENT, None)
_SPOKEN: Final = (*_CONTENT, Role.REASONING)
_NOWHERE: Final = Place("", 1, 1)
_PLAIN: Final = Spec(
    "",
    rules={
        "start": Rule("start", Repeat(Ref("content"), 0), _NOWHERE),
        "content": Rule("content", Slot(SlotKind.TEXT), _NOWHERE),
    },
    roles={"content": Role.CONTENT},
)
"""Text in which nothing has been found yet."""


@lru_cache(256)
def _plain_graph(policies: frozenset[tuple[str, str]]) -> Graph:
    """The graph of text in which nothing has been found yet."""
    return Graph(Network(_PLAIN), msgspec.structs.replace(Policies(), **dict(policies)))


class _Stepping(Stepping):
    """Moves hypotheses on; in a text in which any dialect may go on, as far as nothing of any may begin."""

    __slots__ = ("_index",)

    def __init__(self, window: Window, performer: Performer, index: Index) -> None:
        super().__init__(window, performer)
        self._index = index

    def _text(self, one: Hypothesis, final: bool) -> StepResult:
        if one.node.text_field().role not in _SPOKEN:
            return super()._text(one, final)
        window, performer, index, plan = self._window, self._performer, self._index, island(one.node)
        assert isinstance(performer, MixedPerformer)
        buf, low, start = window.buf, one.emitted - window.base, max(one.state.start - window.base, 0)
        if final or performer.fenced or low <= start or buf[low - 1] == "\n" or index.anything.search(buf, low):
            return StepResult.ASK
        if window.find(plan.regex, low, plan.longest) or window.tools.declared and window.names.search(buf, low):
            return StepResult.ASK
        at = min(safe(window, one, plan, low), index.held(buf, low))
        at = min(at, window.name_begun(buf, max(low, len(buf) - MAX_NAME))) if window.tools.declared else at
        begun = index.near_begun.search(buf, max(start, at - _NEAR), at)
        self._tell(one, at if begun is None else begun.start(), low)
        waiting = buf[one.emitted - window.base :]
        if one.state.solid and not waiting.strip():
            stops = index.stops(one.node.made(TextSigns).stops)
            self._pass_through(one, stops, window.tools.declared, waiting)
        return StepResult.WAIT


def _breaks_off(one: Hypothesis, other: Hypothesis) -> bool:
    """True when the open call of `one` is over for `other`, closers missing, where text comes."""
    ended = one.context.call is not None and other.context.call is None
    return ended and other.mode is Mode.BETWEEN and other.node.text and isinstance(other.action.last, Imply)


def _name(one: Hypothesis) -> str:
    """The dialect of a hypothesis; empty for none."""
    return one.node.graph.network.spec.name


class AutoSearch(AnswerSearch):
    """One answer in any dialect, or in several. Not `streaming`, it makes no events."""

    def __init__(
        self,
        index: Index,
        tools: ToolSchemas,
        policies: Mapping[str, str],
        strict: bool = False,
        prefix: str = "",
        streaming: bool = False,
    ) -> None:
        self._index, self._policies, self._declared = index, policies, tools
        tail = prompt_tail(index.prefill, prefix)[0]
        if tail:
            graph = self._of(index.prefill[tail])
        else:
            graph = _plain_graph(frozenset(policies.items()))
        super().__init__(graph.network.spec, graph, tools, strict, prefix if tail else "", streaming)
        self._search.most = _MOST

    def _performs(self, trace: Trace | None) -> Performer:
        return MixedPerformer(self._graph, self._builder, self._raw, trace)

    def _steps(self) -> Stepping:
        return _Stepping(self._window, self._performer, self._index)

    def _key_of(self, one: Hypothesis) -> tuple[object, ...]:
        """The key that equal hypotheses share: in content any dialect may go on."""
        if one.mode is Mode.TEXT and one.node.text_field().role in _CONTENT:
            return one.pos, Mode.TEXT, one.state[1:]
        return one.key

    @property
    def _mixed(self) -> MixedPerformer:
        performer = self._performer
        assert isinstance(performer, MixedPerformer)
        return performer

    def _of(self, name: str) -> Graph:
        return registry.dialect(name)._with_names(self._declared)._graph(self._policies)

    # Edges

    def step(self, one: Hypothesis, final: bool) -> bool:
        """Move the only hypothesis on in place."""
        self._speak(one.node)
        return super().step(one, final)

    def _expand(self, one: Hypothesis, final: bool) -> Expansion:
        self._speak(one.node)
        if one.mode is Mode.TEXT and one.node.text_field().role in _SPOKEN:
            return self._text(one, final)
        found = super()._expand(one, final)
        for other in found if isinstance(found, list) else ():
            if other.mode is Mode.SKIPPED and one.mode is Mode.BETWEEN:
                other.cost += _GIVEN_UP
            elif other.mode is Mode.END and other.node.done is None or _breaks_off(one, other):
                other.cost += _CUT
            elif one.mode is Mode.TEXT and other.mode is Mode.BETWEEN and not self._readable(one, other.action):
                other.cost += self._window.costs.skip
        return found

    def _readable(self, one: Hypothesis, action: Action) -> bool:
        """True unless the text of `one` that is closed is to be YAML, and is none."""
        field, end = one.node.text_field(), next((act.end for act in action.acts if isinstance(act, CloseText)), None)
        if end is None or field.codec is None or field.codec.spelling is not Spelling.YAML:
            return True
        try:
            decode(field.codec, self._window.raw(one.state.start, end), None)
        except ValueError:
            return False
        return True

    def _speak(self, node: Node) -> None:
        """Make the grammar of `node` that of the window: what follows is asked of it."""
        window, graph = self._window, node.graph
        assert isinstance(graph, Graph)
        window.graph, window.ref = graph, graph.network.spec.ref

    def _text(self, one: Hypothesis, final: bool) -> Found:
        """The hypotheses that follow one in content or reasoning: any dialect may go on."""
        window, plan, index = self._window, island(one.node), self._index
        buf, size = window.buf, len(window.buf)
        low = at = one.emitted - window.base
        while True:
            place = min((match.start() for match in self._matches(plan, at)), default=size)
            if not final and index.held(buf, at) < place:
                return WAIT
            if place == size:
                break
            names = self._names(one, plan, place, final)
            found = self._branches(one, names, place, final) if names and not isinstance(names, Waits) else names
            if isinstance(found, Waits):
                return WAIT
            if found:
                return found  # type: ignore[return-value]  # of names there were some
            at = place + 1
            one.emitted = window.base + at  # nothing begins before it but what is spelled otherwise
        if not final:
            return WAIT
        torn = index.torn(buf, low, size)[1] if plan.content else ""
        other = self._as(one, self._of(torn) if torn else window.graph, size)
        self._speak(other.node)
        return text_edges.expand(window, other, final)

    def _matches(self, plan: Island, at: int) -> Iterator[re.Match[str]]:
        """The matches where something may begin, from index `at` on: the first of each kind."""
        window, index = self._window, self._index
        found = [
            window.find(index.regex, at, index.longest),
            window.find(plan.regex, at, plan.longest),
            window.find(index.near, at, _PART),
        ]
        if plan.content:
            found += [window.find(words, at, _LED) for words in index.led]
            found += [window.find(window.names, at, _NAME)] if window.tools.declared else []
        return (match for match in found if match is not None)

    # Which dialects

    def _names(self, one: Hypothesis, plan: Island, at: int, final: bool) -> list[str] | Waits:
        """The dialects of which something may begin at index `at`, one of those that go on alike."""
        window, index, own = self._window, self._index, _name(one)
        buf = window.buf
        hits = index.hits(buf, at, final, window.tools)
        if isinstance(hits, int):
            window.needs(window.base + hits)
            return WAIT
        if not plan.content:
            strong = (hit for hit in hits if len(hit.opener.core) >= STRONG)
            hits = [hit for hit in strong if own in hit.names or hit.opener.call]
        names = [own if own in hit.names else hit.names[0] for hit in hits]
        more = self._unmarked(at, final) if plan.content else []
        if isinstance(more, Waits):
            return WAIT
        names += more
        if not final and not names and len(buf) - at < _NEAR:
            window.needs(window.base + at + _NEAR)
            return WAIT
        if buf[at] != "`" and all(len(hit.opener.core) < STRONG for hit in hits):
            misspelt = index.misspelt(buf, at, final)
            if isinstance(misspelt, Waits):
                return WAIT
            names += misspelt
        if own in names or plan.regex.match(buf, at) is not None:
            names = [own, *names]
        return list(dict.fromkeys(names))

    def _unmarked(self, at: int, final: bool) -> list[str] | Waits:
        """Those of which a call may begin without its markers, or that have something else than an opener here."""
        window, index = self._window, self._index
        buf = window.buf
        names = [name for core, name in index.closers.items() if buf.startswith(core, at)]
        if buf[at] in "{[":
            bare = index.bare_at(buf, at, final, window.tools)
            if isinstance(bare, Waits):
                window.needs(window.base + at + AHEAD)
                return WAIT
            names += bare
        ended = [name for end, name in index.ends.items() if buf.startswith(end, at)]
        if ended and index.ends_at(buf, at):
            if not final:
                return WAIT
            names += ended
        named = window.names.match(buf, at) if window.tools.declared else None
        if tool_like(buf, at, window.tools):
            odd = named is not None and bool(window.tools.odd_names)
            text, begins = (_A_NAME + buf[named.end() : named.end() + _LED], 0) if odd and named else (buf, at)
            names += [name for words, led in index.led.items() if words.match(text, begins) for name in led]
        if named is not None:
            if not final and len(buf) - named.end() < _LED:
                window.needs(window.base + named.end() + _LED)
                return WAIT
            names += index.named(buf, named.end())
        return names

    # What they make of it

    def _branches(self, one: Hypothesis, names: list[str], at: int, final: bool) -> Found:
        """The hypotheses that the dialects have about what stands at index `at`; none where it is text to all."""
        window, place = self._window, self._window.base + at
        if window.tools.declared and self._in_block(one, at):
            if not final and len(window.buf) - at < _SHOWN:
                window.needs(place + _SHOWN)
                return WAIT
            if window.names.search(window.buf, at, at + _SHOWN) is None:
                return []
        reasoning = one.node.text_field().role is Role.REASONING
        meant, texts = list[Hypothesis](), list[Hypothesis]()
        fence, shown = self._fence(one, at), one.state
        for name in names:
            own = name == _name(one)
            if reasoning and not own:
                continue
            other = self._as(one, self._graph_of(one) if own else self._of(name), at, fence)
            found = self._in(other, name, final)
            if isinstance(found, Waits):
                return WAIT
            only = [h for h in found if h.mode is Mode.TEXT and h.node is other.node]
            meant += [h for h in found if h not in only]
            if own or len(only) < len(found):
                texts += only
            else:
                shown = next((h.state for h in only if h.state.quotation != shown.quotation), shown)
        self._speak(one.node)
        if reasoning and any(name != _name(one) for name in names):
            over = self._out(one, at, final)
            if isinstance(over, Waits):
                return WAIT
            meant += over
        if meant:
            return [*meant, self._only_text(one, texts, at, min(h.cost for h in meant))]
        if not texts and shown is not one.state:
            return [window.stay(one, 0, place + 1, Mode.TEXT, shown)]
        return texts

    def _graph_of(self, one: Hypothesis) -> Graph:
        assert isinstance(one.node.graph, Graph)
        return one.node.graph

    def _as(self, one: Hypothesis, graph: Graph, at: int, fence: int = NEVER) -> Hypothesis:
        """The hypothesis that the free text of `one` is that of a dialect, from index `at` on."""
        own = graph is one.node.graph
        action, context = one.action, one.context if own else EdgeContext()
        if not own or fence != NEVER:
            action = Action(action, (Switch(graph, fence),))
        node = one.node if own else graph.start
        new = Hypothesis(one.cost, one.pos, one.order, node, Mode.TEXT, one.state, context, action)
        new.emitted = self._window.base + at
        return new

    def _in(self, one: Hypothesis, name: str, final: bool) -> Found:
        """The hypotheses that follow one in the free text of a dialect."""
        window = self._window
        self._speak(one.node)
        if not one.node.text:
            end = one.emitted
            return [window.stay(one, 0, end, Mode.BETWEEN, "", MoreText(end), CloseText(end))]
        found = text_edges.expand(window, one, final)
        if isinstance(found, list):
            found = [other for other in found if other.mode is not Mode.END]  # it would go on to the end of the text
        for other in found if isinstance(found, list) else ():
            if other.mode is Mode.JSON and other.state.bare:
                if self._index.has_any_key(name) and not self._index.meets(name, window.buf, other.pos - window.base):
                    other.cost += _ANY_KEY
                other.context = other.context._replace(doubt=other.context.doubt | Doubt.NO_OPENERS)
        return found

    def _only_text(self, one: Hypothesis, texts: list[Hypothesis], at: int, meant: int) -> Hypothesis:
        """The hypothesis that what stands at index `at` is only text, which the dialects think of as `texts`."""
        window, cost, state, acts = self._window, 0, one.state._replace(solid=True), list[Note | PassOver]()
        if texts:
            dear = max(texts, key=lambda other: other.cost)
            cost, state, act = dear.cost - one.cost, dear.state, dear.action.last
            acts = [act] if isinstance(act, Note) and not window.line(at, one.state.start).strip() else []
            acts += [act for other in texts for act in other.action.acts if isinstance(act, PassOver)][:1]
            tells = cost and meant <= dear.cost + _ONLY_TEXT // 2 and self._tells(one, at, cost)
            cost = max(cost, min(cost + _ONLY_TEXT, _VAIN)) if tells else cost
        elif one.node.text_field().role is Role.REASONING:
            cost = window.costs.aside_in_text
        text = window.stay(one, cost, window.base + at + 1, Mode.TEXT, state, *acts)
        if texts:
            text.context = text.context._replace(doubt=dear.context.doubt)
        return text

    def _tells(self, one: Hypothesis, at: int, cost: int) -> bool:
        """True where an opener stands that no sentence names, JSON that soon names a declared tool, or its call.

        `cost` is what it costs its dialect that it is only text.
        """
        window, buf, opener = self._window, self._window.buf, self._index.strong.match(self._window.buf, at)
        is_json = _JSON.match(buf, at) is not None
        if opener is None or is_json:
            if not window.tools.declared:
                return False
            called = window.names.match(buf, at + (buf[at] == "["))
            if called is not None and buf.startswith("(", called.end()):
                return True
            return is_json and window.names.search(buf, at, at + AHEAD) is not None
        return (
            cost > window.costs.weak_in_text
            and buf[at] != FENCE[0]
            and not opener[0][0].isalpha()
            and not said(window.line(at, one.state.start), buf[opener.end() : opener.end() + 1])
        )

    def _out(self, one: Hypothesis, at: int, final: bool) -> Found:
        """Reasoning is over before an opener of another dialect at index `at`; none where that is only shown.

        None either where it is closed later, and its dialect takes calls before for rehearsals.
        """
        window, node, plan = self._window, one.node, island(one.node)
        base, costs = window.base, window.costs
        if plan.closers is not None:
            closed = window.find(plan.closers, at, plan.longest)
            if closed is not None and closed.start() - at <= text_markers.MAX_REHEARSAL:
                return []
            if not final and len(window.buf) - at <= text_markers.MAX_REHEARSAL + plan.longest:
                return WAIT
        shown, _ = text_boundaries.quotation_at(window, plan, one.state, at, at + 1)
        after = node.step(TEXT).node
        closer = next((core for core, wrong in after.marks.items() if not wrong and not after.first(core)), None)
        if shown or closer is None or node.graph.policies.reasoning_calls == "ignore":
            return []
        end = base + text_boundaries.lead_end(window, after.lead(closer), at, one.state.start)
        path = window.path(one).add(MoreText(end), CloseText(end)).over_text(end).imply((closer,), base + at)
        if not path.node.text or path.node.text_field().role not in _CONTENT:
            return []
        return [window.make(one, costs.implied_closer + costs.fits, base + at, Mode.BETWEEN, "", path)]

    # Code blocks

    def _in_block(self, one: Hypothesis, at: int) -> bool:
        """True where a code block is open, or begins."""
        start = max(one.state.start - self._window.base, at - _BLOCK, 0)
        is_open = self._window.buf.count(FENCE, start, at + len(FENCE)) % 2 == 1
        return is_open and one.node.text_field().role in _CONTENT

    def _fence(self, one: Hypothesis, at: int) -> int:
        """The character where a line begins that begins a code block around what stands at index `at`."""
        buf, base, index = self._window.buf, self._window.base, self._index
        if buf.startswith((*index.closers, *index.ends), at) or one.node.text_field().role not in _CONTENT:
            return NEVER
        match = _FENCE_LINE.search(buf, max(one.state.start - base, at - _LINE, 0), at)
        return NEVER if match is None else base + match.start()

    # Reading

    def _safe(self, best: Hypothesis, low: int) -> int:
        """The index up to which the open text can only be text, from index `low` on."""
        self._speak(best.node)
        at, plan = super()._safe(best, low), island(best.node)
        if plan.role not in _SPOKEN:
            return at
        window, index = self._window, self._index
        buf, begins = window.buf, max(best.state.start - window.base, 0)
        first = min((match.start() for match in self._matches(plan, low)), default=len(buf))
        at = min(at, index.held(buf, low), index.torn(buf, begins, first)[0])
        begun = index.near_begun.search(buf, max(begins, at - _NEAR), at)
        at = at if begun is None else begun.start()
        if plan.content:
            cut = max(begins, len(buf) - _TAIL)
            led = index.led_held.search(buf[cut:])
            at = at if led is None else min(at, max(low, cut + led.start()))
            at = min(at, window.name_begun(buf, max(low, len(buf) - MAX_NAME))) if window.tools.declared else at
            if self._mixed.fenced and _FENCE_HELD.match(buf[begins : begins + _LINE]):
                return low
            fence = _FENCE_LINE.search(buf, max(begins, at - _LINE), at)
            at = at if fence is None else fence.start()
        while at > low and buf[at - 1].isspace():
            at -= 1
        return at

    @property
    def message(self) -> MixedMessage:
        """The message read so far."""
        self._catch_up()
        draft, performer = self._builder.draft, self._mixed
        closers = None if self._policies.get("after_calls") == "drop" else performer.closers
        found = without_inner(self._segments, draft.repairs, draft.torn, closers, self.closed)
        return MixedMessage(tuple(found), tuple(draft.repairs), performer.dialects(found))
