"""Verdicts of `toolect.score` and of the checker of BFCL on the same answers; runs where `bfcl-eval` is installed."""

from __future__ import annotations

import argparse
import copy
import platform
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import toolect
from toolect import Call, registry
from toolect._rendered import RenderError
from toolect.score import Expectation, check, expectation, score_turns
from tools.markdown_text import aligned
from tools.scores.altered_answers import ALTERATIONS, Calls, Question, questions, truth_of
from tools.scores.bfcl_verdicts import DATA, VERSION, bfcl_verdict
from tools.scores.turns_by_state import Backend, altered_turns, bfcl_turns_right, talks

DIALECTS = (
    "hermes", "qwen3-coder", "llama3.1", "mistral-v13", "kimi-k2", "deepseek-v3", "glm-4.5", "harmony", "gemma4",
    "minimax-m2", "pythonic", "granite-3", "cohere-command-r7b", "phi-4-mini", "xlam",
)  # fmt: skip
"""Dialects that the truth is written in: JSON, elements, code and channels."""
DIFFERENCES = 5
"""Cases with differences that are shown."""


def main() -> None:
    """Print how often both say the same."""
    parser = argparse.ArgumentParser(prog="make eval", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="altered answers of each kind [default: 1]")
    parser.add_argument("--dialects", nargs="*", metavar="NAME", help="dialects to write the truth in; `all` for all")
    options = parser.parse_args()
    print(f"toolect {toolect.__version__} beside bfcl-eval {VERSION}, Python {platform.python_version()}\n")
    asked = [(one, _expected(one)) for one in questions(DATA)]
    _table("Calls", _alone(asked, options.seeds))
    _table("Turns by state", _turns(options.seeds))
    names = options.dialects if options.dialects is not None else DIALECTS
    _written(asked, registry.dialects() if names == ["all"] else names)


def _expected(question: Question) -> Expectation:
    any_call = "relevance" in question.category and "irrelevance" not in question.category
    return expectation(None if any_call else question.truth, question.functions, question.language)


Judged: TypeAlias = Iterator[tuple[str, bool, bool, str]]
"""Name of the alteration, whether each side calls it right, and the answer."""


def _alone(asked: list[tuple[Question, Expectation]], seeds: int) -> Judged:
    """The truth of each case, and altered answers."""
    for question, case in asked:
        truth = truth_of(question)
        if not truth:  # nothing to alter: no call is right, or any
            some: Calls = [{one["name"]: {}} for one in question.functions[:1]]
            for calls in ([], some):
                yield "any or no call", _right(calls, case), bfcl_verdict(calls, question).valid, question.id
            continue
        yield "truth", _right(truth, case), bfcl_verdict(truth, question).valid, f"{question.id} {truth}"
        for what, alter in ALTERATIONS.items():
            for seed in range(seeds):
                calls = alter(copy.deepcopy(truth), question, random.Random(f"{question.id} {what} {seed}"))
                theirs = bfcl_verdict(calls, question)
                yield (
                    (what if not theirs.crash else "raises"),
                    _right(calls, case),
                    theirs.valid,
                    f"{question.id} {calls}",
                )


def _right(calls: Calls, case: Expectation) -> bool:
    return not check([Call(*item) for call in calls for item in call.items()], case)


def _turns(seeds: int) -> Judged:
    for talk in talks(DATA):
        for seed in range(seeds):
            for what, turns in altered_turns(talk, seed):
                ours = not score_turns(turns, talk.truth, lambda row=talk.row: Backend(row))  # type: ignore[misc]
                yield what, ours, bfcl_turns_right(turns, talk), f"{talk.row['id']} {what} {seed}"


def _table(title: str, judged: Judged) -> None:
    counts: dict[str, Counter[str]] = {}
    differing: dict[str, list[str]] = {}
    for what, ours, theirs, answer in judged:
        found = counts.setdefault(what, Counter())
        found.update({"answers": 1, "right by both": ours and theirs, "wrong by both": not (ours or theirs)})
        if ours != theirs:
            found["differ"] += 1
            said = f"{'right' if ours else 'wrong'} here, not there: {what}, {answer[:300]}"
            differing.setdefault(answer.partition(" ")[0], []).append(said)
    _draw(title, ("altered", "answers", "right by both", "wrong by both", "differ"), counts)
    for name, cases in [*differing.items()][:DIFFERENCES]:
        print(f"  {name}, {len(cases)} times, such as {cases[0]}\n")


def _draw(title: str, heads: tuple[str, ...], counts: Mapping[str, Counter[str]]) -> None:
    whole = {**counts, "all": sum(counts.values(), Counter[str]())}
    rows = [[name, *(f"{found[head]:,}" for head in heads[1:])] for name, found in whole.items()]
    print(f"{title}\n{aligned([heads, *rows])}\n")


def _written(asked: list[tuple[Question, Expectation]], names: Sequence[str]) -> None:
    """The truth written in dialects and read back, and what both say of that."""
    counts: dict[str, Counter[str]] = {}
    written = [
        (question, case, truth_of(question)) for question, case in asked if question.truth and not question.language
    ]
    right = {question.id for question, _, truth in written if bfcl_verdict(truth, question).valid}
    for name in names:
        dialect, found = registry.dialect(name), counts.setdefault(name, Counter())
        for question, case, truth in written:
            tools = [*case.tools]
            found["cases"] += 1
            try:
                text = dialect.render([Call(*item) for call in truth for item in call.items()], tools)
            except RenderError:
                found["not written"] += 1
                continue
            calls = dialect.parse(text, tools).runnable
            ours = not check(calls, case)
            theirs = bfcl_verdict([{call.name: call.arguments} for call in calls], question).valid
            found.update({"right": theirs, "lost": question.id in right and not theirs, "differ": ours != theirs})
            found["never right"] += question.id not in right
    heads = ("dialect", "cases", "right", "never right", "lost", "not written", "differ")
    _draw("The truth written and read back", heads, counts)


if __name__ == "__main__":
    main()
