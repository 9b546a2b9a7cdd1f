"""HTML from plain values, as the pages know it; it is made in `sizing.markup`, which the sheet uses as well."""

from sizing.markup import Markup, folded, join, table, tag

__all__ = ["Markup", "folded", "join", "table", "tag"]
