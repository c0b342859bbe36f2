"""Secret redaction: keys, passwords, headers and environments, known at one place and blanked in all that is shown."""

from __future__ import annotations

import json
import logging
import re
import traceback
from base64 import b64encode
from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from weakref import WeakSet

BLANK = "…"
_SHORTEST = 4
"""Characters that a secret has at least: `1` and `yes` in an environment are none."""
_SHORT = 6
"""Characters from which a secret is blanked inside of words, too."""
_LOGGERS = (
    "httpx", "httpx2", "mcp.client.streamable_http", "mcp.client.sse", "mcp.client.stdio", "toolect.agent",
    *(f"{name}.{part}" for name in ("httpcore", "httpcore2") for part in ("connection", "http11", "http2", "proxy")),
)  # fmt: skip
"""Loggers that write addresses and what servers say."""
_NAMES_SECRET = re.compile(r"(?i)key|token|secret|passw|auth|credential")


class Redactor:
    """Blanks secrets in texts, however these spell them, and in the logs of clients as long as it lives."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._pattern: re.Pattern[str] | None = None
        found: set[str] = set()
        for secret in secrets:
            for value in (secret, secret.partition(" ")[2]):  # of a header such as `Bearer …` what follows the scheme
                found |= {value, quote(value), quote(value, safe=""), json.dumps(value)[1:-1], repr(value)[1:-1]}
        forms = sorted((form for form in found if len(form.strip()) >= _SHORTEST), key=len, reverse=True)
        words = [re.escape(form) if len(form) >= _SHORT else rf"(?<!\w){re.escape(form)}(?!\w)" for form in forms]
        if words:
            self._pattern = re.compile("|".join(words))
            _redactors.add(self)
            for name in _LOGGERS:
                logging.getLogger(name).addFilter(_redact_record)  # once, however often it is added

    def __call__(self, text: str) -> str:
        return self._pattern.sub(BLANK, text) if self._pattern else text


_redactors: WeakSet[Redactor] = WeakSet()


def _redact_record(record: logging.LogRecord) -> bool:
    """A filter of logs: the record goes on, without secrets."""
    text = given = record.getMessage()
    trace = "".join(traceback.format_exception(*record.exc_info)).rstrip() if record.exc_info else ""
    for redact in [*_redactors]:
        text, trace = redact(text), redact(trace)
    if text != given:
        record.msg, record.args = text, None
    record.exc_text = trace or record.exc_text
    return True


def split_url(url: str) -> tuple[str, str, list[str]]:
    """A URL without its `user:password@`, the header that says the same, and what of both is secret."""
    parts = urlsplit(url)
    account, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, "", []
    user, colon, password = (unquote(part) for part in account.partition(":"))
    encoded = b64encode(f"{user}:{password}".encode()).decode()
    return urlunsplit(parts._replace(netloc=host)), f"Basic {encoded}", [account, encoded, password if colon else user]


def public_url(url: str) -> str:
    """A URL as it may be shown: without an account, and without the values of its query."""
    try:
        parts = urlsplit(split_url(url)[0])
        if not parts.netloc or parts.port == 0:  # or the port is no number
            raise ValueError
        return urlunsplit(parts._replace(query=BLANK if parts.query else "", fragment=""))
    except ValueError:  # it is none
        return re.sub(r"^(\w*:?//)?[^?]*@", r"\1", url).partition("?")[0]


def url_secrets(url: str) -> list[str]:
    """The secrets of a URL: its account, and the values of its query."""
    values = re.findall(r"=([^&]+)", urlsplit(url).query)
    return [*split_url(url)[2], *values, *map(unquote, values)]


def argument_secrets(words: Iterable[str]) -> list[str]:
    """The words of a command that follow a name such as `--api-key`."""
    found, before = [], ""
    for word in words:
        name, _, value = word.partition("=")
        if value and _NAMES_SECRET.search(name):
            found.append(value)
        elif before.startswith("-") and _NAMES_SECRET.search(before):
            found.append(word)
        before = word
    return found
