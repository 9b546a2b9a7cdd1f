"""sizing.sweep: the memory side of many scenarios at once. Needs numpy and pandas; loaded when called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sizing import catalogue
from sizing.answers import engine
from sizing.answers.size import drafting_of
from sizing.base.errors import SizingError
from sizing.base.numbers import is_number
from sizing.base.texts import say
from sizing.base.units import bytes_from_gib, gib
from sizing.catalogue.amounts import usable_memory, weights
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.memory import layouts
from sizing.memory.architecture import Architecture, Speculation

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

PLANNING = "planning"
ENGINE_SILENT = "The engine's rules do not cover this card or model."
_FLOATS = ("weights_gib_per_card", "kv_gib_per_conversation", "free_gib_per_card")


def sweep(
    *,
    checkpoints: Iterable[str | catalogue.Checkpoint] | None = None,
    cards: Iterable[str] | None = None,
    card_counts: Iterable[int] = range(1, 9),
    context_tokens: Iterable[int] = (8192,),
    kv_dtypes: Iterable[str] = ("auto",),
    rule: str = PLANNING,
    answer: bool = False,
    **fixed: Any,
) -> pd.DataFrame:
    """Every combination of the lists, one row each with its best layout; the context varies fastest.

    checkpoints: ids, or models as `sizing.model` gives them.   cards: ids, also of one's own. All of the catalogue
        where not given.
    card_counts: cards in a server. [-]
    context_tokens: of a conversation. [tokens]   kv_dtypes: precisions of the cache.
    rule: "planning" asks the memory rule alone, of the layout that it names (``Sizing.planned``); "engine" asks in each
        row what the scenario's engine starts, prints and runs, which takes about two milliseconds a row.
    answer: what `sizing.answer` promises in each row as well, by its layout; slower still where speeds are measured.
    fixed: any other input of Scenario, the same for all rows.
    Columns: the five inputs, fits, conversations (missing where the model keeps no cache), copies, tp, pp,
    weights_gib_per_card, kv_gib_per_conversation, free_gib_per_card [GiB], longest_context_tokens of the model's own
    configuration, and reason: why a row does not fit or has no figures, or "". A context beyond the model's own does
    not fit. By the engine: starts, engine_prints, engine_runs. With the answer: promised, limited_by, server_w [W],
    stops of the site.
    SizingError for a value that no Scenario takes.
    """
    import pandas as pd

    if rule not in (PLANNING, engine.AS_IT_STARTS):
        known = f"{PLANNING}, {engine.AS_IT_STARTS}"
        raise SizingError("not_a_choice", input="rule", label="rule", value=str(rule)[:60], known=known)
    asked_models = [
        _model(each) for each in _list("checkpoint", catalogue.checkpoint_ids() if checkpoints is None else checkpoints)
    ]
    own = {each.id: each for each in asked_models if isinstance(each, catalogue.Checkpoint)}
    models = [each.id if isinstance(each, catalogue.Checkpoint) else each for each in asked_models]
    products = [
        inputs()["card"].check(each) for each in _list("card", catalogue.card_ids() if cards is None else cards)
    ]
    counts = [int(count) if _whole(count) else count for count in _list("cards", card_counts)]
    contexts = [int(count) if _whole(count) else count for count in _list("context_tokens", context_tokens)]
    dtypes = _list("kv_dtype", kv_dtypes)
    lists: dict[str, list[Any]] = {
        "checkpoint": models,
        "kv_dtype": dtypes,
        "card": products,
        "cards": counts,
        "context_tokens": contexts,
    }
    _check(lists)
    if fixed.get("memory_rule") in engine.RULES:
        raise SizingError("sweep_rule", input="memory_rule", value=fixed["memory_rule"])
    if fixed.get("attention_dp", 1) != 1:
        raise SizingError("sweep_attention_dp", input="attention_dp", value=fixed["attention_dp"])
    asked = Scenario(**fixed)
    shape = tuple(len(values) for values in lists.values())
    table = _Table(shape)
    usable = np.array([usable_memory(Scenario(card=card, **fixed), catalogue.card(card)) for card in products])
    longest = np.zeros(shape, np.int64)
    for m, id in enumerate(models):
        for d, kv_dtype in enumerate(dtypes):
            try:
                model = own.get(id) or catalogue.checkpoint(id)
                _fill(table, (m, d), model, asked, kv_dtype, usable, counts, np.array(contexts))
                if (most := model.architecture.max_context_tokens) is not None:
                    longest[m, d] = most
                    table.beyond((m, d), np.array(contexts) > most, most)
            except SizingError as error:
                table.refuse((m, d), str(error))
    columns: dict[str, Any] = {}
    for axis, (name, values) in enumerate(lists.items()):
        codes = np.arange(shape[axis], dtype=np.int16).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        spread = np.broadcast_to(codes, shape).ravel()
        text = isinstance(values[0], str)
        shown = [catalogue.called("card", each) for each in values] if name == "card" else values
        columns[name] = pd.Categorical.from_codes(spread, shown) if text else np.array(values)[spread]
    columns["fits"] = table.fits.ravel()
    columns["conversations"] = pd.arrays.IntegerArray(table.conversations.ravel(), table.no_limit.ravel())
    for position, name in enumerate(("copies", "tp", "pp")):
        columns[name] = table.layout[position].ravel()
    for position, name in enumerate(_FLOATS):
        columns[name] = table.floats[position].ravel()
    columns["longest_context_tokens"] = pd.arrays.IntegerArray(longest.ravel(), longest.ravel() == 0)
    columns["reason"] = pd.Categorical.from_codes(table.reason.ravel(), table.reasons)
    found = pd.DataFrame(columns, copy=False)
    if rule == PLANNING and not answer:
        return found
    cards_called = {catalogue.called("card", each): each for each in products}
    return _asked_one_by_one(found, asked, own, cards_called, rule, answer)


def _asked_one_by_one(
    found: pd.DataFrame,
    asked: Scenario,
    own: Mapping[str, catalogue.Checkpoint],
    cards_called: Mapping[str, str],
    rule: str,
    promised: bool,
) -> pd.DataFrame:
    """The rows with what the engine, or the answer, says of each."""
    from sizing.answers.answer import answer
    from sizing.answers.size import size

    told = found.astype({"reason": object})
    names = ["checkpoint", "kv_dtype", "card", "cards", "context_tokens"]
    for row, values in zip(found.index, found[names].itertuples(index=False), strict=True):
        if _missing(found.at[row, "weights_gib_per_card"]):
            continue
        given = dict(zip(names, (_plain(value) for value in values), strict=True))
        given["card"] = cards_called[given["card"]]
        model = own.get(given["checkpoint"])
        if model is not None:
            del given["checkpoint"]
        try:
            scenario = asked.replace(**given)
            answered = answer(scenario, checkpoint=model) if promised else None
            sized = answered.sizing if answered else size(scenario, checkpoint=model)
        except SizingError as error:
            told.loc[row, ["fits", "conversations", "reason"]] = [False, 0, str(error)]
            continue
        if answered:
            told.loc[row, ["promised", "limited_by"]] = [answered.conversations, answered.limited_by]
            told.loc[row, ["server_w", "stops"]] = [answered.site.draw.server_w, ", ".join(answered.site.stops)]
            _lay_out(told, row, answered.promise.layout)
        if rule == PLANNING:
            continue
        best = sized.best
        verdict = sized.verdict_of(best)
        if verdict is None:
            told.loc[row, "reason"] = ENGINE_SILENT
            continue
        runs = verdict.runs
        fits = verdict.starts and runs != 0 and not found.at[row, "reason"]
        told.loc[row, ["starts", "engine_prints", "engine_runs"]] = [verdict.starts, verdict.conversations, runs]
        told.loc[row, ["fits", "conversations"]] = [fits, (runs if fits else 0)]
        _lay_out(told, row, best)
        if not verdict.starts:
            told.loc[row, "reason"] = verdict.startup.reason
    return told


def _lay_out(told: pd.DataFrame, row: Any, layout: layouts.Layout) -> None:
    told.loc[row, ["copies", "tp", "pp"]] = layout.name
    told.loc[row, ["weights_gib_per_card", "free_gib_per_card"]] = layout.weights_gib_per_card, layout.free_gib_per_card


def _model(asked: Any) -> Any:
    """An id of the catalogue as it stands; a model of one's own as a checkpoint."""
    if isinstance(asked, catalogue.Checkpoint) or (isinstance(asked, str) and not catalogue.is_own(asked)):
        return asked
    id = inputs()["checkpoint"].check(asked)
    if not catalogue.is_own(id):
        return id
    found = catalogue.checkpoint(id)
    found.architecture  # noqa: B018  a SizingError names what could not be read
    return found


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else int(value)


def _missing(value: Any) -> bool:
    return bool(value != value)


def _list(name: str, values: object) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SizingError("sweep_not_a_list", input=name, value=str(values)[:60])
    return list(values)


def _whole(value: object) -> bool:
    return is_number(value) and value == int(value)


class _Table:
    """The result arrays; axes are checkpoint, precision, card, count, context."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.fits = np.zeros(shape, bool)
        self.no_limit = np.zeros(shape, bool)
        self.conversations = np.zeros(shape, np.int64)
        self.layout = np.zeros((3, *shape), np.int8)
        self.floats = np.zeros((len(_FLOATS), *shape))
        self.reason = np.zeros(shape, np.int16)
        self.reasons = [""]

    def refuse(self, place: tuple[int, int], reason: str) -> None:
        """No figures for this checkpoint and precision."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        self.reason[place] = self.reasons.index(reason)
        self.no_limit[place] = True
        self.floats[(slice(None), *place)] = np.nan

    def beyond(self, place: tuple[int, int], too_long: NDArray[np.bool_], longest_tokens: int) -> None:
        """No conversation is as long as these contexts: the model's own configuration ends before."""
        if not too_long.any():
            return
        reason = say("reason.beyond_model", "en", longest_tokens=longest_tokens)
        if reason not in self.reasons:
            self.reasons.append(reason)
        where = (*place, slice(None), slice(None), too_long)
        self.fits[where], self.no_limit[where], self.conversations[where] = False, False, 0
        self.reason[where] = self.reasons.index(reason)


def _check(lists: Mapping[str, Sequence[Any]]) -> None:
    for name, values in lists.items():
        if not values:
            raise SizingError("sweep_empty", input=name)
        for value in values:
            inputs()[name].check(value)
        if len(set(values)) != len(values):
            raise SizingError("sweep_repeats", input=name)


def _fill(
    table: _Table,
    place: tuple[int, int],
    model: catalogue.Checkpoint,
    asked: Scenario,
    kv_dtype: str,
    usable_gib: NDArray[np.float64],
    counts: Sequence[int],
    contexts: NDArray[np.int64],
) -> None:
    """All cards, counts and contexts of one checkpoint and precision: the best layout of each."""
    architecture = model.architecture
    resolved = architecture.resolve_kv_dtype(kv_dtype)
    weights_bytes, _ = weights(model)
    drafting = drafting_of(asked, architecture)
    table.floats[(1, *place)] = _gib(_kv_bytes(layouts.stages(architecture, resolved, 1, 1, 1, drafting)[0], contexts))
    ways = sorted({split[1:] for count in counts for split in layouts.splits(count)})
    ways = [way for way in ways if layouts.obstacle(architecture, *way, asked.engine) is None]
    per_copy, no_limit, weights_gib, free_gib = (
        np.stack(arrays)
        for arrays in zip(
            *(
                _per_copy(
                    _stages(architecture, resolved, way, asked.dcp, drafting), weights_bytes, usable_gib, contexts
                )
                for way in ways
            ),
            strict=True,
        )
    )
    fits = no_limit | (per_copy > 0)
    for n, count in enumerate(counts):
        # In the order of layouts.splits, so that of two that are level the first wins, as in Sizing.planned.
        splits = [split for split in layouts.splits(count) if split[1:] in ways]
        rows = np.array([ways.index(split[1:]) for split in splits])
        names = np.array(splits, np.int8)
        held = per_copy[rows] * names[:, 0, None, None].astype(np.int64)
        # Doubled, so that a model without a cache, which counts none, still ranks by whether it fits.
        best = np.argmax(held * 2 + fits[rows], axis=0)[None]
        where = (*place, slice(None), n)
        way = rows[best]
        table.conversations[where] = np.take_along_axis(held, best, 0)[0]
        table.layout[(slice(None), *where)] = names.T[:, best[0]]
        for target, values in (
            (table.fits[where], fits),
            (table.no_limit[where], no_limit),
            (table.floats[(0, *where)], weights_gib),
            (table.floats[(2, *where)], free_gib),
        ):
            target[...] = np.take_along_axis(values, way, 0)[0]


def _gib(num_bytes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(num_bytes / bytes_from_gib(1), np.float64)


def _kv_bytes(stage: layouts.Stage, contexts: NDArray[np.int64]) -> NDArray[np.float64]:
    terms = stage.terms
    total = np.asarray(terms.growing_bytes_per_token * contexts + float(terms.fixed_bytes), np.float64)
    for rate, window in terms.windows:
        total += rate * np.minimum(contexts, window)
    return total


def _stages(
    architecture: Architecture, kv_dtype: str, way: tuple[int, int], dcp: int, drafting: Speculation
) -> tuple[layouts.Stage, ...]:
    tp, pp = way
    return layouts.stages(architecture, kv_dtype, tp, pp, layouts.context_parallel(architecture, tp, dcp), drafting)


def _per_copy(
    card_stages: tuple[layouts.Stage, ...],
    weights_bytes: float,
    usable_gib: NDArray[np.float64],
    contexts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Conversations a copy holds, whether memory sets no limit, and weights and free memory of its fullest card."""
    shape = (len(usable_gib), len(contexts))
    usable = np.array([bytes_from_gib(value) for value in usable_gib])[:, None]
    tightest = np.full(shape, np.nan)
    weights_gib, free_gib = np.zeros(shape), np.zeros(shape)
    for number, stage in enumerate(dict.fromkeys(card_stages)):
        on_card = weights_bytes * stage.weight_share + stage.extra_bytes
        free = usable - on_card
        kv = _kv_bytes(stage, contexts)
        with np.errstate(divide="ignore"):
            holds = np.where(free < 0, free / usable, np.abs(free) / kv)
        tighter = holds < tightest if number else np.ones(shape, bool)
        tightest = np.where(tighter, holds, tightest)
        weights_gib = np.where(tighter, gib(on_card), weights_gib)
        free_gib = np.where(tighter, _gib(np.maximum(free, 0)), free_gib)
    no_limit = np.isinf(tightest)
    # As units.floor_count: forgives the rounding of binary fractions.
    counted = np.floor(np.where(no_limit, 0, tightest) * (1 + 1e-12) + 1e-12)
    return np.maximum(counted, 0).astype(np.int64), no_limit, weights_gib, free_gib
