"""The query of a link: its parts by name, read once for every page, and a word for each that cannot be used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sizing.base.errors import SizingError
from sizing.catalogue.inputs import Input, inputs
from sizing.catalogue.loader import OWN

VERSION = "1"
"""Version of the meaning of a link. A new one is needed when a default or a name changes its meaning."""

VERSION_PARAMETER = "v"
PLAN_PARAMETERS = ("pv", "svc", "hosts", "aim", "best")
COMPARISON_PARAMETERS = ("cv", "rig", "cur", "per", "vary")
EVIDENCE_PARAMETERS = ("suite", "of", "on", "case")
LOOK_PARAMETERS = ("theme", "lang", "step")
HOST_PARAMETERS = ("voila-theme", "voila-template", "token", "fbclid", "gclid", "msclkid")
"""What the program that shows the page, or a mail or news program that passes a link on, hangs on it."""

FOREIGN = (*PLAN_PARAMETERS, *COMPARISON_PARAMETERS, *EVIDENCE_PARAMETERS, *LOOK_PARAMETERS, *HOST_PARAMETERS)
"""Every parameter that is none of a scenario and still no error: it is another page's, or not about the scenario."""

LINK = "link"
"""What an error names as its input where it is about a whole link; its second sentence then says what follows."""

_ESCAPED_AMPERSAND = r"(?i)&(?:amp;|#0*38;|#x0*26;)+"
_LEFT_OVER = r"(?i)^(?:amp;)+"
_MOST_NAMED = 5


def pairs(query: str) -> list[tuple[str, str]]:
    """Names and texts of a query in their order, also where it was pasted as HTML or written with semicolons.

    >>> pairs("?v=1&amp;n=2;kv=fp8")
    [('v', '1'), ('n', '2'), ('kv', 'fp8')]
    """
    if not isinstance(query, str):
        raise SizingError("scenario_not_a_link", input="query")
    from urllib.parse import parse_qsl  # where there is a link

    # What this workbook writes has every & and ; of a value escaped, so that both only ever stand between parts.
    text = re.sub(_ESCAPED_AMPERSAND, "&", query.removeprefix("?")).replace(";", "&")
    found = parse_qsl(text, keep_blank_values=True, max_num_fields=None)
    return [(re.sub(_LEFT_OVER, "", name), text) for name, text in found]


def read(query: str, fields: Mapping[str, Input]) -> tuple[dict[str, Any], list[SizingError]]:
    """Values of the fields that a query names, and an error for each part of it that cannot be used.

    fields: by their name in a link. Of a field named twice the last counts, and an error says so.
    """
    texts: dict[str, list[str]] = {}
    for short, text in pairs(query):
        if short in fields:
            texts.setdefault(short, []).append(text)
    values: dict[str, Any] = {}
    dropped: list[SizingError] = []
    for short, given in texts.items():
        spec = fields[short]
        try:
            values[spec.name] = spec.parse(given[-1], of_link=True)
        except SizingError as error:
            dropped.append(error)
        if len(set(given)) > 1:
            dropped.append(SizingError("link_twice", input=LINK, name=short, last=_short(given[-1])))
    return values, dropped


def written(value: str) -> str:
    """A text as a link writes it: an id of the user's own compressed, any other as it stands."""
    if not value.startswith(OWN):
        return value
    from sizing.catalogue.owned import packed

    return packed(value)


def faults(query: str) -> list[SizingError]:
    """What is wrong with a link as a whole: an unknown version, names that no page knows."""
    found: list[SizingError] = []
    known = {VERSION_PARAMETER, *FOREIGN, *(spec.short for spec in inputs().values())}
    unknown: list[str] = []
    for name, text in pairs(query):
        if name == VERSION_PARAMETER and text != VERSION:
            found.append(SizingError("link_version", input=LINK, version=_short(text), known=VERSION))
        elif name not in known and not name.startswith("utm_") and _short(name) not in unknown:
            unknown.append(_short(name))
    if unknown:
        from difflib import get_close_matches  # only where something is wrong

        near = list(dict.fromkeys(match for name in unknown for match in get_close_matches(name, known, 1)))
        key = "link_unknown_near" if near else "link_unknown"
        names = ", ".join(unknown[:_MOST_NAMED]) + (", …" if len(unknown) > _MOST_NAMED else "")
        found.append(SizingError(key, input=LINK, names=names, near=", ".join(near[:_MOST_NAMED])))
    return found


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
