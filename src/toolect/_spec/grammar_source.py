"""Grammar files: their text, what they define and import, and the place of each name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from lark import Token
from lark.exceptions import GrammarError, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from toolect import _files as files
from toolect._diagnostic import Place
from toolect._spec.document import read_text
from toolect._spec.grammar_model import SLOTS
from toolect._spec.grammar_slips import advice, of_name
from toolect._spec.lark_loader import GRAMMAR_ERRORS, LarkTree, get_mangle, get_parser
from toolect._spec.problems import Problems, near

MAX_IMPORTS = 20
"""Grammars that import one another in a row. Beyond it: diagnostic `import-cycle`."""


class NameOrigin(msgspec.Struct, frozen=True):
    """Origin of a name: the file's own spelling of it, its place, and whether the file is a value language."""

    name: str
    place: Place
    value: bool
    own: bool


class Import(msgspec.Struct, frozen=True):
    """One `%import`: a path of names, and what is imported under which name."""

    dotted: tuple[str, ...]
    relative: bool
    names: dict[str, str]
    place: Place


class GrammarSource(msgspec.Struct, frozen=True):
    """One grammar file, parsed but not resolved."""

    path: Path
    text: str
    defined: dict[str, Place]
    declared: dict[str, Place]
    used: tuple[tuple[str, Place], ...]
    ignored: tuple[tuple[str, Place], ...]
    """Terminals that `%ignore` names, each with its place; an empty name for anything else."""
    imports: tuple[tuple[Import, GrammarSource | None], ...]
    tree: LarkTree
    """Lark's tree of the file, whose tokens know their lines."""


def read_source(
    path: Path, problems: Problems, at: Place | None = None, above: tuple[Path, ...] = ()
) -> GrammarSource | None:
    """A grammar file and those that it imports; nothing when it cannot be read."""
    text = read_text(path, problems, "missing-grammar", at)
    if text is None:
        return None
    tree = _parse(path, text, problems)
    if tree is None:
        return None
    defined: dict[str, Place] = {}
    declared: dict[str, Place] = {}
    used: list[tuple[str, Place]] = []
    ignored: list[tuple[str, Place]] = []
    imports: list[tuple[Import, GrammarSource | None]] = []
    in_terminals: list[tuple[Token, str]] = []
    for statement in tree.children:
        if statement.data == "import":
            imports.append(_import(path, statement, problems, (*above, path)))
        elif statement.data == "declare":
            declared |= {str(t): place_of(path, t) for t in _tokens(statement)}
        elif statement.data == "ignore":
            (name, *_) = tokens = [*_tokens(statement)]
            ignored.append((str(name) if len(tokens) == 1 else "", place_of(path, name)))
            used += [(str(name), place_of(path, name))] if name.type == "TERMINAL" else []
        else:
            inner = statement if statement.data in ("rule", "term") else statement.children[0]
            name = next(t for t in inner.children if isinstance(t, Token))
            place = place_of(path, name)
            first = defined.setdefault(str(name), place)
            if first != place and inner is statement:
                also = ((first, "also here"),)
                problems.error("duplicate-rule", f"`{name}` is defined twice", place, related=also)
            uses = [*_uses(path, inner, defined, problems)]
            used += uses
            in_terminals += [(name, use) for use, _ in uses if inner.data == "term"]
    for name, use in in_terminals:
        if use in declared:
            message, hint = f"the terminal `{name}` holds the slot `{use}`", f"make it a rule: `{name.lower()}: …`"
            problems.error("unsupported-grammar", message, place_of(path, name), hint=hint)
    return GrammarSource(path, text, defined, declared, tuple(used), tuple(ignored), tuple(imports), tree)


def place_of(path: Path, token: Token) -> Place:
    """The place of a token of a grammar file."""
    return Place(str(path), token.line or 1, token.column or 1, max(len(token.split("\n")[0]), 1))


def check_names(source: GrammarSource, problems: Problems) -> None:
    """Every name that is used or imported must exist."""
    known = set(source.defined) | set(source.declared)
    for imported, other in source.imports:
        known |= set(imported.names.values())
        if other is None:
            continue
        check_names(other, problems)
        there = [*other.defined, *other.declared, *(n for i, _ in other.imports for n in i.names.values())]
        for name in imported.names:
            if name not in there:
                message = f"`{'.'.join(imported.dotted)}` does not define `{name}`"
                problems.error("unknown-import", message, imported.place, hint=near(name, there))
    for name, place in source.used:
        if name not in known:
            kind = "terminal" if name.isupper() else "rule"
            slot = f"it is a slot: write `%declare {name}`" if name in SLOTS else ""
            hint = slot or of_name(source.text, place.line, place.column + place.length) or near(name, known)
            problems.error("undefined-name", f"the {kind} `{name}` is not defined", place, hint=hint)


def origins(
    source: GrammarSource, mangle: Callable[[str], str] | None = None, value: bool = False
) -> dict[str, NameOrigin]:
    """Lark's name of every rule and terminal, of imported files too, with where it comes from."""
    found: dict[str, NameOrigin] = {}
    for imported, other in source.imports:
        if other is not None:
            inner = get_mangle("__".join(imported.dotted), imported.names, mangle)
            found |= origins(other, inner, value or imported.dotted[0] == "values")
    for name, place in (source.defined | source.declared).items():
        lark_name = mangle(name) if mangle else name
        plain = next((new for i, _ in source.imports for new in i.names.values() if new == name), name)
        found[lark_name] = NameOrigin(plain, place, value, mangle is None)
    return found


def _parse(path: Path, text: str, problems: Problems) -> LarkTree | None:
    """Lark's tree of a grammar file, with the places that Lark's loader drops."""
    lines = text.split("\n")
    try:
        return get_parser().parse(text + "\n", "start")
    except UnexpectedToken as error:
        known = _known(error)
        got = "end of the line" if error.token.type in ("_NL", "$END") else f"`{error.token.strip()}`"
        message = known or f"unexpected {got}"
        line, column = error.line, error.column
    except UnexpectedCharacters as error:
        message, line, column = f"unexpected `{error.char}`", error.line, error.column
    except (UnexpectedInput, GrammarError, RecursionError) as error:
        message, line, column = str(error).split("\n")[0], 1, 1
    line = min(max(line, 1), len(lines))
    column = min(max(column, 1), len(lines[line - 1]) + 1)
    place, hint = Place(str(path), line, column), advice(text, line, column)
    problems.error("grammar-syntax", f"cannot read the grammar: {message}", place, hint=hint)
    return None


def _known(error: UnexpectedToken) -> str | None:
    """Lark's words for a mistake that it knows."""
    try:
        known = error.match_examples(get_parser().parse, GRAMMAR_ERRORS, use_accepts=True)
    except TypeError:  # a mistake in a note that Lark makes for itself where two examples are alike
        return None
    return None if known is None else str(known).lower()


def _import(
    path: Path, statement: LarkTree, problems: Problems, above: tuple[Path, ...]
) -> tuple[Import, GrammarSource | None]:
    """One `%import` statement, with the file it names."""
    lib, *rest = statement.children
    dotted = [str(t) for t in _tokens(lib)]
    place = place_of(path, next(_tokens(lib)))
    if rest and not isinstance(rest[0], Token):
        names = {str(t): str(t) for t in _tokens(rest[0])}
    else:
        last = dotted.pop()
        names = {last: str(rest[0]) if rest else last}
    relative = lib.data == "import_rel"
    imported = Import(tuple(dotted), relative, names, place)
    if not dotted:
        problems.error("unknown-import", f"expected a grammar and a name, got `{next(iter(names))}`", place)
        return imported, None
    if not relative:
        if dotted != ["common"]:
            message = f"expected an import from `common` or from a file beside, got `{'.'.join(dotted)}`"
            problems.error("unknown-import", message, place, hint=f"write `.{'.'.join(dotted)}`")
        return imported, None
    target = files.imported(path.parent, dotted)
    if target in above or len(above) > MAX_IMPORTS:
        problems.error("import-cycle", f"`{target.stem}` imports itself", place)
        return imported, None
    if dotted[0] == "values" and any(new != name for name, new in names.items()):
        problems.error("unsupported-grammar", "expected a rule of a value language under its own name", place)
    return imported, read_source(target, problems, place, above)


def _uses(path: Path, tree: LarkTree, defined: dict[str, Place], problems: Problems) -> Iterator[tuple[str, Place]]:
    """The names that a definition refers to. What we leave out of Lark's language is noted on the way."""
    alternatives = [id(choice) for choice in tree.children[-1].children]
    for node in tree.iter_subtrees_topdown():
        if node.data == "alias":
            token = next(_tokens(node.children[-1]))
            defined.setdefault(str(token), place_of(path, token))
            if id(node) not in alternatives:
                message = "expected `->` after an alternative of a rule, got it inside of one"
                problems.error("unsupported-grammar", message, place_of(path, token))
        elif node.data in ("template_usage", "template_params") and node.children:
            place = place_of(path, next(_tokens(node)))
            problems.error("unsupported-grammar", "expected a plain rule, got a template", place)
    for token in tree.scan_values(lambda value: isinstance(value, Token) and value == '""'):
        message = "expected a marker of at least one character, got none"
        hint = "a marker stands between one pair of quotes; what may be missing is written `part?`"
        problems.error("rejected-grammar", message, place_of(path, token), hint=hint)
    aliases = {id(node.children[-1]) for node in tree.find_data("alias")}
    for node in tree.iter_subtrees_topdown():
        if node.data in ("terminal", "nonterminal") and id(node) not in aliases:
            token = next(_tokens(node))
            yield str(token), place_of(path, token)


def _tokens(tree: LarkTree) -> Iterator[Token]:
    """The tokens below a node, in order."""
    for child in tree.children:
        if isinstance(child, Token):
            yield child
        else:
            yield from _tokens(child)
