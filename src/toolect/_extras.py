"""Packages that only some uses need, and how they are installed from where this installation came."""

from __future__ import annotations

import importlib
from typing import Any

from toolect._errors import ToolectError

NAME = "toolect"


class MissingExtraError(ToolectError, ImportError):
    """A package that is missing, with the command that installs it."""

    __module__ = "toolect"

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(missing(package, extra))


def need(module: str, extra: str) -> Any:
    """A module that an extra brings. Raises `MissingExtraError`."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(module.partition(".")[0].replace("_", "-"), extra) from None


def missing(package: str, extra: str, what: str = "") -> str:
    """The sentence for a package that is not there; `what` is what needs it."""
    needed = f" {what}" if what else ""
    return f"expected {package}{needed}, got none: {command(extra)}"


def command(extra: str) -> str:
    """Command that installs an extra: from an index, or the checkout, archive or repository that toolect is from."""
    import json
    import shlex
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        origin = json.loads(distribution(NAME).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        origin = {}
    url, folder, repository = origin.get("url", ""), origin.get("dir_info"), origin.get("vcs_info")
    if folder is not None:
        editable = "-e " if folder.get("editable") else ""
        return f"pip install {editable}{shlex.quote(f'{unquote(urlsplit(url).path)}[{extra}]')}"
    if repository is not None:
        return f"pip install '{NAME}[{extra}] @ {repository['vcs']}+{url}@{repository['commit_id']}'"
    return f"pip install '{NAME}[{extra}]{f' @ {url}' if url else ''}'"


def extra_with(package: str) -> str | None:
    """The first extra for users that brings the package which is imported as `package`; None where none does."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = requires(NAME) or []
    except PackageNotFoundError:
        return None
    for one in needed:
        found = re.match(r"""([\w.-]+).*;.*\bextra == ['"]([\w-]+)['"]""", one)
        if found and re.sub(r"[-.]", "_", found[1]).casefold() == package.casefold() and found[2] != "dev":
            return found[2]
    return None
