"""Emission: the grammar, the entry and the value language of a dialect from the markers that solve its equations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolect._authoring.induction.equations import COUNT, ID, INDEX, KEY, NAME, Solution, tokens
from toolect._authoring.induction.json_trees import JsonCalls
from toolect._authoring.induction.labeled_rows import Row, parts_of
from toolect._authoring.induction.value_alignment import FormatHypothesis, Inside, orders
from toolect._authoring.induction.value_spellings import WORDS
from toolect._message import Json, dumps

_TERMINALS = {NAME: "NAME", KEY: "KEY", ID: "ID", INDEX: "NUMBER", COUNT: "COUNT"}
_TAG = re.compile(r"<[^<>]+>|\[[^\[\]]+\]")
_COUNTED = re.compile(r"(.*?)(\d{1,9})", re.DOTALL)
MAX_FIRST = 99
"""The number of the first call of an answer. Beyond it: ids are not counted within answers."""
_HOLES = re.compile(f"([{''.join(_TERMINALS)}])")
_SPACES = re.compile(r'("(?:[^"\\]|\\.)*")|(?<=\() +| +(?=\))|( +)')
"""A marker, and the blanks between the parts of a rule: one is enough."""
_KINDS = ("true", "false", "null")
_NEAR = {"null": "true", "true": "false", "false": "true", "number": "integer", "integer": "number"}
"""A type whose markers are taken where a type is not seen."""
_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}


class EmittedSpec(NamedTuple):
    """A dialect: its entry, its grammar, and the value language that it brings along, if any."""

    entry: dict[str, Json]
    grammar: str
    values: str = ""

    def files(self, name: str) -> dict[str, str]:
        """The files by their paths, the entry's first."""
        lines = [f"{name}:", *(f"  {key}: {_flow(value)}" for key, value in self.entry.items())]
        grammar = self.grammar.replace("%import .values.@", f"%import .values.{name}", 1)
        files = {f"{name}.yaml": "\n".join(lines) + "\n", f"grammars/{name}.lark": grammar}
        return files | ({f"grammars/values/{name}.lark": self.values} if self.values else {})


def _flow(value: Json) -> str:
    """A value in YAML's flow style, with words as they are."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    plain = isinstance(value, str) and re.fullmatch(r"\$?[A-Za-z][\w./-]*( [a-z]+)*", value)
    return value if plain and value.lower() not in _YAML else dumps(value)


def emit(
    hypothesis: FormatHypothesis, found: Solution, rows: Sequence[Row], lined: bool, calls: JsonCalls | None
) -> EmittedSpec:
    """The dialect whose markers these are; `lined`: its calls begin a line."""
    return _Emission(hypothesis, {**found}, rows, calls).spec(lined)


class _Emission:
    """What is written of a grammar and an entry so far."""

    def __init__(
        self, hypothesis: FormatHypothesis, found: dict[str, str], rows: Sequence[Row], calls: JsonCalls | None
    ) -> None:
        self.hypothesis, self.found, self.rows, self.calls = hypothesis, found, rows, calls
        self.map: dict[str, Json] = {}
        self.values: dict[str, Json] = {}
        self.language, self.imports = "", ""
        end = found.get("end", "")
        if end and not end.strip():  # a line break ends the last part, not the answer
            for last in ("calls closer", "content closer", "reasoning closer"):
                found[last] = found.get(last, "") + end
            found["end"] = ""

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
        return _SPACES.sub(lambda match: match[1] or match[2] and " " or "", filled).strip()

    def several(self, one: str, variable: str) -> str:
        """One or more of a rule, with a divider between them."""
        divider = self.marker(variable)
        return f"{one} ({divider} {one})*" if divider else f"{one}+"

    def spec(self, lined: bool) -> EmittedSpec:
        """The dialect; `lined`: its calls begin a line."""
        call, rules = self._call()
        texts = [*self._texts()]
        gaps = {"before call": self.text("gap"), "between calls": self.text("call divider")}
        outer = "call opener"
        if self.text("calls opener", "calls closer", "call divider").strip():
            outer = "calls opener" if self.text("calls opener") else outer
            wrapper = "calls" if call == "call" else "block"
            rules.insert(
                0, self.rule(f"{wrapper}: {{calls opener}} {self.several(call, 'call divider')} {{calls closer}}")
            )
            call, gaps["between calls"] = wrapper, ""
        parts = [text.partition(":")[0] for text in texts]
        thoughts = [row for row in self.rows if row.message.reasoning]
        first, unthought = "", self.marker("no thought")
        if "think" in parts and (unthought or all(next(orders(row.message))[0] == "reasoning" for row in thoughts)):
            parts.remove("think")
            first = f"(think | {unthought})?" if unthought else "think?"
        last = "" if self._closed() else "{end}"
        start = self.rule(f"start: {{start}} {first} ({' | '.join([*parts, call])})* {last}")
        grammar = [start, *texts, *rules, *self._terminals("\n".join([*rules, *texts]))]
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
            "prefill": {row.prefix: "think" for row in thoughts if row.prefix},
            "lines": [begin, *self._closing_lines()] if begins_line else [],
            "ids": self._ids() if identified else {},
            "policies": {"key-order": "sorted"} if self.hypothesis.sorted else {},
            "end": [*dict.fromkeys(ends)],
        }
        return EmittedSpec(
            {key: value for key, value in entry.items() if value}, "\n".join(grammar) + "\n", self.language
        )

    def _closed(self) -> bool:
        """True where something else than the end of the answer shows that a call is whole."""
        closers = self.text("argument closer", "arguments closer", "call closer", "calls closer")
        whole = self.hypothesis.inside is not Inside.KEYS and self.hypothesis.spelling.read is not None
        return self.calls is not None or whole or self.hypothesis.ends or bool(closers.strip())

    def _texts(self) -> Iterator[str]:
        """The rules of content and reasoning."""
        gap, rule = self.text("gap").strip(), "preamble" if self.hypothesis.preamble else "content"
        if gap or self.hypothesis.preamble:
            self.map["preamble"] = {"content": "before call"}
            yield self.rule(f"preamble: {{{rule} opener}} TEXT {{{rule} closer}} {'{gap}' if gap else ''}")
        self.map["content"] = "content"
        yield self.rule("content: {content opener} TEXT {content closer}")
        if "reasoning closer" in self.found:
            self.map["think"] = "reasoning"
            gap = "{thought gap}?" if self.text("thought gap") else ""
            yield self.rule(f"think: {{reasoning opener}} TEXT {{reasoning closer}} {gap}")

    def _call(self) -> tuple[str, list[str]]:
        """The name of the rule of a call, and the rules that it needs."""
        if self.calls is not None:
            rule = "message" if self.calls.listed else "call"
            self.map |= {"call": "call"} if rule == "call" else {}
            self.map[f"{rule}/JSON"] = self.calls.shape
            self.values |= {f"{rule}/JSON": {"layout": self.calls.layout}} if self.calls.layout else {}
            return rule, [self.rule(f"{rule}: {{call opener}} JSON {{call closer}}")]
        name = "ID" if self.hypothesis.ids else "NAME"
        self.map |= {"call": "call"} | ({} if self.hypothesis.ids else {"NAME": "call.name"})
        whole = self.hypothesis.inside is Inside.WHOLE
        value = self._value("call" if whole else "argument")
        inner = value if whole else self.several("argument", "argument divider")
        none = any(not call.arguments for row in self.rows for call in row.message.calls)
        if whole:
            self.map[f"call/{value}"] = "call.arguments"
            inner = f"{{arguments opener}} {inner} {{arguments closer}}"
            inner = f"({inner})?" if none and not self.hypothesis.empty else inner
        elif inner == "argument+" and not self.text("arguments opener", "arguments closer"):
            inner = "argument*"
        else:
            inner = f"({{arguments opener}} {inner} {{arguments closer}})?"
        rules = [self.rule(f"call: {{call opener}} {name} {{name closer}} {inner} {{call closer}}")]
        if not whole:
            self.map |= {"argument": "argument", "KEY": "argument.key", f"argument/{value}": "argument.value"}
            rules.append(self.rule(f"argument: {{argument opener}} KEY {{key closer}} {value} {{argument closer}}"))
        return "call", rules

    def _value(self, rule: str) -> str:
        """What stands for a value, in the grammar; its language, if it has one of its own."""
        spelling = self.hypothesis.spelling
        if spelling.slot == "JSON":
            return "JSON"
        if spelling.read is None and not self.hypothesis.typed:
            self.values[f"{rule}/TEXT"] = dict(spelling.options)
            return "TEXT"
        self.imports = f"%import .values.{spelling.slot if spelling.read is not None else '@'} (value)"
        if spelling.read is None:
            self.language = "\n".join(self._language() if spelling.leaves else self._mixed()) + "\n"
        return "value"

    def _mixed(self) -> Iterator[str]:
        """The rules of a value language of strings, and of JSON for all else."""
        slot = self.hypothesis.spelling.slot
        yield "value: string | json"
        yield self.rule(f"string: {{before string}} {slot} {{after string}}")
        yield self.rule("json: {before other} JSON {after other}")
        yield f"%declare {slot} JSON"

    def _language(self) -> Iterator[str]:
        """The rules of a value language that is made of the leaves of all values."""
        slot, seen = (
            self.hypothesis.spelling.slot,
            [name for name in ("array", "object") if f"{name} opener" in self.found],
        )
        kinds = [kind for kind in ("string", "integer", "number", *_KINDS) if f"before {kind}" in self.found]
        scalar = len({self._leaf(kind, "") for kind in kinds}) == 1 and slot.startswith("TEXT")
        yield "value: " + " | ".join([*seen, *(["scalar"] if scalar else ["string", "number", *_KINDS])])
        words = self._words()
        if scalar:
            yield f"scalar: {self._leaf(kinds[0], slot)}"
            self.values["scalar/TEXT"] = {"codec": "schema", "spelling": "python"} if words[0] == "True" else "schema"
        else:
            yield f"string: {self._leaf('string', slot)}"
            integer, number = self._leaf("integer", "INT"), self._leaf("number", "NUMBER")
            apart = integer != number.replace("NUMBER", "INT")
            yield f"number: {integer} | {number}" if apart else f"number: {number}"
            yield from (
                f"{kind}: {self._leaf(kind, dumps(spelled))}" for kind, spelled in zip(_KINDS, words, strict=True)
            )
            yield r"NUMBER: /-?\d+(\.\d+)?([eE][-+]?\d+)?/"
            yield from [r"INT: /-?\d+(?![.\d])/"] if apart else []
        for name, item, one, usual in (
            ("array", "item", "element", "pair divider"), ("object", "pair", "pair", "argument divider"),
        ):  # fmt: skip
            if name in seen:  # of a single item nothing shows what divides two
                more = self.several(one, f"{item} divider" if f"{item} divider" in self.found else usual)
                more = f"({more})?" if self.text(f"{name} opener") else more
                yield self.rule(f"{name}: {{{name} opener}} {more} {{{name} closer}}")
        if "array" in seen:
            yield self.rule("element: {item opener} value {item closer}")
        if "object" in seen:
            closer = self.marker("pair closer").replace("KEY", "key")
            yield self.rule(f"pair: {{pair opener}} key {{pair key closer}} value {closer}")
            keys = [key for row in self.rows for one in parts_of(row.message) if isinstance(one, dict) for key in one]
            yield from ("key: KEY", f"KEY: {self._name(keys, self.text('pair key closer'))}")
        yield f"%declare {slot}"

    def _leaf(self, kind: str, slot: str) -> str:
        """A leaf of a type between its markers, or those of a type like it."""
        near = _NEAR.get(kind, kind)
        usual = next((one for one in (kind, near, "integer") if f"before {one}" in self.found), kind)
        return self.rule(f"{{before {usual}}} {slot} {{after {usual}}}")

    def _words(self) -> tuple[str, ...]:
        """How true, false and null are spelled: as the rows have it, and the others to match."""
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
        """How an id is made: of the number of its call, and the name, where all ids show the same form."""
        forms: dict[str, Json] = {}
        for row in self.rows:
            for place, call in enumerate(row.message.calls):
                found = _COUNTED.fullmatch((call.id or "").replace(call.name, "{name}", 1))
                if found is None:
                    return {"form": "call_{index}"}
                form: dict[str, Json] = {"form": found[1] + "{index}", "first": int(found[2]) - place}
                form |= {"digits": len(found[2])} if found[2].startswith("0") and len(found[2]) > 1 else {}
                forms[repr(form)] = form
        alike = next(iter(forms.values())) if len(forms) == 1 else {}
        if not 0 <= alike.get("first", -1) <= MAX_FIRST:
            return {"form": "call_{index}"}
        return {key: value for key, value in alike.items() if value != 0}

    def _terminals(self, rules: str) -> Iterator[str]:
        """The terminals that the rules use."""
        calls = [call for row in self.rows for call in row.message.calls]
        if "NAME" in self.map:
            after = self.text("name closer", "arguments opener", "argument opener", "call closer")
            yield f"NAME: {self._name([call.name for call in calls], after)}"
        if "KEY" in self.map:
            ends = "arguments closer", "call closer"
            instead = self.text(*ends, "call divider", "call opener"), self.text(*ends, "calls closer")
            keys = [key for call in calls for key in call.arguments or ()]
            bare = not self.text("argument opener")
            yield f"KEY: {self._name(keys, self.text('key closer'), instead if bare else ())}"
        for name, role, pattern in (
            ("ID", "call.id", r"/\w+/" if re.search(r'ID "[.:-]', rules) else r"/[\w.:-]+/"),
            ("NUMBER", {"written": "$index"}, r'"1" | /\d+/'), ("COUNT", None, r'"0" | /\d+/'),
        ):  # fmt: skip
            if re.search(rf"\b{name}\b", rules):
                self.map |= {name: role} if role else {}
                yield f"{name}: {pattern}"

    def _name(self, seen: Sequence[str], following: str, instead: Sequence[str] = ()) -> str:
        """A terminal for words like these, up to what follows; `instead` is what may stand in their place."""
        signs = {sign for text in seen for sign in text if not (sign.isalnum() or sign == "_")}
        allowed = (signs | {".", "-"}) - ({*following[:1]} - signs) - {" "}
        inner = r"\w" + "".join(sorted(_escaped(sign) for sign in allowed))
        words = rf"[{inner}]+" + (rf"(?: [{inner}]+)*" if " " in signs else "")
        taken = [tokens(text)[0] for text in instead if text.strip() and (text[0].isalnum() or text[0] in allowed)]
        without = "|".join(_escaped(text) + r"\b" * text[-1].isalnum() for text in dict.fromkeys(taken))
        return f"/(?!{without}){words}/" if taken else f"/{words}/"


def _escaped(text: str) -> str:
    return re.escape(text).replace("/", r"\/")
