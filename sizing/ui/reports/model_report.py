"""Answer, layers and comparison of the page for a new model."""

from __future__ import annotations

from collections.abc import Sequence

from sizing import catalogue
from sizing.answers import wording, working
from sizing.answers.answer import Answer
from sizing.answers.size import Sizing
from sizing.base.errors import SizingError
from sizing.base.markup import Markup, folded, join, table, tag
from sizing.base.texts import say
from sizing.base.units import binary, gb
from sizing.memory import layer_map
from sizing.models.bring import Brought
from sizing.models.hub.model import CatalogueRow, HubModel, Quantisation
from sizing.ui.reports import common

MOST_FILES = 40  # a repository may hold hundreds


def answer(found: Answer, brought: Brought | None, other: Sizing | None, language: str, *, stale: bool) -> Markup:
    """The answer as a sentence, where the model comes from, and the figures that a new model is asked for."""
    sizing = found.sizing
    architecture = sizing.architecture
    longest = architecture.max_context_tokens
    figures = [
        ("ui.model.figure.per_token", amount(sizing.kv_terms.growing_bytes_per_token, language)),
        ("ui.figure_name.per_conversation", say("unit.gib_exact", language, value=sizing.kv_gib_per_conversation)),
        ("ui.figure_name.weights", say("unit.gib", language, value=sizing.weights_gib)),
        ("ui.figure_name.usable", say("unit.gib", language, value=sizing.usable_gib)),
        ("ui.model.figure.layers", say("unit.integer", language, value=len(architecture.layers))),
        (
            "ui.model.figure.longest",
            say("unit.tokens", language, value=longest)
            if longest is not None
            else say("ui.model.figure.longest_unknown", language),
        ),
    ]
    lines = wording.other_precision(sizing, other, language), origin(sizing, brought, language)
    return common.opening(
        found,
        wording.subject(sizing, language),
        " ".join(line for line in lines if line),
        stale=stale,
        language=language,
        shown=[
            (say(name, language), value, name.endswith(".weights") and sizing.weights_estimated)
            for name, value in figures
        ],
    )


def origin(sizing: Sizing, brought: Brought | None, language: str) -> str:
    """Where the model comes from, and how its weights are known."""
    if brought is None:
        known = "from_link" if catalogue.is_own(sizing.scenario.checkpoint) else "from_catalogue"
        return say(f"ui.model.{known}", language)
    if brought.hub is not None:
        return say("ui.model.from_hub", language, source=brought.hub.say_source(language))
    key = "from_changed" if brought.changed_from else "from_text"
    date = sizing.checkpoint.read_on
    weights = "weights_estimated" if sizing.weights_estimated else "weights_given"
    first = say(f"ui.model.{key}", language, id=brought.changed_from, date=date)
    return f"{first} {say(f'ui.model.{weights}', language)}"


def amount(num_bytes: float, language: str) -> str:
    """Bytes in the unit that leaves a readable number."""
    if not num_bytes:
        return say("ui.model.none", language)
    value, unit = binary(num_bytes)
    return say(f"ui.model.unit.{unit}", language, value=value)


def kinds(sizing: Sizing, names: Sequence[str], language: str) -> str:
    """Kinds of cache as a person names them."""
    if not names:
        return say("ui.model.part.none", language)
    said = " + ".join(say(f"cache.{name}", language) for name in names)
    return said[:1].upper() + said[1:]


def parts(sizing: Sizing, language: str) -> Markup:
    """What each kind of layer keeps, their sum, and the working."""
    context = sizing.scenario.context_tokens
    head = [
        say(f"ui.model.column.{column}", language, context_tokens=context)
        for column in ("kind", "does", "layers", "per_token", "window", "window_tokens", "fixed", "conversation")
    ]
    found = layer_map.rows(sizing.architecture, sizing.kv_dtype, context)
    dash = say("ui.model.none", language)
    rows = [
        [
            kinds(sizing, row.kinds, language),
            say(f"ui.model.part.{row.part}", language),
            say("unit.integer", language, value=row.layers),
            amount(row.growing_bytes_per_token, language),
            amount(row.window_bytes_per_token, language),
            say("unit.integer", language, value=row.window_tokens) if row.window_tokens else dash,
            amount(row.fixed_bytes, language),
            amount(row.conversation_bytes, language),
        ]
        for row in found
    ]
    if len(found) > 1:
        terms = sizing.kv_terms
        rows.append(
            [
                say("ui.model.total", language),
                "",
                say("unit.integer", language, value=len(sizing.architecture.layers)),
                amount(terms.growing_bytes_per_token, language),
                amount(sum(row.window_bytes_per_token for row in found), language),
                "",
                amount(terms.fixed_bytes, language),
                amount(terms.bytes(context), language),
            ]
        )
    caption = say("ui.model.parts.caption", language, precision=wording.precision(sizing.kv_dtype, language))
    return join(
        [
            table(caption, head, rows, numeric=2),
            common.section("working-parts", lambda: working.cache(sizing), language),
        ]
    )


def beside(sizing: Sizing, others: Sequence[tuple[str, Sizing | SizingError]], language: str) -> Markup:
    """The model and others on the same cards; one that cannot be sized says why."""
    head = [say(f"ui.model.column.{name}", language) for name in ("model", "weights", "per_token", "cache")]
    head += [say("ui.model.column.conversations", language), say("ui.model.column.layout", language)]
    sized = [other for _, other in others if isinstance(other, Sizing)]
    rows = [_beside_row(each, language) for each in (sizing, *sized)]
    failed = [f"{id}: {other.say(language)}" for id, other in others if isinstance(other, SizingError)]
    caption = say(
        "ui.model.beside.caption",
        language,
        cards=sizing.scenario.cards,
        card=sizing.card.name,
        context_tokens=sizing.scenario.context_tokens,
        precision=wording.precision(sizing.kv_dtype, language),
    )
    return join([table(caption, head, rows, marked=0), *(tag("p", each, class_="sizing-small") for each in failed)])


def _beside_row(sizing: Sizing, language: str) -> list[str]:
    about = "≈ " if sizing.weights_estimated else ""
    return [
        sizing.checkpoint.name,
        about + say("unit.gib", language, value=sizing.weights_gib),
        amount(sizing.kv_terms.growing_bytes_per_token, language),
        say("unit.gib_exact", language, value=sizing.kv_gib_per_conversation),
        wording.conversations(sizing.best, language),
        wording.layout_name(sizing.best, language),
    ]


def offered(quantisations: Sequence[Quantisation], language: str) -> list[dict[str, str]]:
    """What a repository of GGUF files offers, as the options of a choice."""
    size = "ui.model.hub.dtype"
    return [
        {"value": each.name, "label": say(size, language, name=each.name, size_gb=gb(each.size_bytes))}
        for each in quantisations
    ]


def hub_files(model: HubModel | None, language: str) -> Markup:
    """What the look-up counted and what it left out, folded away; nothing for a model from elsewhere."""
    if model is None:
        return Markup()
    summary = say(
        "ui.model.hub.summary_one" if len(model.counted) == 1 else "ui.model.hub.summary",
        language,
        count=len(model.counted),
        size_gb=gb(model.weight_bytes),
        left_out=len(model.left_out),
    )
    return folded("hub-files", summary, lambda: _hub_files(model, language))


def _hub_files(model: HubModel, language: str) -> Markup:
    size = "ui.model.hub.dtype"
    counted = [[file.path, say(size, language, name="", size_gb=gb(file.size_bytes)).strip()] for file in model.counted]
    left = [
        [file.path, say(size, language, name="", size_gb=gb(file.size_bytes)).strip(), file.say(language)]
        for file in model.left_out
    ]
    types = ", ".join(say(size, language, name=each.dtype, size_gb=gb(each.size_bytes)) for each in model.dtypes)
    heads = {name: say(f"ui.model.column.{name}", language) for name in ("file", "size", "why")}
    shown = (
        tag("ul", *(tag("li", note.say(language)) for note in model.notes), class_="sizing-refused"),
        table(say("ui.model.hub.counted", language), [heads["file"], heads["size"]], _cut(counted, language)),
        tag("p", say("ui.model.hub.dtypes", language, types=types), class_="sizing-about") if types else Markup(),
        table(say("ui.model.hub.left_out", language), list(heads.values()), _cut(left, language)) if left else Markup(),
        tag(
            "p",
            say("ui.model.hub.others", language, count=model.other_files, size_gb=gb(model.other_bytes)),
            class_="sizing-about",
        ),
    )
    return join(shown)


def _cut(rows: list[list[str]], language: str) -> list[list[str]]:
    """At most MOST_FILES rows, and a last one that says how many more there are."""
    if len(rows) <= MOST_FILES:
        return rows
    more = say("ui.model.hub.more", language, count=len(rows) - MOST_FILES)
    return [*rows[:MOST_FILES], [more, *[""] * (len(rows[0]) - 1)]]


def row_about(row: CatalogueRow | SizingError | None, language: str) -> Markup:
    """What to do with the texts below, or why there are none."""
    shown = [tag("h2", say("ui.region.catalogue_row", language))]
    if row is None:
        return join([*shown, tag("p", say("ui.model.row.known", language), class_="sizing-small")])
    here = tag("p", say("ui.model.here_only", language), class_="sizing-small")
    if isinstance(row, SizingError):
        return join([*shown, here, tag("p", row.say(language), class_="sizing-small")])
    shown += [here, tag("p", say("ui.model.row.lead", language, path=row.path), class_="sizing-small")]
    if row.left_out:
        summary = say("ui.model.row.left_out", language, count=len(row.left_out))
        keys = ", ".join(key[:80] for key in row.left_out[:200])
        shown.append(folded("row-left-out", summary, lambda: tag("p", keys, class_="sizing-small")))
    return join(shown)
