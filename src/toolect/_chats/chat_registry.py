"""Which chats there are: those of the shipped `chats.yaml`, found by name, alias or model id."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, overload

from toolect import _cache as cache
from toolect import registry
from toolect._names import Names, explain, near_misses
from toolect.compiled import Dialect
from toolect.diagnostic import SpecError
from toolect.message import Json

if TYPE_CHECKING:
    from toolect._chats.template_chat import TemplateChat
    from toolect._chats.verbs import Chat
    from toolect._spec.chat_model import ChatSpec


class UnknownChat(LookupError):
    """No chat has this name, alias or model id; `near` are names that look like it."""

    def __init__(self, name: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(name, near)
        self.name, self.near = name, near

    def __str__(self) -> str:
        near = " or ".join(map(repr, self.near))
        hint = f"did you mean {near}?" if near else "see toolect.chats()"
        return f"no chat, alias or model is named {self.name!r}: {hint}"


class ChatShelf:
    """The chats of one file, read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = path.read_bytes() if path.exists() else b""
        self._key = cache.key([str(path).encode("utf-8", "surrogateescape"), self._text])
        self.names: dict[str, Names] = cache.load("chats", self._key, dict[str, Names]) or self._index()

    def spec(self, name: str) -> ChatSpec:
        """The spec of an entry: from the cache, or loaded. Raises `SpecError`."""
        from toolect._spec.chat_model import ChatSpec

        parts = [self._key.encode(), name.encode()]
        for stem in filter(None, (name, self.names[name].extends)):
            parts += cache.grammar_parts(self.path.parent / "grammars" / "chats" / f"{stem}.lark")
        key = cache.key(parts)
        spec = cache.load(f"chat-{name}", key, ChatSpec)
        if spec is None:
            from toolect._spec.chat_load import load_chat

            spec = load_chat(self.path, name)
            cache.store(f"chat-{name}", key, spec)
        return spec

    def _index(self) -> dict[str, Names]:
        from toolect._spec.chat_load import read_chat_names

        names, problems = read_chat_names(self.path)
        if not names:
            raise SpecError(problems)
        if not problems:
            cache.store("chats", self._key, names)
        return names


class Chats:
    """The chats, each made once."""

    def __init__(self) -> None:
        self._shelf: ChatShelf | None = None
        self._ready: dict[str, Chat] = {}
        self._lock = threading.RLock()

    def chat(self, name: str) -> Chat:
        """The chat with this name, alias or model id. Raises `UnknownChat`."""
        ready = self._ready.get(name)
        if ready is not None:
            return ready
        with self._lock:
            names = [self.shelf.names]
            from toolect._chats.answers import plain_dialect  # not part of starting up
            from toolect._chats.verbs import Chat

            found = explain(name, names)
            if found is None:
                raise UnknownChat(name, tuple(near_misses(name, names)))
            ready = self._ready.get(found.dialect)
            if ready is None:
                spec = self.shelf.spec(found.dialect)
                dialect = registry.dialect(spec.dialect) if spec.dialect else plain_dialect()
                ready = self._ready[found.dialect] = Chat(spec, dialect)
            return ready

    @property
    def shelf(self) -> ChatShelf:
        """The shipped chats."""
        if self._shelf is None:
            self._shelf = ChatShelf(registry.shipped().with_name("chats.yaml"))
        return self._shelf

    def looks_like(self, text: str) -> list[str]:
        """The chats that a transcript may be one of, best first: those whose markers it has most kinds of."""
        from toolect._chats.guarding import tokens_of

        found: list[tuple[float, str]] = []
        for name in self.shelf.names:
            tokens = tokens_of(self.shelf.spec(name))
            held = sum(token in text for token in tokens)
            if held:
                found.append((-held * held / len(tokens), name))
        return [name for _, name in sorted(found)]


_chats = Chats()


@overload
def chat(name: str) -> Chat: ...
@overload
def chat(
    name: None = None,
    *,
    template: str | Path,
    dialect: str | Dialect | None = None,
    variables: Mapping[str, Json] | None = None,
) -> TemplateChat: ...
def chat(
    name: str | None = None,
    *,
    template: str | Path | None = None,
    dialect: str | Dialect | None = None,
    variables: Mapping[str, Json] | None = None,
) -> Chat | TemplateChat:
    """The chat with this name, alias or model id; or one that is a model's own template, which can only write.

    `template` is its text, or the path of a jinja file or of a tokenizer_config.json. `dialect` is what the model's
    answers are in; without one, that which does best on the template. `variables` are what its tokenizer tells it:
    `bos_token`, for example. Raises `UnknownChat`, `UnknownDialect`, `BadTemplate`, OSError.
    """
    if (name is None) == (template is None):
        raise TypeError("expected a name or a template, got " + ("neither" if name is None else "both"))
    if name is not None:
        return _chats.chat(name)
    from toolect._chats.template_chat import from_template  # not part of starting up

    assert template is not None
    return from_template(template, registry.dialect(dialect) if isinstance(dialect, str) else dialect, variables)


def chats() -> list[str]:
    """The names of all chats, in alphabetical order."""
    return sorted(_chats.shelf.names)


def looks_like(text: str) -> list[str]:
    """The names of the chats that a transcript may be one of, the likeliest first; empty where no markers are known."""
    return _chats.looks_like(text)
