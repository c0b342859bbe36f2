"""Ids: what was rendered as ids, and answers read id by id, with small tokenizers and with real ones."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
import shares
from hypothesis import given
from hypothesis import strategies as st
from shipped_corpus import cases_of
from small_tokenizers import SMALL, byte_level, fetched
from test_chats import LAW, TIDE, conversations

import toolect
from toolect._events import ArgumentsDelta, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Message, Reasoning
from toolect._rendered import Rendered, RenderError
from toolect._transcript import Origin, Transcript
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, User
from toolect.tokens import Encoded, TokenIdError, Tokenizer, adapted, encode, load, markers
from tools.random_conversations import cases

REAL = ("qwen3", "llama3_1", "deepseek_v3", "gemma3", "gptoss")
DIALECTS = ("hermes", "qwen3-coder", "harmony", "mistral-v3", "glm-4.5", "pythonic", "deepseek-v3", "llama3-json")
every_tokenizer = pytest.mark.parametrize("small", SMALL)
SAID = Message([Reasoning("hm"), Content("Sure 🌊."), Call("tide", {"port": "Brest"}), Call("tide", {"port": "天"})])


def spelled(*words: str) -> st.SearchStrategy[str]:
    """Texts in which markers are spelled, whole and in part."""
    parts = st.sampled_from([*"ab {}\né<>", "<tool_call>", "</tool_call>", "<|im_end|>", "<tool_", *words])
    return st.lists(parts, min_size=1, max_size=6).map("".join)


@st.composite
def quoting(draw: st.DrawFn) -> Conversation:
    """Conversations whose texts are full of markers."""
    quotes = spelled("<think>", "</think>", "<tool_response>")
    turns: list[Any] = [System(draw(quotes)), User(draw(quotes)), Assistant(Message([Content(f"c{draw(spelled())}c")]))]
    turns += [User(draw(quotes)), Assistant(Message([Call("tide", {"port": draw(quotes)}, "a")]))]
    return Conversation([*turns, Results((ToolResult("a", "tide", draw(quotes)),))], [TIDE])


def unquoted() -> Conversation:
    """A conversation of the same turns, in which nothing is quoted."""
    said = [System("a"), User("a"), Assistant(Message([Content("c")])), User("a")]
    call = Assistant(Message([Call("tide", {"port": "a"}, "a")]))
    return Conversation([*said, call, Results((ToolResult("a", "tide", "a"),))], [TIDE])


def written(name: str, conversation: Conversation, **options: Any) -> Transcript | None:
    """The conversation's text in a chat that can carry it."""
    try:
        return toolect.chat(name).render(conversation, True, date="2026-01-01", **options)
    except RenderError:
        return None


def bytes_of(encoded: Encoded) -> bytes:
    """What the ids stand for."""
    return b"".join(map(encoded.tokenizer.piece, encoded.ids))


def joined_events(events: list[Event]) -> list[object]:
    """Events with the texts of neighbours joined: how they are cut up does not count."""
    found: list[Any] = []
    for event in events:
        if isinstance(event, ContentDelta | ReasoningDelta | ArgumentsDelta):
            if found and type(found[-1]) is tuple and found[-1][0] is type(event):
                found[-1] = (type(event), found[-1][1] + event.text)
            else:
                found.append((type(event), event.text))
        else:  # an id may come before the end of a call, or not
            found.append(("start", event.name) if isinstance(event, CallStart) else event)
    return found


def read(ids: list[int], tokenizer: object, dialect: str, size: int = 1, **options: Any) -> tuple[Any, list[Event]]:
    """An answer's ids read in groups of `size`."""
    stream = toolect.dialect(dialect).token_stream(tokenizer, **options)
    events = []
    for at in range(0, len(ids), size):
        events += stream.feed(ids[at] if size == 1 else ids[at : at + size])
    return stream, events + stream.close()


# Encoding


@every_tokenizer
@pytest.mark.parametrize("name", ["qwen3", "chatml", "qwen2.5", "llama3.1"])
@LAW
@given(conversations())
def test_ids_are_the_text(small: str, name: str, conversation: Conversation) -> None:
    text = written(name, conversation)
    if text is None:
        return
    for cut in ("answer", "origin"):
        encoded = encode(text, SMALL[small](), cut=cut)  # type: ignore[arg-type]
        assert bytes_of(encoded).decode() == str(text)
        assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in zip(encoded.spans, encoded.spans[1:], strict=False))
        owners = [
            {origin.origin for origin in text.spans if origin.start < t.end and t.start < origin.end}
            for t in encoded.tokens
        ]
        assert all(len(kinds) == 1 or Origin.ANSWER not in kinds for kinds in owners)
        assert [at for at, kinds in enumerate(owners) if len(kinds) > 1] == encoded.straddling
        assert cut == "answer" or not encoded.straddling


@every_tokenizer
@LAW
@given(quoting())
def test_quoted_markers_are_text(small: str, conversation: Conversation) -> None:
    """However texts spell markers, the only ones among the ids are the chat's and the dialect's, and so are calls."""
    text = written("qwen2.5", conversation, unsafe="keep")
    assert text is not None
    encoded = encode(text, SMALL[small]())
    plain = written("qwen2.5", unquoted())
    assert plain is not None
    assert names_in(encoded) == names_in(encode(plain, SMALL[small]()))
    messages = {turn: said.message for turn, said in enumerate(conversation.turns) if isinstance(said, Assistant)}
    assert [call.call.arguments for call in encoded.calls] == [messages[4].calls[0].arguments]
    for turn, message in messages.items():
        ids = [token.id for token in encoded.tokens if token.origin is Origin.ANSWER and token.turn == turn]
        stream, _ = read(ids, SMALL[small](), "hermes")
        assert stream.message.content == message.content
        assert [call.arguments for call in stream.message.calls] == [call.arguments for call in message.calls]


def names_in(encoded: Encoded) -> list[str]:
    """The markers among the ids."""
    names = {number: text for text, number in encoded.tokenizer.added.items()}
    return [names[number] for number in encoded.ids if number in names]


@pytest.mark.parametrize("dialect", DIALECTS)
@every_tokenizer
def test_an_answer_knows_its_calls(small: str, dialect: str) -> None:
    """The ids of each call are those that reading the ids finds, whether the text was rendered or came as it is."""
    message = Message(SAID.segments[1:]) if dialect not in ("hermes", "qwen3-coder", "harmony", "glm-4.5") else SAID
    if dialect == "mistral-v3":
        message = Message([Content("Sure."), Call("tide", {"port": "Brest"}, "abcdefghi")])
    text = toolect.dialect(dialect).render(message, [TIDE])
    if small == "fallback" and "▁" in text:
        pytest.skip("a vocabulary that takes `▁` for a space cannot bring it back")
    known, unknown = (
        encode(text, SMALL[small]()),
        encode(Rendered(text), SMALL[small](), dialect=toolect.dialect(dialect)),
    )
    assert known.ids == unknown.ids and known.calls == unknown.calls
    for size in (1, 3):
        stream, _ = read(known.ids, SMALL[small](), dialect, size)
        assert stream.calls == [(call.start, call.end) for call in known.calls]
        assert len(stream.calls) == len(message.calls)


def test_a_marker_in_a_value_of_sampled_text_is_text() -> None:
    """Where an answer is only known as text, reading it tells which markers are markup."""
    text = '<tool_call>\n{"name": "tide", "arguments": {"port": "</tool_call><tool_call>"}}\n</tool_call>'
    encoded = encode(Rendered(text), byte_level(), dialect=toolect.dialect("hermes"))
    assert names_in(encoded) == ["<tool_call>", "</tool_call>"]
    assert [text[start:end] for start, end in encoded.quoted] == ["</tool_call>", "<tool_call>"]
    assert len(encoded.differences) == 1


def test_where_encoding_all_at_once_differs_is_shown() -> None:
    """`".` and `\n` are one id in the text as a whole, and two where the origin changes."""
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers here: the extra `dev` brings it")
    vocabulary = {sign: at for at, sign in enumerate(sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()))}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary | {".Ċ": 256}, [(".", "Ċ")]))
    made.decoder = tokenizers.decoders.ByteLevel()
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    text = Transcript(
        [("<u>", Origin.SCAFFOLD, 0), ("Hi.", Origin.USER, 0), ("\n<a>", Origin.SCAFFOLD, 0), ("x", Origin.ANSWER, 1)]
    )
    joined, apart = encode(text, made), encode(text, made, cut="origin")
    assert [text[slice(*joined.spans[at])] for at in joined.straddling] == [".\n"] and not joined.differences
    (difference,) = apart.differences
    assert (text[difference.start : difference.end], len(difference.ids), difference.at_once) == (".\n", 2, (256,))
    assert not apart.straddling


def test_sampled_ids_are_kept() -> None:
    """However a model spelled its answer, its ids are those that it sampled."""
    conversation = Conversation([User("Hi"), Assistant(Message([Content("Sure")]), "Sure")])
    text = written("qwen2.5", conversation)
    assert text is not None
    spelling = [byte_level().token_to_id(sign) for sign in "Sure"]
    encoded = encode(text, byte_level(), sampled={1: spelling})
    assert encoded.ids != encode(text, byte_level()).ids and bytes_of(encoded).decode() == text
    assert [token.id for token in encoded.tokens if token.origin is Origin.ANSWER][:-1] == spelling
    assert names_in(encoded)[-1] == "<|im_start|>" and "<|im_end|>" in names_in(encoded)
    with pytest.raises(ValueError, match="those of another text"):
        encode(text, byte_level(), sampled={1: spelling[::-1]})
    with pytest.raises(ValueError, match="turn 0, which is none"):
        encode(text, byte_level(), sampled={0: spelling})


def test_ids_that_normalizing_changed_know_their_characters() -> None:
    """A vocabulary that composes characters brings back others than the text has."""
    text = toolect.chat("qwen2.5").render(Conversation([User("cafe\u0301 e\u0301e\u0301 x")]))
    encoded = encode(text, byte_level("NFC"))
    assert bytes_of(encoded).decode() != text
    covered = {at for start, end in encoded.spans for at in range(start, end)}
    assert covered == {*range(len(text))}
    assert next(text[t.start : t.end] for t in encoded.tokens if text[t.start : t.end].endswith("x")).strip() == "x"


# Decoding


@pytest.mark.parametrize("dialect", DIALECTS)
@every_tokenizer
def test_ids_tell_what_their_text_tells(small: str, dialect: str) -> None:
    """One by one or in groups, with markers as ids or as text: the same message and events as those of the text."""
    tokenizer = adapted(SMALL[small]())
    for case in cases_of(dialect):
        text = case.text
        try:
            (ids,) = tokenizer.encode([text])
        except UnicodeEncodeError:
            continue
        if b"".join(map(tokenizer.piece, ids)).decode("utf-8", "replace") != text:
            continue  # normalized: another text
        stream = toolect.dialect(dialect).stream()
        events = joined_events([*stream.feed(text), *stream.close()])
        for size in (1, 4):
            for policy in ("token", "text"):
                found, heard = read(ids, tokenizer, dialect, size, markers=policy)
                assert found.message == stream.message, text
                assert [s.span for s in found.message.segments] == [s.span for s in stream.message.segments], text
                assert joined_events(heard) == events, text


@every_tokenizer
@pytest.mark.parametrize("text", [toolect.dialect("hermes").render(SAID), "a <tool_call>\n{} 🌊", "<tool_call"])
def test_markers_that_are_spelled_are_text(small: str, text: str) -> None:
    """Ordinary ids that spell a marker are content, to the last character; as text they are what they spell."""
    tokenizer = adapted(SMALL[small]())
    (ids,) = tokenizer.encode_plain([str(text)], frozenset(tokenizer.added))
    said = b"".join(map(tokenizer.piece, ids)).decode()
    for size in (1, 2, 1000):
        stream, events = read(ids, tokenizer, "hermes", size)
        assert not stream.message.calls and stream.message.content == said
        assert "".join(event.text for event in events if isinstance(event, ContentDelta)) == stream.message.content
        plain, _ = read(ids, tokenizer, "hermes", size, markers="text")
        assert plain.message == toolect.dialect("hermes").parse(said)


@LAW
@given(st.lists(st.integers(0, 420), max_size=40), st.integers(1, 5))
def test_any_ids_are_read(ids: list[int], size: int) -> None:
    """Bytes that are no UTF-8 become what a decoder makes of them; nothing raises, and groups do not matter."""
    tokenizer = adapted(byte_level())
    ids = [number % tokenizer.size for number in ids]
    said = b"".join(map(tokenizer.piece, ids)).decode("utf-8", "replace")
    stream, _ = read(ids, tokenizer, "hermes", size, markers="text")
    one, _ = read(ids, tokenizer, "hermes")
    assert stream.message == toolect.dialect("hermes").parse(said) or "�" in said
    again, _ = read(ids, tokenizer, "hermes", size)
    assert again.message == one.message and again.calls == one.calls


def test_an_unknown_id_is_refused_before_anything_is_read() -> None:
    stream = toolect.dialect("hermes").token_stream(byte_level())
    known = byte_level().token_to_id("a")
    for odd in (10**6, -1, 1 << 70, "a", None, 1.5):
        with pytest.raises(TokenIdError, match="expected an id of the tokenizer, which has"):
            stream.feed([known, odd])  # type: ignore[list-item]
    assert not stream.message.segments
    stream.feed(known)
    stream.close()
    assert stream.message.content == "a"
    stream.reset()
    assert not stream.message.segments and not stream.calls


# Tokenizers that do not fit


def without(*markers: str, added: tuple[str, ...] = ()) -> Any:
    """A small tokenizer without some of its markers, and with other added texts."""
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers here: the extra `tokens` brings it")
    spec = json.loads(byte_level().to_str())
    spec["added_tokens"] = [one for one in spec["added_tokens"] if one["content"] not in markers]
    made = tokenizers.Tokenizer.from_str(json.dumps(spec))
    made.add_tokens([tokenizers.AddedToken(text, special=False, normalized=False) for text in added])
    return made


def test_a_vocabulary_without_the_markers_spells_them() -> None:
    """It is said which are missing; then text is all there is, and it is read as text always was."""
    poor = without("<tool_call>", "</tool_call>")
    dialect = toolect.dialect("hermes")
    missing = {one.marker.strip() for one in markers(dialect, poor) if not one.tokens}
    assert {"<tool_call>", "</tool_call>"} <= missing and "<think>" not in missing
    text = dialect.render(Message([Content("Sure."), Call("tide", {"port": "Brest"})]), [TIDE])
    encoded = encode(text, poor)
    assert names_in(encoded) == [] and bytes_of(encoded).decode() == text
    stream, _ = read(encoded.ids, poor, "hermes")
    assert stream.message == dialect.parse(text) and len(stream.calls) == len(encoded.calls) == 1


@pytest.mark.parametrize("added", [("<tool",), ("call>",), ("<tool_call>\n",), (">\n", "<tool_call>\n{")])
def test_added_texts_may_overlap(added: tuple[str, ...]) -> None:
    """Markers that begin in one another: ids say the text, quoted ones are none, and the same calls are read."""
    tokenizer = without(added=added)
    call = Message([Content("c"), Call("tide", {"port": "<tool_call>\n{"}, "a")])
    conversation = Conversation([User("<tool_call>\n{ <tool"), Assistant(call)], [TIDE])
    text = toolect.chat("qwen2.5").render(conversation, False, unsafe="keep")
    encoded = encode(text, tokenizer)
    assert bytes_of(encoded).decode() == text
    assert [one.call.arguments for one in encoded.calls] == [call.calls[0].arguments]
    asked = [token.id for token in encoded.tokens if token.origin is Origin.USER]
    assert not {tokenizer.token_to_id(marker) for marker in ("<tool_call>", "<tool_call>\n", "<tool_call>\n{")} & {
        *asked
    }
    answer = [token.id for token in encoded.tokens if token.origin is Origin.ANSWER]
    stream, _ = read(answer, tokenizer, "hermes")
    assert [one.arguments for one in stream.message.calls] == [call.calls[0].arguments]


def test_bytes_that_stand_for_themselves() -> None:
    """Where a vocabulary falls back to bytes, a character is told once it is whole; half of one is U+FFFD."""
    tokenizer = adapted(SMALL["fallback"]())
    (ids,) = tokenizer.encode(["🌊"])
    assert len(ids) == 4
    stream = toolect.dialect("hermes").token_stream(tokenizer)
    assert [bool(stream.feed(number)) for number in ids] == [False, False, False, True]
    stream, _ = read(ids[:3], tokenizer, "hermes")
    assert stream.message.content == "\ufffd"


# Tokenizers


@pytest.mark.parametrize("odd", [None, "gpt2", object(), 3])
def test_what_is_no_tokenizer_is_said(odd: object) -> None:
    with pytest.raises(TypeError, match="expected a tokenizer of tokenizers"):
        adapted(odd)


def test_bad_input_is_said(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="expected what toolect rendered, got str"):
        encode("Hi", byte_level())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lone surrogate"):
        encode(Rendered("a\ud800", (), toolect.dialect("hermes")), byte_level())
    with pytest.raises(ValueError, match="expected cut"):
        encode(Rendered("a"), byte_level(), cut="no")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected markers"):
        toolect.dialect("hermes").token_stream(byte_level(), markers="no")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match=r"expected tokenizer.json or tekken.json"):
        load(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="expected a tokenizer in"):
        load(tmp_path)


def test_markers_that_a_vocabulary_has_not_are_named() -> None:
    found = {one.marker.strip(): one for one in markers(toolect.dialect("qwen3-coder"), byte_level())}
    assert found["<tool_call>"].whole and found["<tool_call>"].tokens == ("<tool_call>",)
    assert not found["<function="].whole and not found["<function="].tokens


def test_a_tokenizer_that_cuts_off_is_not_obeyed() -> None:
    """Truncation, padding and the habit of encoding special tokens as text are for others."""
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers here: the extra `dev` brings it")
    odd = tokenizers.Tokenizer.from_str(byte_level().to_str())
    odd.enable_truncation(3)
    odd.enable_padding(length=50)
    odd.encode_special_tokens = True
    text = toolect.chat("qwen2.5").render(Conversation([User("Hi")]))
    assert encode(text, odd).ids == encode(text, byte_level()).ids
    assert odd.truncation is not None and isinstance(adapted(odd), Tokenizer)


@pytest.mark.parametrize("name", REAL)
def test_real_tokenizers_obey_the_same_laws(name: str) -> None:
    """Random conversations: the ids are the text, quoted markers are none, calls are found in them."""
    tokenizer = fetched(name)
    for chat in ("qwen3", "llama3.1"):
        for case in shares.share([*cases(7, 12)], 5, name + chat):
            try:
                text = toolect.chat(chat).render(case.conversation, unsafe="keep", date="2026-01-01")
            except RenderError:
                continue
            encoded = encode(text, tokenizer)
            again = bytes_of(encoded).decode()
            assert again == text or unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", again)
            for one in encoded.quoted:
                start, end = encoded.ids_of(one)
                assert tokenizer.added.get(text[slice(*one)]) not in encoded.ids[start:end]


def test_a_tokenizer_is_counted_once() -> None:
    """All tokens are counted, which takes long with many of them; that some were added shows by the next id."""

    class Counted:
        def __init__(self, inner: Any) -> None:
            self._inner, self.counts = inner, 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        def get_vocab_size(self) -> int:
            self.counts += 1
            return int(self._inner.get_vocab_size())

    tokenizers = pytest.importorskip("tokenizers")
    counted = Counted(tokenizers.Tokenizer.from_str(byte_level().to_str()))
    first, once = adapted(counted), counted.counts
    assert all(adapted(counted) is first for _ in range(5)) and counted.counts == once
    counted.add_tokens([tokenizers.AddedToken("<later>", normalized=False)])
    assert "<later>" in adapted(counted).added and counted.counts > once
