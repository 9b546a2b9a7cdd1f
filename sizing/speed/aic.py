"""Measured kernels from aiconfigurator-core: a model's config goes in, a compiled engine comes out.

The library takes a folder with a config.json as well as a name, so that every class of model it knows is answered
for every checkpoint of the catalogue; nothing is asked of a network. It is young (0.x) and written in two languages:
whatever it raises is a gap, never a fault of the page. Source: aiconfigurator-core.
"""

from __future__ import annotations

import functools
import json
import logging
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiconfigurator_core.sdk.engine import EngineHandle

from sizing import catalogue
from sizing.base import texts
from sizing.speed.measured import Gap, Scaling, StepPart
from sizing.speed.tables import tables

# Tags of the library: "silicon" is a table's own value, "estimated" is made of measured parts.
_MEASURED = ("silicon", "estimated")
_KEPT = 4096
_ANCHORS = 8
# Warms the tables: a step any model can take.
_PROBE = (1, 128)

logging.getLogger("aiconfigurator_core").setLevel(logging.CRITICAL)


class Compiled:
    """A compiled engine. Answers are kept, since a slider asks for the same points again."""

    def __init__(self, handle: EngineHandle, *, expert_parallel: bool = False) -> None:
        self._handle = handle
        self.scaling: Scaling | None = None
        self.expert_parallel = expert_parallel
        self.decode_ms = functools.lru_cache(_KEPT)(self._decode_ms)
        self._asked_ms = functools.lru_cache(_KEPT)(self._ask_ms)
        self.prefill_ms = functools.lru_cache(_KEPT)(self._prefill_ms)
        self.parts = functools.lru_cache(_KEPT)(self._parts)

    def _decode_ms(self, requests: int, context_tokens: int) -> float:
        """Between two contexts that are asked for: the library itself draws straight lines between what it measured.

        They lie an eighth of an octave apart, so that a slider that moves on finds them kept.
        """
        eighth = math.floor(math.log2(context_tokens) * _ANCHORS)
        low, high = math.floor(2 ** (eighth / _ANCHORS)), math.ceil(2 ** ((eighth + 1) / _ANCHORS))
        try:
            at_low, at_high = self._asked_ms(requests, low), self._asked_ms(requests, high)
        except Exception:  # tables that end between the two: the library's own error, whatever it is
            return self._ask_ms(requests, context_tokens)
        return at_low + (at_high - at_low) * (context_tokens - low) / (high - low)

    def _ask_ms(self, requests: int, context_tokens: int) -> float:
        return float(self._handle.predict_decode_latency(requests, context_tokens, 2))

    def _prefill_ms(self, prompt_tokens: int, history_tokens: int = 0, prompts: int = 1) -> float:
        return float(self._handle.predict_prefill_latency(prompts, prompt_tokens + history_tokens, history_tokens))

    def _parts(self, requests: int, context_tokens: int) -> tuple[StepPart, ...]:
        return tuple(
            StepPart(name, float(ms), "all_reduce" if _is_all_reduce(name) else "other", source in _MEASURED)
            for name, ms, _, source in self._handle.decode_step_per_op(requests, context_tokens, 2)
        )


def _is_all_reduce(name: str) -> bool:
    return "ar" in name.split("_")


def compiled(
    card: catalogue.Card,
    model: catalogue.Checkpoint,
    engine: str,
    kv_dtype: str,
    tp: int,
    pp: int,
    attention_dp: int = 1,
) -> Compiled | Gap:
    """The compiled engine of a model on ``tp`` x ``pp`` x ``attention_dp`` cards, or the gap.

    Experts are split like every other matrix; where their format does not divide so, each card keeps whole ones.
    """
    group = tp * attention_dp
    whole = _compiled(card, model, engine, kv_dtype, (tp, pp, attention_dp), (group, 1))
    if isinstance(whole, Gap) and model.architecture.moe and group > 1:
        apart = _compiled(card, model, engine, kv_dtype, (tp, pp, attention_dp), (1, group))
        return whole if isinstance(apart, Gap) else apart
    return whole


def _compiled(
    card: catalogue.Card,
    model: catalogue.Checkpoint,
    engine: str,
    kv_dtype: str,
    split: tuple[int, int, int],
    experts: tuple[int, int],
) -> Compiled | Gap:
    """split: TP, PP and attention ranks.   experts: cards that share each expert, and cards that share them out."""
    tp, pp, attention_dp = split
    names = tables()
    table = names.engines[engine]
    config = _plain(model.config)
    classes = config.get("architectures") or ["?"]
    config["architectures"] = [names.same_kernels.get(each, each) for each in classes]
    place = {
        "card": card.name,
        "engine": texts.Word(f"input.engine.{engine}"),
        "model": model.name,
        "class": classes[0],
        "tp": tp,
    }
    try:
        with tempfile.TemporaryDirectory(prefix="sizing-") as folder:
            _write(Path(folder) / "config.json", _completed(config))
            if model.hf_quant_config is not None:
                _write(Path(folder) / "hf_quant_config.json", _plain(model.hf_quant_config))
            handle = EngineHandle.compile(
                folder,
                names.systems[card.id].system,
                table.backend,
                tp_size=tp,
                pp_size=pp,
                attention_dp_size=attention_dp,
                moe_tp_size=experts[0],
                moe_ep_size=experts[1],
                kvcache_quant_mode=names.cache[kv_dtype],
                **(_formats(model) | _activations(names.systems[card.id].system, engine, model)),
            )
        made = Compiled(handle, expert_parallel=experts[1] > 1)
        made.decode_ms(*_PROBE)
        made.prefill_ms(_PROBE[1])
    except BaseException as error:  # its compiled half panics with exceptions that are no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        key = "class" if "architecture" in str(error) and "not supported" in str(error) else "kernels"
        return Gap(key, place, f"{type(error).__name__}: {error}")
    return made


def _formats(model: catalogue.Checkpoint) -> dict[str, str]:
    """The weight format by the library's names, where the config does not say how the weights are stored."""
    text: Mapping[str, Any] = model.config.get("text_config", {})
    if model.hf_quant_config is not None or "quantization_config" in model.config or "quantization_config" in text:
        return {}
    named = tables().formats.get(model.weight_format)
    if named is None:
        return {}
    return {"gemm_quant_mode": named.gemm} | ({"moe_quant_mode": named.moe} if model.architecture.moe else {})


def _activations(system: str, engine: str, model: catalogue.Checkpoint) -> dict[str, str]:
    """Experts whose activations an engine narrows on this system, so that other operations run than by the format."""
    key = system, engine, model.weight_format
    return {"moe_quant_mode": tables().activations[key]} if key in tables().activations else {}


def _completed(config: dict[str, Any]) -> dict[str, Any]:
    """Writes out what the library wants listed and the config gives as a rule: every n-th layer attends in full."""
    text = config.get("text_config", config)
    every, layers = text.get("full_attention_interval"), text.get("num_hidden_layers")
    if "layer_types" not in text and isinstance(every, int) and isinstance(layers, int) and every > 0:
        text["layer_types"] = [
            "full_attention" if (index + 1) % every == 0 else "linear_attention" for index in range(layers)
        ]
    return config


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")
