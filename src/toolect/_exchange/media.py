"""Media types: images, sounds, videos and files between texts, as each API writes them.

A part stays as its provider had it. For another API it is written anew, from its address: a URL, or `data:` with the
bytes. What only one provider knows, as an id of a file, is written for no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

from msgspec.structs import replace

from toolect._chat_completion import part_texts
from toolect._message import Content, Json, MessageError, dumps
from toolect._objects import Object, as_list, field, plain
from toolect._rendered import RenderError
from toolect._turns import Media, MediaKind, Results, Turn, User

MAX_MEDIA: Final = 1 << 26
"""Bytes of JSON that one part may have. Beyond it: it is refused."""
_KINDS: Final[Mapping[str, MediaKind]] = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "audio_url": "audio",
    "input_audio": "audio", "video": "video", "video_url": "video", "file": "file", "input_file": "file",
    "document": "file",
}  # fmt: skip
_DATA: Final = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,", re.IGNORECASE)
"""Matches the part of a `data:` URL before the bytes."""


class MediaApi(Enum):
    """API of media parts: chat completions, as chat templates read them; Anthropic's API; Responses."""

    CHAT = "chat completions"
    ANTHROPIC = "Anthropic's API"
    RESPONSES = "the Responses API"


_OWN: Final = {
    **dict.fromkeys(("image_url", "audio_url", "input_audio", "video_url", "file"), MediaApi.CHAT),
    **dict.fromkeys(("input_image", "input_file"), MediaApi.RESPONSES),
    "document": MediaApi.ANTHROPIC,
}


def read_parts(content: Object, where: str) -> tuple[str, tuple[Media, ...]]:
    """The text of a content, empty for none, and the media in it. Raises MessageError."""
    if content is None or isinstance(content, str):
        return content or "", ()
    texts, media, size = [], [], 0
    for number, part in enumerate(as_list(content, where, "text or a list of parts")):
        at, word = f"{where}[{number}]", field(part, "type")
        if isinstance(word, str) and word in _KINDS:
            media.append(Media(_KINDS[word], size, _kept(part, at)))
            continue
        for segment in part_texts(part, at):
            if not isinstance(segment, Content):
                raise MessageError("text", "reasoning", where, "only a model's answer has reasoning")
            texts.append(segment.text)
            size += len(segment.text)
    return "".join(texts), (*media,)


def are_parts(value: Json) -> bool:
    """True for the parts of a content, texts and at least one that has an address, and for such a part alone."""
    parts = value if isinstance(value, list) else [value]
    kinds = [part.get("type") if isinstance(part, dict) else None for part in parts]
    shown = [kind in _KINDS and _address(part)[0] != "" for kind, part in zip(kinds, parts, strict=True)]
    return any(shown) and all(one or kind == "text" for one, kind in zip(shown, kinds, strict=True))


def _kept(part: Object, where: str) -> dict[str, Json]:
    """A part as it came. Raises MessageError for one that is no JSON, or too long."""
    kept = plain(part.model_dump(exclude_none=True) if hasattr(part, "model_dump") else part, where)
    if not isinstance(kept, dict):
        raise MessageError("a part of a content", type(part).__name__, where)
    kept = {name: value for name, value in kept.items() if value is not None}  # tables add nulls
    if (size := len(dumps(kept).encode("utf-8", "surrogatepass"))) > MAX_MEDIA:
        raise MessageError(f"a part of at most {MAX_MEDIA:,} bytes", f"one of {size:,}", where)
    return kept


def written_parts(text: str, media: Sequence[Media], api: MediaApi) -> Json:
    """The content of a message: a text, or its parts where there are others. Raises RenderError."""
    if not media:
        return text
    kind = "input_text" if api is MediaApi.RESPONSES else "text"
    parts: list[Json] = []
    for piece in between(text, media):
        if isinstance(piece, Media):
            parts.append(_written(piece, api))
        elif piece:
            parts.append({"type": kind, "text": piece})
    return parts


def between(text: str, media: Sequence[Media]) -> Iterable[str | Media]:
    """The pieces of a text, with the media between them."""
    last = 0
    for one in sorted(media, key=lambda one: one.at):
        at = min(max(one.at, last), len(text))
        yield text[last:at]
        yield one
        last = at
    yield text[last:]


def same_media(some: Sequence[Media], others: Sequence[Media]) -> bool:
    """True for media that would be `some` again, were `others` written for the same API."""
    return len(some) == len(others) and all(map(_is_same, some, others))


def _is_same(one: Media, two: Media) -> bool:
    if one == two or (one.kind, one.at) != (two.kind, two.at):
        return one == two
    try:
        return _written(two, _api_of(one.part)) == one.part
    except RenderError:
        return False


def _api_of(part: Mapping[str, Json]) -> MediaApi:
    is_source = isinstance(part.get("source"), dict)
    return MediaApi.ANTHROPIC if is_source else _OWN.get(str(part.get("type")), MediaApi.CHAT)


def _written(one: Media, api: MediaApi) -> dict[str, Json]:
    part = one.part
    if _api_of(part) is api:
        return dict(part)
    url, name = _address(part)
    made = _WRITE[api](one.kind, url, name) if url else None
    if made is None:
        raise RenderError(one.kind, f"{api.value} has no form for a part like it", str(part.get("type")))
    return made


def _address(part: Mapping[str, Json]) -> tuple[str, str]:
    """Address and file name of a part: a URL or `data:`, empty if only its provider can fetch it."""
    kind = str(part.get("type"))
    source = part.get("source")
    inner = part.get(kind) if isinstance(part.get(kind), dict) else part
    assert isinstance(inner, dict)
    name = str(inner.get("filename") or inner.get("title") or "")
    if isinstance(source, dict):
        data = f"data:{source.get('media_type')};base64,{source.get('data')}" if source.get("type") == "base64" else ""
        return data or str(source.get("url") or ""), name
    if kind == "input_audio":
        return (f"data:audio/{inner.get('format')};base64,{inner.get('data')}" if inner.get("data") else ""), name
    keys = ("url", "image_url", "file_url", "file_data", "image", "audio", "video")
    return next((one for key in keys if isinstance(one := inner.get(key), str) and one), ""), name


def _for_chat(kind: MediaKind, url: str, name: str) -> dict[str, Json] | None:
    if kind != "file":
        return {"type": f"{kind}_url", f"{kind}_url": {"url": url}}
    return {"type": "file", "file": {"filename": name or "file", "file_data": url}} if _DATA.match(url) else None


def _for_anthropic(kind: MediaKind, url: str, name: str) -> dict[str, Json] | None:
    if kind not in ("image", "file"):
        return None
    data = _DATA.match(url)
    source = (
        {"type": "base64", "media_type": data[1], "data": url[data.end() :]} if data else {"type": "url", "url": url}
    )
    titled = {"title": name} if name and kind == "file" else {}
    return {"type": "image" if kind == "image" else "document", "source": source, **titled}


def _for_responses(kind: MediaKind, url: str, name: str) -> dict[str, Json] | None:
    if kind == "image":
        return {"type": "input_image", "image_url": url}
    if kind != "file":
        return None
    held: dict[str, Json] = {"filename": name or "file", "file_data": url} if _DATA.match(url) else {"file_url": url}
    return {"type": "input_file", **held}


_WRITE: Final[dict[MediaApi, Callable[[MediaKind, str, str], dict[str, Json] | None]]] = {
    MediaApi.CHAT: _for_chat, MediaApi.ANTHROPIC: _for_anthropic, MediaApi.RESPONSES: _for_responses,
}  # fmt: skip


def media_of(turn: Turn) -> tuple[Media, ...]:
    """The media in the texts of a turn."""
    if isinstance(turn, User):
        return turn.media
    return tuple(one for result in turn.results for one in result.media) if isinstance(turn, Results) else ()


def shown_by_user(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns, with the media of results moved to a user's turn behind them: few APIs have them in results."""
    for turn in turns:
        yield turn if isinstance(turn, User) else without_media(turn, "shown below")
        if isinstance(turn, Results) and (media := media_of(turn)):
            yield User("", tuple(replace(one, at=0) for one in media))


def without_media(turn: Turn, note: str = "not shown") -> Turn:
    """The turn with words in the place of its media."""

    def in_words(text: str, media: Sequence[Media]) -> str:
        return "".join(f"[{one.kind}, {note}]" if isinstance(one, Media) else one for one in between(text, media))

    if isinstance(turn, User) and turn.media:
        return replace(turn, text=in_words(turn.text, turn.media), media=())
    if isinstance(turn, Results) and media_of(turn):
        return Results(tuple(replace(one, output=in_words(one.output, one.media), media=()) for one in turn.results))
    return turn


_SHOWN: Final[tuple[MediaKind, ...]] = ("image", "video", "audio")
_COLUMNS: Final = frozenset((*_SHOWN, *(f"{kind}s" for kind in _SHOWN)))


def placed(turns: Sequence[Turn], columns: Mapping[str, Json]) -> tuple[Sequence[Turn], list[str]]:
    """The turns with media for the `<image>` in texts of the user, if columns hold as many, and what is odd of them.

    What an image is stays in its column, `image` or `images`; so do sounds and videos.
    """
    odd: list[str] = []
    if _COLUMNS.isdisjoint(columns):
        return turns, odd
    for kind in _SHOWN:
        held: Json = next((one for name in (f"{kind}s", kind) if (one := columns.get(name)) not in (None, "", [])), [])
        count, tag = len(held) if isinstance(held, list) else 1, f"<{kind}>"
        if not count:
            continue
        there = sum(one.kind == kind for turn in turns for one in media_of(turn))
        tags = sum(turn.text.count(tag) for turn in turns if isinstance(turn, User))
        if tags + there == count:
            turns = [_placed(turn, tag, kind) if isinstance(turn, User) else turn for turn in turns]
        else:
            odd.append(f"{count} of `{kind}`, and {tags + there} places")
    return turns, odd


def _placed(turn: User, tag: str, kind: MediaKind) -> User:
    pieces: list[str | Media] = []
    for piece in between(turn.text, turn.media):
        if isinstance(piece, Media):
            pieces.append(piece)
            continue
        for number, text in enumerate(piece.split(tag)):
            pieces += [Media(kind, 0, {"type": kind}), text] if number else [text]
    media, text = [], ""
    for piece in pieces:
        if isinstance(piece, Media):
            media.append(replace(piece, at=len(text)))
        else:
            text += piece
    return User(text, (*media,))


def tagged(turn: Turn) -> Turn:
    """A turn of the user with `<image>` for an image whose address stands elsewhere."""
    if not isinstance(turn, User) or any(one.part != {"type": one.kind} for one in turn.media):
        return turn
    texts = (f"<{one.kind}>" if isinstance(one, Media) else one for one in between(turn.text, turn.media))
    return User("".join(texts))


def refuse_media(turns: Iterable[Turn], where: str) -> None:
    """Raises RenderError where a turn has an image, a sound, a video or a file, for which `where` has no place."""
    for number, turn in enumerate(turns):
        for one in media_of(turn):
            raise RenderError(one.kind, f"{where} has no place for one, in turn {number}", str(one.part.get("type")))
