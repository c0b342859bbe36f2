"""`toolect data tokens`: a conversation as ids, with what each of them is and which are taught."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

import toolect
from toolect._cli.input_files import read_json
from toolect._cli.options import Form, format_option, options, write_page
from toolect._cli.terminal import Misuse, Pen, Styled, TerminalStyle, emit, emit_json, note
from toolect._cli.transcripts import COLOURS, conversation_of
from toolect._extras import MissingExtraError
from toolect._message import Json
from toolect._shown import alike, counted, one_line
from toolect._transcript import Origin
from toolect.tokens import Encoded, Tokenizer, encode, load, markers
from toolect.training import IGNORED, Example, examples

if TYPE_CHECKING:
    from toolect._chats.grammar_chat import Chat
    from toolect._chats.template_chat import TemplateChat
    from toolect.conversation import Conversation

_SHOWN = 5
"""Findings of one kind that are shown."""


@click.command()
@options("file")
@click.option("--chat", "name", metavar="CHAT", help="A name, an alias or a model id.  [default: the template in DIR]")
@options("tokenizer", "teach", "thinking", "html")
@format_option("each example", Form.TEXT, Form.JSON, default=Form.TEXT)
@options("spec", "max-bytes")
def command(
    file: str, name: str | None, tokenizer: str | None, teach: str, thinking: bool | None, html: str | None, form: str,
    max_bytes: int,
) -> int:  # fmt: skip
    """Show a conversation as a model's ids: whose words they are, and which are taught.

    FILE holds messages of the chat-completions API in JSON, or an object with `messages`, `tools` and `system`.

    Each id is a box; taught ones are in double brackets, and those of one origin have one colour. Then it is said
    where ids are of two origins, where text only spells a marker, which markers are several ids, and which answers
    have an end that is not taught. Where the chat writes history otherwise than it was sampled there are several
    examples.
    """
    if tokenizer is None:
        raise Misuse("expected the folder of a tokenizer, got none: name it with --tokenizer")
    folder = tokenizer
    conversation = conversation_of(read_json(file, max_bytes, "messages"))
    try:
        loaded = load(folder)
        chat = toolect.chat(template=_template(folder)) if name is None else toolect.chat(name)
        found = examples(conversation, chat, loaded, teach, thinking=thinking)  # type: ignore[arg-type]
        alone = [] if found else [encode(chat.render(conversation, True, thinking=thinking), loaded)]
        other = None if name is None else _otherwise(conversation, chat, folder, thinking)
    except (OSError, MissingExtraError, ValueError, LookupError, TypeError) as error:
        if isinstance(error, toolect.RenderError):
            note(f"{name or 'the template'} cannot carry this conversation: {error}")
            return 1
        raise Misuse(str(error)) from None
    if other is not None:
        note(other)
    shown = [*found, *(Example(one.ids, [IGNORED] * len(one), [0.0] * len(one), (), one) for one in alone)]
    if html is not None:
        from toolect._corpora.page import draw_page  # needs jinja2

        rows = [(_boxes(one), _findings(one, loaded, chat.ends), one) for one in shown]
        write_page(html, lambda _: draw_page("tokens.html", name=chat.name, rows=rows, origins=[*COLOURS]))
        return 0
    pen = Pen()
    for number, one in enumerate(shown):
        if form == Form.JSON:
            emit_json(_form(one, loaded, chat.ends))
            continue
        taught = sum(label != IGNORED for label in one.labels)
        emit(f"example {number + 1} of {len(shown)}: {counted(len(one.ids), 'id')}, {taught:,} taught\n")
        pen.write(_lines(one))
        for finding in _findings(one, loaded, chat.ends):
            emit(f"  {finding}\n")
        emit("\n")
    return 0


def _template(folder: str) -> Path:
    """Path of the chat template in a tokenizer's folder."""
    found = [
        path for name in ("chat_template.jinja", "tokenizer_config.json") if (path := Path(folder) / name).is_file()
    ]
    if not found:
        raise FileNotFoundError(f"expected a chat template in {folder}, got none: name a chat with --chat")
    return found[0]


def _otherwise(conversation: Conversation, chat: Chat | TemplateChat, folder: str, thinking: bool | None) -> str | None:
    """First difference between the texts of the tokenizer's own template and of the chat; None if they are alike."""
    try:
        template = toolect.chat(template=_template(folder), dialect=chat.dialect)
        theirs = str(template.render(conversation, False, thinking=thinking))
    except (OSError, ValueError, LookupError, MissingExtraError):
        return None
    ours = str(chat.render(conversation, False, thinking=thinking))
    if ours == theirs:
        return None
    at = alike(ours, theirs)
    return (
        f"the template in {folder} writes otherwise than {chat.name} from character {at} on: "
        f"{one_line(theirs[at : at + 30])!r} where {one_line(ours[at : at + 30])!r} is"
    )


def _boxes(example: Example) -> list[dict[str, Json]]:
    """Data from which the box of each id is drawn."""
    text = example.encoded.text
    return [
        {
            "text": one_line(text[token.start : token.end]).replace("\\n", "↵") or "∅",
            "id": token.id, "origin": token.origin.value, "turn": token.turn, "taught": label != IGNORED,
            "breaks": "\n" in text[token.start : token.end],
            "segment": "" if token.segment is None else token.segment.kind,
        }
        for token, label in zip(example.encoded.tokens, example.labels, strict=True)
    ]  # fmt: skip


def _lines(example: Example) -> Iterator[Styled]:
    """The ids as boxes, a line for each line of the text, with its origin before it."""
    before, begun = None, False
    for box in _boxes(example):
        owner = f"{box['origin']} {box['turn']}" if box["turn"] >= 0 else box["origin"]
        if begun and owner != before:
            yield TerminalStyle.PLAIN, "\n"
            begun = False
        before = owner
        if not begun:
            yield TerminalStyle.QUIET, f"{owner:12}"
        left, right = ("⟦", "⟧") if box["taught"] else ("[", "]")
        style = COLOURS[Origin(box["origin"])]
        yield f"bold {style}" if box["taught"] else style, f"{left}{box['text']}{right}"
        begun = not box["breaks"]
        yield TerminalStyle.PLAIN, "" if begun else "\n"
    yield TerminalStyle.PLAIN, "\n" if begun else ""


def _findings(example: Example, tokenizer: Tokenizer, ends: tuple[str, ...]) -> list[str]:
    """Remarks on the ids."""
    encoded, text = example.encoded, example.encoded.text
    found = []
    if encoded.straddling:
        words = [repr(text[slice(*encoded.spans[at])]) for at in encoded.straddling[:_SHOWN]]
        found.append(f"{counted(len(encoded.straddling), 'id')} of two origins, none of an answer: {', '.join(words)}")
    if encoded.quoted:
        words = [repr(text[slice(*span)]) for span in encoded.quoted[:_SHOWN]]
        found.append(f"{counted(len(encoded.quoted), 'quoted marker')}, encoded as text: {', '.join(words)}")
    if encoded.differences:
        found.append(f"{counted(len(encoded.differences), 'place')} where the whole text at once has other ids")
    found += _split(encoded, tokenizer, ends)
    for turn in example.answers:
        own = [at for at, one in enumerate(encoded.tokens) if one.turn == turn and one.origin is Origin.ANSWER]
        if not own:
            found.append(f"turn {turn}: nothing of the answer is written as it was said, and nothing is taught")
            continue
        last = own[-1]
        ended = text[: encoded.spans[last][1]].endswith(ends or ("",))
        if not ended or example.labels[last] == IGNORED:
            found.append(f"turn {turn}: the end of the answer is not taught")
    if example.reason:
        found.append(f"another example follows: {example.reason}")
    return found


def _split(encoded: Encoded, tokenizer: Tokenizer, ends: tuple[str, ...]) -> Iterator[str]:
    """The markers in the text that are several ids: any text can spell them."""
    known = markers(encoded.dialect, tokenizer) if encoded.dialect is not None else []
    words = {one.marker.strip(): one for one in known if not one.tokens and len(one.marker.strip()) > 2}
    for word, one in words.items():
        if word in encoded.text:
            yield f"marker `{one_line(word)}` is {counted(len(one.ids), 'id')} here: text can spell it"
    for end in ends:
        if end not in tokenizer.added:
            yield f"end token `{end}` is not in the vocabulary: it is taught as text"


def _form(example: Example, tokenizer: Tokenizer, ends: tuple[str, ...]) -> dict[str, Json]:
    return {
        **example.columns(),
        "tokens": [{key: box[key] for key in box if key != "breaks"} for box in _boxes(example)],
        "calls": [one._asdict() | {"call": one.call.name} for one in example.encoded.calls],
        "findings": _findings(example, tokenizer, ends),
        "reason": example.reason,
    }
