"""Power modes: which cable a cap needs, and the commands and the unit file that set it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sizing.errors import SizingError
from sizing.notes import Note
from sizing.site import checks, power

UNIT_PATH = "/etc/systemd/system/gpu-power-cap.service"
SMI = "/usr/bin/nvidia-smi"


@dataclass(frozen=True, slots=True)
class Commands:
    """How to set a cap. now: commands for a running system.   check: a command that shows what holds.

    unit_path, unit_file: a systemd unit that sets it at each start.   enable: command that turns the unit on.
    """

    now: tuple[str, ...]
    check: str
    unit_path: str
    unit_file: str
    enable: str


def commands(cap_w: float, cards: int | Sequence[int]) -> Commands:
    """Commands and unit file for a cap [W] on that many cards, or on the cards of these indexes.

    >>> commands(450, 2).now[1]
    'nvidia-smi -i 0 -pl 450'
    """
    checks.number("power_cap_w", cap_w, 1, 5_000, "W")
    if isinstance(cards, int):
        indexes: Sequence[int] = range(checks.count("cards", cards, 1, 64))
    else:
        indexes = [checks.count("card_index", index, 0, 63) for index in cards]
        if not indexes or len(set(indexes)) != len(indexes):
            raise SizingError("card_indexes", input="card_index", value=", ".join(str(index) for index in indexes))
    lines = ("-pm 1", *(f"-i {index} -pl {cap_w:g}" for index in indexes))
    listed = ",".join(str(index) for index in indexes)
    fields = "index,name,power.limit,power.min_limit,power.max_limit,power.default_limit"
    unit = "\n".join(
        (
            "[Unit]",
            f"Description=Power cap of {cap_w:g} W on GPU {listed}",
            "After=nvidia-persistenced.service",
            "",
            "[Service]",
            "Type=oneshot",
            "RemainAfterExit=yes",
            *(f"ExecStart={SMI} {line}" for line in lines),
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        )
    )
    return Commands(
        now=tuple(f"nvidia-smi {line}" for line in lines),
        check=f"nvidia-smi --query-gpu={fields} --format=csv",
        unit_path=UNIT_PATH,
        unit_file=unit,
        enable="systemctl daemon-reload && systemctl enable --now gpu-power-cap.service",
    )


def notes(
    cap_w: float, mode_maxima_w: tuple[float, ...], minimum_w: float | None, maximum_w: float | None, source: str
) -> tuple[Note, ...]:
    """What to say about a cap: the card's limits, the cable, and what makes a cap last. [W]"""
    found = [
        *power.cap_notes(cap_w, minimum_w, maximum_w, source),
        *power.mode_notes(cap_w, mode_maxima_w, source),
    ]
    if not any(note.level == "stop" for note in found):
        found.append(Note("hint", "cap_is_lost", "nvml-limit", {"cap_w": cap_w}))
        found.append(Note("hint", "cap_out_of_band", source))
    return tuple(found)
