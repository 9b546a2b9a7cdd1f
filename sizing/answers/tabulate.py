"""Records as a table of pandas: the catalogue's, the layouts of a sizing, the points of a curve of speed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sizing import catalogue
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.frozen import Frozen

if TYPE_CHECKING:
    import pandas as pd


def _prices() -> list[Any]:
    return [price for id in catalogue.card_ids() for price in catalogue.prices(id)]


LISTS: Mapping[str, Callable[[], Iterable[Any]]] = {
    "cards": lambda: map(catalogue.card, catalogue.card_ids()),
    "checkpoints": lambda: map(catalogue.checkpoint, catalogue.checkpoint_ids()),
    "circuits": lambda: map(catalogue.circuit, catalogue.circuit_ids()),
    "processors": lambda: map(catalogue.processor, catalogue.processor_ids()),
    "prices": _prices,
}
"""What the catalogue lists, by name."""


def frame(of: str | Iterable[Any]) -> pd.DataFrame:
    """A row a record, a column a field; a field's unit stands at the end of its name.

    of: "cards", "checkpoints", "circuits", "processors", "prices", or records such as ``sizing.layouts``.
    A figure of the catalogue has its source in a column beside it. SizingError for another name, or what is no record.

    >>> frame("cards").loc["rtx-pro-6000-server", "memory_mib_source"]
    'doc-de'
    """
    import pandas as pd

    if isinstance(of, str):
        if of not in LISTS:
            raise SizingError("not_a_choice", input="of", label="of", value=of[:60], known=", ".join(LISTS))
        rows = [_row(each) for each in LISTS[of]()]
        return pd.DataFrame(rows).set_index("id") if of != "prices" else pd.DataFrame(rows)
    if not isinstance(of, Iterable):
        raise SizingError("frame_no_records", input="of", value=type(of).__name__)
    return pd.DataFrame([_row(each) for each in of])


def _row(record: Any) -> dict[str, Any]:
    if isinstance(record, Mapping):
        return {str(name): value for name, value in record.items()}
    if isinstance(record, Shown) and not isinstance(record, Frozen):
        return dict(record._facts())
    if isinstance(record, Frozen):
        found = {name: value for name, value in record._held().items() if _plain(value)}
    elif dataclasses.is_dataclass(record) and not isinstance(record, type):
        fields = (field.name for field in dataclasses.fields(record))
        found = {name: value for name in fields if _plain(value := getattr(record, name))}
    else:
        raise SizingError("frame_no_records", input="of", value=type(record).__name__)
    row: dict[str, Any] = {}
    for name, value in found.items():
        if isinstance(value, catalogue.Figure):
            row[name], row[f"{name}_source"] = value.value, value.source
        else:
            row[name] = value
    return row


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | catalogue.Figure)
