"""A new model from the Hugging Face Hub: its config, the size of one copy of its weights, their storage types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sizing.models.hub.model import (
    CatalogueRow,
    DtypeTotal,
    HubModel,
    LeftOutFile,
    Progress,
    Quantisation,
    RepoFile,
    read_object,
)

if TYPE_CHECKING:
    from sizing.models.hub.lookup import look_up

__all__ = [
    "CatalogueRow",
    "DtypeTotal",
    "HubModel",
    "LeftOutFile",
    "Progress",
    "Quantisation",
    "RepoFile",
    "look_up",
    "read_object",
]


def __getattr__(name: str) -> Any:
    """``look_up`` brings the Hub's client, which takes seconds to load: only where it is asked for."""
    if name == "look_up":
        from sizing.models.hub.lookup import look_up

        return look_up
    raise AttributeError(name)
