"""JSON Schema validation in bounded steps: violations of a tool's declaration by the arguments of a call.

The library jsonschema (draft 2020-12) walks the schema. Each keyword that it applies is counted, and those whose time
depends on more than the size of a value are done here. Beyond `MAX_STEPS` validation is cut off, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from toolect import _extras as extras
from toolect._errors import ToolectError
from toolect._message import Call, Json, Violation, dumps
from toolect._regular.ambiguity import Growth, ambiguity
from toolect._regular.extent import states
from toolect._regular.syntax import NotRegularError, read
from toolect._shown import cut

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_STEPS = 100_000
"""Keywords that are applied to one call's arguments, each for up to 16 members. Beyond it: a violation says so. They
take about half a second."""
MAX_NESTED = 150
"""Keywords that are applied inside of each other. Beyond it: a violation says so."""
MAX_SEARCH = 1_000_000
"""Steps of matching a pattern that is not linear. Beyond it, and for one that is exponential: a violation says so."""
MAX_BITS = 1 << 16
"""Bits of an integer of which it is looked at whether it is a multiple. Beyond it: a violation says so."""
MAX_SCHEMA = 10_000
"""Values in a schema. Beyond it: `SchemaError`."""
MAX_VIOLATIONS = 20
"""Violations that are listed of one call; a model mends no more at a time."""
_ENDLESS = "arguments that can be checked", f"a value or a schema that nests without end (over {MAX_NESTED} keywords)"
_SHOWN = 80
_TYPES = 32

Errors: TypeAlias = "Iterator[ValidationError]"
Keyword: TypeAlias = "Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]"


class SchemaError(ToolectError, ValueError):
    """The parameters of a tool are no JSON Schema: what was expected, what came, and where."""


class _CutOffError(Exception):
    """Validation takes too long."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected, self.got = expected, got


class Validator:
    """The JSON Schema of one tool's parameters, ready to use. Safe to share between threads.

    `where` is what its errors call the schema. Raises `SchemaError` for what is none, `MissingExtraError`.
    """

    def __init__(self, schema: Mapping[str, Any], where: str = "parameters") -> None:
        self.schema, self._patterns = _plain(schema, where)
        bounded, check, registry = _library()
        try:
            wrong = check(self.schema)
        except RecursionError:
            raise SchemaError(f"expected a JSON Schema, got one that nests too deeply - at `{where}`") from None
        if wrong is not None:
            at = f"{where}{wrong.json_path[1:]}"
            raise SchemaError(f"expected a JSON Schema, got {cut(wrong.message, _SHOWN)} - at `{at}`")
        self._validator = bounded(self.schema, registry=registry)

    def violations(self, arguments: Json) -> list[Violation]:
        """Violations of the schema by `arguments`, in its order; at most `MAX_VIOLATIONS`. Never raises.

        Where validation was cut off, or did not come to an end, the last one has `limit`.
        """
        found: list[Violation] = []
        token = _run.set(_Steps(self._patterns))
        try:
            for error in self._validator.iter_errors(arguments):
                found += _violations(error)
                if len(found) >= MAX_VIOLATIONS:
                    break
            else:
                found += self._unknown(arguments)
        except _CutOffError as error:
            found.append(Violation("$", error.expected, error.got, limit=True))
        except RecursionError:
            found.append(Violation("$", *_ENDLESS, limit=True))
        except Exception as error:  # whatever a schema makes the library raise: it is not known whether arguments fit
            ref = getattr(error, "ref", None)
            expected = "a schema without outside references" if ref else "a schema that arguments can be checked by"
            found.append(Violation("$", expected, f"`{cut(str(ref or error), _SHOWN)}`", limit=True))
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # a RecursionError in the library's extension
                raise
            found.append(Violation("$", *_ENDLESS, limit=True))
        finally:
            _run.reset(token)
        return found[:MAX_VIOLATIONS]

    def _unknown(self, arguments: Json) -> Iterator[Violation]:
        """Parameters that the tool does not have, unless its schema says that it takes others."""
        known = self.schema.get("properties")
        if isinstance(known, Mapping) and isinstance(arguments, dict) and not _OTHERS & self.schema.keys():
            for name in arguments:
                if name not in known:
                    yield _no_parameter(f"$.{name}", known)


class CallValidator:
    """Labels calls with violations; `schemas` are those of the parameters, by the names of tools.

    Raises `MissingExtraError`. The same call is validated once.
    """

    def __init__(self, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        _library()
        self._schemas = schemas
        self._found: dict[tuple[str, str], tuple[Violation, ...]] = {}

    def __call__(self, call: Call) -> Call:
        """The call with its violations; one that must not be run anyway is as it was."""
        if not call.runnable:
            return call
        key = call.name, call.arguments_text
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(self._violations(call))
        error = "; ".join(map(str, found))
        return msgspec.structs.replace(call, violations=found, error=error) if found else call

    def _violations(self, call: Call) -> list[Violation]:
        schema = self._schemas.get(call.name)
        if schema is None:
            names = ", ".join(f"`{name}`" for name in list(self._schemas)[:20])
            return [Violation("name", f"one of the tools {names}", _quoted(call.name))]
        try:
            return _kept(dumps(schema)).violations(call.arguments)
        except (SchemaError, TypeError, ValueError, RecursionError) as error:
            return [Violation("$", "a tool with a JSON Schema", cut(str(error), _SHOWN), limit=True)]


@lru_cache(maxsize=1024)
def _kept(schema: str) -> Validator:
    return Validator(msgspec.json.decode(schema))


class _Steps:
    """Steps left of one validation."""

    __slots__ = ("left", "met", "nested", "patterns")

    def __init__(self, patterns: frozenset[str]) -> None:
        self.left, self.nested = MAX_STEPS, 0
        self.patterns = patterns
        """Patterns of keys, anywhere in the schema."""
        self.met = set[str]()
        """Patterns that were matched so far."""

    def take(self, count: int) -> None:
        """Count so many steps. Raises `_CutOffError` where they are more than are left."""
        self.left -= count
        if self.left < 0:
            raise _CutOffError(f"arguments and a schema that are checked in {MAX_STEPS:,} steps", "more of them")


_run: ContextVar[_Steps] = ContextVar("steps")


def _plain(schema: Mapping[str, Any], where: str) -> tuple[dict[str, Any], frozenset[str]]:
    """A copy of a schema without `$schema`, which leads the library to unbounded keywords, and its patterns of keys."""
    left, patterns = MAX_SCHEMA, set[str]()

    def copy(value: Any, word: str) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise SchemaError(f"expected a JSON Schema of at most {MAX_SCHEMA:,} values, got more - at `{where}`")
        if isinstance(value, Mapping):
            patterns.update(value if word == "patternProperties" else ())
            return {key: copy(one, key) for key, one in value.items() if key != "$schema" or not isinstance(one, str)}
        if isinstance(value, list | tuple):
            if word == "type" and len(value) > _TYPES:  # the library compares them all with each other
                raise SchemaError(f"expected at most {_TYPES} types, got {len(value):,} in `type` - at `{where}`")
            return [copy(one, "") for one in value]
        return value

    try:
        copied: dict[str, Any] = copy(schema, "")
        dumps(copied)
    except RecursionError:
        raise SchemaError(f"expected a JSON Schema, got one that nests too deeply - at `{where}`") from None
    except (TypeError, ValueError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(f"expected a JSON Schema, got what is no JSON ({error}) - at `{where}`") from None
    return copied, frozenset(patterns)


@cache
def _library() -> tuple[Any, Callable[[Any], Any], Any]:
    """The library's validator with counted keywords, the check of a schema, and a registry that fetches nothing."""
    try:
        from jsonschema import Draft202012Validator, validators
        from referencing import Registry
    except ImportError:
        raise extras.MissingExtraError("jsonschema", "schema") from None

    meta = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    keywords = {**Draft202012Validator.VALIDATORS, **_OWN}
    extend: Any = validators.extend
    bounded = extend(
        Draft202012Validator, {word: _counted(check, _WEIGHTS.get(word, 1)) for word, check in keywords.items()}
    )

    def check(schema: Any) -> Any:
        return next(meta.iter_errors(schema), None)

    return bounded, check, Registry()


def _counted(keyword: Keyword, weight: int) -> Keyword:
    """A keyword whose steps are counted: for itself, for its members and those of the value, and for its messages."""

    def check(validator: Any, rule: Any, value: Any, schema: Any) -> Errors:
        steps = _run.get()
        members = len(value) if isinstance(value, list | dict) else 0
        parts = members + (len(rule) if isinstance(rule, list | dict | str) else 0)
        steps.take(weight + parts // 16)
        if steps.nested == MAX_NESTED:
            raise _CutOffError(*_ENDLESS)
        steps.nested += 1
        try:
            for error in keyword(validator, rule, value, schema) or ():
                if not isinstance(error.validator, str):  # it is new, and quotes the value
                    steps.take(len(error.message) // 64)
                steps.take(1)
                yield error
        finally:
            steps.nested -= 1

    return check


def _error(message: str, *path: str) -> ValidationError:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message, path=path)


def _pattern(_validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    if isinstance(value, str) and not _matches(rule, value):
        yield _error("does not match")


def _pattern_properties(validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    for pattern, inner in rule.items() if isinstance(value, dict) else ():
        for key, one in value.items():
            if _matches(pattern, key):
                yield from validator.descend(one, inner, path=key, schema_path=pattern)


def _additional(validator: Any, rule: Any, value: Any, schema: Any) -> Errors:
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key in value if isinstance(value, dict) else ():
        if key not in known and not any(_matches(pattern, key) for pattern in patterns):
            yield from [_error("is unknown", key)] if rule is False else validator.descend(value[key], rule, path=key)


def _unevaluated(validator: Any, rule: Any, value: Any, schema: Any) -> Errors:
    from jsonschema import Draft202012Validator

    for pattern in _run.get().patterns:
        if _degree(pattern) != 1:  # the library matches it by itself
            raise _too_slow(pattern)
    yield from Draft202012Validator.VALIDATORS["unevaluatedProperties"](validator, rule, value, schema) or ()


def _required(_validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    for name in rule if isinstance(value, dict) else ():
        if name not in value:
            yield _error("is required", name)


def _unique(_validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    if rule and isinstance(value, list) and len(set(map(_canonical, value))) < len(value):
        yield _error("has equal items")


def _enum(_validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    if _canonical(value) not in map(_canonical, rule):
        yield _error("is none of these")


def _const(_validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    if _canonical(value) != _canonical(rule):
        yield _error("is something else")


def _multiple(_validator: Any, rule: Any, value: Any, _schema: Any) -> Errors:
    if isinstance(value, int | float) and not isinstance(value, bool):
        for number in (value, rule):
            if isinstance(number, int) and number.bit_length() > MAX_BITS:
                raise _CutOffError(f"an integer of at most {MAX_BITS:,} bits", f"one of {number.bit_length():,}")
        if (_fraction(value) / _fraction(rule)).denominator != 1:
            yield _error("is no multiple")


_WEIGHTS = {"$ref": 4, "$dynamicRef": 4}
"""The steps of a keyword, where it has more than one."""
_OWN: dict[str, Keyword] = {
    "additionalProperties": _additional,
    "const": _const,
    "enum": _enum,
    "multipleOf": _multiple,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "required": _required,
    "unevaluatedProperties": _unevaluated,
    "uniqueItems": _unique,
}
"""The keywords that the library does in time beyond linear, or by floats, and those whose errors have no path."""


def _fraction(number: float) -> Fraction:
    """A number as it is written: `0.1` is a tenth."""
    return Fraction(number if isinstance(number, int) else repr(number))


def _canonical(value: Json) -> str:
    """A text that is the same for equal JSON values, and whose hash nobody can choose. Each value is a step."""
    _run.get().take(1 + (len(value) // 64 if isinstance(value, str) else 0))
    match value:
        case dict():
            return f"{{{','.join(f'{dumps(key)}:{_canonical(value[key])}' for key in sorted(value))}}}"
        case list():
            return f"[{','.join(map(_canonical, value))}]"
        case float() if value.is_integer():
            return hex(int(value))
        case int() if not isinstance(value, bool):
            return hex(value)
        case _:
            return dumps(value)


def _matches(pattern: str, text: str) -> bool:
    """True where a pattern is found in a text. Raises `_CutOffError` where that may take too long."""
    run = _run.get()
    if pattern not in run.met:  # it may have to be analysed
        run.met.add(pattern)
        run.take(_analysis(pattern))
    degree = _degree(pattern)
    steps = len(text) ** min(degree, 64)
    if degree == 0 or steps > MAX_SEARCH and degree > 1:
        raise _too_slow(pattern)
    run.take(1 + steps // 128)
    return re.search(pattern, text) is not None


def _analysis(pattern: str) -> int:
    """The steps that the analysis of a pattern takes."""
    try:
        return 100 + states(read(pattern)) ** 2 // 20
    except NotRegularError:
        return 100


def _too_slow(pattern: str) -> _CutOffError:
    return _CutOffError("a pattern that is matched in linear time", f"`{cut(pattern, _SHOWN)}`")


@lru_cache(maxsize=1024)
def _degree(pattern: str) -> int:
    """Power of a text's length that bounds the search for a pattern; 0 where there is no bound, or it is not known."""
    if len(pattern) > _LONGEST:
        return 0
    anchored = pattern.startswith(("^", r"\A"))
    open_end = "$" not in pattern and "(?" not in pattern and not re.search(r"\\[bBZ]", pattern)
    found = ambiguity(f"{'' if anchored else '(?s:.)*?'}(?:{pattern}){'(?s:.)*' if open_end else ''}", MAX_STEPS // 10)
    if found is None:
        return 1
    loops = len(re.findall(r"[*+{]|(?<!\()\?", pattern))
    return 1 + loops if found.growth is Growth.POLYNOMIAL else 0


_LONGEST = 512
"""Characters of a pattern that is looked at. Beyond it: it is not known how long it takes."""


_OTHERS = frozenset(
    ("additionalProperties", "patternProperties", "unevaluatedProperties", "$ref", "anyOf", "oneOf", "allOf")
)
"""Keywords of a schema that may allow parameters which `properties` does not list."""


def _violations(error: ValidationError) -> Iterator[Violation]:
    """Violations of one error of the validator, in our words where they are clearer."""
    path: str = error.json_path
    rule: Any = error.validator_value
    match error.validator:
        case "required":
            yield Violation(path, "this required parameter", "nothing")
        case "type":
            yield Violation(path, _types(rule), _typed(error.instance))
        case "enum":
            yield Violation(path, " or ".join(map(_value, rule[:20])), _value(error.instance))
        case "const":
            yield Violation(path, _value(rule), _value(error.instance))
        case "additionalProperties" if rule is False:
            known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
            yield _no_parameter(path, known)
        case "anyOf" | "oneOf" if error.context:
            choices = sorted({str(v) for inner in error.context[:20] for v in _violations(inner)})
            yield Violation(path, "one of several forms", f"{_typed(error.instance)} ({'; or '.join(choices[:4])})")
        case name:
            yield Violation(path, f"{name} {_value(rule)}", _value(error.instance))


def _no_parameter(path: str, known: Mapping[str, Any]) -> Violation:
    names = ", ".join(f"`{name}`" for name in list(known)[:20])
    return Violation(path, f"one of the parameters {names}" if known else "no parameters", "an unknown one")


def _types(rule: Any) -> str:
    return " or ".join(rule) if isinstance(rule, list) else str(rule)


def _typed(value: Json) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else f"the {kinds.get(type(value), 'value')} {_value(value)}"


def _value(value: Any) -> str:
    text = dumps(value)
    _run.get().take(len(text) // 64)
    return _quoted(value, text)


def _quoted(value: Any, text: str = "") -> str:
    return f"`{cut(text or dumps(value), _SHOWN)}`"
