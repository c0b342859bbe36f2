"""What a check is given: one dialect with all that belongs to it, or all dialects of a file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import toolect
from toolect._files import holds_chats
from toolect._names import Names
from toolect._spec.chat_load import read_chat_names
from toolect._spec.document import cut
from toolect._spec.entry import Entry, Loaded
from toolect._spec.grammar_source import Source, read_source
from toolect._spec.load import load_entries, read_names
from toolect._spec.model import Spec
from toolect._spec.problems import Problems
from toolect.authoring.corpus import Case, CorpusError, read
from toolect.authoring.lint.attempt import Trial, trials
from toolect.authoring.lint.losses import LostMessage, losses
from toolect.authoring.lint.places import Places
from toolect.compiled import Dialect
from toolect.diagnostic import Place
from toolect.message import Message

CORPORA = ("tests/corpus", "corpus")
"""Where the corpus files are, beside the YAML file; the first folder that exists counts."""

_PACKED = Path(toolect.__file__).parent / "data"


class Subject:
    """One dialect under lint. What costs time is made when it is first asked for, and kept."""

    def __init__(
        self, path: Path, loaded: Loaded[Spec], entries: Mapping[str, Entry] | None = None, bases: tuple[Path, ...] = ()
    ) -> None:
        assert loaded.spec is not None
        self.path, self.loaded = path, loaded
        self.entries, self.bases = entries or {}, bases
        self.spec: Spec = loaded.spec

    @property
    def name(self) -> str:
        """The dialect's name."""
        return self.spec.name

    @property
    def place(self) -> Place:
        """Where the entry begins."""
        return self.loaded.entry.name.place

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect, compiled."""
        return Dialect(self.spec)

    @cached_property
    def trials(self) -> list[Trial]:
        """Messages that were written and read back, the smallest first."""
        return list(trials(self.dialect))

    @cached_property
    def losses(self) -> list[LostMessage]:
        """Those of the trials that did not come back, and why."""
        return list(losses(self.dialect, self.trials))

    @cached_property
    def source(self) -> Source:
        """The grammar file with those it imports."""
        source = read_source(self.loaded.grammar, Problems())
        assert source is not None  # the spec was made from it
        return source

    @cached_property
    def places(self) -> Places:
        """Where the dialect's parts are written."""
        return Places(self.spec, self.source, self.loaded.entry, self.loaded.whole)

    def without(self, *keys: str) -> Spec | None:
        """The spec that the entry makes when what it says at `keys` is left out; None when it makes none."""
        name = self.loaded.entry.name
        entry = Entry(name, cut(self.loaded.entry.table, keys))
        (loaded,) = load_entries(self.path, {**self.entries, name.text: entry}, [name.text], *self.bases)
        return loaded.spec

    @property
    def corpus_file(self) -> Path | None:
        """Where the dialect's cases are, or would be; None for specs that come without their corpus."""
        folder = corpus_folder(self.path)
        return None if folder is None else folder / f"{self.name}.txt"

    @cached_property
    def cases(self) -> list[Case]:
        """The dialect's corpus; none when there is no file, or none that can be read."""
        try:
            return read(self.corpus_file) if self.corpus_file is not None else []
        except (OSError, ValueError):
            return []

    @cached_property
    def readings(self) -> list[tuple[Case, Message]]:
        """The cases of the corpus, each with what is read in it now; not those to skip, nor unusable ones."""
        found = []
        for case in self.cases:
            with suppress(CorpusError):
                if not case.has("skip"):
                    found.append((case, self.dialect.parse(case.text, **case.options)))
        return found


class Group:
    """The dialects of one file, and `others` to compare them with: nothing is said about these.

    The others are what else is in the file, when only some of it is looked at, and what comes with toolect.
    """

    def __init__(self, path: Path, subjects: dict[str, Subject], others: dict[str, Dialect]) -> None:
        self.path, self.subjects, self.others = path, subjects, others

    @cached_property
    def names(self) -> dict[str, Names]:
        """What the entries of the file answer to."""
        return read_names(self.path)[0]

    @cached_property
    def dialects(self) -> dict[str, Dialect]:
        """All dialects, those of the file last."""
        return self.others | {name: subject.dialect for name, subject in self.subjects.items()}

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """Their specs."""
        return {name: dialect.spec for name, dialect in self.dialects.items()}

    @cached_property
    def beside(self) -> dict[str, Names] | None:
        """The dialects of all YAML files in the folder, whose grammars lie together; None if one is broken."""
        return self._beside(chats=False)

    @cached_property
    def chats_beside(self) -> dict[str, Names] | None:
        """The chats of all YAML files in the folder; None if one is broken."""
        return self._beside(chats=True)

    def _beside(self, chats: bool) -> dict[str, Names] | None:
        found: dict[str, Names] = {}
        for path in sorted(self.path.parent.glob("*.y*ml")):
            if holds_chats(path) != chats:
                continue
            names, problems = (read_chat_names if chats else read_names)(path)
            if problems and not names:
                return None
            found |= names
        return found


def corpus_folder(path: Path) -> Path | None:
    """The folder of the corpus files of a YAML file; None for the installed package, which comes without."""
    if path.parent == _PACKED:
        return None
    found = (path.parent / folder for folder in CORPORA)
    return next((folder for folder in found if folder.is_dir()), path.parent / CORPORA[-1])
