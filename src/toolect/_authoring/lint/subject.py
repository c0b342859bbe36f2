"""Subjects of lint: the entries that a path stands for; one dialect, one chat, or all dialects of a file.

They have the places of a dialect's parts: rules, terminals and markers in grammars, fields in the entry.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lark import Token

import toolect
from toolect._authoring.corpus import Case, CorpusError, read
from toolect._cache import grammar_parts
from toolect._chats.chat_registry import ready_chat
from toolect._chats.grammar_chat import Chat
from toolect._compiled import Dialect
from toolect._diagnostic import Place
from toolect._files import holds_chats
from toolect._message import Call, Content, Message, Segment
from toolect._names import Names
from toolect._spec.chat_load import read_chat_names
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.document import Items, Node, YamlScalar, YamlTable, cut
from toolect._spec.entry import Entry, Loaded
from toolect._spec.grammar import GrammarFiles
from toolect._spec.grammar_model import Pattern
from toolect._spec.grammar_source import GrammarSource, place_of, read_source
from toolect._spec.lark_loader import literal_pattern
from toolect._spec.leaves import leaves
from toolect._spec.load import load_entries, read_names
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.problems import Problems


class Word(NamedTuple):
    """A name or a marker in a grammar file: what it says, where, and inside which definition."""

    definition: str
    text: str
    marker: bool
    place: Place


class SpecPlaces:
    """Places of the parts of one dialect."""

    def __init__(self, spec: Spec, source: GrammarSource, entry: Entry, whole: Entry) -> None:
        self._spec, self._source, self._entry, self._whole = spec, source, entry, whole

    @cached_property
    def words(self) -> list[Word]:
        """Every name and marker in the grammar's files, its own file first."""
        return [word for source in files(self._source) for word in _words(source)]

    def rule(self, name: str) -> Place:
        """Place of the definition of the rule `name`; the start of the entry if there is none."""
        rule = self._spec.rules.get(name)
        return rule.place if rule else self._entry.name.place

    def segment(self, segment: Segment) -> Place:
        """Place of the rule for segments like this one."""
        spec, role = self._spec, role_of(segment)
        names = [name for name, given in spec.roles.items() if given is role and name in spec.rules]
        if role is Role.CALL:
            names += [key.split("/")[0] for key in spec.shapes]
        return self.rule(next(iter(names), "start"))

    def terminal(self, name: str) -> Place:
        """Place where the terminal or slot `name` is defined or declared."""
        found = (source.defined.get(name) or source.declared.get(name) for source in files(self._source))
        return next(filter(None, found), self._entry.name.place)

    def part(self, rule: str, name: str) -> Place:
        """Place of the terminal, slot or rule `name` in the definition of `rule`; else that of its own definition."""
        inside = self._definition(rule)
        found = (w.place for w in self.words if not w.marker and w.text == name and w.definition == inside)
        return next(found, None) or (self.terminal(name) if name.isupper() else self.rule(name))

    def marker(self, text: str, rule: str = "") -> Place:
        """Place of the marker `text`, or of one with it inside: in the definition of `rule` if it is there."""
        replaced = self._entry.table.get("markers")
        for _, value in replaced.entries if isinstance(replaced, YamlTable) else ():
            if isinstance(value, YamlScalar) and text in value.text:
                return value.place
        wanted = self._definition(rule)
        found = [word for word in self.words if word.marker and text in word.text]
        best = min(found, key=lambda word: (word.definition != wanted, word.text != text), default=None)
        return best.place if best else self.rule(rule)

    def entry(self, *path: str) -> Place:
        """Place of a field, or of what it has below the further keys of `path`; the nearest there is."""
        tables = [self._entry.table] * (self._entry.table.get(path[0]) is not None) + [self._whole.table]
        return next(filter(None, (descend(table, path) for table in tables)), self._entry.name.place)

    def values(self) -> Place:
        """Place that says what values look like: their codec, else what says that something is one, else the entry."""
        valued = [key for key, role in self._spec.roles.items() if role in (Role.VALUE, Role.ARGUMENTS)]
        key = next((key for key in (*valued, *self._spec.codecs) if key in self._spec.codecs), None)
        return self.entry("values", key) if key else self.entry("map", *[*valued, *self._spec.shapes][:1])

    def _definition(self, rule: str) -> str:
        """The name that the definition of a rule has in its file: an alternative's own name stands inside another's."""
        place = self.rule(rule)
        return next((word.definition for word in self.words if word.place == place), rule)


def role_of(segment: Segment) -> Role:
    """The role of the rules for segments like this one."""
    return Role.CALL if isinstance(segment, Call) else Role.CONTENT if isinstance(segment, Content) else Role.REASONING


def patterns(spec: Spec) -> Iterator[tuple[Rule, Pattern]]:
    """Every use of a terminal that is a regular expression, in the order of the grammar."""
    for rule in spec.rules.values():
        yield from ((rule, part) for part in leaves(rule.expr) if isinstance(part, Pattern))


def files(source: GrammarSource) -> Iterator[GrammarSource]:
    """A grammar file and those it imports, each once."""
    todo, met = [source], set()
    while todo:
        at = todo.pop(0)
        if at.path not in met:
            met.add(at.path)
            yield at
            todo += [other for _, other in at.imports if other is not None]


def _words(source: GrammarSource) -> Iterator[Word]:
    for statement in source.tree.children:
        if statement.data in ("import", "declare"):
            continue
        inner = statement if statement.data in ("rule", "term") else statement.children[0]
        name = next((str(t) for t in inner.children if isinstance(t, Token)), "")
        for token in inner.scan_values(lambda value: isinstance(value, Token)):
            if not token.line:
                continue
            if token.type == "STRING":
                yield Word(name, str(literal_pattern(token).value), True, place_of(source.path, token))
            elif token.type in ("RULE", "TERMINAL"):
                yield Word(name, str(token), False, place_of(source.path, token))


def descend(node: Node, path: tuple[str, ...]) -> Place | None:
    """The place of the deepest key of `path` below `node`; an item of a list is named by its text."""
    place = None
    for key in path:
        below: list[tuple[YamlScalar, Node]] = []
        if isinstance(node, YamlTable):
            below = [*node.entries]
        elif isinstance(node, Items):
            below = [(item, item) for item in node.items if isinstance(item, YamlScalar)]
        found = next((one for one in below if one[0].text == key), None)
        if found is None:
            return place
        place, node = found[0].place, found[1]
    return place


MAIN = "dialects.yaml"
"""The file that counts in a folder that has it."""
CORPORA = ("tests/corpus", "corpus")
"""Folders of corpus files, beside the YAML file; the first that exists counts."""
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
        """Places of the dialect's parts."""
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
        """Path of the dialect's cases, there or not; None for specs that come without their corpus."""
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
        """Place of the first rule of one of these roles; the start of the entry if there is none."""
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
        """Aliases, model ids and base of each entry of the file."""
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
