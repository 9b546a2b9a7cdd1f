"""Every row of CONTRIBUTING.md, walked: one of each is added to a scratch copy as the row says, and seen everywhere."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tests import walk
from tests.walk import Tree, Walk

PAGE = "from sizing.ui.pages.{0} import page\n"


def a_card(tree: Tree) -> None:
    text = tree.read("data/cards/l4.toml")
    tree.write("data/cards/trial-card.toml", text.replace('"l4"', '"trial-card"').replace('"L4"', '"Trial Card"'))


def a_checkpoint(tree: Tree) -> None:
    text = tree.read("data/checkpoints/openai--gpt-oss-20b.toml")
    text = text.replace('"openai/gpt-oss-20b"', '"trial/model"').replace('"gpt-oss-20b"', '"Trial Model"')
    tree.write("data/checkpoints/trial--model.toml", text)


def a_source(tree: Tree) -> None:
    tree.append(
        "data/sources.toml",
        """
        [trial-source]
        title = "A trial"
        producer = "Somebody"
        read_on = "2026-12-01"
        licence = "unknown"
        """,
    )


def a_circuit(tree: Tree) -> None:
    row = 'eu-1ph-25a,"230 V, 25 A trial","230 V, 25 A Versuch",EU,230,1,25,,Trial,Versuch,doc-de,2026-12-01,,'
    tree.append("data/circuits.csv", row + "\n")


def a_chart(tree: Tree) -> None:
    tree.write(
        "sizing/ui/charts/trial_charts.py",
        '''
        """The charts of a trial."""

        from sizing.sheet.figures import marks
        from sizing.sheet.figures.theme import ACCENT, axis


        def _trial(sizing, language):
            return marks.figure([marks.bars(["a"], [sizing.server_w], ACCENT)], axis(), axis(), language)


        def _alt(sizing, language):
            return f"{sizing.server_w:.0f}"


        trial = marks.Plot("trial", _trial, _alt)
        ''',
    )
    tree.word("ui.chart.trial", "Trial chart", "Versuchsbild")


def a_page(tree: Tree) -> None:
    tree.write(
        "sizing/ui/pages/trial_page.py",
        '''
        """A trial: the power of the server."""

        from sizing.ui.charts.trial_charts import trial
        from sizing.ui.page import FigureBox
        from sizing.ui.page import Page


        class TrialPage(Page):
            NAME = "trial_page"
            INPUTS = ("card", "cards")

            def results(self):
                self.figure = FigureBox(trial, self.language)
                return [self.figure]

            def draw(self):
                self.figure.show(self.state.sizing)


        def page(query=None):
            return TrialPage(query)
        ''',
    )
    notebook = tree.read("notebooks/speed.ipynb").replace("sizing.ui.pages.speed", "sizing.ui.pages.trial_page")
    tree.write("notebooks/trial_page.ipynb", notebook)
    pages = re.search(r"(?ms)^PAGES = \((.*?)\)$", tree.read("sizing/serve/voila.py"))
    assert pages
    tree.change("sizing/serve/voila.py", pages[0], f'PAGES = ({pages[1]}, "trial_page")')
    tree.word("ui.page.trial_page", "Trial page", "Versuchsseite")
    tree.word("index.answers.trial_page", "What a trial answers.", "Was ein Versuch beantwortet.")


def an_input(tree: Tree) -> None:
    tree.append(
        "data/inputs.toml",
        """
        [trial_slots]
        short = "trial"
        part = "server"
        kind = "integer"
        unit = "cards"
        group = "server"
        pages = ["speed"]
        min = 0
        max = 9
        stops = [0, 3, 9]
        default = 3
        source = "convention"
        """,
    )
    for language, label in (("en", "Trial slots"), ("de", "Versuchsplätze")):
        text = f'\n[input.trial_slots]\nlabel = "{label}"\nhelp = "{label}."\n'
        tree.append(f"sizing/base/texts/{language}/inputs.toml", text)


def a_sheet_format(tree: Tree) -> None:
    tree.write(
        "sizing/sheet/txt.py",
        '''
        """The sheet as plain text."""

        STEPS = 1


        def txt(content, progress):
            return content.answer.encode()
        ''',
    )
    tree.change("sizing/sheet/sheets.py", '"html": "text/html",', '"html": "text/html",\n    "txt": "text/plain",')
    tree.word("call.sheet.txt", "Plain text", "Reiner Text")


def a_country(tree: Tree) -> None:
    row = 'nz-1ph-20a,"230 V, 20 A trial","230 V, 20 A Versuch",NZ,230,1,20,,Trial,Versuch,doc-de,2026-12-01,,'
    tree.append("data/circuits.csv", row + "\n")
    tree.before(
        "data/power.toml",
        "[bank_share]\n",
        """
        [[cord]]
        id = "c13-nz"
        name = "C13/C14"
        amps = 12
        source = "doc-de"

        """,
    )


def a_release(tree: Tree) -> None:
    tree.before(
        "data/engines/vllm.toml",
        "# Releases at least this new",
        """
        [[release]]
        since = "0.34.0"
        choose = ["0.34.0"]
        does = { null_block_held = false }

        """,
    )


def an_engine(tree: Tree) -> None:
    tree.write(
        "sizing/memory/toy/__init__.py",
        '''
        """Another engine: what it offers beyond these is nothing that is asked here."""

        from sizing.memory.startup_log import Found, StartupLog

        NAME = "toy"


        def read_log(text):
            return StartupLog(NAME, kv_tokens=Found(int(text.rpartition(" ")[2]), 1))
        ''',
    )
    tree.write("data/engines/toy.toml", 'release = [{ since = "1.0.0", choose = ["1.0.0"] }]\n')


def a_language(tree: Tree) -> None:
    """French, with the English words for a start. Last of all, since every text of the others has it, too."""
    for path in sorted((tree.root / "sizing/base/texts/en").glob("*.toml")):
        text = path.read_text(encoding="utf-8").replace('"Size a server for language models"', '"Dimensionner"')
        tree.write(f"sizing/base/texts/fr/{path.name}", text)
    tree.change("sizing/base/texts/__init__.py", ' %")}', ' %"), "fr": ("\u202f", ",", "\u202f%")}')
    for path in sorted((tree.root / "data").rglob("*.*")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"\w_de\b", text):
            tree.write(str(path.relative_to(tree.root)), _csv_twins(text) if path.suffix == ".csv" else _twins(text))


def _twins(text: str) -> str:
    """Beside each German sentence of a TOML file the same in French."""
    text = re.sub(r"(?m)^(\w+)_de( = .*)$", r"\g<0>\n\1_fr\2", text)
    return re.sub(r'(?m)(?<!^)\b(\w+)_de = ("(?:[^"\\]|\\.)*")', r"\g<0>, \1_fr = \2", text)


def _csv_twins(text: str) -> str:
    rows = list(csv.reader(io.StringIO(text)))
    german = [number for number, name in enumerate(rows[0]) if name.endswith("_de")]
    names = [rows[0][number].removesuffix("_de") + "_fr" for number in german]
    made = io.StringIO()
    lines = ([*row, *(row[number] for number in german)] for row in rows[1:])
    csv.writer(made, lineterminator="\n").writerows([[*rows[0], *names], *lines])
    return made.getvalue()


WALKS = [
    Walk(
        "a card",
        a_card,
        before=PAGE.format("sizing") + "from sizing import catalogue\ns = sizing.Scenario(card='trial-card', cards=2)",
        seen={
            "list": "'trial-card' in catalogue.card_ids()",
            "sizing": "sizing.size(s).usable_gib_per_card == sizing.size(s.replace(card='l4')).usable_gib_per_card",
            "link": "'card=trial-card' in s.to_query() and sizing.Scenario.from_query(s.to_query()) == s",
            "page": "'Trial Card' in str(page().form.fields)",
            "sweep": "set(sizing.sweep(checkpoints=[s.checkpoint], cards=['trial-card']).card) == {'trial-card'}",
            "sheet": "b'Trial Card' in sheet(Request(sizing.answer(s)), 'html')",
        },
    ),
    Walk(
        "a checkpoint",
        a_checkpoint,
        before=PAGE.format("sizing") + "from sizing import catalogue\ns = sizing.Scenario(checkpoint='trial/model')",
        seen={
            "list": "'trial/model' in catalogue.checkpoint_ids()",
            "sizing": "sizing.size(s).best.conversations == sizing.size(s.replace(checkpoint='openai/gpt-oss-20b'))"
            ".best.conversations",
            "link": "sizing.Scenario.from_query(s.to_query()) == s",
            "page": "'trial/model' in str(page().form.fields)",
            "sweep": "set(sizing.sweep(cards=['l4'], card_counts=[1]).checkpoint) >= {'trial/model'}",
            "sheet": "b'Trial Model' in sheet(Request(sizing.answer(s)), 'html')",
        },
    ),
    Walk(
        "a source",
        a_source,
        before="from sizing import catalogue\nfrom sizing.ui.reports.evidence_report import sources",
        seen={
            "list": "catalogue.source('trial-source').title == 'A trial'",
            "page": "'A trial' in sources('en').opened({'sources'}.__contains__)",
        },
    ),
    Walk(
        "a circuit",
        a_circuit,
        before=PAGE.format("site") + "from sizing import catalogue\ns = sizing.Scenario(circuit='eu-1ph-25a')",
        seen={
            "list": "catalogue.circuit('eu-1ph-25a').amps == 25",
            "sizing": "[fit.name for fit in sizing.size(s).circuits if fit.planned_w == 230 * 25 * 0.8]",
            "page": "'25 A trial' in everything(page(s.to_query()))",
            "sheet": "b'25 A trial' in sheet(Request(sizing.answer(s)), 'html')",
        },
    ),
    Walk(
        "a chart",
        a_chart,
        before=PAGE.format("trial_page"),
        seen={
            "page": "page('card=l4&n=2').figure.chart.figure_data[0]['x'] == "
            "[sizing.size(sizing.Scenario(card='l4', cards=2)).server_w]",
            "heading": "'Versuchsbild' in everything(page('lang=de'))",
        },
    ),
    Walk(
        "a page",
        a_page,
        before=PAGE.format("index"),
        seen={
            "navigation": "'trial_page.ipynb' in everything(page())",
            "title": "'Versuchsseite' in everything(page('lang=de'))",
            "index": "'What a trial answers.' in everything(page())",
            "served": "'trial_page.ipynb' in read_pages(pathlib.Path('notebooks'), PAGES)",
        },
    ),
    Walk(
        "an input",
        an_input,
        before=PAGE.format("speed") + "s = sizing.Scenario(trial_slots=5)",
        seen={
            "scenario": "(s.trial_slots, s.server.trial_slots, sizing.Scenario().trial_slots) == (5, 5, 3)",
            "bounds": "refused(sizing.Scenario, trial_slots=10)",
            "link": "s.to_query() == 'v=1&trial=5' and sizing.Scenario.from_query(s.to_query()) == s",
            "file": "sizing.Scenario.from_json(s.to_json()) == s",
            "control": "'Trial slots' in str(page().form.fields) and page('trial=5').scenario == s",
            "sheet": "b'Trial slots' in sheet(Request(sizing.answer(s)), 'html')",
        },
    ),
    Walk(
        "a sheet format",
        a_sheet_format,
        before=PAGE.format("call") + "",
        seen={
            "file": "sheet(Request(sizing.answer(sizing.Scenario())), 'txt')",
            "name": "file_name(Request(sizing.answer(sizing.Scenario())), 'txt').endswith('.txt')",
            "button": "'Plain text' in everything(page('step=5'))",
        },
    ),
    Walk(
        "a country's circuits",
        a_country,
        before=PAGE.format("site") + "s = sizing.Scenario(circuit='nz-1ph-20a', cord='c13', feeds='one')",
        seen={
            "options": "'230 V, 20 A trial' in [each.name for each in sizing.size(s).circuits]",
            "page": "'20 A' in everything(page(s.to_query())) and not page(s.to_query()).messages.sentences",
            "sheet": "b'20 A trial' in sheet(Request(sizing.answer(s)), 'html')",
        },
    ),
    Walk(
        "a release of vLLM",
        a_release,
        before=PAGE.format("sizing") + "from sizing.catalogue.inputs import inputs\nfrom sizing.memory import vllm\n"
        "one = sizing.read_config({'num_hidden_layers': 2, 'hidden_size': 64, 'num_attention_heads': 4, "
        "'vocab_size': 9})",
        seen={
            "list": "'0.34.0' in inputs()['engine_version'].choices and sizing.Scenario().engine_version == '0.34.0'",
            "newest": "vllm.NEWEST == '0.34.0' and vllm.startup(one, available_kv_gib=1, max_model_len=64).starts",
            "patches": "vllm.check_version('0.34.1') is None and refused(vllm.check_version, version='0.35.0')",
            "page": "'0.34.0' in everything(page())",
        },
    ),
    Walk(
        "an engine",
        an_engine,
        before="from sizing.memory import engines",
        seen={
            "list": "engines.names() == ('sglang', 'toy', 'vllm') and engines.engine('toy').NAME == 'toy'",
            "log": "engines.read_log('max_total_num_tokens 7').kv_tokens.value == 7",
        },
    ),
    Walk(
        "a language",
        a_language,
        before=PAGE.format("index")
        + "from sizing.base import texts\nfrom sizing.ui.pages.sizing import page as sizing_page",
        seen={
            "offered": "'fr' in str(page().tools.languages)",
            "page": "'Dimensionner' in everything(page('lang=fr'))",
            "numbers": "texts.say('unit.gib', 'fr', value=1332.16).startswith('1\u202f332,2')",
            "answer": "sizing_page('lang=fr').language == 'fr' and not sizing_page('lang=fr').messages.sentences",
            "sheet": "b'lang=\"fr\"' in sheet(Request(sizing.answer(sizing.Scenario()), language='fr'), 'html')",
        },
    ),
]

TOOLS = """
import pathlib
from sizing.sheet.request import Request
from sizing.sheet.sheets import file_name, sheet
from sizing.serve.pages import read_pages
from sizing.serve.voila import PAGES

def refused(call, **values):
    try:
        call(**values)
    except sizing.SizingError:
        return True

def everything(widget, seen=None):
    seen = set() if seen is None else seen
    if id(widget) in seen:
        return ""
    seen.add(id(widget))
    state = {key: value for key, value in widget.get_state().items() if not key.startswith(("_esm", "_css", "_dom"))}
    return str(state) + "".join(everything(child, seen) for child in getattr(widget, "children", ()))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("walk") / "tree")


@pytest.fixture(scope="module")
def found(tree: Tree) -> dict[str, dict[str, object]]:
    return walk.walked(tree, WALKS, TOOLS)


@pytest.mark.parametrize("row", [each.row for each in WALKS])
def test_what_is_added_is_seen_everywhere(row: str, found: dict[str, dict[str, object]]) -> None:
    assert {place: said for place, said in found[row].items() if said is not True} == {}


@pytest.mark.parametrize("row", [each.row for each in WALKS])
def test_the_row_names_every_file(row: str, tree: Tree, found: dict[str, dict[str, object]]) -> None:
    assert walk.strays(tree.touched[row], walk.rows()[row]) == set()


def test_the_tree_itself_is_untouched(found: dict[str, dict[str, object]]) -> None:
    root = Path(walk.ROOT)
    assert not [path for name in ("data", "sizing", "notebooks") for path in (root / name).rglob("*trial*")]
