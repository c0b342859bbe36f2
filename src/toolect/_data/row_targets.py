"""Target forms of conversations: the columns of each, written and read back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from toolect._chats.chat_registry import chat as chat_named
from toolect._chats.conversation_diff import OF_TOOLS, Change, changes
from toolect._chats.grammar_chat import Check
from toolect._chats.round_trips import MAX_SHAPES, OF_SHAPES
from toolect._data.keeping import DEFUSED, WEIGHTS_LEFT
from toolect._detection.guess import reader as reader_of
from toolect._exchange.media import tagged
from toolect._exchange.openai_messages import template_messages
from toolect._exchange.sharegpt import read_row
from toolect._message import Json, Reasoning, dumps
from toolect._rendered import RenderError
from toolect._rows.open_row import RowReading
from toolect._training.taught_ids import wish_of
from toolect._transcript import Defused
from toolect._turns import Assistant, User
from toolect.conversation import Conversation
from toolect.training import IGNORED, Example, examples

if TYPE_CHECKING:
    from toolect._tokens.tokenizer_protocol import Tokenizer


class Form(StrEnum):
    """Form of a written row."""

    MESSAGES = "messages"
    """`messages` as chat templates take them, arguments as objects, and `tools`."""
    SHAREGPT = "sharegpt"
    """`conversations` of `from` and `value`, and `tools` as JSON text."""
    ANTHROPIC = "anthropic"
    """`messages`, `system` and `tools` of Anthropic's API."""
    RESPONSES = "responses"
    """`input` and `tools` of the Responses API."""
    TRL = "trl"
    """`prompt` and `completion` as messages, and `tools`: only the last answer is taught."""
    TEXT = "text"
    """`text`: the transcript of a chat."""
    AXOLOTL = "axolotl"
    """`segments` of `text`, with a `label` that is true for taught text: axolotl's `input_output`."""
    IDS = "ids"
    """`input_ids`, `attention_mask`, `labels` and `weights`: rows that trainers take as they are."""
    TINKER = "tinker"
    """The `model_input` and `loss_fn_inputs` of a Tinker datum: ids, moved by one, and weights."""


OF_A_CHAT = (Form.TEXT, Form.AXOLOTL, Form.IDS, Form.TINKER)
"""The forms that are written in a chat."""
OF_IDS = (Form.AXOLOTL, Form.IDS, Form.TINKER)
"""The forms that need a tokenizer."""


class Target(msgspec.Struct, frozen=True):
    """Target of a conversion: its form, and the options of that."""

    form: Form
    chat: str = ""
    dialect: str = ""
    """Dialect of calls in the texts of `sharegpt`; "" for turns of their own."""
    tokenizer: str = ""
    """The folder of a tokenizer."""
    teach: str = "all"
    """The answers that are taught: `all`, `last`, or `calls` alone."""
    thinking: bool | None = None
    date: str | None = None
    unsafe: str = "refuse"
    check: Check = "sample"
    """The rows that are read back and compared."""
    table: bool = False
    """Columns for tables, whose cells are all of one type: columns without one type are JSON text."""

    @property
    def checked(self) -> Check:
        """The rows that are read back: where there is no chat, reading back all of them costs little."""
        return "all" if self.check == "sample" and self.form not in OF_A_CHAT else self.check

    def __str__(self) -> str:
        """The form in words, for a report."""
        within = f" of {self.chat}" if self.chat else f", calls in {self.dialect}" if self.dialect else ""
        return f"{self.form}{within}"


COLUMNS: dict[Form, tuple[str, ...]] = {
    Form.MESSAGES: ("messages", "tools"), Form.SHAREGPT: ("conversations", "tools"),
    Form.ANTHROPIC: ("system", "messages", "tools"), Form.RESPONSES: ("input", "tools"),
    Form.TRL: ("prompt", "completion", "tools"), Form.TEXT: ("text",), Form.AXOLOTL: ("segments",),
    Form.IDS: ("input_ids", "attention_mask", "labels", "weights"), Form.TINKER: ("model_input", "loss_fn_inputs"),
}  # fmt: skip
"""The columns of each form; `tools` and `system` are only there where there are any."""
_UNTYPED: dict[Form, tuple[str, ...]] = {
    Form.MESSAGES: ("messages", "tools"), Form.ANTHROPIC: ("messages", "tools"), Form.RESPONSES: ("input", "tools"),
}  # fmt: skip
_LISTED = ("prompt", "completion")
"""Columns of TRL's messages: lists, as it takes any other value for a text."""


class WrittenRow(NamedTuple):
    """Columns of new rows, the differences of their conversation, and notes."""

    rows: list[dict[str, Json]]
    changes: list[Change]
    notes: tuple[Change, ...] = ()


NO_ANSWER = "no answer that could be taught"
SPELLED = "tokens of the chat are not in the vocabulary, and spelled as any text may spell them"
REJECTED = "rejected_"
"""Prefix of columns with the rejected side of a pair."""
UNSIGNED = "thinking has no signature: in a request the API takes it from nobody"


def write(reading: RowReading, target: Target) -> WrittenRow:
    """The rows of what a row tells; of answers that were cut off no end is taught.

    A pair is one row: columns that begin with `rejected_` hold its other side. Raises RenderError for what the
    target cannot carry.
    """
    weights = reading.weights
    if not reading.wanted and target.form in OF_A_CHAT:
        answers = [n for n, turn in enumerate(reading.conversation.turns) if isinstance(turn, Assistant)]
        weights = {**weights, **dict.fromkeys(answers[-1:], 0.0)}
    found = _written(reading.conversation, target, reading.cut, weights)
    if reading.rejected is None:
        return found
    other = _written(reading.rejected, target, (), {})
    if len(found.rows) != 1 or len(other.rows) != 1:
        rows = f"{len(found.rows)} and {len(other.rows)}"
        raise RenderError("pair", f"expected one row for each side, got {rows}: `--teach last` makes one")
    (better,), (worse,) = found.rows, other.rows
    if target.form is Form.TRL:
        turns = zip(reading.conversation.turns, reading.rejected.turns, strict=False)
        first = next((both for both in turns if both[0] != both[1]), ())
        if [*map(type, first)] != [Assistant, Assistant]:
            raise RenderError("pair", "expected one prompt for both sides, got two")
        sides = [[*one.pop("prompt"), *one.pop("completion")] for one in (better, worse)]
        same = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(*sides, strict=False)))
        better |= {"prompt": sides[0][:same], "chosen": sides[0][same:], "rejected": sides[1][same:]}
    else:
        better |= {f"{REJECTED}{name}": value for name, value in worse.items() if name not in ("tools", "system")}
    return WrittenRow([better], [*found.changes, *other.changes], found.notes)


def _written(
    conversation: Conversation, target: Target, cut: tuple[int, ...], weights: Mapping[int, float]
) -> WrittenRow:
    if target.form in OF_A_CHAT:
        return _in_chat(conversation, target, cut, weights)
    if target.form is Form.SHAREGPT:
        conversation = replace(conversation, turns=(*map(tagged, conversation.turns),))
    row = _row(conversation, target)
    lost = changes(conversation, _again(row, target), ids=False) if target.check != "none" else []
    lost += _weighed(row, conversation, weights, target)
    if target.table:
        text: dict[str, Json] = {
            name: dumps(row[name]) for name in _UNTYPED.get(target.form, ("tools",)) if name in row
        }
        text |= {name: [*map(dumps, row[name])] for name in _LISTED if target.form is Form.TRL}
        row |= {name: text for name, text in text.items() if not isinstance(row[name], str)}
    return WrittenRow([row], lost, (*_unsigned(conversation),) if target.form is Form.ANTHROPIC else ())


def _weighed(
    row: dict[str, Json], conversation: Conversation, weights: Mapping[int, float], target: Target
) -> Iterator[Change]:
    """Write the weights of answers into their messages; a change where there is no place for them."""
    if weights and target.form in (Form.MESSAGES, Form.TRL):
        answers = [number for number, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
        messages = [*row.get("messages", ()), *row.get("prompt", ()), *row.get("completion", ())]
        for number, message in zip(answers, (one for one in messages if one["role"] == "assistant"), strict=True):
            if number in weights:
                message["weight"] = weights[number]
    elif weights:
        yield Change(WEIGHTS_LEFT, min(weights))


def _unsigned(conversation: Conversation) -> Iterator[Change]:
    """A note on thinking without a signature."""
    for number, turn in enumerate(conversation.turns):
        thoughts = turn.message.segments if isinstance(turn, Assistant) else ()
        if any(isinstance(one, Reasoning) and not one.signature for one in thoughts):
            yield Change(UNSIGNED, number)
            return


def target_of(to: str, *, chat: str = "", **given: Any) -> Target:
    """The target of this name: a form, or a chat whose transcripts are written. Raises UnknownNameError, ValueError."""
    if to not in [*Form]:
        return target_of(Form.TEXT, chat=to, **given)
    target = Target(Form(to), chat_named(chat).name if chat else "", **given)
    if target.form in OF_A_CHAT and not target.chat:
        raise ValueError(f"expected the chat to write `{to}` in, got none")
    if target.form in OF_IDS and not target.tokenizer:
        raise ValueError(f"expected the folder of a tokenizer for `{to}`, got none")
    return target


def _row(conversation: Conversation, target: Target) -> dict[str, Json]:
    match target.form:
        case Form.SHAREGPT:
            return conversation.to_sharegpt(target.dialect or None)
        case Form.ANTHROPIC:
            return conversation.to_anthropic()
        case Form.RESPONSES:
            return conversation.to_responses()
        case Form.TRL:
            messages = template_messages(conversation.turns)
            last = max((n for n, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
            if last < 0:
                raise RenderError("answer", NO_ANSWER)
            return {"prompt": messages[:last], "completion": messages[last : last + 1]} | _tools(conversation)
        case _:
            return {"messages": template_messages(conversation.turns)} | _tools(conversation)


def _tools(conversation: Conversation) -> dict[str, Json]:
    return {"tools": [dict(tool) for tool in conversation.tools]} if conversation.tools else {}


def _again(row: Mapping[str, Json], target: Target) -> Conversation:
    """The conversation of a row that was written."""
    tools = row.get("tools")
    match target.form:
        case Form.SHAREGPT:
            turns, defined, _ = read_row(row, reader_of(target.dialect) if target.dialect else None, False)
            return Conversation(turns, defined)
        case Form.ANTHROPIC:
            return Conversation.from_anthropic(row["messages"], row.get("system"), tools)
        case Form.RESPONSES:
            return Conversation.from_responses(row["input"], None, tools)
        case Form.TRL:
            return Conversation.from_openai([*row["prompt"], *row["completion"]], tools)
        case _:
            return Conversation.from_openai(row["messages"], tools)


# In a chat


def _in_chat(
    conversation: Conversation, target: Target, cut: tuple[int, ...], weights: Mapping[int, float]
) -> WrittenRow:
    one = chat_named(target.chat)
    options: dict[str, Any] = {"thinking": target.thinking, "date": target.date, "unsafe": target.unsafe}
    if target.form is Form.TEXT:
        written = one.round_trip(conversation, check=target.check, **options)
        lost = [Change(WEIGHTS_LEFT, min(weights))] if weights else []
        return WrittenRow([{"text": str(written.text)}], [*_defused(written.defused), *written.changes, *lost])
    tokenizer: Any = tokenizer_of(target.tokenizer)
    teach = dataclasses.replace(wish_of(target.teach), cut=cut, weights=weights)  # type: ignore[arg-type]
    made = examples(conversation, one, tokenizer, teach, **options)
    if not made:
        raise RenderError("answer", NO_ANSWER)
    texts = [(example.encoded.text, example.answers) for example in made]
    lost = _taught_otherwise(conversation, texts, target, options) if target.check != "none" else []
    spelled = ", ".join(f"`{one}`" for one in _spelled(target) if any(one in text for text, _ in texts))
    notes = (Change(SPELLED, detail=spelled),) if spelled else ()
    return WrittenRow([_COLUMNS[target.form](example) for example in made], lost, notes)


@lru_cache(8)
def _spelled(target: Target) -> tuple[str, ...]:
    """The tokens of the chat that are none of the vocabulary."""
    known = tokenizer_of(target.tokenizer)
    added = {*known.added.values()}
    tokens = [one for one in chat_named(target.chat).tokens if one.startswith(("<", "["))]
    return tuple(one for one, ids in zip(tokens, known.encode(tokens), strict=True) if added.isdisjoint(ids))


def _defused(texts: Iterable[Defused]) -> list[Change]:
    return [Change(DEFUSED, one.turn, one.marker) for one in texts]


_LOST: dict[tuple[Any, ...], list[Change]] = {}
"""Losses of the examples of conversations of one shape, by the target, the shape, and the answers that they teach."""


def _taught_otherwise(
    conversation: Conversation, texts: list[tuple[str, tuple[int, ...]]], target: Target, options: dict[str, Any]
) -> list[Change]:
    """Losses of a conversation's examples; in a sample those of others of its shape, if all lose the same."""
    if target.check == "all":
        return _read_otherwise(conversation, texts, target)
    whole = chat_named(target.chat).round_trip(conversation, check="sample", **options)
    key = target, whole.shape, tuple(answers for _, answers in texts)
    found = None if whole.shape is None else _LOST.get(key)
    if found is not None:
        return [*(change for change in whole.changes if change.what in OF_TOOLS), *found]
    lost = _read_otherwise(conversation, texts, target)
    found = [change for change in lost if change.what not in OF_TOOLS]
    if whole.shape is not None and all(change.what in OF_SHAPES for change in found):
        if len(_LOST) >= MAX_SHAPES:
            _LOST.clear()
        _LOST[key] = found
    return lost


def _read_otherwise(
    conversation: Conversation, texts: list[tuple[str, tuple[int, ...]]], target: Target
) -> list[Change]:
    """Changes of a conversation's examples: of each in its own answers, of the last one in all else."""
    one = chat_named(target.chat)
    found = []
    said = {n for n, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)}
    taught = {number for _, answers in texts for number in answers}
    for at, (text, answers) in enumerate(texts):
        back = one.parse(text)
        if back.turns[-1:] == (User(""),):  # the token that ends the last answer is what the next turn begins with
            back = replace(back, turns=back.turns[:-1])
        ends = max(answers) + 1
        before = replace(conversation, turns=tuple(conversation.turns[:ends]))
        for change in changes(before, back, ids=False):
            own = change.turn in answers or at == len(texts) - 1 and not (change.turn in said and change.turn in taught)
            if own:
                found.append(change)
    return found


def _ids(example: Example) -> dict[str, Json]:
    columns: dict[str, Json] = dict(example.columns())
    del columns["assistant_masks"]
    return {**columns, "weights": example.weights}


def _datum(example: Example) -> dict[str, Json]:
    taught = [float(label != IGNORED) for label in example.labels]
    return {
        "model_input": {"tokens": example.ids[:-1]},
        "loss_fn_inputs": {"target_tokens": example.ids[1:], "weights": taught[1:]},
    }


_COLUMNS: dict[Form, Callable[[Example], dict[str, Json]]] = {
    Form.AXOLOTL: lambda example: {"segments": example.segments()}, Form.IDS: _ids, Form.TINKER: _datum,
}  # fmt: skip


@lru_cache(4)
def tokenizer_of(folder: str) -> Tokenizer:
    """The tokenizer in a folder, read once. Raises OSError, ValueError, MissingExtraError."""
    from toolect import tokens  # needs the extra `tokens`

    return tokens.adapted(tokens.load(folder))


def ids_of(row: Mapping[str, Json]) -> int:
    """Number of ids of a row; 0 for a row without ids."""
    if "input_ids" in row:
        return len(row["input_ids"])
    return len(row["model_input"]["tokens"]) + 1 if "model_input" in row else 0


def length(row: Mapping[str, Json], conversation: Conversation, target: Target) -> int:
    """The ids of a row; those of the transcript where the row has none."""
    if size := ids_of(row):
        return size
    from toolect import tokens

    known = tokenizer_of(target.tokenizer)
    if target.chat:
        return len(tokens.encode(chat_named(target.chat).render(conversation, False, unsafe="keep"), known))
    return len(known.encode([dumps(dict(row))])[0])
