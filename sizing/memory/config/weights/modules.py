"""What a checkpoint is made of: matrices that quantisation may pack, and the rest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Linear:
    """One matrix, or several alike.

    name: inside its layer, in canonical words ("attn.q_proj", "ffn.experts.up_proj"); see scheme for other spellings.
    rows, columns: outputs and inputs. [-]   copies: matrices alike, such as one an expert. [-]
    """

    name: str
    rows: int
    columns: int
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Part:
    """Weights of one layer or of one of its blocks.

    plain: elements that stay in the model's own precision: norms, biases, routers, convolutions. [-]
    single: elements kept in fp32 whatever the model's precision. [-]
    """

    linears: tuple[Linear, ...] = ()
    plain: int = 0
    single: int = 0

    def __add__(self, other: Part) -> Part:
        return Part(self.linears + other.linears, self.plain + other.plain, self.single + other.single)


class UntoldError(Exception):
    """The config does not say enough for an estimate. Never leaves this package: the estimate is None then."""
