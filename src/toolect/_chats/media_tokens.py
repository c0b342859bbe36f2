"""Media placeholders: the tokens that stand for an image, a sound, a video or a file in the texts of a chat.

While a conversation is written, a sign of private use stands in the place of each, so that no text can bring its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from toolect._exchange.media import between, media_of
from toolect._rendered import RenderError
from toolect._transcript import Origin, Transcript
from toolect._turns import Media, MediaKind, Results, Turn, User

Tokens = Mapping[MediaKind, str]
_FIRST: Final = 0xF0000
"""The first sign of private use."""
MAX_PLACES: Final = 0xFFFE
"""How many media a conversation may have. Beyond it: it is refused."""


def with_signs(turns: Sequence[Turn], tokens: Tokens, chat: str) -> tuple[Sequence[Turn], dict[str, Media]]:
    """The turns with a sign in the place of each medium, and what each stands for. Raises RenderError."""
    found = [one for turn in turns for one in media_of(turn)]
    for one in found[:1] if len(found) > MAX_PLACES else (one for one in found if one.kind not in tokens):
        raise RenderError(one.kind, f"the chat `{chat}` has no place for it", str(one.part.get("type")))
    signs: dict[str, Media] = {}
    return [_with_signs(turn, signs) if media_of(turn) else turn for turn in turns] if found else turns, signs


def _with_signs(turn: Turn, signs: dict[str, Media]) -> Turn:
    def signed(text: str, media: Sequence[Media]) -> str:
        pieces = []
        for piece in between(text, media):
            if isinstance(piece, Media):
                sign = chr(_FIRST + len(signs))
                signs[sign], piece = piece, sign
            pieces.append(piece)
        return "".join(pieces)

    if isinstance(turn, User):
        return replace(turn, text=signed(turn.text, turn.media), media=())
    assert isinstance(turn, Results)
    return Results(tuple(replace(one, output=signed(one.output, one.media), media=()) for one in turn.results))


def with_tokens(text: Transcript, signs: Mapping[str, Media], tokens: Tokens) -> Transcript:
    """The text with tokens in the place of signs. Raises RenderError where it has a sign elsewhere, or not at all."""
    if not signs:
        return text
    any_sign = re.compile(f"([{min(signs)}-{max(signs)}])")
    counts = Counter(any_sign.findall(text))
    for sign, one in signs.items():
        if counts[sign] != 1:
            raise RenderError(one.kind, "the chat writes no text where it stands", str(one.part.get("type")))

    def pieces() -> Iterator[tuple[str, Origin, int]]:
        for piece in text.pieces:
            if any_sign.search(piece[0]) is None:
                yield piece
                continue
            for number, part in enumerate(any_sign.split(piece[0])):
                yield (tokens[signs[part].kind], Origin.SCAFFOLD, piece[2]) if number % 2 else (part, *piece[1:])

    return Transcript(pieces(), text.defused, text.author, text.changed)


def without_tokens(text: str, tokens: Tokens) -> tuple[str, tuple[Media, ...]]:
    """A text that was read, without tokens, and the media that these stand for: of their kind, and no more is known."""
    kinds = {token: kind for kind, token in tokens.items()}
    if not any(token in text for token in kinds):
        return text, ()
    parts = re.split("(" + "|".join(map(re.escape, sorted(kinds, key=len, reverse=True))) + ")", text)
    media, size = [], 0
    for number, part in enumerate(parts):
        if number % 2:
            media.append(Media(kinds[part], size, {"type": kinds[part]}))
        else:
            size += len(part)
    return "".join(parts[::2]), (*media,)
