"""What lint found."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import structs

from toolect._spec.problems import in_order
from toolect.diagnostic import Diagnostic


class Report(msgspec.Struct, frozen=True):
    """The causes that lint found, each with what follows from it, and the dialects or chats it looked at."""

    diagnostics: tuple[Diagnostic, ...]
    dialects: tuple[str, ...]

    @property
    def all(self) -> Iterator[Diagnostic]:
        """Every finding by itself, by file and place."""
        alone = [structs.replace(d, follows=()) for cause in self.diagnostics for d in (cause, *cause.follows)]
        return iter(in_order(dict.fromkeys(alone)))
