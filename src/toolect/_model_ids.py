"""Model ids: their parts, and the most specific of the patterns that match one.

    provider / organisation / family version size variant date quantisation : tag

Projects, servers and sellers spell the same model in their own ways: `meta-llama/Llama-3.1-8B-Instruct`,
`llama3.1:8b-instruct-q4_K_M`, `us.meta.llama3-1-8b-instruct-v1:0`, `accounts/fireworks/models/llama-v3p1-8b-instruct`,
`bartowski/Meta-Llama-3.1-8B-Instruct-GGUF`. So ids and patterns are compared as words: letters apart from numbers,
whatever stands between them, and versions in one spelling. A pattern that does not end in `*` speaks of a family:
sizes, dates, the words that distinguish copies and offers of a model, and quantisations may follow. One with a
tag, `mistral-small:24b`, speaks of the id that is spelled so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

SPECIFIC = 3
"""A pattern without its organisation needs this many literal characters: `*` must not match everything."""

_SIZE = r"(?:[ae]?\d+(?:\.\d+)?(?:x\d+(?:\.\d+)?)?[bm]|\d+e)(?![a-z0-9])"
_TOKEN = re.compile(
    rf"(?P<size>{_SIZE})|(?P<number>\d+(?:\.\d+)*)|(?P<word>[^\W\d_]+)|(?P<wild>[*?]+)|(?P<between>[\W_])"
)
_MINOR = re.compile(r"(?<![\d.])(\d{1,2})[-_](\d)(?![a-z0-9.])")
_COPY = (
    r"[\d.]+-(?:bits?|bpw)|gguf|ggml|awq|gptq|gptqmodel|exl[23]?|mlx|onnx|fp|nvfp|mxfp|bf|f|int|bit|bits|bnb|w|i?q|ud|i|imatrix|imat|quantized"
    "|quants?|dynamic|block|unsloth|autoround|hqq|dwq|qat|marlin|smashed|litert|tee"
)
"""Beginnings of the part of an id that names a copy's quantisation or file format."""
_NEUTRAL = (
    "instruct|chat|it|hf|thinking|reasoning|preview|latest|free|beta|exp|turbo|maas|fast|original|nitro|online|base|text"
    "|default|instant|versatile|specdec|extended|exacto|high|low|medium|minimal|abliterated|uncensored|heretic|tput|dedicated|us|eu|cloud|lora|tuned|v"
    r"|rl|sft|\d+-k|\d\d+"
)
"""Words that tell copies and offers of a model from each other, not what it writes; dates are numbers, too."""
_REST = rf"(?:-(?:(?:{_NEUTRAL})(?![^-])|{_SIZE}))*(?:-(?:{_COPY})(?![^-]).*)?"
_NO_CALLS = frozenset({
    "embed", "embedding", "embeddings", "embedder", "rerank", "reranker", "reranking", "reward", "rm", "guard", "tts",
    "asr", "transcribe", "whisper", "image", "moderation", "ocr", "safety",
})  # fmt: skip
"""Words of models that answer with no text, or with no calls."""
_KEPT = re.compile(r"[/\\]snapshots[/\\].*|#.*|(?<=[^/\\])@[^/\\]*$")
"""Suffix of a model's name: a commit, a deployment, a revision."""
_SELLERS = ("alibaba", "cerebras", "cohere", "databricks", "fw", "hf", "meta", "mistral", "nvidia", "open", "vertex")
"""Words that are put before the names of models of others."""


class IdPattern(NamedTuple):
    """A pattern of model ids, as it is written, and the dialect that it leads to."""

    written: str
    dialect: str

    @property
    def owner(self) -> str:
        """The organisation, or nothing."""
        return self.written.rpartition("/")[0].casefold()

    @property
    def tail(self) -> str:
        """The pattern without its organisation."""
        return self.written.rpartition("/")[2]


class PatternMatch(NamedTuple):
    """The most specific pattern for an id, and the part of the id that it was compared with."""

    pattern: IdPattern
    read: str


def best(model: str, patterns: Sequence[IdPattern]) -> PatternMatch | None:
    """The most specific pattern that speaks of this id, among equals the last; none where the model writes no calls."""
    model = _plain_path(model)
    last = model.rpartition("/")[2]
    for pattern in reversed(patterns):
        if ":" in pattern.tail and any(fnmatchcase(one, pattern.tail.casefold()) for one in (last, _apart(last))):
            return PatternMatch(pattern, last)
    patterns = [pattern for pattern in patterns if ":" not in pattern.tail]
    known = [_words(pattern) for pattern in patterns]
    found = [
        (fixed, owner in owners, n, len(form), form)
        for form, owners in _forms(model, frozenset(owner for owner, *_ in known))
        for n, (owner, words, head, fixed) in enumerate(known)
        if form.startswith(head) and (fixed >= SPECIFIC or not owner or owner in owners)
        if _regex(words).fullmatch(form)
    ]
    if not found:
        return None
    _, _, n, _, form = max(found)
    silent = _NO_CALLS.intersection(form.split("-")) - {*known[n][1].split("-")}
    return None if silent else PatternMatch(patterns[n], form)


def _plain_path(model: str) -> str:
    """An id with `/` alone between its parts, as of folders: `models--org--name/snapshots/COMMIT`, `org__name`."""
    parts = re.split(r"[/\\]+|__", _KEPT.sub("", model.strip().casefold()))
    return "/".join(part.replace("--", "/") if part.startswith("models--") else part for part in parts if part)


def _apart(last: str) -> str:
    """The last part of an id without the region before it: `us.deepseek.v3-v1:0`."""
    return last.partition(".")[2]


def _forms(model: str, owners: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Candidates for the model's name in an id, in words, each with the organisations that the id names."""
    *before, last = model.split("/")
    around = {*before}
    starts = [(last, around)]
    while vendor := re.match(r"([a-z][a-z-]*)\.(?=[a-z])", last):  # us.meta.llama3…
        around, last = {*around, vendor[1]}, last[vendor.end() :]
        starts.append((last, around))
    known = sorted({*owners, *_SELLERS} - {""})
    for name, named in starts:  # it grows: databricks-meta-llama-3…
        starts += [
            (name[len(owner) + rest.end() :], {*named, owner})
            for owner in known
            if name.startswith(owner) and (rest := re.match(r"[-_:]+(?=.)", name[len(owner) :]))
        ]
    if "_" in last:
        starts.append((last.partition("_")[2], {*around, last.partition("_")[0]}))  # a folder called org_name
    for name, named in starts:
        words = canonical(name)
        yield words, frozenset(named)
        if (bare := re.sub(rf"-{_SIZE}", "", words)) != words:
            yield bare, frozenset(named)


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """A name or a pattern in words with `-` between them; a version is 3.1, without `v` and `.0`."""
    text = re.sub(r"(?<=\d)p(?=\d)", ".", text.casefold())  # v3p1
    text = re.sub(r"-v?[1-9]:\d+$|\.gguf$|\.bin$", "", text.replace("v0:", "v0."))  # what Bedrock calls versions
    text = _MINOR.sub(r"\1.\2", text)
    parts: list[str] = []
    apart = False
    for token in _TOKEN.finditer(text):
        kind, said = token.lastgroup, token[0]
        if kind == "between":
            apart = True
            continue
        if kind == "number":
            said = re.sub(r"^(\d+)\.0$", r"\1", said)
            if parts and not apart and re.fullmatch(r"-?v", parts[-1]):
                parts.pop()
                apart = True
        wild = kind == "wild" or bool(parts) and parts[-1][-1] in "*?"
        parts.append(said if not parts or wild and not apart else f"-{said}")
        apart = False
    return "".join(parts).removeprefix("-")


@lru_cache(maxsize=4096)
def _words(pattern: IdPattern) -> tuple[str, str, str, int]:
    """Its organisation, it in words, those before its first `*`, and its number of literal characters."""
    words = canonical(pattern.tail)
    return pattern.owner, words, re.split(r"-?[*?]", words, maxsplit=1)[0], weight(words)


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    """Expression for a pattern in words: a `*` of its own is any words, one after a number that number's parts, too."""
    out, at = "", 0
    for star in re.finditer(r"(-?)([*?])(-?)", pattern):
        before = pattern[at : star.start()]
        out += re.escape(before)
        open_, sign, close = star.groups()
        if sign == "?":
            out += f"{open_}.{close}"
        elif not open_ and before:
            out += r"(?!\d|[bm](?![a-z0-9]))" if before[-1].isdigit() else ""  # no other number, no size
            out += f".*{close}"
        else:
            out += f"{open_}(?:.*-)?" if close else f"(?:{open_}.*)?"
        at = star.end()
    rest = pattern[at:]
    return re.compile(out + re.escape(rest) + ("" if pattern.endswith("*") else _REST))


def specificity(pattern: str) -> tuple[int, bool]:
    """Specificity of a pattern: its number of literal characters, then True when the first one is literal."""
    return weight(pattern), pattern[:1] not in ("*", "?")


def weight(pattern: str) -> int:
    """Number of literal characters of a pattern."""
    return len(pattern) - pattern.count("*") - pattern.count("?")
