"""Where a server is, and what each request says to it besides, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping

_PORTS = 1 << 16


def check_address(url: str) -> None:
    """Raises ValueError for an address at which no server can be."""
    import httpx

    if not url.startswith(("http://", "https://")):
        raise ValueError(f"expected a URL that begins with http:// or https://, got {url!r}")
    try:
        address = httpx.URL(url)
        why = "" if address.host else "it names no host"
        if address.port is not None and not 0 < address.port < _PORTS:
            why = f"the port is none of 1 to {_PORTS - 1}"
    except (httpx.InvalidURL, ValueError) as error:  # a host may have letters that no name has
        why = " ".join(str(error).split())
    if why:
        raise ValueError(f"expected the URL of a server such as http://localhost:8000/v1, got {url!r}: {why}")


def check_headers(headers: Mapping[str, str]) -> None:
    """Raises ValueError for headers, a key among them, that no request can have; the value is not shown."""
    for name, value in headers.items():
        if not f"{name}{value}".isascii() or any(sign in f"{name}{value}" for sign in "\r\n\0"):
            raise ValueError(f"expected headers of ASCII characters on one line, got others: mend `{name}` or the key")
