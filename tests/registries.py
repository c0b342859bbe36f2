"""Registries of a test's own: what it defines, or loads, is gone after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from toolect import _files as files
from toolect import registry
from toolect._chats import chat_registry


@contextmanager
def own_registries() -> Iterator[None]:
    """Dialects and chats are those that are shipped; what is defined inside is known nowhere else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_registry", registry.Registry(registry.shipped))
        patch.setattr(chat_registry, "_chats", chat_registry.Chats(chat_registry.shipped))
        patch.setattr(files, "_given", {})
        yield
