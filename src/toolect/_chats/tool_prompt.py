"""Prompts about tools and results without the turns around them: for those who write turns as messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolect._chats.filler import PlanFiller
from toolect._chats.plan import Plans
from toolect._chats.plan_ops import Each
from toolect._compiled import Dialect
from toolect._message import MessageError, kind_of
from toolect._prompting.outputs import harmless, written
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec, Fact
from toolect._spec.grammar_model import Literal, Pattern, Ref
from toolect._spec.leaves import leaves
from toolect._spec.prompts import ResultRole
from toolect._transcript import Origin
from toolect._turns import Results, ToolResult

MIN_MARKER = 4
"""Characters of a marker that no output may hold. Below it: it is punctuation, of which code and prose are full."""
_TOLD = int(Fact.AFTER_RESULTS | Fact.RESULTS | Fact.ROUND)


class ToolPrompt:
    """A chat's words about tools and results, to models whose answers are in `dialect`.

    Where a rule of tools, results or a result stands in another one of its role, the outer one is the turn around it.
    """

    def __init__(self, spec: ChatSpec, dialect: Dialect) -> None:
        self.spec, self.plans, self.dialect = spec, Plans(spec), dialect
        self._tools = self._telling(ChatRole.TOOLS, ChatSlot.TOOLS, ChatRole.TOOL)
        self._result = result = self._telling(ChatRole.RESULT, ChatSlot.TEXT)
        results = self._telling(ChatRole.RESULTS, None, ChatRole.RESULT)
        self._together = "" if results in self.plans.start.turns else results
        """The rule of all results of a turn that stands in the rule of the turn."""
        self._apart = any(result in self._parts(rule) for rule in self._rules(ChatRole.RESULT))
        """True when each result has a turn of its own."""
        self._slots = {part.name for part in self._leaves(result) if isinstance(part, Pattern)}
        self._markup = self._forbidden()

    @property
    def own(self) -> bool:
        """True when the chat has the dialect's name, false for the plain one."""
        return self.dialect.name in (self.spec.name, *self.spec.aliases)

    @property
    def by_user(self) -> bool:
        """True when results stand in the user's message."""
        return self.spec.role is ResultRole.USER

    def tools(self, tools: Iterable[Mapping[str, Any]]) -> str:
        """The prompt's text about `tools`; empty for none. Raises RenderError for tools that it has no place for."""
        tools = [*tools]
        for at, tool in enumerate(tools):
            if not isinstance(tool, Mapping):
                raise MessageError("a tool as object", kind_of(tool), f"$[{at}]")
        given = [tool if "function" in tool else {"type": "function", "function": tool} for tool in tools]
        if not given:
            return ""
        if not self._tools:
            raise RenderError("tools", f"the chat `{self.spec.name}` has no place for tools")
        filler = PlanFiller(self.plans, given)
        filler.fill(self.plans.rule(self._tools, int(Fact.TOOLS)), None, -1, int(Fact.TOOLS))
        return _text(filler)

    def results(self, results: Iterable[ToolResult], tools: Iterable[Mapping[str, Any]] = ()) -> str:
        """The text that tells what came of calls; `tools` are declared, and so is each that was called.

        Raises RenderError for a result that holds the dialect's markup, or reads like a call, alone or with the
        others: it could be taken for one, or for its own end. `defused` makes an output harmless.
        """
        results = [*results]
        if not self._result:
            raise RenderError("results", f"the chat `{self.spec.name}` has no place for results")
        known = [*({"name": name} for name in dict.fromkeys(one.name for one in results)), *tools]
        for one in results:
            self._check(one)
            if len(results) > 1 and self.has_calls(self._results_text([one]), known):
                raise RenderError("result output", "it reads like a call", one.output)
        whole = self._results_text(results)
        if self.has_calls(whole, known):
            why = "it reads like a call" if len(results) < 2 else "together with the others it reads like a call"
            raise RenderError("result output", why, whole)
        return whole

    def defused(self, output: str, tools: Iterable[Mapping[str, Any]] = ()) -> str:
        """An output without markup: a JSON string with as few of its signs spelled by their numbers as will do."""
        text = output
        for text in harmless(self._markup, output):
            try:
                self.results([ToolResult("", "", text)], tools)
            except RenderError:
                continue
            break
        return text

    def has_calls(self, text: str, tools: Iterable[Mapping[str, Any]]) -> bool:
        """True when there is a call in `text` for a reader who knows the tools, or for one who does not."""
        return bool(self.dialect.parse(text).calls or self.dialect.parse(text, list(tools)).calls)

    def _check(self, one: ToolResult) -> None:
        output = written(self.spec.output, one.output)
        for slot, text in ((ChatSlot.TEXT, output), (ChatSlot.NAME, one.name), (ChatSlot.ID, one.call_id)):
            found = next((marker for marker in self._markup if marker in text), None) if slot in self._slots else None
            if found is not None:
                raise RenderError(f"result {slot.lower()}", f"it holds `{found}`, which is markup here", text)

    def _results_text(self, results: Sequence[ToolResult]) -> str:
        if self._apart:
            return "\n".join(self._each((one,)) for one in results)
        if not self._together:
            return self._each(results)
        filler = PlanFiller(self.plans)
        filler.fill(self.plans.rule(self._together, _TOLD), Results(tuple(results)), -1, _TOLD)
        return _text(filler)

    def _each(self, results: Sequence[ToolResult]) -> str:
        filler = PlanFiller(self.plans)
        filler.each(Each(ChatRole.RESULT, self._result), Results(tuple(results)), -1, _TOLD)
        return _text(filler)

    def _forbidden(self) -> Sequence[str]:
        """Texts that may not stand in an output: markers of calls, end tokens, and the text around a result."""
        graph = self.dialect._graph()
        around = (part.text for part in self._leaves(self._result, self._together) if isinstance(part, Literal))
        lines = (line.strip() for text in around for line in text.split("\n"))
        found = {marker for marker in {*graph.markers, *graph.ends, *lines} if len(marker) >= MIN_MARKER}
        return sorted(found, key=lambda marker: (-len(marker), marker))

    def _leaves(self, *rules: str) -> Iterator[object]:
        """The parts of rules, and of the rules in them."""
        for rule in filter(None, rules):
            for part in leaves(self.spec.rules[rule].expr):
                yield part
                if isinstance(part, Ref):
                    yield from self._leaves(part.rule)

    def _rules(self, role: ChatRole | None) -> Iterator[str]:
        return (rule for rule in self.spec.rules if self.spec.roles.get(rule) is role)

    def _parts(self, rule: str) -> set[str]:
        """The slots of a rule, and the rules that it refers to."""
        parts = leaves(self.spec.rules[rule].expr)
        return {part.rule if isinstance(part, Ref) else part.name for part in parts if isinstance(part, Ref | Pattern)}

    def _telling(self, role: ChatRole, slot: ChatSlot | None, item: ChatRole | None = None) -> str:
        """The rule of this role that tells: it has the slot, or rules of role `item`; empty for none."""
        wanted = {slot, *(self._rules(item) if item else ())}
        return next((rule for rule in self._rules(role) if wanted & self._parts(rule)), "")


def _text(filler: PlanFiller) -> str:
    """The text of a filler, without the line breaks at the ends that are not of the data."""
    pieces = [(text, origin is Origin.SCAFFOLD) for text, origin, *_ in filler.pieces if text]
    if pieces and pieces[0][1]:
        pieces[0] = pieces[0][0].lstrip("\n"), True
    if pieces and pieces[-1][1]:
        pieces[-1] = pieces[-1][0].rstrip("\n"), True
    return "".join(text for text, _ in pieces)
