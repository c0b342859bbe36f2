"""What a check of chats is given: one chat with all that belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from toolect import registry
from toolect._chats.chat_registry import ready_chat
from toolect._chats.verbs import Chat
from toolect._spec.chat_load import load_chat_entries
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.document import cut
from toolect._spec.entry import Entry, Loaded
from toolect.authoring.lint.places import descend
from toolect.authoring.lint.talks import Talk, talks
from toolect.diagnostic import Place


class ChatSubject:
    """One chat under lint. What costs time is made when it is first asked for, and kept."""

    def __init__(
        self, path: Path, loaded: Loaded[ChatSpec], entries: Mapping[str, Entry], bases: tuple[Path, ...]
    ) -> None:
        assert loaded.spec is not None
        self.path, self.loaded, self.entries, self.bases = path, loaded, entries, bases
        self.spec: ChatSpec = loaded.spec

    @property
    def name(self) -> str:
        """The chat's name."""
        return self.spec.name

    @property
    def place(self) -> Place:
        """Where the entry begins."""
        return self.loaded.entry.name.place

    @cached_property
    def chat(self) -> Chat:
        """The chat, ready to use."""
        return ready_chat(self.spec)

    @cached_property
    def talks(self) -> list[Talk]:
        """Conversations that every chat can carry, written."""
        return [*talks(self.chat)]

    def without(self, *keys: str) -> ChatSpec | None:
        """The spec that the entry makes when what it says at `keys` is left out; None when it makes none."""
        name = self.loaded.entry.name
        entry = Entry(name, cut(self.loaded.entry.table, keys))
        entries = {**self.entries, name.text: entry}
        (loaded,) = load_chat_entries(self.path, entries, [name.text], *self.bases, known=registry.resolve)
        return loaded.spec

    def field(self, *path: str) -> Place:
        """Where a field, or what it has below the further keys of `path`, is written; else where the entry begins."""
        found = descend(self.loaded.entry.table, path) or descend(self.loaded.whole.table, path)
        return found or self.place

    def rule(self, *roles: ChatRole) -> Place:
        """Where the first rule of one of these roles is defined; where the entry begins if there is none."""
        names = (name for name, role in self.spec.roles.items() if role in roles)
        return next((self.spec.rules[name].place for name in names), self.place)
