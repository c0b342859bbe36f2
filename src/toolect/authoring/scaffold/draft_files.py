"""A draft as the files of a dialect: its grammar, its entry, and its corpus."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from toolect._values.toolset import tool_schemas
from toolect.authoring.corpus import Case, describe, write
from toolect.authoring.scaffold.assemble import Draft, Expected
from toolect.authoring.scaffold.pieces import Hole, Token, has_markers
from toolect.authoring.scaffold.seen import Arguments
from toolect.compiled import Dialect
from toolect.message import Json, Message, dumps, same_json
from toolect.rendered import Unrepresentable


class Sample(NamedTuple):
    """What a model wrote, under a title, and the end of the prompt if that opened its reasoning."""

    title: str
    text: str
    prefix: str = ""
    message: Message | None = None
    """What it says, if that is known."""


def grammar(draft: Draft, title: str) -> str:
    """The grammar of a draft."""
    holes = _holes(draft)
    slots = ["TEXT", *(hole.value for hole in (Hole.JSON, Hole.ESCAPED) if hole in holes)]
    lines = [f"// {title}"]
    language = language_of(draft)
    lines += [f"%import .values.{language} (value)"] if language else []
    parts = list(_parts(draft))
    lines.append(f"start: ({' | '.join(parts)})*" if len(parts) > 1 else "start: content*")
    if draft.wrap is not None:
        parts_of = [dumps(draft.wrap.opener), "TEXT", dumps(draft.wrap.closer) if draft.wrap.closer else ""]
        lines.append(
            "text: " + " ".join([*filter(None, parts_of), *([f"{dumps(draft.wrap.after)}?"] * bool(draft.wrap.after))])
        )
    lines.append("content: TEXT")
    if draft.thought is not None:
        lines.append(f"think: {dumps(draft.thought.opener)} TEXT {dumps(draft.thought.closer)}")
    if draft.wrapped:
        inner = f"call ({' '.join(_spelled(draft.divider))} call)*" if draft.divider else "call+"
        lines.append("calls: " + " ".join([*_spelled(draft.opener), inner, *_spelled(draft.closer)]))
    lines += _call(draft) if draft.call else []
    if draft.arguments is not None:
        several = draft.arguments.forms[1:]
        forms = [" ".join(_spelled(form)) for form in draft.arguments.forms]
        named = [f"{form} -> {name}" for form, name in zip(forms, _FORMS, strict=False)] if several else forms
        lines.append("argument: " + "\n    | ".join(named))
    lines += _terminals(draft)
    lines.append(f"%declare {' '.join(slots)}")
    return "\n".join(lines) + "\n"


def language_of(draft: Draft) -> str:
    """The value language that the grammar imports, if any."""
    return "python" if Hole.CODE in draft.call else draft.arguments.language if draft.arguments else ""


_ROLES: dict[Hole, Json] = {
    Hole.NAME: "call.name",
    Hole.REF: "call.id",
    Hole.ID: "call.id",
    Hole.INDEX: {"written": "$index"},
    Hole.TYPE: {"written": "$type"},
}
"""What the terminals of a call mean."""
_FORMS = ("quoted", "plain")
"""The names of the forms of an argument that has two."""


def _parts(draft: Draft) -> Iterator[str]:
    yield "content"
    if draft.wrap is not None:
        yield "text"
    if draft.thought is not None:
        yield "think"
    if draft.call:
        yield "calls" if draft.wrapped or Hole.CODE in draft.call and draft.listed else "call"


def _call(draft: Draft) -> Iterator[str]:
    if Hole.CODE not in draft.call:
        yield "call: " + " ".join(_spelled(draft.call, draft.arguments))
        return
    at = draft.call.index(Hole.CODE)
    before, after = draft.call[:at], draft.call[at + 1 :]
    one = 'NAME "(" (argument (", " argument)*)? ")"'
    if draft.listed:
        yield "calls: " + " ".join([*_spelled((*before, "[")), 'call (", " call)*', *_spelled(("]", *after))])
        yield f"call: {one}"
    else:
        yield "call: " + " ".join([*_spelled(before), one, *_spelled(after)])
    yield 'argument: KEY "=" value'


def _spelled(tokens: Sequence[Token], arguments: Arguments | None = None) -> Iterator[str]:
    """Tokens as the grammar has them: texts between holes are one marker."""
    divided = f"(argument ({dumps(arguments.divider)} argument)*)?" if arguments and arguments.divider else ""
    text = ""
    for token in tokens:
        if isinstance(token, Hole):
            yield from ([dumps(text)] if text else [])
            yield divided if divided and token is Hole.ARGUMENTS else token.value
            text = ""
        else:
            text += token
    yield from ([dumps(text)] if text else [])


def _terminals(draft: Draft) -> Iterator[str]:
    tokens = _holes(draft)
    if Hole.CODE in tokens:
        yield r"NAME: /[A-Za-z_][\w.]*/"
        yield r"KEY: /[A-Za-z_]\w*/"
        return
    for hole in (Hole.NAME, Hole.REF, Hole.ID, Hole.INDEX, Hole.TYPE, Hole.KEY):
        if hole in tokens:
            yield f"{hole}: /{_regex(hole, draft)}/"


def _holes(draft: Draft) -> list[Token]:
    """What a call is made of, and its arguments."""
    return (
        [*draft.call, *(token for form in draft.arguments.forms for token in form)]
        if draft.arguments
        else [*draft.call]
    )


def _regex(hole: Hole, draft: Draft) -> str:
    """A name ends where whitespace or a sign comes that may follow it."""
    signs = {text[0] for text in _following(hole, draft) if text and not (text[0].isalnum() or text[0] in "_-.")}
    shown = {re.escape(sign).replace("/", r"\/") for sign in signs if not sign.isspace()} | {"<", ">", '"'}
    return rf"[^\s{''.join(sorted(shown))}]+"


def _following(hole: Token, draft: Draft) -> Iterator[str]:
    """The texts that may come behind a hole."""
    forms = draft.arguments.forms if draft.arguments else ()
    after = [*draft.divider, *draft.closer] if draft.wrapped else []
    for run in ((*draft.call, *after), (*draft.call, *draft.closer), *forms):
        for at, token in enumerate(run):
            if token is not hole:
                continue
            for other in run[at + 1 :]:
                if other is Hole.ARGUMENTS:
                    yield from (str(form[0]) for form in forms if not isinstance(form[0], Hole))
                elif not isinstance(other, Hole):
                    yield other
                    break


def entry(draft: Draft, name: str, about: str) -> str:
    """The entry of a draft."""
    roles: dict[str, Json] = {"text": "content"} if draft.wrap is not None else {}
    roles["content"] = "content"
    if draft.thought is not None:
        roles["think"] = "reasoning"
    if draft.call and not _has_list(draft.shape):  # each item of a list is a call of its own
        roles["call"] = "call"
    if draft.shape is not None:
        roles["call/JSON"] = draft.shape
    elif Hole.JSON in draft.call:
        roles["call/JSON"] = "$arguments"
    lines = [f"{name}:", f"  about: {dumps(about)}"]
    for hole, role in _ROLES.items():
        if hole in _holes(draft) or hole is Hole.NAME and Hole.CODE in draft.call:
            roles[hole.value] = role
    codecs: dict[str, str] = {}
    if draft.arguments is not None or Hole.CODE in draft.call:
        rules = _FORMS if draft.arguments is not None and len(draft.arguments.forms) > 1 else ("argument",)
        roles |= dict.fromkeys(rules, "argument") | {"KEY": "argument.key"}
        if draft.arguments is None:
            roles["argument/value"] = "argument.value"
        for rule, form in zip(rules, draft.arguments.forms if draft.arguments else (), strict=False):
            for hole in {Hole.TEXT, Hole.JSON, Hole.VALUE} & {*form}:
                roles[f"{rule}/{hole.value}"] = "argument.value"
                if hole is Hole.TEXT and draft.arguments is not None:
                    sign = next(str(part)[-1:] for part in reversed(form[: form.index(hole)]))
                    codecs[f"{rule}/TEXT"] = draft.arguments.codec if rule != "quoted" else _QUOTED.get(sign, "text")
    if draft.layout:
        codecs["call/JSON"] = f"{{layout: {draft.layout}}}"
    lines.append("  map:")
    lines += [f"    {key}: {_flow(role)}" for key, role in roles.items()]
    if draft.arguments is not None and draft.arguments.quote not in ("", _GEMMA):
        lines.append(f"  markers: {_flow({_GEMMA: draft.arguments.quote}, quoted=True)}")
    lines += [f"  values: {{{', '.join(f'{slot}: {codec}' for slot, codec in codecs.items())}}}"] if codecs else []
    lines += ['  ids: {form: "functions.{name}:{index}"}'] if Hole.REF in draft.call else []
    lines += ['  ids: {form: "call_{index}"}'] if Hole.ID in draft.call or "$id" in repr(draft.shape) else []
    gaps = {"before call": draft.before_call, "between calls": draft.between_calls}
    if any(gaps.values()):
        lines.append(f"  gaps: {_flow({key: gap for key, gap in gaps.items() if gap}, quoted=True)}")
    if draft.thought is not None and draft.thought.prompted:
        lines.append(f"  prefill: {_flow({draft.thought.opener: 'think'}, quoted=True)}")
    lines += [f"  end: {_flow(list(draft.end), quoted=True)}"] if draft.end else []
    return "\n".join(lines) + "\n"


_GEMMA = '<|"|>'
"""What strings stand between in the value language that has bare words and a token for a quote."""
_QUOTED = {"[": '{codec: schema, untyped: text, quoted: "[<>&\\n]"}'}
"""How a text is read that is marked as one, by the sign before it: in CDATA stands what has markup in it."""


def _has_list(shape: Json) -> bool:
    """True for a shape that holds several calls."""
    return isinstance(shape, list) or isinstance(shape, dict) and any(map(_has_list, shape.values()))


def variant(name: str, base: str, about: str) -> str:
    """The entry of a dialect that is like another."""
    return f"{name}:\n  extends: {base}\n  about: {dumps(about)}\n"


def _flow(value: Json, quoted: bool = False) -> str:
    """A value in YAML's flow style, on one line."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(inner, quoted)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(_flow(inner, quoted) for inner in value) + "]"
        case str() if not quoted and re.fullmatch(r"\$?[A-Za-z_][\w. /]*", value) and value.lower() not in _WORDS:
            return value
        case _:
            return json.dumps(value, ensure_ascii=not str(value).isprintable())


_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")


def corpus(samples: Sequence[Sample], messages: Sequence[Message | None], dialect: Dialect, path: Path) -> str:
    """The samples as cases; below each one what the dialect reads in it, or nothing where that is not clean."""
    pairs = zip(samples, messages, strict=True)
    return write(_case(dialect, sample, message, path) for sample, message in pairs)


def _case(dialect: Dialect, sample: Sample, message: Message | None, path: Path) -> Case:
    attributes = [("prefix", dumps(sample.prefix))] if sample.prefix else []
    if message is None:
        return Case(path, 1, f"{sample.title}: not read yet", tuple(attributes), sample.text, "")
    if _written(dialect, message) != sample.text:
        attributes.append(("parse-only", ""))
    title = f"{sample.title}: check that this is what it says"
    return Case(path, 1, title, tuple(attributes), sample.text, describe(message))


def _written(dialect: Dialect, message: Message, tools: Sequence[Json] | None = None) -> str | None:
    """What rendering makes of the message."""
    try:
        return str(dialect.render(message, tools))
    except Unrepresentable:
        return None


def writes(dialect: Dialect, sample: Sample, tools: Sequence[Json] | None, ends: Sequence[str]) -> bool:
    """True when rendering what is read in a sample gives the sample back, end tokens aside."""
    text = sample.text
    for end in ends:
        text = text.removesuffix(end)
    return _written(dialect, dialect.parse(text, tools, prefix=sample.prefix), tools) == text


def read(
    dialect: Dialect, sample: Sample, tools: Sequence[Json] | None = None, expected: Expected | None = None
) -> Message | None:
    """What the dialect reads in a sample, if it is clean, every call has a name, and none is left in the content.

    With `expected` it is what the sample was seen to say.
    """
    message = dialect.parse(sample.text, tools, prefix=sample.prefix)
    if sample.message is not None:
        return message if _says(message, sample.message) else None
    if not message.clean or not all(call.name for call in message.calls) or has_markers(message.content):
        return None
    if tools and not {call.name for call in message.calls} <= {*tool_schemas(tools)}:
        return None
    if expected is not None:
        calls = [(call.name, frozenset(call.arguments or ())) for call in message.calls]
        wanted = [(call.name, frozenset(call.keys or ())) for call in expected.calls]
        if calls != wanted or message.content.split() != expected.content.split():
            return None
    return message


def _says(message: Message, put: Message) -> bool:
    """True when a message says what was put in, outer whitespace of texts aside."""
    return (
        len(message.calls) == len(put.calls)
        and all(
            one.name == other.name and one.runnable and same_json(one.arguments, other.arguments)
            for one, other in zip(message.calls, put.calls, strict=True)
        )
        and message.content.strip() == put.content.strip()
        and message.reasoning.strip() == put.reasoning.strip()
    )


_SIGNS = re.compile(r"[<>{}\[\]|@#§$%^~=`‹›¦]|--+|/\w")
_KEYED = re.compile(r"\w_\w|^[ \t]{0,40}[-*•.]?[ \t]{0,8}\w{1,60}[ \t]{0,8}[:=][ \t]{0,8}\S|\w\(", re.MULTILINE)
"""What prose has rarely, and markup often; and what calls look like that have no other signs."""


def residue(messages: Sequence[Message | None], tools: Sequence[str]) -> frozenset[str]:
    """What the contents have that looks like markup which was not understood.

    That is what most contents beside calls share, a tool's name in an answer that calls nothing, and where no call was
    found at all whatever prose does not have.
    """
    found = [message for message in messages if message is not None and message.content]
    beside = [set(_SIGNS.findall(message.content)) for message in found if message.calls]
    called = any(message.calls for message in messages if message is not None)
    alone = [message.content for message in found if not message.calls]
    left = {sign for sign in set().union(*beside) if 2 * sum(sign in one for one in beside) > len(beside)}
    lines = Counter(
        line for message in found if message.calls for line in {*message.content.split("\n")} if line.strip()
    )
    left |= {line.strip() for line, count in lines.items() if count > 2 and 2 * count > len(beside)}
    left |= {name for name in tools for text in alone if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}
    if not called:
        left |= {sign for text in alone for signs in (_SIGNS, _KEYED) for sign in signs.findall(text)}
    return frozenset(left)
