"""Mistakes that people make who write the spec of a format: in the grammar, in the entry, and in both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tools.mutation.mutations import Edit, Edits, Mutation, mutation, replaced
from tools.mutation.spec_text import Part, SpecText, line_after, quoted

IDLE = (
    "ignored-words", "unmatchable-model", "number-as-model", "idle-setting", "codec-on-json", "stale-allow",
    "marker-as-end",
)  # fmt: skip
"""Mistakes that may change nothing: what was meant does not happen."""
_ALIKE = str.maketrans("aceopxyASTM", "асеорхуАЅТМ")


def closer_of_another_name(spec: SpecText) -> Iterator[Edits]:
    """A closer is spelled otherwise than its opener: `<toolcall>…</tool_call>`."""
    for part in spec.markers():
        if part.text.startswith(('"</', '"\\n</')):
            if "_" in part.text:
                yield replaced(part, part.text.replace("_", "", 1))
            yield replaced(part, re.sub(r"(\w)>", r"\1s>", part.text, count=1))
            yield replaced(part, re.sub(r"</(\w)", lambda m: "</" + m[1].swapcase(), part.text, count=1))


def closer_without_slash(spec: SpecText) -> Iterator[Edits]:
    """A closer has lost its slash."""
    for part in spec.markers():
        if "</" in part.text:
            yield replaced(part, part.text.replace("</", "<", 1))


def swapped_letters(spec: SpecText) -> Iterator[Edits]:
    """Two letters of a marker have changed places."""
    for part in spec.markers():
        for match in re.finditer(r"(?<!\\)([a-z])([a-z])", part.text):
            if match[1] != match[2]:
                yield replaced(part, part.text[: match.start()] + match[2] + match[1] + part.text[match.end() :])
                break


def doubled_letter(spec: SpecText) -> Iterator[Edits]:
    """A letter of a marker comes twice."""
    for part in spec.markers():
        if match := re.search(r"[a-z]{3}", part.text):
            yield replaced(part, part.text[: match.end()] + match[0][-1] + part.text[match.end() :])


def other_case(spec: SpecText) -> Iterator[Edits]:
    """A marker is written with a capital letter, or with small letters."""
    for part in spec.markers():
        if match := re.search(r"(?<!\\)[A-Za-z]{3,}", part.text):
            word = match[0].capitalize() if match[0].islower() else match[0].lower()
            yield replaced(part, part.text[: match.start()] + word + part.text[match.end() :])


def lost_bracket(spec: SpecText) -> Iterator[Edits]:
    """A marker has lost the bracket that it begins or ends with."""
    for part in spec.markers():
        if match := re.fullmatch(r'"((?:\\n)*)([<\[({])(.{3,})([>\])}])((?:\\n)*)"', part.text):
            yield replaced(part, f'"{match[1]}{match[3]}{match[4]}{match[5]}"')
            yield replaced(part, f'"{match[1]}{match[2]}{match[3]}{match[5]}"')


def other_bar(spec: SpecText) -> Iterator[Edits]:
    """A bar of a marker is the full-width one, or the other way round."""
    for part in spec.markers():
        if "|" in part.text:
            yield replaced(part, part.text.replace("|", "｜", 1))
        if "｜" in part.text:
            yield replaced(part, part.text.replace("｜", "|", 1))


def other_alphabet(spec: SpecText) -> Iterator[Edits]:
    """A letter of a marker is one of another alphabet that looks like it."""
    for part in spec.markers():
        if (match := re.search(r"(?<!\\)[aceopxyASTM]", part.text)) and re.search(r"[a-zA-Z]{3}", part.text):
            yield replaced(part, part.text[: match.start()] + match[0].translate(_ALIKE) + part.text[match.end() :])


def invisible_character(spec: SpecText) -> Iterator[Edits]:
    """A marker holds a character that nobody sees."""
    for number, part in enumerate(spec.markers()):
        if len(part.text) > 4:
            sign = "\u200b\u00ad\ufeff\u200e"[number % 4]
            yield replaced(
                part, part.text[: len(part.text) // 2].rstrip("\\") + sign + part.text[len(part.text) // 2 :]
            )


def literal_newline(spec: SpecText) -> Iterator[Edits]:
    r"""A newline of a marker is escaped once too often: `\\n`."""
    for part in spec.markers():
        if "\\n" in part.text and len(part.text) > 4:
            yield replaced(part, part.text.replace("\\n", "\\\\n", 1))


def literal_newline_in_entry(spec: SpecText) -> Iterator[Edits]:
    """A newline of the entry stands between single quotes, where it is none."""
    for pair in spec.pairs:
        text = pair.value.text
        quotes = "'" in text or '\\"' in text
        if pair.path[0] in ("gaps", "results") and "\\n" in text and text[0] == '"' and not quotes:
            yield replaced(pair.value, f"'{pair.value.text[1:-1]}'")


def other_quote(spec: SpecText) -> Iterator[Edits]:
    """A text is opened with one kind of quote and closed with another."""
    for part in spec.markers():
        if part.text.endswith('\\""') and len(part.text) > 4:
            yield replaced(part, part.text[:-3] + "'\"")
        if part.text.startswith('"\\"') and len(part.text) > 4:
            yield replaced(part, "\"'" + part.text[3:])
        if part.text.endswith("'\"") and len(part.text) > 3:
            yield replaced(part, part.text[:-2] + '\\""')


def single_quotes(spec: SpecText) -> Iterator[Edits]:
    """A marker of the grammar stands between single quotes."""
    for part in spec.markers():
        if "'" not in part.text and '\\"' not in part.text:
            yield replaced(part, f"'{part.text[1:-1]}'")


def other_grammar_signs(spec: SpecText) -> Iterator[Edits]:
    """A rule is written as other notations have it: with `::=`, with `=`, with `;` at its end."""
    for number, (name, signs) in enumerate(spec.definitions.items()):
        colon, last = signs[1].part, signs[-1].part
        if colon.text == ":":
            kinds = [replaced(colon, " ::="), replaced(colon, " ="), (Edit(last, last.text + ";"),)]
            yield kinds[(number + len(name)) % 3]


def bare_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker of the grammar has no quotes, or a regular expression no slashes."""
    for part in spec.markers():
        if "\\" not in part.text:
            yield replaced(part, part.text[1:-1])
    for sign in spec.signs:
        if sign.kind == "regex":
            yield replaced(sign.part, sign.part.text[1:-1])


def broken_regex(spec: SpecText) -> Iterator[Edits]:
    """A regular expression lacks a bracket."""
    for sign in spec.signs:
        if sign.kind == "regex" and ("]" in sign.part.text or ")" in sign.part.text):
            yield replaced(sign.part, re.sub(r"[\])](?!.*[\])])", "", sign.part.text))


def narrow_name(spec: SpecText) -> Iterator[Edits]:
    """Names or keys are narrower than what tools are called: no digits, no underscore, no capitals."""
    for number, signs in enumerate(spec.definitions.values()):
        for sign in signs:
            if sign.kind == "regex" and re.search("NAME|KEY", sign.definition):
                yield replaced(sign.part, ("/[a-z]+/", "/[a-z_]+/", "/[a-zA-Z]+/", "/[a-z][a-z0-9]*/")[number % 4])


def ignored_words(spec: SpecText) -> Iterator[Edits]:
    """A rule has words of Lark that toolect takes no notice of: `?`, `!`, a priority."""
    for number, (name, signs) in enumerate(spec.definitions.items()):
        if name != "start":
            first = signs[0].part
            forms = (f"{name}.2",) if name.isupper() else (f"?{name}", f"!{name}", f"{name}.2")
            yield replaced(first, forms[number % len(forms)])


def spaced_key(spec: SpecText) -> Iterator[Edits]:
    """Names of a key stand apart from the bar between them: `"name | tool"`."""
    for pair in spec.pairs:
        if pair.path[0] == "map" and len(pair.path) > 2 and pair.name not in ("written", "content"):
            yield replaced(pair.key, quoted(pair.name.replace("|", " | ") if "|" in pair.name else f"{pair.name} | x"))


def bare_hole(spec: SpecText) -> Iterator[Edits]:
    """A hole of a shape has lost its dollar sign."""
    for pair in spec.pairs:
        if pair.path[0] == "map" and len(pair.path) > 2 and re.fullmatch(r"\$\w+", pair.text):
            yield replaced(pair.value, pair.text[1:])


def other_hole(spec: SpecText) -> Iterator[Edits]:
    """A hole of a shape has a name of its own, or the braces of other notations."""
    for pair in spec.pairs:
        if pair.path[0] == "map" and len(pair.path) > 2 and pair.text in ("$name", "$arguments"):
            yield replaced(pair.value, "$parameters" if pair.text == "$arguments" else "$function")
            yield replaced(pair.value, f'"{{{pair.text[1:]}}}"')


def dollar_role(spec: SpecText) -> Iterator[Edits]:
    """A role is written like a hole, or without what it belongs to: `$name`, `name`."""
    for pair in spec.field("map"):
        if "." in pair.text:
            yield replaced(pair.value, "$" + pair.text.rpartition(".")[2])
            yield replaced(pair.value, pair.text.rpartition(".")[2])


def other_path(spec: SpecText) -> Iterator[Edits]:
    """A slot is named with a dot, or without its rule."""
    for pair in spec.field("map"):
        if "/" in pair.name:
            yield replaced(pair.key, pair.name.replace("/", "."))
            yield replaced(pair.key, pair.name.partition("/")[2])


def marker_as_end(spec: SpecText) -> Iterator[Edits]:
    """A marker of the grammar is an end token."""
    markers = [part.text for part in spec.markers() if len(part.text) > 6 and "\\n" not in part.text]
    if markers and (items := spec.items("end")):
        part = items[-1][0]
        yield from (replaced(part, f"{part.text}, {marker}") for marker in markers)


def unmatchable_model(spec: SpecText) -> Iterator[Edits]:
    """A pattern of model ids can match none: an address, a regular expression."""
    for part, text in spec.items("models"):
        if text.count("/") == 1:
            yield replaced(part, quoted(f"https://huggingface.co/{text}"))
            yield replaced(part, quoted(text.rstrip("*") + ".*"))
            yield replaced(part, quoted(f"^{text.rstrip('*')}$"))


def number_as_model(spec: SpecText) -> Iterator[Edits]:
    """A pattern of model ids is a number."""
    for part, _ in spec.items("models"):
        yield replaced(part, "405")


def model_of_another(spec: SpecText) -> Iterator[Edits]:
    """A pattern of model ids says more of a model than the one of the dialect that the model writes."""
    for part, _ in spec.items("models"):
        taken = "openai/gpt-oss-120b" if spec.dialect != "harmony" else "Qwen/Qwen3-8B"
        yield replaced(part, f"{part.text}, {quoted(taken)}")


def codec_on_json(spec: SpecText) -> Iterator[Edits]:
    """A slot that is JSON has a codec."""
    shaped = [pair for pair in spec.field("map") if pair.name.endswith("/JSON") and not pair.text]
    if not any(pair.path == ("values",) for pair in spec.pairs):
        yield from (replaced(line_after(spec), f"  values: {{{pair.name}: {{codec: schema}}}}\n") for pair in shaped)


def idle_setting(spec: SpecText) -> Iterator[Edits]:
    """A codec has an option that it makes no use of."""
    for pair in spec.field("values"):
        if pair.value.text.startswith("{") and "schema" not in pair.value.text:
            yield replaced(pair.value, pair.value.text[:-1] + ", untyped: text}")
        elif pair.value.text.startswith("{") and "strings" not in pair.value.text:
            yield replaced(pair.value, pair.value.text[:-1] + ", strings: quoted}")


def stale_allow(spec: SpecText) -> Iterator[Edits]:
    """A comment allows what is not there."""
    yield replaced(line_after(spec), "  # toolect: allow swallowing-slot the model does it\n")


def one_argument(spec: SpecText) -> Iterator[Edits]:
    """A call has room for one argument alone."""
    for signs in spec.definitions.values():
        for name, star in pairwise(signs):
            if name.part.text in ("argument", "parameter", "pair", "arg") and star.part.text in "*+":
                yield replaced(star.part, "?")
                yield replaced(star.part, "")


def one_segment(spec: SpecText) -> Iterator[Edits]:
    """A message has room for one segment, or for one of each kind."""
    signs = spec.definitions.get("start", [])
    for sign in signs:
        if sign.part.text == "*" and sign.kind == "op":
            yield replaced(sign.part, "")
            yield replaced(sign.part, "?")


def no_text(spec: SpecText) -> Iterator[Edits]:
    """A message has no room for text that is no call."""
    for sign in spec.definitions.get("start", []):
        end = sign.part.end
        rest = re.match(r"\s*\|\s*", spec.grammar[end:])
        if sign.part.text == "content" and rest:
            yield replaced(Part("grammar", sign.part.start, end + rest.end(), ""), "")


MUTATIONS: list[Mutation] = [
    mutation(make) for name, make in list(globals().items())
    if not name.startswith("_") and getattr(make, "__module__", "") == __name__ and callable(make)
]  # fmt: skip
"""Each function above."""
