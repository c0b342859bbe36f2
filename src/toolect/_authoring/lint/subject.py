"""What lint looks at: the entries that a path stands for; one dialect, one chat, or all dialects of a file."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import toolect
from toolect._authoring.corpus import Case, CorpusError, read
from toolect._authoring.lint.places import SpecPlaces
from toolect._cache import grammar_parts
from toolect._chats.chat_registry import ready_chat
from toolect._chats.grammar_chat import Chat
from toolect._compiled import Dialect
from toolect._diagnostic import Place
from toolect._files import holds_chats
from toolect._message import Message
from toolect._names import Names
from toolect._spec.chat_load import read_chat_names
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.document import cut
from toolect._spec.entry import Entry, Loaded
from toolect._spec.grammar import GrammarFiles
from toolect._spec.grammar_source import GrammarSource, read_source
from toolect._spec.load import load_entries, read_names
from toolect._spec.model import Spec
from toolect._spec.problems import Problems

MAIN = "dialects.yaml"
"""The file that counts in a folder that has it."""
CORPORA = ("tests/corpus", "corpus")
"""Where the corpus files are, beside the YAML file; the first folder that exists counts."""
PAUSE = 0.3
"""Seconds between two looks."""
_PACKED = Path(toolect.__file__).parent / "data"


class Subject:
    """One dialect under lint. What costs time is made when it is first asked for, and kept."""

    def __init__(
        self, path: Path, loaded: Loaded[Spec], entries: Mapping[str, Entry] | None = None,
        bases: tuple[Path, ...] = (), grammars: GrammarFiles | None = None, dialect: Dialect | None = None,
    ) -> None:  # fmt: skip
        assert loaded.spec is not None
        self.path, self.loaded, self.entries, self.bases = path, loaded, entries or {}, bases
        self._grammars = grammars or GrammarFiles(proven=True)
        self.spec: Spec = loaded.spec
        self.dialect = dialect or Dialect(self.spec)
        self.name, self.place = self.spec.name, loaded.entry.name.place

    @cached_property
    def source(self) -> GrammarSource:
        """The grammar file with those it imports."""
        source = read_source(self.loaded.grammar, Problems())
        assert source is not None  # the spec was made from it
        return source

    @cached_property
    def places(self) -> SpecPlaces:
        """Where the dialect's parts are written."""
        return SpecPlaces(self.spec, self.source, self.loaded.entry, self.loaded.whole)

    def without(self, *keys: str) -> Spec | None:
        """The spec that the entry makes when what it says at `keys` is left out; None when it makes none."""
        name = self.loaded.entry.name
        entry = Entry(name, cut(self.loaded.entry.table, keys))
        entries = {**self.entries, name.text: entry}
        (loaded,) = load_entries(self.path, entries, [name.text], *self.bases, grammars=self._grammars)
        return loaded.spec

    @property
    def corpus_file(self) -> Path | None:
        """Where the dialect's cases are, or would be; None for specs that come without their corpus."""
        folder = corpus_folder(self.path)
        return None if folder is None else folder / f"{self.name}.txt"

    @cached_property
    def readings(self) -> list[tuple[Case, Message]]:
        """The cases of the corpus, each with what is read in it now; not those to skip, nor unusable ones."""
        found = []
        with suppress(OSError, ValueError):  # of a corpus that cannot be read, `unreadable-corpus` tells
            for case in read(self.corpus_file) if self.corpus_file is not None else ():
                with suppress(CorpusError):
                    if not case.has("skip"):
                        found.append((case, self.dialect.parse(case.text, **case.options)))
        return found


class ChatSubject:
    """One chat under lint."""

    def __init__(self, loaded: Loaded[ChatSpec]) -> None:
        assert loaded.spec is not None
        self.loaded = loaded
        self.spec: ChatSpec = loaded.spec
        self.name, self.place = self.spec.name, loaded.entry.name.place

    @cached_property
    def chat(self) -> Chat:
        """The chat, ready to use."""
        return ready_chat(self.spec)

    def rule(self, *roles: ChatRole) -> Place:
        """Where the first rule of one of these roles is defined; where the entry begins if there is none."""
        names = (name for name, role in self.spec.roles.items() if role in roles)
        return next((self.spec.rules[name].place for name in names), self.place)


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


def corpus_folder(path: Path) -> Path | None:
    """The folder of the corpus files of a YAML file; None for the installed package, which comes without."""
    if path.parent == _PACKED:
        return None
    found = (path.parent / folder for folder in CORPORA)
    return next((folder for folder in found if folder.is_dir()), path.parent / CORPORA[-1])


def of_folder(folder: Path) -> list[Path]:
    """The YAML files of a folder that lint looks at: those with chats, and the main one, else all of the others."""
    main = folder / MAIN
    files = [*sorted(folder.glob("*.yaml")), *sorted(folder.glob("*.yml"))]
    dialects = [main] if main.is_file() else [file for file in files if not holds_chats(file)]
    return [*dialects, *(file for file in files if holds_chats(file))]


def of_grammar(grammar: Path) -> dict[Path, list[str]]:
    """The YAML files beside the folder `grammars` that a grammar is in, with those of their entries that use it."""
    home = next((parent.parent for parent in grammar.absolute().parents if parent.name == "grammars"), None)
    if home is None:
        return {}
    here, found = Path.cwd(), {}
    for path in of_folder(home.relative_to(here) if home.is_relative_to(here) else home):
        chats = holds_chats(path)
        folder = path.parent / "grammars" / "chats" if chats else path.parent / "grammars"
        known = (read_chat_names if chats else read_names)(path)[0]
        reached = {name: reached_from(folder, {name: names}) for name, names in known.items()}
        if names := [name for name in known if grammar.resolve() in {file.resolve() for file in reached[name]}]:
            found[path] = names
    return found


def reached_from(folder: Path, known: Mapping[str, Names]) -> set[Path]:
    """The grammars of these entries, and those that they import."""
    reached: set[Path] = set()
    for name, names in known.items():
        own = folder / f"{name}.lark"
        for _ in grammar_parts(own if own.exists() else folder / f"{names.extends}.lark", reached):
            pass
    return reached


def changes(paths: Iterable[Path]) -> Iterator[None]:
    """Once at first, and whenever a file of these YAML files changes, comes or goes: themselves, grammars, corpora."""
    watched = [*paths]
    before: dict[Path, int] | None = None
    while True:
        now = dict(_times(watched))
        if now != before:
            before = now
            yield
        else:
            time.sleep(PAUSE)


def _times(paths: Iterable[Path]) -> Iterator[tuple[Path, int]]:
    for path in paths:
        folders = [path.parent / "grammars", *([corpus] if (corpus := corpus_folder(path)) else ())]
        for file in (*path.parent.glob("*.y*ml"), *(file for folder in folders for file in folder.rglob("*.*"))):
            with suppress(OSError):
                yield file, file.stat().st_mtime_ns
