"""Options for reading the rows of a data set."""

from __future__ import annotations

import msgspec

TRANSCRIPT = "transcript"
"""The kind of rows that are the text of a whole conversation, as a chat writes it."""


class Source(msgspec.Struct, frozen=True):
    """Options for reading rows. Without a kind each row is of the first one that it fits."""

    kind: str = ""
    """The name of a kind of rows, `transcript`, or "" to find it out."""
    dialect: str | None = None
    """Dialect of calls that stand in texts; "" where texts are nothing but content, None to detect it."""
    chat: str = ""
    """Chat of transcripts."""
    field: str = ""
    """The column that holds the turns or the text; "" to look for it."""
    retell: bool = True
    """Leave out a system text that describes the tools, as the target describes them itself."""
    drop_prompt: bool = False
    """Leave out all of a system text that describes the tools, also its other sentences."""
    files: tuple[str, ...] = ()
    """Files with further kinds of rows."""

    join: str = ""
    """A file with the other halves of rows, in JSON lines: the requests of a batch."""
    guessed: bool = False
    """True when the dialect was detected in some rows: a row with calls in another one is read in that."""
    seen: str = ""
    """The kinds of the first rows, for a report."""

    def __str__(self) -> str:
        """The kind in words, for a report."""
        what = self.seen or self.kind or "rows of any kind"
        if self.chat:
            what = what.replace(TRANSCRIPT, f"{TRANSCRIPT} of {self.chat}")
        if not self.dialect:
            return what
        return f"{what}, with calls in the text ({'any dialect' if self.dialect == 'auto' else self.dialect})"
