"""The command ``sizing``: answers, models, start-ups, log checks, as text for people and JSON for programs."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sizing.base.errors import SizingError

_SHORTER = {"context": "context_tokens", "kv": "kv_dtype", "people": "staff", "version": "engine_version"}
"""Other spellings of an input's option."""
_WIDEST = 100  # [columns]


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one command; 0 where it could, 2 where something has to be put right first."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Options of a command are made only where it is called: there are a hundred of them, and `--help` is not to wait.
    asked = _parser(next((each for each in given if each in _COMMANDS), "")).parse_args(given)
    try:
        found, lines = _COMMANDS[asked.command](asked)
        print(json.dumps(found, indent=1, ensure_ascii=False) if asked.json else "\n".join(lines), flush=True)
    except SizingError as error:
        print(error.say(asked.lang), file=sys.stderr)
        return 2
    except BrokenPipeError:  # a reader such as `head` has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


Found = tuple[Any, Iterable[str]]
"""What JSON says, and the lines for a person."""


def _answer(asked: argparse.Namespace) -> Found:
    from sizing.answers import sentence
    from sizing.answers.answer import answer
    from sizing.answers.wording import layout_name

    scenario, own = _scenario(asked)
    found = answer(scenario, checkpoint=own)
    plan, language = found.site, asked.lang
    connection = {"name": found.sizing.circuit.name, "planned_w": found.sizing.circuit.planned_w}
    table: dict[str, Any] = {
        "model": found.sizing.checkpoint.id,
        "scenario": {name: getattr(scenario, name) for name in scenario.changed()},
        "sentence": sentence.whole(found, language),
        "why": sentence.why(found, language),
        "layout": _split(found.layout) if found.layout else None,
        "conversations": found.conversations,
        "limited_by": found.limited_by if found.fits else None,
        "limits": dict(found.limits),
        "needed": found.needed,
        "verdict": found.verdict,
        "others": [{**_split(each.layout), "conversations": each.conversations} for each in found.others],
        "site": {"server_w": plan.draw.server_w, "connection": connection, "stops": list(plan.stops)},
        "notes": [{"level": each.level, "text": each.say(language), "source": each.source} for each in found.notes],
    }
    rows = [(layout_name(each.layout, language), each.conversations) for each in found.others]
    limits = [(name, "–" if value is None else value) for name, value in found.limits.items()]
    lines = [table["sentence"], table["why"], "", *_columns(limits), "", *_columns(rows), ""]
    return table, [*lines, *(f"{each.level}: {each.say(language)}" for each in found.notes)]


def _models(asked: argparse.Namespace) -> Found:
    from sizing import catalogue
    from sizing.answers.size import size

    found: list[dict[str, Any]] = []
    scenario, _ = _scenario(asked)
    for id in catalogue.checkpoint_ids():
        if asked.words and not all(word.lower() in id.lower() for word in asked.words):
            continue
        try:
            sized = size(scenario.replace(checkpoint=id))
        except SizingError as error:
            found.append({"model": id, "reason": error.say(asked.lang)})
            continue
        best, runs = sized.best, sized.verdict_of(sized.best)
        found.append(
            {
                "model": id,
                "weights_gib": round(sized.weights_gib, 1),
                "kv_gib_per_conversation": round(sized.kv_gib_per_conversation, 3),
                "longest_context_tokens": sized.architecture.max_context_tokens,
                "fits": sized.fits,
                "layout": _split(best) if sized.fits else None,
                "memory": best.conversations if sized.fits else 0,
                "engine_runs": runs.runs if runs and sized.fits else None,
            }
        )
    heads = ("model", "weights_gib", "kv_gib_per_conversation", "memory", "engine_runs")
    rows = [tuple(_cell(each.get(head)) for head in heads) for each in found]
    return found, _columns([heads, *rows])


def _startup(asked: argparse.Namespace) -> Found:
    from sizing.memory.engines import engine
    from sizing.models.door import model

    own = model(asked.model)
    rules: Any = engine(asked.engine)
    known = _settings(asked.engine)
    given = {name: value for name, value in vars(asked).items() if name in _every_setting() and value is not None}
    for name in given.keys() - known.keys():
        raise SizingError("setting_foreign", input=name, flag=_flag(name), engine=asked.engine)
    for name, needed in known.items():
        if needed and name not in given:
            raise SizingError("setting_missing", input=name, flag=_flag(name), engine=asked.engine)
    started = rules.startup(own.architecture, **given)
    kinds = (bool, int, float, str)
    names = (each.name for each in dataclasses.fields(started))
    plain = {name: value for name in names if isinstance(value := getattr(started, name), kinds)}
    table = {"model": own.id, "engine": asked.engine, **plain, "reason": started.reason}
    return table, _columns([(name, _cell(value)) for name, value in table.items() if value != ""])


def _check(asked: argparse.Namespace) -> Found:
    from sizing.answers.size import size
    from sizing.memory.engines import read_log
    from sizing.models.log_check import check

    text = sys.stdin.read() if asked.log == "-" else _read(asked.log)
    scenario, own = _scenario(asked)
    found = check(read_log(text), size(scenario, checkpoint=own))
    compared = [{**dataclasses.asdict(each), "agrees": each.agrees} for each in found.compared]
    ranges = [
        {**each, "predicted": each["predicted"] or f"{each['low']:,.0f}-{each['high']:,.0f}"} for each in compared
    ]
    notes = [{"level": each.level, "text": each.say(asked.lang)} for each in found.notes]
    heads = ("name", "printed", "predicted", "agrees")
    rows = [heads, *(tuple(_cell(each[head]) for head in heads) for each in ranges)]
    return {"compared": compared, "notes": notes}, [*_columns(rows), "", *(f"{n['level']}: {n['text']}" for n in notes)]


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], Found]] = {
    "answer": _answer,
    "models": _models,
    "startup": _startup,
    "check": _check,
}
_HELP = {
    "answer": "what may be promised of a model on a server, what limits it, what the server draws",
    "models": "models of the catalogue, and what each holds on a server",
    "startup": "what an engine prints when it starts a model, or why it refuses",
    "check": "an engine's start-up log beside the prediction",
}


def _parser(command: str) -> argparse.ArgumentParser:
    version = sys.modules["sizing"].__version__
    made = argparse.ArgumentParser(prog="sizing", description="Sizing of servers that run large language models.")
    made.add_argument("--version", action="version", version=f"sizing-workbook {version}")
    commands = made.add_subparsers(dest="command", required=True, metavar="|".join(_COMMANDS))
    for name, text in _HELP.items():
        options = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if name == command:
            _fill(options, name)
    return made


def _fill(options: argparse.ArgumentParser, command: str) -> None:
    from sizing.base.texts import LANGUAGES

    options.add_argument("--json", action="store_true", help="for programs")
    options.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the sentences")
    of_model = "name in the catalogue or on the Hub, a folder, or a config.json"
    if command == "answer":
        options.add_argument("model", nargs="?", help=of_model)
    if command == "models":
        options.add_argument("words", nargs="*", help="parts of the name")
    if command == "check":
        options.add_argument("log", help="file with the log, - for what is piped in")
        options.add_argument("--model", help=of_model)
    if command == "startup":
        from sizing.memory.engines import names

        options.add_argument("model", help=of_model)
        options.add_argument("--engine", choices=names(), default="vllm")
        for name in sorted(_every_setting()):
            options.add_argument(_flag(name), dest=name, type=_setting)
        return
    from sizing.catalogue.inputs import inputs

    for name, spec in inputs().items():
        if name != "checkpoint":
            flags = [_flag(name), *(_flag(short) for short, long in _SHORTER.items() if long == name)]
            shown = "{" + ",".join(spec.choices) + "}" if spec.choices else (spec.unit or "VALUE").replace("%", "%%")
            options.add_argument(*flags, dest=name, metavar=shown, help=spec.label().replace("%", "%%"))


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _settings(engine: str) -> dict[str, bool]:
    """Settings that an engine's start-up takes, but those that are models themselves, and whether each is needed."""
    import inspect

    from sizing.memory import engines

    rules: Any = engines.engine(engine)
    parameters = inspect.signature(rules.startup).parameters.values()
    named = [each for each in parameters if each.kind is each.KEYWORD_ONLY and each.name != "draft"]
    return {each.name: each.default is each.empty for each in named}


def _every_setting() -> set[str]:
    from sizing.memory.engines import names

    return {name for engine in names() for name in _settings(engine)}


def _setting(text: str) -> Any:
    """A setting as typed: a number such as 32k, yes or no, a compute capability such as 12.0, else a word."""
    from sizing.base.numbers import parse_number

    if text.lower() in ("yes", "no", "true", "false"):
        return text.lower() in ("yes", "true")
    try:
        number = parse_number(text, ".", binary=True)
    except ValueError:
        return text
    return int(number) if number == int(number) and "." not in text else number


def _scenario(asked: argparse.Namespace) -> tuple[Any, Any]:
    """The scenario of the options, and the model where it is not the default of the catalogue."""
    from sizing.catalogue import checkpoint_ids
    from sizing.catalogue.inputs import inputs
    from sizing.catalogue.scenario import Scenario
    from sizing.models.door import model

    given = {name: text for name, text in vars(asked).items() if name in inputs() and text is not None}
    scenario = Scenario(**{name: inputs()[name].parse(text) for name, text in given.items()})
    own = model(asked.model) if getattr(asked, "model", None) else None
    if own is not None and own.id in checkpoint_ids():
        return scenario.replace(checkpoint=own.id), None
    return scenario, own


def _split(layout: Any) -> dict[str, int]:
    return {name: getattr(layout, name) for name in ("copies", "tp", "pp", "dcp", "attention_dp")}


def _read(place: str) -> str:
    try:
        return Path(place).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        raise SizingError("model_no_file", input="log", value=place[:200]) from None


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)


def _columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows as columns of text, each as wide as its widest cell."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [min(_WIDEST, max(map(len, column))) for column in zip(*texts, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in texts]


if __name__ == "__main__":
    sys.exit(main())
