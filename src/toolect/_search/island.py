"""Islands: what ends the free text of a node, or begins something in it, as one search plan."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.misspelling import any_of, begins_likely, leading_signs, parts
from toolect._graph.needle import echo_begun, echo_regex, fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_BLANK, MAX_NAME, border, spaced, squeeze
from toolect._graph.symbols import is_echo
from toolect._search.blank_end import LED, blank_end, bounded, signs
from toolect._search.follow import TEXT, NamedWay, Omission, reach, way_to_json, way_to_name
from toolect._spec.model import Role
from toolect._spec.shape_model import Hole

_NAMES: Final = {Role.NAME, Role.REF, Role.MARKUP, None}
_MARGIN: Final = 8
"""Characters that a marker may be longer than it is declared: blanks in it."""


class Island:
    """Search plan for the free text of a node.

    `ways` has the markers that may come after the text, `direct` those that may come in its place. `regex` finds any of
    them, `near` parts of openers that may be misspelt, `led_words` names with which calls begin on a line of their own.
    """

    def __init__(self, node: Node) -> None:
        graph = node.graph
        self.node, self.after = node, node.step(TEXT).node
        self.role = role = node.text_field().role
        self.content = role in (Role.CONTENT, None)
        self.spoken = role in (Role.CONTENT, Role.REASONING)
        codec = node.text_field().codec
        self.escapes = None if codec is None else codec.escapes
        self._tags: dict[str, list[tuple[str, str, bool]]] = {}
        gaps = graph.network.spec.gaps
        self.gap = gaps.before_call if self.spoken else gaps.between_calls
        """Blanks that the dialect writes before a call that follows the text."""
        self.unwrapped = graph.policies.unwrapped == "accept"
        self.direct = {core: Omission(0, (), node) for core in node.marks}
        self.ways = self._find_ways()
        self.ends = {end.strip(): end for end in graph.network.spec.end}
        self.strays = {*graph.closers, *graph.text_closers} if self.content else set[str]()
        cores = {*self.ways, *self.ends, *self.strays}
        if self.content or role is Role.STRING:
            cores |= {*self.direct}
        own = sorted((core for core, ways in self.ways.items() if not ways[0].cost), key=len, reverse=True)
        strong = (fixed(core) if is_echo(core) else core for core in own if len(core) >= STRONG)
        signs = sorted({sign for core in strong for sign in _leading(core)})
        self.signs = re.compile("|".join(map(re.escape, signs))) if signs else None
        """First signs of a closer of the text in another spelling."""
        self.json = self._find_json() if self.content else None
        self.cores = sorted((core for core in cores if not is_echo(core)), key=len, reverse=True)
        self.squeezed = [squeeze(core) for core in self.cores]
        self.strong = [c for c in {*self.cores, *graph.starts} if len(c) >= STRONG and not is_echo(c)]
        nearest = {core: ways[0].cost for core, ways in self.ways.items()}
        self.echoes = sorted(filter(is_echo, cores), key=lambda core: (nearest.get(core, 0), core))
        """Of two that are spelled alike, the nearer one counts."""
        self.longest = max(map(len, self.cores), default=1) + _MARGIN
        self.reach = self.longest + (MAX_NAME if self.echoes else 0)
        """Characters that a marker may be long."""
        self.regex = self._regex()
        self.closers = self._find_closers()
        firsts = "".join(sorted({re.escape(core[0]) for core in cores}))
        self.first = re.compile(f"[{firsts}]" if firsts else "(?!)")
        self._begins: re.Pattern[str] | None = None  # whole texts do without it
        named = self.content and self.unwrapped and not node.patterns and not self.after.patterns
        self.named: NamedWay | None = way_to_name(self.after) if named else None
        self._find_led()
        self.line_end = blank_end(self.after, role)
        self._torn = self._find_torn()
        self._find_near()

    def _find_ways(self) -> dict[str, list[Omission]]:
        """The markers that may come after the text, what is missing between them left out."""
        graph, found = self.node.graph, {}
        ignored = self.role is Role.REASONING and graph.policies.reasoning_calls == "ignore"
        for core, ways in reach(self.after).items():
            if ignored:
                ways = [way for way in ways if not way.node.calling(core)]
            if not self.unwrapped:
                ways = [way for way in ways if not (way.path and self.opens(way))]
            ways = [way for way in ways if not way.cost or len(core) >= STRONG or self.leads_to_name(core, way)]
            if ways:
                found[core] = [Omission(way.cost, (TEXT, *way.path), way.node) for way in ways]
        return found

    def leads_to_name(self, core: str, way: Omission) -> bool:
        """True for a short opener of calls in reasoning: a declared name behind it tells it from text."""
        return self.role is Role.REASONING and way.node.calling(core) and bool(way.node.step(core).node.patterns)

    def opens(self, way: Omission) -> bool:
        """True when the first marker that is missing on a way is an opener."""
        missing = way.path[1:] if way.path[:1] == (TEXT,) else way.path
        return bool(missing) and missing[0] in self.after.marks and self.after.first(missing[0])

    def _find_json(self) -> Omission | None:
        """The way to bare JSON that is a call by its shape."""
        found, behind = way_to_json(self.node), way_to_json(self.after)
        if found is None or behind is not None and behind.cost < found.cost:
            found = behind and Omission(behind.cost, (TEXT, *behind.path), behind.node)
        if found is None or not self.unwrapped and found.cost:
            return None
        shape = found.node.json_field().shape
        return None if shape is None or isinstance(shape, Hole) else found

    def _find_closers(self) -> re.Pattern[str] | None:
        """The closers of reasoning whose calls count only where it is not closed later: none opens something."""
        graph = self.node.graph
        if self.role is not Role.REASONING or graph.policies.reasoning_calls != "unclosed":
            return None
        near = ((core, ways[0]) for core, ways in self.ways.items() if not ways[0].cost and not is_echo(core))
        cores = {core for core, way in near if not (way.node.calling(core) or way.node.first(core))}
        return re.compile("|".join(map(re.escape, sorted(cores, key=len, reverse=True))) or "(?!)")

    def _regex(self) -> re.Pattern[str]:
        words = [(len(core), spaced(core) if self._is_over(core) else self._whole_word(core)) for core in self.cores]
        self.plain = re.compile("|".join(word for _, word in words) or "(?!)")
        """Finds those that repeat nothing."""
        words += [(len(fixed(echo)), echo_regex(echo).pattern) for echo in self.echoes]
        found = [word for _, word in sorted(words, key=lambda one: -one[0])]
        if self.json is not None:
            found.append(r"[{\[]")
        return re.compile("|".join(found) or "(?!)")

    def _whole_word(self, core: str) -> str:
        """An expression for `core` that is no part of a word."""
        word = spaced(core)
        if core[0].isalnum() and len(core) < STRONG:  # what is looked for first is found fast
            word = rf"{core[0]}(?<!\w{core[0]})" + word[1:]
        nodes = (way.node for way in (*self.ways.get(core, ()), *filter(None, [self.direct.get(core)])))
        return word + next((node.border(core) for node in nodes), border(core, ()))

    def _is_over(self, core: str) -> bool:
        """True for a token, a tag, and a closer that begins with a sign: letters may follow it."""
        closes = core in self.ways and not self.ways[core][0].node.first(core)
        return core[0] in "[<" or closes and not core[0].isalnum()

    def _find_led(self) -> None:
        """Calls that begin with their names, at the beginning of a line."""
        at_call = self.content or self.role is Role.ARGUMENTS
        nodes = (self.node, self.after) if at_call else ()
        self.led = [
            Omission(0, () if at is self.node else (TEXT,), at)._replace(
                path=(*(() if at is self.node else (TEXT,)), name)
            )
            for at in nodes
            for name, _ in at.patterns
            if at.fills(name) and at.fills(name) <= _NAMES and at.calling(name)
        ]
        words, held, begun = [], [], []
        for way in self.led:
            name = way.path[-1]
            to = way.node.step(name).node
            assert not isinstance(name, str) and hasattr(name, "regex")
            words.append(rf"(?<![\w.])(?:{bounded(name.regex)})\s*(?:{signs(to)})")
            held.append(rf"(?<![^\n])[ \t]*(?:{name.regex})?\s*(?:{_begun_signs(to)})\Z")
            known = self.node.graph.network.spec.names
            short = [_optional(one) for one in known if len(one) <= MAX_NAME]  # each sign of one is a group in a group
            tools = [*short, *map(re.escape, known)]
            begun += [rf"(?<![^\n])[ \t]*(?:{one}\s*(?:{_begun_signs(to)}))\Z" for one in tools]
        held += begun
        self._names_begun = re.compile("|".join(begun)) if begun else None
        self.led_words = re.compile("|".join(words)) if words else None
        self.led_held = re.compile("|".join(held)) if held else None

    def _find_torn(self) -> re.Pattern[str] | None:
        """Openers of calls that are broken off."""
        if not self.spoken:
            return None
        ways = ((core, ways[0].node) for core, ways in self.ways.items() if len(core) > STRONG and not is_echo(core))
        begins = [core for core, at in ways if at.first(core) and at.calling(core)]
        words = [re.escape(c[:STRONG]) + _optional(c[STRONG:-1]) + r"\Z" for c in begins]
        return re.compile("|".join(words)) if words else None

    def _find_near(self) -> None:
        """Parts of the openers of calls: in any misspelling of one a part is whole."""
        self.parts: dict[str, list[str]] = {}
        for core, ways in self.ways.items() if self.role is Role.CONTENT else ():
            way = ways[0]
            if len(core) >= STRONG and not is_echo(core) and not way.cost and way.node.calling(core):
                for part in parts(core):
                    self.parts.setdefault(part, []).append(core)
        words = sorted(self.parts, key=len, reverse=True)
        for word in words:  # the longest is found, and may be of those that have only its beginning
            self.parts[word] += [
                c for part in words if part != word and word.startswith(part) for c in self.parts[part]
            ]
        self.near = re.compile("|".join(map(re.escape, words))) if words else None
        self._near_begins: re.Pattern[str] | None = None

    def respelt(self, opener: str, before: str) -> tuple[str, str] | None:
        """The closing tag of the text, and how it is spelled: as its `opener` is, at the end of what stands `before`.

        Signs that the opener lacks are missing in it, too. None where that is spelled as the dialect writes it.
        """
        tags = self._tags.get(opener)
        if tags is None:
            cores = (core for core in self.ways if core.startswith("</") and not self.ways[core][0].cost)
            found = ((core, core[2:-1], self.ways[core][0].node.marks[core]) for core in cores)
            tags = self._tags[opener] = [one for one in found if opener.startswith(one[1], 1)]
        at = before.rfind(opener[1:])
        headless = at > 0 and before[at - 1] not in "</"
        for core, name, wrong in tags:
            if headless and not wrong:
                return core, core[2:]
            tag = before[before.rfind("<") :]
            rest = opener[1 + len(name) :].split()
            end = tag.find(rest[0]) if rest else -1
            spelled = tag[1:end].rstrip()
            if end > 0 and spelled and (wrong or spelled != name) and not any(sign in spelled for sign in "\n<>/="):
                return core, f"</{spelled}>"
        return None

    # What may come yet

    def held(self, buf: str, low: int) -> int:
        """The index from which on a marker may begin that is not all there."""
        if self._begins is None:
            self._begins = beginnings({*self.squeezed}, r"\s*", [echo_begun(echo) for echo in self.echoes])
        match = self._begins.search(buf, max(low, len(buf) - self.reach))
        return len(buf) if match is None else match.start()

    def name_begun(self, buf: str, low: int) -> int:
        """The index, in a text from `low` on, at which the name of a declared tool begins a line that is not all here.

        Its signs may be markers or JSON elsewhere.
        """
        if self._names_begun is None:
            return len(buf)
        cut = max(low, len(buf) - LED, 0)
        match = self._names_begun.search(buf[cut:])
        return len(buf) if match is None else cut + match.start()

    def near_begun(self, buf: str, low: int, before: int) -> int:
        """The index, from `low` on, at which an opener may begin, misspelt; else `before`."""
        if self.near is None:
            return before
        match = self.near_begins.search(buf, max(low, before - self.longest - MAX_BLANK))
        return before if match is None else min(match.start(), before)

    @property
    def near_begins(self) -> re.Pattern[str]:
        """Finds where an opener, misspelt, is likely to begin."""
        if self._near_begins is None:
            cores = {core for part in self.parts.values() for core in part}
            self._near_begins = any_of(begin for core in cores for begin in begins_likely(core, headless=True))
        return self._near_begins

    def torn(self, buf: str, low: int, at: int) -> int:
        """The index before `at`, where a marker may begin, at which an opener begins that is broken off there."""
        if self._torn is None or at >= len(buf):
            return at
        match = self._torn.search(buf, max(low, at - self.longest), at)
        return at if match is None else match.start()

    def needed(self, buf: str, low: int) -> int:
        """The length that `buf` has to have before the marker that may have begun is there."""
        at = self.held(buf, low)
        if at == len(buf) or self.echoes:
            return at
        tail = squeeze(buf[at:])
        return at + min((len(core) for core in self.squeezed if core.startswith(tail)), default=0)


def island(node: Node) -> Island:
    """The search plan for the free text of `node`."""
    return node.made(Island)


def _leading(core: str) -> list[str]:
    """The signs that a marker begins with, a blank with what is behind it."""
    return [core[at : at + 2] if sign == " " else sign for at, sign in enumerate(leading_signs(core))]


def _optional(text: str) -> str:
    """An expression that matches any beginning of a text."""
    return "".join(f"(?:{re.escape(char)}" for char in text) + ")?" * len(text)


def beginnings(cores: set[str], blank: str, others: list[str]) -> re.Pattern[str]:
    """An expression that matches the beginnings of these texts, `blank` between their signs, where a text ends."""
    words = [
        rf"(?:{blank}".join(map(re.escape, core)) + ")?" * (len(core) - 1) + rf"{blank}\Z" for core in sorted(cores)
    ]
    return re.compile("|".join([*words, *others]) or "(?!)")


def _begun_signs(node: Node) -> str:
    """An expression for the beginnings of that."""
    ways = [_optional(core) for core in node.marks]
    return "|".join([*ways, r"`{0,3}\w{0,16}\s*[{\[]?"] if node.json else ways)
