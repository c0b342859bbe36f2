"""Secret redaction: keys, passwords, headers and environments, known at one place and blanked in all that is shown."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from urllib.parse import quote, unquote, urlsplit, urlunsplit

BLANK = "…"
_SHORT = 6
"""Characters from which a secret is blanked inside of words, too."""
_NAMES_SECRET = re.compile(r"(?i)key|token|secret|passw|auth|credential")


class Redactor:
    """Blanks secrets in texts, however these spell them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._pattern: re.Pattern[str] | None = None
        self._forms: set[str] = set()
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Blank these, too; of a header such as `Bearer …` what follows the scheme as well."""
        for secret in secrets:
            for value in (secret, secret.partition(" ")[2]):
                self._forms |= {value, quote(value), quote(value, safe=""), json.dumps(value)[1:-1], repr(value)[1:-1]}
        forms = sorted(filter(str.strip, self._forms), key=len, reverse=True)
        words = [re.escape(form) if len(form) >= _SHORT else rf"(?<!\w){re.escape(form)}(?!\w)" for form in forms]
        self._pattern = re.compile("|".join(words)) if words else None

    def __call__(self, text: str) -> str:
        return self._pattern.sub(BLANK, text) if self._pattern else text


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
        return urlunsplit(parts._replace(query=BLANK if parts.query else "", fragment=""))
    except ValueError:  # it is none
        return re.sub(r"//[^/]*@", "//", url).partition("?")[0]


def url_secrets(url: str) -> list[str]:
    """What of a URL is secret: its account, and the values of its query."""
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
