"""The checker of BFCL, asked about answers; runs where `bfcl-eval` is installed, without what it asks for besides."""

from __future__ import annotations

import sys
from collections import defaultdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from tools.scores.altered_answers import Calls, Question


class BfclVerdict(NamedTuple):
    """Verdict on an answer: right or not, and the kind of error; `crash` where the checker raised."""

    valid: bool
    kind: str = ""
    crash: str = ""


def _checker() -> Any:
    """The module with the checker. The table of models, for which it imports every vendor's client, is left out."""
    models = ModuleType("bfcl_eval.constants.model_config")
    vars(models)["MODEL_CONFIG_MAPPING"] = defaultdict(lambda: SimpleNamespace(underscore_to_dot=False))
    sys.modules[models.__name__] = models
    return import_module("bfcl_eval.eval_checker.ast_eval.ast_checker")


CHECKER = _checker()
LANGUAGE = import_module("bfcl_eval.constants.enums").Language
DATA = Path(str(import_module("bfcl_eval").__file__)).parent / "data"
VERSION = version("bfcl-eval")


def bfcl_verdict(calls: Calls, question: Question) -> BfclVerdict:
    """Verdict of the checker, as its runner asks it: for irrelevance no call is right, for relevance any."""
    if "relevance" in question.category:
        return BfclVerdict(bool(calls) == ("irrelevance" not in question.category))
    language = LANGUAGE(question.language or "python")
    try:
        found = CHECKER.ast_checker(question.functions, calls, question.truth, language, question.category, "any model")
    except Exception as error:  # it raises whatever comes, for answers that it does not expect
        return BfclVerdict(False, crash=f"{type(error).__name__}: {error}")
    return BfclVerdict(bool(found["valid"]), str(found.get("error_type", "")))
