"""Emission: the grammar, the entry and the value language of a dialect from the markers that solve its equations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from toolect.authoring.induction.equations import COUNT, ID, INDEX, KEY, NAME, Solution, tokens
from toolect.authoring.induction.json_trees import JsonCalls
from toolect.authoring.induction.labeled_rows import Row
from toolect.authoring.induction.value_alignment import Hypothesis, Inside, orders
from toolect.authoring.induction.value_spellings import WORDS, Spelling
from toolect.message import Json, dumps

_TERMINALS = {NAME: "NAME", KEY: "KEY", ID: "ID", INDEX: "NUMBER", COUNT: "COUNT"}
_HOLES = re.compile(f"([{''.join(_TERMINALS)}])")


class Spec(NamedTuple):
    """A dialect: its entry, its grammar, and the value language that it brings along, if any."""

    entry: dict[str, Json]
    grammar: str
    values: str = ""

    def files(self, name: str) -> dict[str, str]:
        """The files by their paths, the entry's first."""
        lines = [f"{name}:", *(f"  {key}: {_flow(value)}" for key, value in self.entry.items())]
        files = {f"{name}.yaml": "\n".join(lines) + "\n", f"grammars/{name}.lark": self.grammar.replace("@", name, 1)}
        files[f"grammars/{name}.lark"] = self.grammar.replace(".values.@", f".values.{name}")
        return files | ({f"grammars/values/{name}.lark": self.values} if self.values else {})


def _flow(value: Json) -> str:
    """A value in YAML's flow style, with words as they are."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_plain(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _plain(value) if isinstance(value, str) else dumps(value)


def _plain(text: str) -> str:
    words = re.fullmatch(r"\$?[A-Za-z][\w./-]*( [a-z]+)*", text) and text.lower() not in _YAML
    return text if words else dumps(text)


_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"}


def literal(text: str) -> str:
    """A marker as a grammar has it, with terminals in its holes."""
    return " ".join(_TERMINALS.get(part) or dumps(part) for part in _HOLES.split(text) if part)


def _sequence(*parts: str) -> str:
    return " ".join(filter(None, parts))


def emit(hypothesis: Hypothesis, found: Solution, rows: Sequence[Row], lined: bool, calls: JsonCalls | None) -> Spec:
    """The dialect whose markers these are."""
    return _Emission(hypothesis, {**found}, rows, calls).spec(lined)


class _Emission:
    """What is written of a grammar and an entry so far."""

    def __init__(
        self, hypothesis: Hypothesis, found: dict[str, str], rows: Sequence[Row], calls: JsonCalls | None
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

    def marker(self, variable: str) -> str:
        """A marker in the grammar; "" where there is none."""
        return literal(self.found.get(variable, ""))

    def text(self, *variables: str) -> str:
        """The text of several markers."""
        return "".join(self.found.get(variable, "") for variable in variables)

    def spec(self, lined: bool) -> Spec:
        """The dialect; `lined`: its calls begin a line."""
        call, rules = self._call()
        parts, texts = self._texts()
        wrapped = self.text("calls opener", "calls closer", "call divider").strip() != ""
        gaps = {"before call": self.found.get("gap", ""), "between calls": self.found.get("call divider", "")}
        gaps = {key: gap for key, gap in gaps.items() if gap and not gap.strip()}
        if wrapped:
            gaps.pop("between calls", None)
            divider = self.marker("call divider")
            inner = f"{call} ({divider} {call})*" if divider else f"{call}+"
            rules = [
                _sequence("calls:", self.marker("calls opener"), inner, self.marker("calls closer"))
                if call == "call"
                else _sequence("block:", self.marker("calls opener"), inner, self.marker("calls closer")),
                *rules,
            ]
            call = "calls" if call == "call" else "block"
        parts.append(call)
        thinks = "reasoning" in self.map.values()
        ahead = thinks and all(
            next(orders(row.message), ("",))[0] == "reasoning" for row in self.rows if row.message.reasoning
        )
        unthought = self.marker("no thought")
        ahead = ahead or thinks and bool(unthought)
        items = [part for part in parts if part != "think"] if ahead else parts
        first = f"(think | {unthought})?" if unthought else "think?" if ahead else ""
        start = _sequence("start:", self.marker("start"), first, f"({' | '.join(items)})*")
        terminals = [*self._terminals([*rules, *texts])]
        grammar = [start, *texts, *rules, *terminals]
        slots = [s for s in ("TEXT", "JSON") if re.search(rf"(?<!\w){s}(?!\w)", "\n".join(grammar))]
        grammar.append("%declare " + " ".join(slots))
        entry: dict[str, Json] = {"map": self.map}
        entry |= {"values": self.values} if self.values else {}
        entry |= {"gaps": gaps} if gaps else {}
        if opened := [row.prefix for row in self.rows if row.prefix and row.message.reasoning]:
            entry["prefill"] = dict.fromkeys(opened, "think")
        opener = tokens(self.text("calls opener", "call opener") if wrapped else self.text("call opener"))
        if lined and opener and opener[0][0] not in "<[" and opener[0].strip():
            begin = re.split(
                _HOLES,
                self.found.get("calls opener" if wrapped and self.found.get("calls opener") else "call opener", ""),
            )[0]
            entry |= {"lines": [begin]} if begin.strip() else {}
        if "$id" in repr(self.map) or "call.id" in self.map.values():
            entry["ids"] = {"form": self._id_form()}
        if self.hypothesis.sorted:
            entry["policies"] = {"key-order": "sorted"}
        if ends := [end for end in (self.found.get("end", ""), self.found.get("end of calls", "")) if end]:
            entry["end"] = [*dict.fromkeys(end.strip() for end in ends)]
        return Spec(entry, "\n".join([*([self.imports] if self.imports else []), *grammar]) + "\n", self.language)

    def _texts(self) -> tuple[list[str], list[str]]:
        """The rules of content and reasoning."""
        parts, rules = [], []
        before, rule = self.found.get("gap", ""), "preamble" if self.hypothesis.preamble else "content"
        if before.strip() or self.hypothesis.preamble:
            self.map["preamble"] = {"content": "before call"}
            parts.append("preamble")
            after = literal(before) if before.strip() else ""
            rules.append(
                _sequence("preamble:", self.marker(f"{rule} opener"), "TEXT", self.marker(f"{rule} closer"), after)
            )
        self.map["content"] = "content"
        parts.append("content")
        rules.append(_sequence("content:", self.marker("content opener"), "TEXT", self.marker("content closer")))
        if "reasoning closer" in self.found:
            self.map["think"] = "reasoning"
            parts.append("think")
            opener, closer, gap = map(self.marker, ("reasoning opener", "reasoning closer", "thought gap"))
            rules.append(_sequence("think:", opener, "TEXT", closer, gap and f"{gap}?"))
        return parts, rules

    def _call(self) -> tuple[str, list[str]]:
        """The name of the rule of a call, and the rules that it needs."""
        opener, closer = self.marker("call opener"), self.marker("call closer")
        if self.calls is not None:
            rule = "message" if self.calls.listed else "call"
            self.map |= {"call": "call"} if rule == "call" else {}
            self.map[f"{rule}/JSON"] = self.calls.shape
            if self.calls.layout:
                self.values[f"{rule}/JSON"] = {"layout": self.calls.layout}
            return rule, [_sequence(f"{rule}:", opener, "JSON", closer)]
        name = "ID" if self.hypothesis.ids else "NAME"
        self.map |= {"call": "call"} | ({} if self.hypothesis.ids else {"NAME": "call.name"})
        value = self._value()
        begins, ends = self.marker("arguments opener"), self.marker("arguments closer")
        if self.hypothesis.inside is Inside.WHOLE:
            inner = _sequence(begins, value, ends)
            optional = not self.hypothesis.empty and any(
                not call.arguments for row in self.rows for call in row.message.calls
            )
            self.map[f"call/{value}"] = "call.arguments"
            inner = f"({inner})?" if optional else inner
            return "call", [_sequence("call:", opener, name, self.marker("name closer"), inner, closer)]
        divider = self.marker("argument divider")
        several = f"argument ({divider} argument)*" if divider else "argument+"
        if begins or ends or divider:
            inner = f"({_sequence(begins, several, ends)})?"
        else:
            inner = "argument*"
        self.map |= {"argument": "argument"}
        key = _sequence("KEY", self.marker("key closer")) if self.hypothesis.inside is Inside.KEYS else ""
        if key:
            self.map["KEY"] = "argument.key"
        self.map[f"argument/{value}"] = "argument.value"
        return "call", [
            _sequence("call:", opener, name, self.marker("name closer"), inner, closer),
            _sequence("argument:", self.marker("argument opener"), key, value, self.marker("argument closer")),
        ]

    def _value(self) -> str:
        """What stands for a value, in the grammar; its language, if it has one of its own."""
        spelling = self.hypothesis.spelling
        if spelling.slot == "JSON":
            return "JSON"
        if spelling.read is not None:
            self.imports = f"%import .values.{spelling.slot} (value)"
            return "value"
        if not (spelling.leaves or self.hypothesis.typed):
            self.values[("call" if self.hypothesis.inside is Inside.WHOLE else "argument") + "/TEXT"] = dict(
                spelling.options
            )
            return "TEXT"
        self.imports = "%import .values.@ (value)"
        self.language = "\n".join(self._language(spelling)) + "\n"
        return "value"

    def _language(self, spelling: Spelling) -> Iterable[str]:
        """The rules of a value language that is made of the leaves of all values."""
        slot, form = spelling.slot, self._form
        kinds = [kind for kind in ("integer", "number", "true", "false", "null") if f"before {kind}" in self.found]
        seen = {name for name in ("array", "object") if f"{name} opener" in self.found}
        if not spelling.leaves:
            yield "value: string | json"
            yield "string: " + form("string", slot)
            yield "json: " + form("other", "JSON")
            yield f"%declare {slot} JSON"
            return
        same = {form(kind, "x") for kind in (*kinds, *(("string",) if "before string" in self.found else ()))}
        scalar = len(same) == 1 and slot.startswith("TEXT")
        yield "value: " + " | ".join(
            [*sorted(seen), *(["scalar"] if scalar else ["string", "number", "true", "false", "null"])]
        )
        if scalar:
            yield "scalar: " + form((kinds or ["string"])[0], slot)
            style = self._words()
            self.values["scalar/TEXT"] = {"codec": "schema", "spelling": "python"} if style[0] == "True" else "schema"
        else:
            yield "string: " + form("string", slot)
            integer, number = form("integer", "INT"), form("number", "NUMBER")
            apart = "integer" in kinds and "number" in kinds and integer != number.replace("NUMBER", "INT")
            one = number if "number" in kinds else form("integer", "NUMBER")
            yield "number: " + (f"{integer} | {number}" if apart else one)
            for kind, spelled in zip(("true", "false", "null"), self._words(), strict=True):
                usual = (
                    kind
                    if kind in kinds
                    else next((k for k in ("true", "false", "null", "integer") if k in kinds), kind)
                )
                yield f"{kind}: " + literal(self.text(f"before {usual}") + spelled + self.text(f"after {usual}"))
            yield r"NUMBER: /-?\d+(\.\d+)?([eE][-+]?\d+)?/"
            if apart:
                yield r"INT: /-?\d+(?![.\d])/"
        for name, item in (("array", "item"), ("object", "pair")):
            if name in seen:
                usual = "argument divider" if item == "pair" else "pair divider"  # where none is seen
                divider = self.marker(f"{item} divider" if f"{item} divider" in self.found else usual)
                one = "element" if item == "item" else "pair"
                more = f"{one} ({divider} {one})*" if divider else f"{one}+"
                yield _sequence(
                    f"{name}:",
                    self.marker(f"{name} opener"),
                    f"({more})?" if self.marker(f"{name} opener") else more,
                    self.marker(f"{name} closer"),
                )
        if "array" in seen:
            yield _sequence("element:", self.marker("item opener"), "value", self.marker("item closer"))
        if "object" in seen:
            pair = self.marker("pair closer").replace("KEY", "key")
            yield _sequence("pair:", self.marker("pair opener"), "key", self.marker("pair key closer"), "value", pair)
            yield "key: KEY"
            yield "KEY: " + self._name(_inner_keys(self.rows), self.found.get("pair key closer", ""), [])
        yield f"%declare {slot}"

    def _form(self, kind: str, slot: str) -> str:
        usual = (
            kind
            if f"before {kind}" in self.found
            else {"null": "true", "number": "integer", "integer": "number"}.get(kind, kind)
        )
        return _sequence(self.marker(f"before {usual}"), slot, self.marker(f"after {usual}"))

    def _words(self) -> tuple[str, str, str]:
        """How true, false and null are spelled: as the rows have it, and the others to match."""
        seen = {kind: self.found[f"word {kind}"] for kind in ("true", "false", "null") if f"word {kind}" in self.found}
        styles = [*zip(*(WORDS[value] for value in (True, False, None)), strict=False)]
        style = next(
            (
                one
                for one in styles
                if all(one[i] == seen.get(kind, one[i]) for i, kind in enumerate(("true", "false", "null")))
            ),
            styles[0],
        )
        return tuple(seen.get(kind, usual) for kind, usual in zip(("true", "false", "null"), style, strict=True))

    def _id_form(self) -> str:
        """How an id is made: of the name and the number of its call, where it says them."""
        for row in self.rows if self.hypothesis.ids else ():
            for index, call in enumerate(row.message.calls):
                before, _, after = (call.id or "").partition(call.name)
                return f"{before}{{name}}{after.replace(str(index), '{index}')}"
        return "call_{index}"

    def _terminals(self, rules: Sequence[str]) -> Iterable[str]:
        """The terminals that the rules use."""
        text = "\n".join(rules)
        names = [call.name for row in self.rows for call in row.message.calls]
        keys = [key for row in self.rows for call in row.message.calls for key in call.arguments or ()]
        if "NAME" in self.map:
            yield "NAME: " + self._name(
                names, self.text("name closer", "arguments opener", "argument opener", "call closer"), []
            )
        if "KEY" in self.map:
            after = [
                self.text("arguments closer", "call closer", *more)
                for more in (("call divider", "call opener"), ("calls closer",))
            ]
            instead = after if not self.found.get("argument opener") else []
            yield "KEY: " + self._name(keys, self.found.get("key closer", ""), instead)
        if re.search(r"\bID\b", text):
            self.map["ID"] = "call.id"
            yield r"ID: /[\w.:-]+/" if not re.search(r'ID "[.:-]', text) else r"ID: /\w+/"
        if re.search(r"\bNUMBER\b", text):
            self.map["NUMBER"] = {"written": "$index"}
            yield r'NUMBER: "1" | /\d+/'
        if re.search(r"\bCOUNT\b", text):
            yield r'COUNT: "0" | /\d+/'

    def _name(self, seen: Sequence[str], following: str, instead: Sequence[str]) -> str:
        """A terminal for words like these, up to what follows; `instead` is what may stand in their place."""
        signs = {sign for text in seen for sign in text if not (sign.isalnum() or sign == "_")}
        allowed = (signs | {".", "-"}) - ({*following[:1]} - signs) - {" "}
        inner = r"\w" + "".join(sorted(re.escape(sign).replace("/", r"\/") for sign in allowed))
        words = rf"[{inner}]+" + (rf"(?: [{inner}]+)*" if " " in signs else "")
        taken = [tokens(text)[0] for text in instead if text.strip() and (text[0].isalnum() or text[0] in allowed)]
        without = "|".join(
            re.escape(text).replace("/", r"\/") + r"\b" * text[-1].isalnum() for text in dict.fromkeys(taken)
        )
        return f"/(?!{without}){words}/" if taken else f"/{words}/"


def _inner_keys(rows: Sequence[Row]) -> list[str]:
    """The keys of objects inside of arguments."""
    values = chain.from_iterable((call.arguments or {}).values() for row in rows for call in row.message.calls)
    return [key for value in values for key in _keys(value)]


def _keys(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [*value, *chain.from_iterable(map(_keys, value.values()))]
    return [*chain.from_iterable(map(_keys, value))] if isinstance(value, list) else []


def spec_text(entry: Mapping[str, Json]) -> str:
    """An entry as JSON."""
    return json.dumps(entry, ensure_ascii=False)
