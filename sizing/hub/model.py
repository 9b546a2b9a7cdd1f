"""What a look-up on the Hub brings back."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sizing import texts
from sizing.notes import Note

if TYPE_CHECKING:
    from sizing.catalogue.records import Checkpoint
    from sizing.memory.architecture import Architecture


@dataclass(frozen=True, slots=True)
class RepoFile:
    """One file of a repository. size_bytes: of its content. [bytes]"""

    path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class LeftOutFile:
    """A weight file that is not counted. reason: names the sentence ``hub.left_out.<reason>``."""

    path: str
    size_bytes: int
    reason: str

    def say(self, language: str = "en") -> str:
        """Why it is not counted."""
        return texts.say(f"hub.left_out.{self.reason}", language)


@dataclass(frozen=True, slots=True)
class DtypeTotal:
    """All tensors of one storage type in the counted files.

    elements: as stored; where several values are packed into one element this is not a number of parameters. [-]
    size_bytes: by the offsets in the headers. [bytes]
    """

    dtype: str
    tensors: int
    elements: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Quantisation:
    """One of several quantisations in a repository of GGUF files. size_bytes: of its files. [bytes]"""

    name: str
    size_bytes: int
    files: tuple[RepoFile, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a look-up is. step: names the sentence ``hub.progress.<step>``. done, total: parts of the step. [-]"""

    step: str
    done: int
    total: int

    def say(self, language: str = "en") -> str:
        """The sentence."""
        return texts.say(f"hub.progress.{self.step}", language, done=self.done, total=self.total)


@dataclass(frozen=True)
class HubModel:
    """A model as the Hub has it.

    id: as the Hub names it today.   revision: branch, tag or commit that was asked for.   commit: what it stands for.
    config, hf_quant_config: the files as dicts.   config_id: whose config.json it is; differs from id only on request.
    weight_bytes: bytes of the counted files. [bytes]   container: "safetensors", "pickle" or "gguf".
    counted, left_out: weight files; other_files, other_bytes: the rest of the repository. [-], [bytes]
    dtypes: from the headers, empty where the container has none that we read.
    quantisations: what a repository of GGUF files offers.   notes: what to say aloud about this look-up.
    read_on: day of the answer.   from_cache: the answer is kept from then, not fetched now.
    """

    id: str
    revision: str
    commit: str
    config: Mapping[str, Any]
    config_id: str
    hf_quant_config: Mapping[str, Any] | None
    weight_bytes: int
    container: str
    counted: tuple[RepoFile, ...]
    left_out: tuple[LeftOutFile, ...]
    other_files: int
    other_bytes: int
    dtypes: tuple[DtypeTotal, ...]
    quantisations: tuple[Quantisation, ...]
    notes: tuple[Note, ...]
    read_on: str
    from_cache: bool = False

    @functools.cached_property
    def architecture(self) -> Architecture:
        """What the config says about the cache. A SizingError where its keys cannot be read."""
        from sizing.memory.config import read_config

        return read_config(self.config, self.hf_quant_config)

    @property
    def parameters(self) -> int | None:
        """Elements of all tensors; None where values are packed, or no header was read. [-]"""
        if not self.dtypes or self.packed:
            return None
        return sum(total.elements for total in self.dtypes)

    @property
    def packed(self) -> tuple[str, ...]:
        """Storage types in which one element holds several values, where they matter (1 % of the bytes)."""
        most = sum(total.size_bytes for total in self.dtypes) * 0.01
        return tuple(t.dtype for t in self.dtypes if t.dtype in PACKED_DTYPES and t.size_bytes > most)

    @property
    def source(self) -> str:
        """Where this comes from, in a line."""
        return self.say_source()

    def say_source(self, language: str = "en") -> str:
        """Where this comes from: id, commit and day."""
        return texts.say("hub.source", language, id=self.id, commit=self.commit[:12], read_on=texts.Day(self.read_on))

    def checkpoint(self) -> Checkpoint:
        """The same as an entry of the catalogue."""
        from sizing.hub.row import checkpoint

        return checkpoint(self)


# Whole-number types: quantised checkpoints pack 2 to 8 weights into one element of these.
PACKED_DTYPES = frozenset({"U8", "I8", "I16", "U16", "I32", "U32", "I64", "U64", "F4", "F6_E2M3", "F6_E3M2", "F8_E8M0"})
