"""What the measured operations say of each published result, or why they say nothing: written to data/estimates.csv.

Takes seconds and the tables of every system, so that pages read the file (``sizing.speed.accuracy``); a test works it
out again. ``python -m sizing.speed.comparing`` writes it. What stands in for something not stated is data
(kernels.toml): a benchmark's mean lengths, its number formats, a publisher's split. Source: aiconfigurator-core.
"""

from __future__ import annotations

import csv
import datetime
import sys
from collections.abc import Callable

from sizing import catalogue
from sizing.catalogue.amounts import usable_memory, weights
from sizing.catalogue.results import Published, published
from sizing.catalogue.scenario import Scenario
from sizing.memory import layouts
from sizing.speed import operations
from sizing.speed.accuracy import COLUMNS, ComparedSpeed
from sizing.speed.limit import PhysicalLimit, limit
from sizing.speed.measured import Gap, Operations
from sizing.speed.tables import Load, StandIn, tables

_RATES = ("tokens/s", "tokens/s per user")
# Requests of one copy that such runs keep at most; the largest batch of most tables. [-]
_MOST = 2048
# Tokens of prompts that are worked through together. [tokens]
_CHUNK = 8192
# Bytes of a weight against 16 bit: FP8, and NVFP4 with a scale for each 16 values. [-]
_NARROW = {"fp8": 8 / 16, "nvfp4": (4 + 8 / 16) / 16}
_SPLITS = (1, 2, 4, 8)


def compare(row: Published) -> ComparedSpeed | str:
    """One result with its estimate, or the reason why it has none."""
    load = tables().loads.get((row.suite, row.family))
    if reason := _not_asked(row, load):
        return reason
    card_id = tables().siblings.get(row.card, row.card)
    if card_id not in tables().systems and card_id not in tables().editions:
        return "card"
    card = catalogue.card(card_id)
    if load is not None:
        return _loaded(row, load, card)
    stand_in = next((each for each in tables().stand_ins if _stands(each, row)), None)
    return "model" if stand_in is None else _decoding(row, stand_in, card)


def _not_asked(row: Published, load: Load | None) -> str:
    """Why the estimate does not speak of such a result, or ""."""
    if row.unit not in _RATES:
        return "unit"
    if row.speculative:
        return "speculative"
    stated = row.case == "decode" and row.concurrency is not None and row.context_tokens is not None
    if load is None and not stated:
        return "load"
    if row.power_cap_w is not None and row.power_cap_w < tables().library.reference_cap_w:
        return "capped"
    return ""


def _stands(stand_in: StandIn, row: Published) -> bool:
    return (stand_in.family, stand_in.precision) == (row.family, row.precision)


def _engine(row: Published) -> str:
    """The engine that a run names, or that its publisher uses."""
    software = row.software.lower()
    if "tensorrt" in software:
        return "trtllm"
    granted = tables().publishers.get(row.suite)
    named = next((name for name in tables().engines if name in software), None)
    return named or (granted.engine if granted else Scenario().engine)


def _decoding(row: Published, stand_in: StandIn, card: catalogue.Card) -> ComparedSpeed | str:
    """A rate of decoding with so many requests at such a context."""
    granted = tables().publishers.get(row.suite)
    tp = row.tp or (granted.tp if granted else None)
    if tp is None or row.concurrency is None or row.context_tokens is None:
        return "split"
    model = catalogue.checkpoint(stand_in.checkpoint)
    held = row.context_tokens + (row.answer_tokens or 0)
    kv_dtype = model.architecture.resolve_kv_dtype("auto")
    if held and _room(card, model, kv_dtype, tp, held) < row.concurrency:
        return "memory"
    measured = operations.find(card, model, engine=_engine(row), kv_dtype=kv_dtype, tp=tp, pp=1)
    if isinstance(measured, Gap):
        return _gap(measured)
    context = max(1, row.context_tokens + (row.answer_tokens or 0) // 2)
    bound = limit(card, model, kv_dtype=kv_dtype, tp=tp, pp=1)
    least_ms = bound.decode(row.concurrency, context).ms if bound else 0.0
    step_ms = max(measured.decode_ms(row.concurrency, context), least_ms)
    return ComparedSpeed(
        result=row,
        kind="decode",
        estimate=1000 * row.concurrency / step_ms,
        limit=1000 * row.concurrency / least_ms if least_ms else None,
        assumed=stand_in.assumed or granted is not None or card.id != row.card,
    )


def _gap(gap: Gap) -> str:
    return "library" if gap.key in ("not_installed", "not_usable") else "kernels"


def _room(card: catalogue.Card, model: catalogue.Checkpoint, kv_dtype: str, tp: int, held: int) -> int:
    """Requests with ``held`` tokens that run at once, by our own count. [-]"""
    layout = layouts.evaluate(
        (1, tp, 1),
        layouts.stages(model.architecture, kv_dtype, tp, 1),
        weights_bytes=weights(model)[0],
        usable_gib_per_card=usable_memory(Scenario(), card),
        context_tokens=held,
    )
    return _MOST if layout.conversations is None else min(layout.conversations, _MOST)


def _loaded(row: Published, load: Load, card: catalogue.Card) -> ComparedSpeed | str:
    """A server under a benchmark's load: as many requests as fit, or as its time between tokens allows."""
    model = _stored(load, card)
    kv_dtype = "fp8" if load.narrow else model.architecture.resolve_kv_dtype("auto")
    granted = tables().publishers.get(row.suite)
    splits = (granted.tp,) if granted and row.case in ("offline", "other") else _SPLITS
    best: ComparedSpeed | str = "kernels"
    for tp in (each for each in splits if row.cards % each == 0):
        measured = operations.find(card, model, engine=_engine(row), kv_dtype=kv_dtype, tp=tp, pp=1)
        if isinstance(measured, Gap):
            best = best if isinstance(best, ComparedSpeed) else _gap(measured)
            continue
        bound = limit(card, model, kv_dtype=kv_dtype, tp=tp, pp=1)
        room = _room(card, model, kv_dtype, tp, load.prompt_tokens + load.answer_tokens)
        if not room:
            continue
        found = _rate(row, load, (measured, bound), room, row.cards // tp)
        if not isinstance(best, ComparedSpeed) or found.estimate > best.estimate:
            best = found
    return best


def _stored(load: Load, card: catalogue.Card) -> catalogue.Checkpoint:
    """The model in the narrowest format that such runs use: NVFP4 where the card has arithmetic for it, else FP8."""
    model = catalogue.checkpoint(load.checkpoint)
    if not load.narrow or model.weight_bytes is None or model.weight_format not in ("bf16", "fp16"):
        return model
    name = "nvfp4" if card.fp4_tflops else "fp8"
    kept = model.architecture.derived.setdefault("stored", {})
    if name not in kept:
        size = model.weight_bytes.replace(value=round(model.weight_bytes.value * _NARROW[name]))
        kept[name] = model.replace(weight_format=name, weight_bytes=size)
    found: catalogue.Checkpoint = kept[name]
    return found


def _rate(
    row: Published, load: Load, of: tuple[Operations, PhysicalLimit | None], room: int, copies: int
) -> ComparedSpeed:
    measured, bound = of
    prompt, answer = load.prompt_tokens, load.answer_tokens
    context, together = prompt + answer // 2, max(1, _CHUNK // prompt)
    prefill_ms = measured.prefill_ms(prompt, prompts=together) / together

    def between_ms(requests: int) -> float:
        return measured.decode_ms(requests, context) + (requests - 1) * prefill_ms / answer

    requests, kind = min(row.concurrency or room, room), "user" if row.concurrency else row.case
    if most_ms := _most_ms(row):
        requests = _largest(lambda count: between_ms(count) <= most_ms, requests)
    total = 1000 * copies * requests / between_ms(requests)
    least_ms = bound.decode(requests, context).ms if bound else 0.0
    most = 1000 * copies * requests / least_ms if least_ms else None
    share = requests if kind == "user" else 1
    return ComparedSpeed(row, kind, total / share, most / share if most else None, assumed=True)


def _most_ms(row: Published) -> float | None:
    """Time between tokens that a run had to keep: its own, or that of the same benchmark's other runs. [ms]"""
    if row.case not in ("server", "interactive"):
        return None
    alike = (each for each in published() if (each.suite, each.family, each.case) == (row.suite, row.family, row.case))
    return row.tpot_limit_ms or next((each.tpot_limit_ms for each in alike if each.tpot_limit_ms), None)


def _largest(keeps: Callable[[int], bool], most: int) -> int:
    """The largest number that keeps it, 1 where none does."""
    if keeps(most):
        return most
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def write(path: str) -> None:
    """Every published result with its estimate, or the reason why it has none."""
    origin = tables().library.source, str(datetime.date.today())
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for row in published():
            found = compare(row)
            if isinstance(found, str):
                out.writerow([row.id, "", "", "", "", found, *origin])
                continue
            most = "" if found.limit is None else f"{found.limit:.5g}"
            out.writerow([row.id, found.kind, f"{found.estimate:.5g}", most, str(found.assumed).lower(), "", *origin])


if __name__ == "__main__":
    write(sys.argv[1])
