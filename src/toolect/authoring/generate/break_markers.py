"""Breaks the markers of a wire text, and what stands around them, as models, servers and tokenizers break them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

from toolect._spec.model import Role, Spec
from toolect.authoring.generate.break_json import tokens, values
from toolect.authoring.generate.facts import closers, fixed, markers, openers
from toolect.authoring.generate.texts import hostile

_DRIFT = ("", " ", "\n", "\n\n", "\t ", "\r\n")
_QUOTES = (('"', "'"), ("'", '"'), ("\"'", "”’"))
_SPLITS = ("-", "\u200b", "<", "x")
_SPECIAL = re.compile(r"<?[|｜].*[|｜]>?|\[/?[A-Z_]+\]")
"""A marker that is one token of the model, which detokenizers drop."""
_ATTRIBUTE = re.compile(r"""(=)(")?((?:(?<=")[^"<>\n]+|(?<!")[\w.:/-]+))(?(2)")""")
_QUOTED = re.compile(r"""(?<=[=(\[{:,\s])(["'])(?:\\.|(?!\1)[^\\\n])*\1(?=[)\]},:])""")
_ATTRIBUTES = ('="{}"', "='{}'", "={}", ' = "{}"', ' ="{}"')
_PREFIXES = ("functions.", "tools.", "functions::", "function.")
_OTHER_KEYS = ("params", "args", "input", "kwargs", "tool_args")


def place(text: str, wanted: Iterable[str], random: Random) -> tuple[int, int] | None:
    """Where in the text one of the markers stands; nothing when none does."""
    either = "|".join(re.escape(marker) for marker in wanted)
    found = [match.span() for match in re.finditer(either, text)] if either else []
    return random.choice(found) if found else None


def _long(wanted: Iterable[str]) -> list[str]:
    """Those of the markers that are more than a bracket or another sign."""
    return [marker for marker in wanted if len(marker.strip()) > 1]


def _left_out(text: str, wanted: Iterable[str], random: Random) -> str:
    """The text without one of the markers."""
    start, end = place(text, wanted, random) or (0, 0)
    return text[:start] + text[end:]


def missing_closer(text: str, spec: Spec, random: Random) -> str:
    return _left_out(text, _long(closers(spec)), random)


def missing_opener(text: str, spec: Spec, random: Random) -> str:
    return _left_out(text, _long(openers(spec)), random)


def open_reasoning(text: str, spec: Spec, random: Random) -> str:
    return _left_out(text, closers(spec, Role.REASONING), random)


def missing_sign(text: str, spec: Spec, random: Random) -> str:
    start, _ = place(text, _long(map(str.strip, openers(spec))), random) or (len(text), 0)
    return text[:start] + text[start + 1 :]


def missing_word(text: str, spec: Spec, random: Random) -> str:
    named = [marker for marker in openers(spec) if len(re.findall(r"[^\W_]+", marker)) > 1]
    start, end = place(text, named, random) or (0, 0)
    return text[:start] + re.sub(r"[^\W_]+[_ ]?", "", text[start:end], count=1) + text[end:]


def dropped_tokens(text: str, spec: Spec, _random: Random) -> str:
    special = [marker for marker in markers(spec) if _SPECIAL.fullmatch(marker)]
    return re.sub("|".join(map(re.escape, special)), "", text) if special else text


def attributes(text: str, spec: Spec, random: Random) -> str:
    ends = tuple({end for marker in markers(spec) for end in ("=", '="') if marker.endswith(end)})
    found = [match for match in _ATTRIBUTE.finditer(text) if ends and text[: match.start(3)].endswith(ends)]
    if not found:
        return text
    match = random.choice(found)
    written = random.choice([way for way in _ATTRIBUTES if way.format(match[3]) != match[0]]).format(match[3])
    return text[: match.start()] + written + text[match.end() :]


def split(text: str, spec: Spec, random: Random) -> str:
    return _put_in(text, spec, random, random.choice(_SPLITS))


def blank(text: str, spec: Spec, random: Random) -> str:
    return _put_in(text, spec, random, random.choice((" ", "\n")))


def _put_in(text: str, spec: Spec, random: Random, sign: str) -> str:
    found = place(text, _long(map(str.strip, markers(spec))), random)
    if found is None:
        return text
    at = random.randint(found[0] + 1, found[1] - 1)
    return text[:at] + sign + text[at:]


def dropped(text: str, spec: Spec, random: Random) -> str:
    found = place(text, _long(map(str.strip, fixed(spec))), random)
    if found is None:
        return text
    at = random.randint(found[0], found[1] - 1)
    return text[:at] + text[at + 1 :]


def doubled(text: str, spec: Spec, random: Random) -> str:
    whole = _long(markers(spec))
    start, end = place(text, [*whole, *map(str.strip, whole)], random) or (0, 0)
    return text[:end] + text[start:end] + text[end:]


def swapped(text: str, spec: Spec, random: Random) -> str:
    found = list(re.finditer("|".join(map(re.escape, fixed(spec))), text))
    one = random.choice(found) if found else None
    others = [match for match in found if one and match[0] != one[0]]
    if one is None or not others:
        return text
    first, second = sorted((one, random.choice(others)), key=re.Match.start)
    between = text[first.end() : second.start()]
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


def drifted(text: str, spec: Spec, random: Random) -> str:
    strings = [(token.start, token.end) for token in tokens(text) if token.text[0] == '"']
    strings += [match.span() for match in _QUOTED.finditer(text)]  # a blank in a string is a part of it
    places = [match.span() for match in re.finditer(r"\s+", text)]
    marker = place(text, fixed(spec), random)
    if marker is not None:
        places += [(at, at) for at in marker]
    places = [(at, end) for at, end in places if not any(first < at < last for first, last in strings)]
    if not places:
        return text
    start, end = random.choice(places)
    return text[:start] + random.choice([blank for blank in _DRIFT if blank != text[start:end]]) + text[end:]


def escaped_break(text: str, spec: Spec, random: Random) -> str:
    """Between two markers, or one and a bracket: elsewhere it may be a part of a value."""
    cores = sorted({core for marker in markers(spec) if len(core := marker.strip()) > 1}, key=len, reverse=True)
    either = "|".join(map(re.escape, cores))
    if not either:
        return text
    found = [match.span() for match in re.finditer(rf"(?:{either})|[{{}}\[\]]", text)]
    places = [(end, start) for (begin, end), (start, last) in pairwise(found) if max(end - begin, last - start) > 1]
    places = [(start, end) for start, end in places if "\n" in text[start:end] and text[start:end].isspace()]
    if not places:
        return text
    start, end = random.choice(places)
    return text[:start] + text[start:end].replace("\n", "\\n") + text[end:]


# The text around the markers


def truncated(text: str, _spec: Spec, random: Random) -> str:
    return text[: random.randint(0, len(text) - 1)] if text else text


def beheaded(text: str, _spec: Spec, random: Random) -> str:
    return text[random.randint(1, min(30, len(text))) :] if text else text


def cut_closers(text: str, spec: Spec, random: Random) -> str:
    places = _last_closers(text, spec)
    return text[: random.choice(places)] if places else text


def early_end(text: str, spec: Spec, random: Random) -> str:
    places = _last_closers(text, spec)
    if not places or not spec.end:
        return text
    at = random.choice(places)
    return text[:at] + spec.end[0] + random.choice(("", text[at:]))


def _last_closers(text: str, spec: Spec) -> list[int]:
    """Where the closers begin that stand at the end of the text, one after the other; not those of an argument."""
    inner = set(closers(spec, Role.ARGUMENT)) | set("\"'")
    outer = [marker for marker in closers(spec) if marker.strip() not in inner and marker not in inner]
    places, at = [], len(text.rstrip())
    while closer := next((marker for marker in outer if text.endswith(marker, 0, at)), ""):
        at -= len(closer)
        places.append(at)
        at = len(text[:at].rstrip())
    return places


def false_start(text: str, spec: Spec, random: Random, starts: Sequence[int] = ()) -> str:
    """One of the calls, which begin at `starts`, breaks off; where nobody says where they begin, something does."""
    if starts:
        start = end = random.choice(starts)
    else:
        found = place(text, openers(spec, Role.CALL), random)
        start, end = found or next(((at, at + 1) for at, _ in values(text)), (-1, -1))
    if start < 0:
        return text
    closing = [text.find(closer, end) for closer in closers(spec) if len(closer) > 1 or closer in "}])"]
    last = min((at for at in closing if at >= end), default=end)
    return text[: random.randint(end, last)] + text[start:]


def requoted(text: str, _spec: Spec, random: Random) -> str:
    ways = [(old, new) for old, new in _QUOTES if any(quote in text for quote in old)]
    return text.translate(str.maketrans(*random.choice(ways))) if ways else text


def spliced(text: str, spec: Spec, random: Random) -> str:
    at = random.randint(0, len(text))
    return text[:at] + (hostile(markers(spec), random) or "{") + text[at:]


# Names and keys


def prefixed(text: str, names: Iterable[str], random: Random) -> str:
    """One of the `names` has a prefix."""
    either = "|".join(map(re.escape, names))
    found = [match.start() for match in re.finditer(rf"(?<![\w.])(?:{either})(?![\w.])", text)] if either else []
    at = random.choice(found) if found else None
    return text if at is None else text[:at] + random.choice(_PREFIXES) + text[at:]


def renamed_key(text: str, keys: Iterable[str], random: Random) -> str:
    """One of the `keys` of objects is another one."""
    known = list(keys)
    found = [match.span(1) for match in re.finditer(r'"(\w+)"\s*:\s*[{"]', text) if match[1] in known]
    if not found:
        return text
    start, end = random.choice(found)
    return text[:start] + random.choice([key for key in _OTHER_KEYS if key not in known]) + text[end:]
