"""How the rows of a data set are read."""

from __future__ import annotations

import msgspec

from toolect._data.kinds import Kind


class Source(msgspec.Struct, frozen=True):
    """How rows are read. Without a kind it is found out row by row."""

    kind: Kind | None = None
    dialect: str = ""
    """What answers that are text are in; "" where they are nothing but content."""
    chat: str = ""
    """What transcripts are written in."""
    field: str = ""
    """The column that holds the turns or the text; "" to look for it."""
    retell: bool = True
    """Leave out a system text that tells of the tools, and tell of them as the target does."""

    def __str__(self) -> str:
        """The kind in words, for a report."""
        what = str(self.kind or "rows of any kind")
        if self.chat:
            return f"{what} of {self.chat}"
        if not self.dialect:
            return what
        return f"{what}, with calls in the text ({'any dialect' if self.dialect == 'auto' else self.dialect})"
