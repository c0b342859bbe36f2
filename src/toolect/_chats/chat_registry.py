"""Registry of chats: those of the shipped `chats.yaml`, and those that users load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, overload

from toolect import _files as files
from toolect import _shelves as shelves
from toolect import registry
from toolect._compiled import Dialect, find_tool_prompts_by
from toolect._diagnostic import Diagnostic
from toolect._dialect_registry import beside
from toolect._message import Json
from toolect._names import Names, UnknownNameError

if TYPE_CHECKING:
    from toolect._chats.grammar_chat import Chat
    from toolect._chats.template_chat import TemplateChat
    from toolect._chats.tool_prompt import ToolPrompt
    from toolect._spec.chat_model import ChatSpec


class ChatShelf(shelves.Shelf["ChatSpec"]):
    """The chats of one file, read when they are asked for."""

    index = "chats"
    grammars = "grammars/chats"

    def kind(self) -> type[ChatSpec]:
        """Class of the specs."""
        from toolect._spec.chat_model import ChatSpec

        return ChatSpec

    def cached(self, name: str) -> str:
        """The name under which the cache keeps a chat: a dialect may have the same."""
        return f"chat-{name}"

    def stems(self, name: str) -> Iterator[str]:
        """The names of the grammars that a chat may be made from: its own, that of the one it extends, and so on."""
        below = {one: names for base in self.bases for one, names in ChatShelf(base).names.items()}
        names, met = {**below, **self.names}, set[str]()
        while name and name not in met:
            yield name
            met.add(name)
            other = names.get(name, Names()).extends
            if other == name and names is not below:  # it has the name of the one that it extends
                names, other = below, below.get(name, Names()).extends
            name = other

    def load(self, name: str) -> ChatSpec:
        """The spec of an entry, out of its file. Raises `SpecError`."""
        from toolect._spec.chat_load import load_chat

        return load_chat(self.path, name, *self.bases, known=registry.resolve)

    def load_all(self) -> tuple[dict[str, ChatSpec], list[Diagnostic]]:
        """All specs, and the problems of the entries; an undeclared dialect is one."""
        from toolect._spec.chat_load import load_chats

        return load_chats(self.path, *self.bases, known=registry.resolve)

    def read_names(self) -> tuple[dict[str, Names], list[Diagnostic]]:
        """Names that the entries answer to, and the problems of the file."""
        from toolect._spec.chat_load import read_chat_names

        return read_chat_names(self.path)


class Chats(shelves.Shelves["ChatSpec", "Chat"]):
    """The specs of chats, and one `Chat` per name, made once."""

    what = "chat"

    def shelf(self, path: Path, *bases: Path) -> ChatShelf:
        """The shelf of a file. Raises `SpecError`."""
        return ChatShelf(path, *bases)

    def unknown(self, name: str, near: tuple[str, ...]) -> UnknownNameError:
        """The error for an unknown name."""
        return UnknownNameError(name, near, "chat")

    def make(self, spec: ChatSpec) -> Chat:
        """The chat of a spec."""
        return ready_chat(spec)

    def looks_like(self, text: str) -> list[str]:
        """The chats that a transcript may be one of, best first: those whose markers it has most kinds of.

        Of several that are alike in that, those that models are trained on come first.
        """
        from toolect._chats.control_tokens import tokens_of

        found: list[tuple[float, bool, str]] = []
        for name in self.names():
            spec = self.spec(name)
            tokens = tokens_of(spec)
            held = sum(token in text for token in tokens)
            if held:
                found.append((-held * held / len(tokens), not spec.models, name))
        return [name for *_, name in sorted(found)]


def shipped() -> Path:
    """The `chats.yaml` that comes with the package."""
    return registry.shipped().with_name("chats.yaml")


def ready_chat(spec: ChatSpec) -> Chat:
    """The chat of a spec. Raises `UnknownNameError` for an undeclared dialect of answers."""
    from toolect._chats.answers import plain_dialect  # not part of starting up
    from toolect._chats.grammar_chat import Chat

    return Chat(spec, registry.dialect(spec.dialect) if spec.dialect else plain_dialect())


_chats = Chats(shipped, lambda: files.named(chats=True), lambda: files.packaged(chats=True))
beside(lambda: _chats)
PLAIN = "plain"
"""The chat for prompts about tools and results where a dialect has none."""


def tool_prompt_of(dialect: Dialect) -> ToolPrompt:
    """Prompts of a dialect for tools and results: those of the chat that has its name, or of the plain one."""
    from toolect._chats.tool_prompt import ToolPrompt

    try:
        found = _chats.ready(dialect.name)
    except UnknownNameError:
        found = _chats.ready(PLAIN)
    if dialect.name not in (found.name, *found.spec.aliases):
        found = _chats.ready(PLAIN)
    return ToolPrompt(found.spec, dialect)


find_tool_prompts_by(tool_prompt_of)


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
    `bos_token`, for example. Raises `UnknownNameError`, `TemplateError`, OSError.
    """
    if (name is None) == (template is None):
        raise TypeError("expected a name or a template, got " + ("neither" if name is None else "both"))
    if name is not None:
        return _chats.ready(name)
    from toolect._chats.template_chat import from_template  # not part of starting up

    assert template is not None
    return from_template(template, registry.dialect(dialect) if isinstance(dialect, str) else dialect, variables)


def spec(name: str) -> ChatSpec:
    """The spec of the chat with this name, alias or model id. Raises `UnknownNameError`."""
    return _chats.spec(name)


def chats() -> list[str]:
    """The names of all chats, in alphabetical order."""
    return _chats.names()


def looks_like(text: str) -> list[str]:
    """The names of the chats that a transcript may be one of, the likeliest first; empty where no markers are known."""
    return _chats.looks_like(text)


def bases(path: Path) -> tuple[Path, ...]:
    """The files whose entries those of the file at `path` may extend; the shipped one stands alone."""
    return _chats.bases(path)


def file_of(name: str) -> Path:
    """The file that declares the chat with this name, alias or model id. Raises `UnknownNameError`."""
    return _chats.file_of(name)


def load(path: str | Path) -> list[str]:
    """Register the dialects of a file, or its chats where it is called `chats.yaml`, or `NAME.chats.yaml`.

    They win over those of the same name; the names that they have are what this gives. Raises `SpecError`.
    """
    holds_chats = isinstance(path, str | Path) and files.holds_chats(Path(path))
    return _chats.load(path) if holds_chats else registry.load(path)
