"""Names of layouts, precisions and quantities, as the pages know them; they are made in `sizing.wording`."""

from sizing.wording import (
    beyond_model,
    conversations,
    headline,
    layout_name,
    layout_phrase,
    layout_split,
    of_cache,
    precision,
    second_line,
    verdict,
)

__all__ = [
    "beyond_model",
    "conversations",
    "headline",
    "layout_name",
    "layout_phrase",
    "layout_split",
    "of_cache",
    "precision",
    "second_line",
    "verdict",
]
