"""The terminals of a grammar: the texts that they are made of, their patterns, and which of them are comments."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from lark import Tree
from lark.grammar import Terminal
from lark.load_grammar import Grammar as LarkGrammar

from toolect._diagnostic import Place
from toolect._spec.grammar_model import Expr, Literal, Pattern
from toolect._spec.lark_loader import LarkTree, literal_pattern
from toolect._spec.problems import Problems

MAX_SPELLINGS = 256
"""Spellings of one named marker. Beyond it: it becomes a pattern."""
_GROUP = re.compile(r"\\.|\[\^?\]?(?:\\.|[^]\\])*\]|\((?!\?)|\(\?P<\w+>", re.DOTALL)
"""The beginning of a group that captures; what else may hold such a bracket is matched as a whole."""
_BACK = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")
_IGNORED = 'expected `%ignore` of a terminal that is a comment, `COMMENT: "#" /.*/ "\\n"`: all else is read'


class Terminals:
    """The terminals of a grammar that Lark has loaded, by Lark's names; `spellings` are those made of texts alone."""

    def __init__(self, grammar: LarkGrammar) -> None:
        alone = LarkGrammar([], grammar.term_defs, grammar.ignore)  # of rules Lark makes a great many more
        self._patterns = {t.name: uncaptured(t.pattern.to_regexp()) for t in alone.compile([], "*")[0]}
        self._trees = {name: tree for name, (tree, _) in grammar.term_defs if tree is not None}
        self.spellings = {name: self._spellings(tree) for name, tree in self._trees.items()}

    def expression(self, name: str, plain: str) -> Expr:
        """Terminal `name` as a marker, where it is made of texts, or a pattern; `plain` is what it is called."""
        tree, spellings = self._trees[name], self.spellings[name]
        if spellings and all(spellings) and len(spellings) <= MAX_SPELLINGS:
            return Literal(spellings[0], spellings[1:], plain)
        texts: list[str] = []
        patterns: list[str | None] = []
        for choice in tree.children if tree.data == "expansions" else ():
            texts += (found := self._spellings(choice) or ())
            patterns += [] if found else [self._regex(choice)]
        regex = patterns[0] if len(patterns) == 1 else None  # one that reads the texts too says all by itself
        if regex is None or not all(re.fullmatch(regex, text) for text in texts):
            regex = self._patterns[name]
        return Pattern(regex, plain, texts[0] if texts and patterns else "")

    def _spellings(self, node: LarkTree) -> tuple[str, ...]:
        """All texts of a terminal made of texts, in written order, an empty one where it may be left out.

        Nothing for any other terminal. One more than `MAX_SPELLINGS` stand for all that there are.
        """
        found: Iterable[str]
        match node.data, node.children:
            case "expansions", choices:
                parts = [self._spellings(choice) for choice in choices]
                found = itertools.chain.from_iterable(parts) if all(parts) else ()
            case "expansion", items:
                parts = [self._spellings(item) for item in items]
                found = map("".join, itertools.product(*parts)) if all(parts) else ()
            case "expr", [item, "?"]:
                found = (*(inner := self._spellings(item)), *([""] if inner else ()))
            case "value", [Terminal(name=name)] if name in self._trees:
                found = self._spellings(self._trees[name])
            case "value", [inner] if isinstance(inner, Tree):
                found = self._spellings(inner)
            case "literal", [token] if token.type == "STRING" and token.endswith('"'):
                found = (str(literal_pattern(token).value),)
            case _:
                found = ()
        return tuple(dict.fromkeys(itertools.islice(found, MAX_SPELLINGS + 1)))

    def _regex(self, node: object) -> str | None:
        """The regular expression of a part of a terminal that is nothing but one, or names one."""
        while True:  # it ends: Lark refuses a terminal that holds itself
            if isinstance(node, Terminal) and node.name in self._trees:
                node = self._trees[node.name]
            if not isinstance(node, Tree) or len(node.children) != 1:
                return None
            if node.data == "literal":
                return uncaptured(literal_pattern(node.children[0]).to_regexp())
            (node,) = node.children

    def comments(self, ignored: Iterable[tuple[str, Place]], problems: Problems) -> dict[str, str]:
        """Openers of comments with their closers: each alternative of an ignored terminal is text, pattern, text."""
        found: dict[str, str] = {}
        for name, place in ignored:
            tree = self._trees.get(name)
            choices: list[LarkTree] = [] if tree is None else tree.children if tree.data == "expansions" else [tree]
            for choice in choices or [None]:
                match [self._spellings(item) for item in choice.children] if choice is not None else []:
                    case [[opener], (), [closer]] if opener.strip() == opener != "":
                        found[opener] = closer
                    case _:
                        problems.error("unsupported-grammar", _IGNORED, place)
        return found


def uncaptured(regex: str) -> str:
    """`regex` with groups that capture nothing: it becomes a part of others, which count their own.

    One that refers back to a group is left as it is, to be refused for that.
    """
    if _BACK.search(regex):
        return regex
    return _GROUP.sub(lambda match: "(?:" if match[0].startswith("(") else match[0], regex)
