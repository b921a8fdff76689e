"""The dedup key: two URLs with equal keys are one to us.

The rules are bold: each merges URLs that almost always lead to the same page, though no standard says so. They
touch the key only; what is fetched is the form that was found first. Each can be switched off (`settings.UrlSettings`).
"""

from __future__ import annotations

import re

from skitter.settings import UrlSettings
from skitter.url.keys import without_www

TRACKING = frozenset(
    {
        *("utm", "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "ysclid", "_openstat"),
        *("twclid", "ttclid", "igshid", "igsh", "li_fat_id", "epik", "srsltid", "_ga", "_gl", "_kx", "s_cid", "sc_cid"),
        *("mc_cid", "mc_eid", "ml_subscriber", "ml_subscriber_hash", "mkt_tok", "vero_id", "vero_conv", "wickedid"),
        *("_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "oly_anon_id", "oly_enc_id", "rb_clickid"),
        *("ga_source", "ga_medium", "ga_term", "ga_content", "ga_campaign", "ga_place", "zanpid"),
    }
)
TRACKING_PREFIXES = ("utm_", "hsa_", "pk_", "piwik_", "mtm_", "matomo_")

SESSIONS = frozenset(
    {
        *("sid", "phpsessid", "phpsessionid", "jsessionid", "sessionid", "session_id", "sessid"),
        *("cfid", "cftoken", "oscsid", "zenid"),
    }
)
SESSION_PREFIXES = ("aspsessionid",)

INDEX_PAGES = frozenset(
    {f"index.{end}" for end in ("html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "pl")}
    # No server takes `default.html` for a folder's page by itself, and it may well be about a default.
    | {f"default.{end}" for end in ("htm", "asp", "aspx")}
)

_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*|/\([a-z]\([a-z0-9]+\)\)(?=/)", re.IGNORECASE)
_SLASHES = re.compile(r"//+")
# What RFC 3986 allows neither in a path nor in a query. The URL standard lets all of these pass in a query, and only
# `[]|^` in a path.
_UNSAFE = re.compile(r"[\[\]|^`{}\\\"<>]")


class DedupKey:
    """Makes keys by the rules that are on."""

    def __init__(self, settings: UrlSettings) -> None:
        self._settings = settings
        names: set[str] = set()
        prefixes: tuple[str, ...] = ()
        if settings.drop_tracking:
            own = [name.lower() for name in settings.tracking_parameters]
            names |= TRACKING | {name for name in own if not name.endswith("*")}
            prefixes += TRACKING_PREFIXES + tuple(name[:-1] for name in own if name.endswith("*"))
        if settings.drop_sessions:
            names |= SESSIONS | {name.lower() for name in settings.session_parameters}
            prefixes += SESSION_PREFIXES
        self._noise = frozenset(names)
        self._noise_prefixes = prefixes

    def of(self, scheme: str, authority: str, tail: str) -> str:
        """Returns the key of a URL in parts: scheme with its colon, authority, path and query with the first slash."""
        settings = self._settings
        if settings.drop_www and authority.startswith("www."):
            authority = without_www(authority)
        path, mark, query = tail.partition("?")
        path = self._path(path)
        if query:
            query = self._query(query)
        if query or (mark and not settings.drop_empty_query):
            path = f"{path}?{query}"
        if settings.fold_escapes and (query or "|" in path or "[" in path or "]" in path or "^" in path):
            path = _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", path)
        return f"//{authority}{path}" if settings.merge_schemes else f"{scheme}//{authority}{path}"

    def _path(self, path: str) -> str:
        settings = self._settings
        if (";" in path or "(" in path) and settings.drop_sessions:
            path = _SESSION_IN_PATH.sub("", path)
        if "//" in path and settings.collapse_slashes:
            path = _SLASHES.sub("/", path)
        if settings.drop_index and ("ndex." in path or "efault." in path or "NDEX." in path):  # cheap, and mostly no
            path = _without_index(path)
        if settings.drop_trailing_slash:
            path = path.removesuffix("/")
        return path

    def _query(self, query: str) -> str:
        parts = query.split("&")
        if self._noise:
            parts = [part for part in parts if not self._is_noise(part.partition("=")[0].lower())]
        if self._settings.sort_query:
            # A query is a form's answer: `a` and `a=` are one pair, `+` and `%20` one space.
            parts = [part if "=" in part else f"{part}=" for part in parts if part]
            parts.sort()
            return "&".join(parts).replace("+", "%20")
        return "&".join(parts)

    def _is_noise(self, name: str) -> bool:
        return name in self._noise or name.startswith(self._noise_prefixes)


def _without_index(path: str) -> str:
    folder, slash, last = path.rpartition("/")
    return folder + slash if last.lower() in INDEX_PAGES else path
