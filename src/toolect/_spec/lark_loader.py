"""The parts of Lark's grammar loader that we use. Lark annotates few of them and its trees not at all, hence `Any`."""

from __future__ import annotations

from typing import Any, TypeAlias

import lark.load_grammar
from lark.parsers import lalr_analysis

LarkTree: TypeAlias = Any
"""A `lark.Tree` with `data` and `children`, which are trees, tokens or symbols."""

_loader: Any = lark.load_grammar
_analysis: Any = lalr_analysis

GRAMMAR_ERRORS: Any = _loader.GRAMMAR_ERRORS
Analyzer: Any = _analysis.LALR_Analyzer
load_grammar: Any = _loader.load_grammar
get_mangle: Any = _loader._get_mangle
get_parser: Any = _loader._get_parser
literal_pattern: Any = _loader._literal_to_pattern
