"""Emission: the grammar, the entry and the value language of a dialect from the markers that solve its equations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from toolect._authoring.induction.equations import COUNT, ID, INDEX, KEY, NAME, Solution
from toolect._authoring.induction.labeled_rows import Row, parts_of
from toolect._authoring.induction.value_alignment import FormatHypothesis
from toolect._authoring.induction.value_spellings import WORDS
from toolect._message import Json, dumps
from toolect._values.yaml_text import write_yaml

_TERMINALS = {NAME: "NAME", KEY: "KEY", ID: "ID", INDEX: "NUMBER", COUNT: "COUNT"}
_TAG = re.compile(r"<[^<>]+>|\[[^\[\]]+\]")
_COUNTED = re.compile(r"\A(.*?)(\d{,9})\Z", re.DOTALL)
MAX_FIRST = 99
"""The number of the first call of an answer. Beyond it: ids are not counted within answers."""
_HOLES = re.compile(f"([{''.join(_TERMINALS)}])")
_LOOSE = re.compile(r'("(?:[^"\\]|\\.)*")|\( *(\w+)\+ *\)\?|(?<=\() +| +(?=\))|( +)')
"""A marker, one or more of a rule or none, and the blanks between the parts of a rule: one is enough."""
_KINDS = ("true", "false", "null")
_USUAL = (("pair divider", "argument divider"), ("element divider", "pair divider"))
"""Of a single member nothing shows what divides two: most likely it is what divides others."""


class EmittedSpec(NamedTuple):
    """A dialect: its entry, its grammar, and the value language that it brings along, if any."""

    entry: dict[str, Json]
    grammar: str
    values: str = ""

    def files(self, name: str) -> dict[str, str]:
        """The files by their paths, the entry's first."""
        grammar = self.grammar.replace("%import .values.@", f"%import .values.{name}", 1)
        files = {f"{name}.yaml": write_yaml({name: self.entry}) + "\n", f"grammars/{name}.lark": grammar}
        return files | ({f"grammars/values/{name}.lark": self.values} if self.values else {})


class Emission:
    """Writer of a grammar and an entry, with what it has written so far."""

    def __init__(self, hypothesis: FormatHypothesis, found: Solution, rows: Sequence[Row]) -> None:
        self.hypothesis, self.found, self.rows, self.calls = hypothesis, {**found}, rows, hypothesis.calls
        self.map: dict[str, Json] = {}
        self.values: dict[str, Json] = {}
        self.rules: list[str] = []
        self.language, self.imports = "", ""
        for divider, usual in _USUAL:
            self.found.setdefault(divider, self.text(usual))
        end = found.get("end", "")
        if end and not end.strip():  # a line break ends the last part, not the answer
            for last in ("calls closer", "content closer", "reasoning closer"):
                self.found[last] = found.get(last, "") + end
            self.found["end"] = ""

    def text(self, *variables: str) -> str:
        """The text of several markers."""
        return "".join(self.found.get(variable, "") for variable in variables)

    def marker(self, variable: str) -> str:
        """A marker in the grammar, with terminals in its holes; "" where there is none."""
        parts = _HOLES.split(self.found.get(variable, ""))
        return " ".join(_TERMINALS.get(part) or dumps(part) for part in parts if part)

    def rule(self, template: str) -> str:
        """A rule with markers in the place of `{variable}`."""
        filled = re.sub(r"\{([a-z ]+)\}", lambda match: self.marker(match[1]), template)
        return _LOOSE.sub(
            lambda match: match[1] or (f"{match[2]}*" if match[2] else " " * bool(match[3])), filled
        ).strip()

    def several(self, one: str, variable: str) -> str:
        """One or more of a rule, with a divider between them."""
        divider = self.marker(variable)
        return f"{one} ({divider} {one})*" if divider else f"{one}+"

    def spec(self, lined: bool) -> EmittedSpec:
        """The dialect; `lined`: its calls begin a line."""
        said = self._texts()
        call = "message" if self.calls is not None and self.calls.listed else "call"
        gaps = {"before call": self.text("content to calls"), "between calls": self.text("call divider")}
        first, outer, unthought = "", "call opener", self.marker("no thought")
        if wrapped := self.text("calls opener", "calls closer", "call divider").strip():
            outer = "calls opener" if self.text("calls opener") else outer
            self.rules.append(
                self.rule(f"calls: {{calls opener}} {self.several(call, 'call divider')} {{calls closer}}")
            )
            gaps["between calls"] = ""
        self._call(call)
        if "think" in self.map:
            first = f"(think | {unthought})?" if unthought else "think?"
        # The end of an answer is a marker where nothing else shows that a call is whole.
        closers = self.text("argument closer", "arguments closer", "call closer", "calls closer").strip()
        literal = self.calls is not None or self.hypothesis.whole and self.hypothesis.spelling.literal is not None
        last = "" if closers or literal or self.hypothesis.ends else "{end}"
        start = self.rule(f"start: {{start}} {first} ({' | '.join([*said, 'calls' if wrapped else call])})* {last}")
        grammar = [start, *self.rules, *self._terminals("\n".join(self.rules))]
        slots = [slot for slot in ("TEXT", "JSON") if re.search(rf"(?<!\w){slot}(?!\w)", "\n".join(grammar))]
        grammar = [*filter(None, [self.imports]), *grammar, "%declare " + " ".join(slots)]
        begin = _HOLES.split(self.text(outer))[0]
        begins_line = lined and begin.isascii() and begin.strip() and begin[0] not in "<[" and not begin[0].isspace()
        ends = [end.strip() for end in (self.text("end" * (not last)), self.text("end of calls")) if end]
        identified = "$id" in repr(self.map) or "call.id" in self.map.values()
        entry: dict[str, Json] = {
            "map": self.map,
            "values": self.values,
            "gaps": {key: gap for key, gap in gaps.items() if gap.isspace()},
            "prefill": {row.prefix: "think" for row in self.rows if row.prefix and row.message.reasoning},
            "lines": [begin, *self._closing_lines()] if begins_line else [],
            "ids": self._ids() if identified else {},
            "policies": {"key-order": "sorted"} if self.hypothesis.sorted else {},
            "end": [*dict.fromkeys(ends)],
        }
        return EmittedSpec(
            {key: value for key, value in entry.items() if value}, "\n".join(grammar) + "\n", self.language
        )

    def _texts(self) -> list[str]:
        """Write the rules of content and reasoning; the names of those of content."""
        gap, rule = self.text("content to calls").strip(), "preamble" if self.hypothesis.preamble else "content"
        if gap or self.hypothesis.preamble:
            self.map["preamble"] = {"content": "before call"}
            gap = "{content to calls}" if gap else ""
            self.rules.append(self.rule(f"preamble: {{{rule} opener}} TEXT {{{rule} closer}} {gap}"))
        self.map["content"] = "content"
        self.rules.append(self.rule("content: {content opener} TEXT {content closer}"))
        said = [*self.map]
        if "reasoning closer" in self.found:
            self.map["think"] = "reasoning"
            gap = "{reasoning to content}?" if self.text("reasoning to content") else ""
            self.rules.append(self.rule(f"think: {{reasoning opener}} TEXT {{reasoning closer}} {gap}"))
        return said

    def _call(self, rule: str) -> None:
        """Write the rules of a call."""
        self.map |= {"call": "call"} if rule == "call" else {}
        if self.calls is not None:
            self.map[f"{rule}/JSON"] = self.calls.shape
            self.values |= {f"{rule}/JSON": {"layout": self.calls.layout}} if self.calls.layout else {}
            self.rules.append(self.rule(f"{rule}: {{call opener}} JSON {{call closer}}"))
            return
        name = "ID" if self.hypothesis.ids else "NAME"
        self.map |= {} if self.hypothesis.ids else {"NAME": "call.name"}
        if self.hypothesis.whole:
            value = self._value("call")
            inner = f"{{arguments opener}} {value} {{arguments closer}}"
            none = any(not call.arguments for row in self.rows for call in row.message.calls)
            inner = f"({inner})?" if none and not self.hypothesis.empty else inner
            rules = []
            self.map[f"call/{value}"] = "call.arguments"
            if value == "JSON" and self._is_compact():
                self.values["call/JSON"] = {"layout": "compact"}
        else:
            value = self._value("argument")
            inner = f"({{arguments opener}} {self.several('argument', 'argument divider')} {{arguments closer}})?"
            rules = [f"argument: {{argument opener}} KEY {{argument key closer}} {value} {{argument closer}}"]
            self.map |= {"argument": "argument", "KEY": "argument.key", f"argument/{value}": "argument.value"}
        call = f"call: {{call opener}} {name} {{name closer}} {inner} {{call closer}}"
        self.rules += map(self.rule, [call, *rules])

    def _is_compact(self) -> bool:
        """True where all rows show their arguments as JSON without blanks, and some have a place for blanks."""
        shown = [(row.whole, call.arguments) for row in self.rows for call in row.message.calls]
        usual = all(dumps(given) in text for text, given in shown)
        return not usual and all(msgspec.json.encode(given).decode() in text for text, given in shown)

    def _value(self, rule: str) -> str:
        """The symbol of a value in the grammar; its value language is written, if it has one of its own."""
        spelling = self.hypothesis.spelling
        if spelling.slot == "JSON":
            return "JSON"
        if spelling.literal is None and not self.hypothesis.typed:
            self.values[f"{rule}/TEXT"] = dict(spelling.options)
            return "TEXT"
        self.imports = f"%import .values.{spelling.slot if spelling.literal is not None else '@'} (value)"
        if spelling.literal is None:
            self.language = "\n".join([*self._language(), ""])
        return "value"

    def _language(self) -> Iterator[str]:
        """The rules of a value language: of strings and JSON, or of the leaves of all values."""
        slot, words = self.hypothesis.spelling.slot, self._words()
        groups = [group for group in ("array", "object") if f"{group} opener" in self.found]
        kinds = [kind for kind in ("string", "integer", "number", "boolean", "null") if f"before {kind}" in self.found]
        leaves = {"string": slot, "number": "NUMBER"} | dict(zip(_KINDS, map(dumps, words), strict=True))
        if not self.hypothesis.spelling.leaves:
            leaves = {"string": slot, "json": "JSON"}
        elif len({self._leaf(kind, "") for kind in kinds}) == 1 and slot.startswith("TEXT"):
            leaves = {"scalar": slot}
            self.found |= {f"{side} scalar": self.text(f"{side} {kinds[0]}") for side in ("before", "after")}
            self.values["scalar/TEXT"] = {"codec": "schema", "spelling": "python"} if words[0] == "True" else "schema"
        yield "value: " + " | ".join([*groups, *leaves])
        for kind, terminal in leaves.items():
            whole, leaf = self._leaf("integer", "INT"), self._leaf(kind, terminal)
            apart = kind == "number" and whole.replace("INT", terminal) != leaf
            yield f"{kind}: {whole} | {leaf}" if apart else f"{kind}: {leaf}"
            yield from [r"INT: /-?\d+(?![.\d])/"] if apart else []
            yield from [r"NUMBER: /-?\d+(\.\d+)?([eE][-+]?\d+)?/"] if kind == "number" else []
        for group, one in (("array", "element"), ("object", "pair")):
            if group in groups:
                many = self.several(one, f"{one} divider")
                many = f"({many})?" if self.text(f"{group} opener") else many
                yield self.rule(f"{group}: {{{group} opener}} {many} {{{group} closer}}")
        if "array" in groups:
            yield self.rule("element: {element opener} value {element closer}")
        if "object" in groups:
            closer = self.marker("pair closer").replace("KEY", "key")
            yield self.rule(f"pair: {{pair opener}} key {{pair key closer}} value {closer}")
            keys = [key for row in self.rows for one in parts_of(row.message) if isinstance(one, dict) for key in one]
            yield from ("key: KEY", f"KEY: {self._name(keys, self.text('pair key closer'))}")
        yield "%declare " + " ".join([slot, *["JSON"] * ("json" in leaves)])

    def _leaf(self, kind: str, slot: str) -> str:
        """A leaf of a type between its markers, or those of integers where it is not seen."""
        kind = "boolean" if kind in ("true", "false") else kind
        usual = kind if f"before {kind}" in self.found else "integer"
        return self.rule(f"{{before {usual}}} {slot} {{after {usual}}}")

    def _words(self) -> tuple[str, ...]:
        """Spellings of true, false and null: as the rows have them, and the others to match."""
        seen = [self.found.get(f"word {kind}") for kind in _KINDS]
        styles = [*zip(*(WORDS[value] for value in (True, False, None)), strict=False)]
        fit = (one for one in styles if all(b in (None, a) for a, b in zip(one, seen, strict=True)))
        return tuple(b or a for a, b in zip(next(fit, styles[0]), seen, strict=True))

    def _closing_lines(self) -> list[str]:
        """The closer of calls where it begins a line, as all before it ends one, and is no tag: values may hold it."""
        closer = self.text("call closer")
        before = [self.text("argument closer"), self.text("name closer", "arguments opener")]
        lined = self.calls is None and all(one.endswith("\n") for one in before) and not self.text("arguments closer")
        return [closer] if lined and closer.strip() == closer != "" and _TAG.fullmatch(closer) is None else []

    def _ids(self) -> dict[str, Json]:
        """The form of ids: with the number of the call, and its name, where all ids show the same form."""
        forms = set()
        for place, call in ((i, call) for row in self.rows for i, call in enumerate(row.message.calls)):
            prefix, number = _COUNTED.findall((call.id or "").replace(call.name, "{name}", 1))[0]
            padded = number.startswith("0") and len(number) > 1
            forms.add((prefix, int(number or -1) - place, len(number) * padded))
        prefix, first, digits = forms.pop()
        if forms or not 0 <= first <= MAX_FIRST:
            prefix, first, digits = "call_", 0, 0
        made = {"form": f"{prefix}{{index}}", "first": first, "digits": digits}
        return {key: value for key, value in made.items() if value}

    def _terminals(self, rules: str) -> Iterator[str]:
        """The terminals that the rules use."""
        calls = [call for row in self.rows for call in row.message.calls]
        if "NAME" in self.map:
            after = self.text("name closer", "arguments opener", "argument opener", "call closer")
            yield f"NAME: {self._name([call.name for call in calls], after)}"
        if "KEY" in self.map:
            keys = [key for call in calls for key in call.arguments or ()]
            yield f"KEY: {self._name(keys, self.text('argument key closer'))}"
        for name, role, pattern in (
            ("ID", "call.id", r"/\w+/" if re.search(r'ID "[.:-]', rules) else r"/[\w.:-]+/"),
            ("NUMBER", {"written": "$index"}, r'"1" | /\d+/'), ("COUNT", None, r'"0" | /\d+/'),
        ):  # fmt: skip
            if re.search(rf"\b{name}\b", rules):
                self.map |= {name: role} if role else {}
                yield f"{name}: {pattern}"

    def _name(self, seen: Sequence[str], following: str) -> str:
        """A terminal for words like these, up to what follows."""
        signs = {sign for text in seen for sign in text if not (sign.isalnum() or sign == "_")}
        allowed = (signs | {".", "-"}) - ({*following[:1]} - signs) - {" "}
        inner = r"\w" + "".join(sorted(re.escape(sign).replace("/", r"\/") for sign in allowed))
        return f"/[{inner}]+" + (rf"(?: [{inner}]+)*/" if " " in signs else "/")
