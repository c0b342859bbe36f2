"""Answers in a transcript: as their dialect writes and reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from toolect._building.quotation import QUOTES, line_before, quoted
from toolect._chats.control_tokens import Needles, has_any, rarest
from toolect._chats.filling import ORDER, SlotAnswer
from toolect._chats.plan import Plans
from toolect._chats.plan_ops import TRIMS
from toolect._chats.prompt_tools import TEXT
from toolect._compiled import Dialect
from toolect._diagnostic import Place
from toolect._graph.needle import echo_regex, fixed
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._rendering.roundtrip import tools_of, write
from toolect._search.follow import shape_keys
from toolect._search.island import Island, island
from toolect._spec.chat_model import ChatRole, Thoughts, Trim
from toolect._spec.grammar_model import SLOTS, Expr, Literal, Ref, Repeat
from toolect._spec.leaves import leaves
from toolect._spec.model import Role, Rule, Spec
from toolect._turns import Assistant
from toolect._values.toolset import tool_schemas


def plain_dialect() -> Dialect:
    """The dialect of answers that are nothing but content."""
    rules: dict[str, Expr] = {"start": Repeat(Ref("content"), 0), "content": SLOTS["TEXT"]}
    place = Place("", 1, 1)
    named = {name: Rule(name, expr, place) for name, expr in rules.items()}
    return Dialect(Spec(name="", rules=named, roles={"content": Role.CONTENT}))


_OPEN = ("{", "[")
_TEXTS: dict[type, ChatRole] = {Content: ChatRole.CONTENT, Reasoning: ChatRole.REASONING}


def _is_closed(text: str) -> bool:
    """True when brackets and quotes of a text are closed in it, as far as their numbers tell."""
    return text.count("{") == text.count("}") and text.count("[") == text.count("]") and text.count('"') % 2 == 0


class Answers:
    """Writes and reads the answers of one chat."""

    def __init__(self, dialect: Dialect, plans: Plans) -> None:
        self.dialect, self.plans = dialect, plans
        spec, opener = dialect.spec, plans.thought_opener
        thoughts = (tail for tail, rule in spec.prefill.items() if spec.roles.get(rule) is Role.REASONING)
        tails = (tail for tail in thoughts if tail.strip() == opener or plans.thought_closer and not opener)
        self._opened = next(tails, "")

    def has_text(self, turn: Assistant) -> bool:
        """True when the text of an answer is at hand, in this dialect."""
        return turn.text is not None and turn.dialect in (None, self.dialect.name)

    def said(self, message: Message) -> SlotAnswer:
        """An answer's texts as the chat has them, and its calls."""
        plans = self.plans
        segments = message.segments
        if len(segments) == 1 and isinstance(segments[0], Content) and not plans.thought_closer:
            content = segments[0].text
            return SlotAnswer(message, plans.content_trim(content) if plans.content_trim else content, "", (), True)
        content = reasoning = ""
        calls: list[Call] = []
        rank, ordered = 0, True
        for segment in message.segments:
            kind = type(segment)
            if kind is Content:
                content += segment.text  # type: ignore[union-attr]
            elif kind is Reasoning:
                reasoning += segment.text  # type: ignore[union-attr]
            else:
                calls.append(segment)  # type: ignore[arg-type]
            ordered = ordered and ORDER[kind] >= rank
            rank = ORDER[kind]
        closer, thoughts = plans.thought_closer, plans.spec.thoughts
        taken = thoughts is Thoughts.TAKEN and not reasoning
        if closer and thoughts is Thoughts.CUT and closer in content:
            content = "".join(part.partition(plans.thought_opener)[0] for part in content.split(closer))
        elif closer and (taken or thoughts is Thoughts.DROPPED) and closer in content:
            before, _, content = content.rpartition(closer)
            if taken:
                content = content.lstrip("\n")
                said = before.partition(closer)[0].rstrip("\n")
                said = said.rpartition(plans.thought_opener)[2] if plans.thought_opener else said
                reasoning = said.lstrip("\n")
        if plans.content_trim is not None:
            content = plans.content_trim(content)
        return SlotAnswer(message, content, reasoning, calls, ordered)

    def doubtful(self, answers: Mapping[int, SlotAnswer], tools: Sequence[Mapping[str, Any]]) -> set[int]:
        """The numbers of the answers whose content or reasoning may be read as anything else."""
        texts = [(number, text) for number, one in answers.items() for text in (one.content, one.reasoning) if text]
        together = "\0".join([text for _, text in texts])
        if has_any(self.signs, together) or has_any(QUOTES, together):
            return {number for number, text in texts if not self.is_text(text, tools)}
        return set()

    def is_text(self, text: str, tools: Sequence[Mapping[str, Any]] = ()) -> bool:
        """True when nothing in a text may be read as anything else, nor what follows as quoted."""
        if has_any(QUOTES, text) and quoted(line_before(text, 0, len(text))):
            return False
        return not has_any(self.signs, text) or not (
            self._needles.within(text)
            or self._cores is not None
            and self._cores.search(text) is not None
            or self._echoes
            and any(sign in text and finder.search(text) for sign, finder in self._echoes)
            or self._led is not None
            and (text.lstrip()[:1] in _OPEN or self._led.search("\n" + text.lstrip()) is not None)
            or self._keys
            and (not _is_closed(text) or has_any(self._keys, text.casefold()))
            or self._named
            and any(str(tool.get("function", tool).get("name", "")) in text for tool in tools)
        )

    @cached_property
    def _island(self) -> Island | None:
        start = self.dialect._graph().start
        return island(start) if start.text else None

    @cached_property
    def _needles(self) -> Needles:
        """Finds markers as they are written, and parts of openers, which may be misspelt."""
        plan, markers = self._island, self.markers
        if plan is None:
            return Needles(markers)
        return Needles({*plan.parts, *(one for one in markers if len(one) > 1 and not one.isalnum())})

    @cached_property
    def _cores(self) -> re.Pattern[str] | None:
        """Finds the markers that a reader of answers looks for in texts, also with blanks in them."""
        return self._island.plain if self._island else None

    @cached_property
    def _echoes(self) -> Sequence[tuple[str, re.Pattern[str]]]:
        """Find the markers that repeat a name, each with a sign of it."""
        return [(fixed(echo)[:1], echo_regex(echo)) for echo in (self._island.echoes if self._island else ())]

    @cached_property
    def _led(self) -> re.Pattern[str] | None:
        """Finds names with which calls begin, at the beginning of a line."""
        words = self._island.led_words if self._island else None
        return words and re.compile(rf"\n(?:{words.pattern})")

    @cached_property
    def _keys(self) -> frozenset[str]:
        """The keys of names by which JSON is a call, in small letters; an opening brace where any key may be one."""
        plan = self._island
        if plan is None or plan.json is None:
            return frozenset()
        keys = shape_keys(plan.json.node)
        return frozenset("{") if keys.open or not keys.name else frozenset(map(str.casefold, keys.name))

    def has_word(self, word: str) -> bool:
        """True for a word that the dialect writes, or looks for, itself."""
        return word in self.texts or word.casefold() in self._keys

    @cached_property
    def _named(self) -> bool:
        """True when a tool may be called by its name alone."""
        return self._island is None or self._island.named is not None

    @cached_property
    def signs(self) -> set[str]:
        """Signs, one of which stands in any text that may be read as markup, as such or as an entity."""
        cores = self._island.cores if self._island else ()
        longest = (max(re.findall(r"\w+", core), key=len, default=core[0]) for core in cores)  # blanks part them
        words = (word if rarest(core) == core else core for word, core in zip(longest, cores, strict=True))
        found = map(rarest, (*self.markers, *self._needles.words, *words))
        return {*"&{([<", *found, *(sign for sign, _ in self._echoes)}

    @cached_property
    def markers(self) -> tuple[str, ...]:
        """Markers of the dialect, or the chat, around and between the parts of an answer."""
        graph, spec = self.dialect._graph(), self.dialect.spec
        texts = (spec.rules[rule] for rule, role in spec.roles.items() if role in (Role.REASONING, Role.CONTENT))
        found = [part.text.strip() for rule in texts for part in leaves(rule.expr) if isinstance(part, Literal)]
        found += [self.plans.thought_opener, self.plans.thought_closer]
        brackets = {*_OPEN} if self._keys and "{" not in self._keys else set()  # the keys tell which JSON is a call
        parts = (part for part in graph.parts if len(part) > 1)
        return (*({*graph.openers, *parts, *graph.closers, *found} - {"", *brackets}),)

    @cached_property
    def texts(self) -> str:
        """All that the dialect writes by itself, joined."""
        parts = (part for rule in self.dialect.spec.rules.values() for part in leaves(rule.expr))
        return "\0".join([*self.dialect.spec.end, *(part.text for part in parts if isinstance(part, Literal))])

    def read(self, said: str, tools: Sequence[Mapping[str, Any]]) -> Message:
        """The message of an answer's text in the chat, read with the tools whose schemas are known."""
        declared = [tool for tool in tools if tool.get("type") != TEXT]
        message = self.dialect.parse(said, declared or None, prefix=self._prefix(said))
        return Message([*self._trimmed(message.segments)], message.repairs)

    def _trimmed(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """The segments without the blanks that the chat cuts off texts: here they are layout."""
        for segment in segments:
            role = _TEXTS.get(type(segment))
            trim = TRIMS.get(self.plans.spec.trim.get(role, Trim.NONE)) if role else None
            if trim is None or isinstance(segment, Call):
                yield segment
            elif text := trim(segment.text):
                yield replace(segment, text=text)

    def _prefix(self, said: str) -> str:
        """The tail of the prompt: it has opened the reasoning where that is closed, and never opened."""
        at = said.find(self.plans.thought_closer) if self._opened else -1
        opener = self.plans.thought_opener
        return self._opened if at >= 0 and (not opener or said.find(opener, 0, at) < 0) else ""

    def calls(self, calls: Sequence[Call], tools: Sequence[Mapping[str, Any]]) -> str:
        """The calls of an answer, as the dialect writes them."""
        message = Message([Call(call.name, call.arguments, call.id) for call in calls])
        own = self.dialect._with_names(tool_schemas(tools))
        return write(own, message, list(tools) or tools_of(message))

    def whole(self, message: Message, tools: Sequence[Mapping[str, Any]]) -> str:
        """All of an answer."""
        return self.dialect.render(message, tools or None)
