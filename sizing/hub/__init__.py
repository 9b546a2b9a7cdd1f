"""A new model from the Hugging Face Hub: its config, the size of one copy of its weights, their storage types."""

from sizing.hub.lookup import look_up
from sizing.hub.model import DtypeTotal, HubModel, LeftOutFile, Progress, Quantisation, RepoFile
from sizing.hub.reading import read_object
from sizing.hub.row import CatalogueRow

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
