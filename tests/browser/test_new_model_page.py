"""The page for a new model in a real browser, with a Hub on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import sizing
from sizing.catalogue.scenario import Scenario
from sizing.models import bring
from tests.browser.server import Server, running
from tests.browser.visit import Visit, visiting
from tests.memory.config.conftest import config
from tests.models.hub.server import Big, Hub, Repo, weights

pytestmark = pytest.mark.browser

GEMMA = json.dumps(config("google/gemma-3-27b-it"))
QWEN = json.dumps(config("Qwen/Qwen3.8-27B"))
SCRIPT = "<img src=x onerror='document.title=`hit`'><script>document.title='hit'</script>"
PASTED_MB = 3


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    """A Hub with a model of twelve files, one of GGUF files, and one that only members may read."""
    hub = Hub()
    files: dict[str, bytes | Big] = {"config.json": QWEN.encode(), "tokenizer.json": b"{}"}
    places = {}
    for number in range(1, 13):
        name = f"model-{number:05d}-of-00012.safetensors"
        files[name] = weights((f"layer.{number}", "BF16", [5120, 452_000], 5120 * 452_000 * 2))
        places[f"layer.{number}"] = name
    files["model.safetensors.index.json"] = json.dumps({"metadata": {}, "weight_map": places}).encode()
    hub.repos["acme/Morning-27B"] = Repo(files)
    gguf: dict[str, bytes | Big] = {name: Big(b"GGUF", size) for name, size in
                                    (("m-Q4_K_M.gguf", 16_000_000_000), ("m-Q8_0.gguf", 29_000_000_000))}  # fmt: skip
    hub.repos["acme/packed"] = Repo({"config.json": QWEN.encode(), **gguf})
    hub.repos["acme/gated"] = Repo(dict(files), gated="manual")
    yield hub
    hub.close()


@pytest.fixture(scope="module")
def server(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The workbook as an operator starts it, with the Hub's address in its environment."""
    with _environment(HF_ENDPOINT=hub.endpoint, home=tmp_path_factory.mktemp("hf")), running() as server:
        yield server


class _environment:  # noqa: N801 - used like a function
    """Variables of the server's process, for the time of a with-statement."""

    def __init__(self, home: Path, **values: str) -> None:
        kept = {"HF_HOME": str(home), "XDG_CACHE_HOME": str(home), "NO_PROXY": "127.0.0.1,localhost"}
        self.patch = pytest.MonkeyPatch()
        self.values = {**kept, **values}

    def __enter__(self) -> None:
        for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
            self.patch.delenv(name, raising=False)
        for name, value in self.values.items():
            self.patch.setenv(name, value)

    def __exit__(self, *_: object) -> None:
        self.patch.undo()


@pytest.fixture
def visit(server: Server, chromium: Browser) -> Iterator[Visit]:
    with visiting(chromium, server.page("new_model")) as visit:
        yield visit.open()


def way(page: Page, name: str) -> None:
    page.locator(f".sizing-ways input[value={name}]").check()


def box(page: Page) -> Locator:
    return page.locator(".sizing-bring")


def ended(page: Page, phase: str) -> None:
    expect(box(page)).to_have_attribute("data-phase", phase, timeout=30_000)


def fault(page: Page) -> Locator:
    return box(page).get_by_role("alert")


def paste(page: Page, text: str, weights: str = "55", name: str = "") -> None:
    way(page, "text")
    page.get_by_label("config.json", exact=True).and_(page.locator("textarea")).fill(text)
    page.get_by_label("Weights of one copy").fill(weights)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Read the model").click()


def look_up(page: Page, id: str) -> None:
    way(page, "hub")
    page.get_by_label("Hub name or address").fill(id)
    page.get_by_role("button", name="Look up").click()


def package(text: str, weights: str = "55") -> sizing.Answer:
    return sizing.answer(Scenario(), checkpoint=bring.from_text(text, weights=weights).checkpoint)


def test_a_pasted_config_gives_the_packages_figures(visit: Visit) -> None:
    page = visit.page
    paste(page, GEMMA)
    ended(page, "done")
    result = package(GEMMA)
    expect(page.locator(".sizing-answer")).to_contain_text(f"{result.conversations:,} conversations")
    visit.settle()
    drawn = visit.charts()
    assert drawn["layouts"]["data"][0]["x"] == [layout.conversations or 0 for layout in result.sizing.layouts]
    lanes = [trace["x"] for trace in drawn["model_map"]["data"]]
    assert lanes[0] == list(range(6, 63, 6))  # every sixth layer grows
    assert len(lanes[1]) == 52
    assert not visit.complaints
    assert not visit.foreign()


def test_an_uploaded_file_is_shown_and_read(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    file = tmp_path / "config.json"
    file.write_text(QWEN, encoding="utf-8")
    way(page, "text")
    page.get_by_label("Choose file: config.json", exact=True).set_input_files(file)
    expect(page.locator(".sizing-bring textarea").first).to_have_value(QWEN)
    page.get_by_label("Weights of one copy").fill("55")
    page.get_by_role("button", name="Read the model").click()
    ended(page, "done")
    expect(page.locator(".sizing-answer")).to_contain_text(f"{package(QWEN).conversations:,}")


def test_a_look_up_tells_how_far_it_is_and_what_it_counted(visit: Visit, hub: Hub) -> None:
    page = visit.page
    page.evaluate(
        """() => { window.said = []; const status = document.querySelector('.sizing-bring-status');
             new MutationObserver(() => window.said.push(status.textContent)).observe(
             status, {childList: true, characterData: true, subtree: true}); }"""
    )
    look_up(page, "acme/Morning-27B")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible(timeout=10_000)
    ended(page, "done")
    said = page.evaluate("window.said")
    assert any("Asking the Hub" in each for each in said)
    assert any("of 12" in each for each in said)
    size = 12 * (5120 * 452_000 * 2)
    expect(page.locator(".sizing-subject")).to_contain_text("Morning-27B")
    expect(page.locator(".sizing-figures")).to_contain_text(f"{size / 2**30:,.1f} GiB")
    summary = page.locator("[data-live=hub_files] summary")
    expect(summary).to_contain_text("12 weight files")
    summary.click()
    expect(page.locator("[data-live=hub_files]")).to_contain_text("model-00012-of-00012.safetensors")
    row = page.locator(".sizing-snippet pre").first
    expect(row).to_contain_text('id = "acme/Morning-27B"')
    assert not visit.complaints
    assert not visit.foreign()  # the server asks the Hub, the browser never does


def test_a_look_up_can_be_cancelled_and_the_page_stays_alive(visit: Visit, hub: Hub) -> None:
    page = visit.page
    with _before(hub, lambda path, count: "stall"):
        look_up(page, "acme/Morning-27B")
        expect(page.get_by_role("button", name="Cancel")).to_be_visible(timeout=10_000)
        field = page.locator('.sizing-field[data-input="cards"]').get_by_role("textbox")
        field.fill("2")  # the page answers while the Hub does not
        expect(page.locator(".sizing-subject")).to_contain_text("2 ×")
        page.get_by_role("button", name="Cancel").click()
        ended(page, "idle")
    expect(box(page).get_by_role("status")).to_contain_text("cancelled")
    expect(page.get_by_role("button", name="Look up")).to_be_visible()
    expect(page.get_by_label("Hub name or address")).to_have_value("acme/Morning-27B")
    expect(page.locator(".sizing-subject")).to_contain_text("Llama 3.3")


FAILURES = [
    ("acme/nothing", "no public model acme/nothing"),
    ("acme/gated", "accepted its terms"),
    ("not a name", "is not the name of a model"),
    (SCRIPT, "<img src=x"),
]


def test_failed_look_ups_are_said_in_place_and_the_page_stays(visit: Visit) -> None:
    page = visit.page
    for id, said in FAILURES:
        look_up(page, id)
        expect(fault(page)).to_contain_text(said, timeout=30_000)
        ended(page, "failed")
        expect(page.get_by_label("Hub name or address")).to_have_value(id)
        expect(page.locator(".sizing-answer")).to_contain_text("32 conversations of 8,192 tokens may be promised")
    assert page.title() != "hit"
    assert not visit.complaints


def test_gguf_files_ask_which_quantisation(visit: Visit) -> None:
    page = visit.page
    look_up(page, "acme/packed")
    ended(page, "failed")
    choice = page.get_by_label("Quantisation")
    expect(choice).to_contain_text("Q4_K_M 16.00 GB")
    choice.select_option("Q4_K_M")
    page.get_by_role("button", name="Look up").click()
    ended(page, "done")
    expect(page.locator(".sizing-figures")).to_contain_text("14.9 GiB")  # 16e9 B / 2**30


def test_a_hub_that_is_down_is_a_sentence_within_the_time_limit(chromium: Browser, tmp_path: Path) -> None:
    down = _environment(HF_ENDPOINT="http://127.0.0.1:9", home=tmp_path)
    with down, running() as server, visiting(chromium, server.page("new_model")) as visit:
        page = visit.open().page
        look_up(page, "acme/Morning-27B")
        ended(page, "failed")
        expect(fault(page)).to_contain_text("The Hub cannot be reached from this machine.")
        expect(fault(page)).to_contain_text("paste the config.json")
        paste(page, GEMMA)
        ended(page, "done")


def test_broken_json_names_line_and_column_and_keeps_the_text(visit: Visit) -> None:
    page = visit.page
    paste(page, '{\n  "hidden_size": 4096,,\n}')
    ended(page, "failed")
    expect(fault(page)).to_contain_text("line 2, column 23")
    text = page.locator(".sizing-bring textarea").first
    expect(text).to_have_value('{\n  "hidden_size": 4096,,\n}')
    expect(text).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".sizing-answer")).to_contain_text("32 conversations of 8,192 tokens may be promised")


def test_a_paste_that_is_too_long_is_not_even_sent(visit: Visit) -> None:
    page = visit.page
    page.evaluate(
        """(length) => { window.sentBytes = 0; const send = WebSocket.prototype.send;
             WebSocket.prototype.send = function (data) { window.sentBytes += data.length ?? data.byteLength ?? 0;
             return send.call(this, data); };
             document.querySelector('.sizing-ways input[value=text]').click();
             document.querySelector('.sizing-bring textarea').value = 'x'.repeat(length); }""",
        PASTED_MB * 1_000_000,
    )
    page.get_by_role("button", name="Read the model").click()
    expect(fault(page)).to_contain_text("longer than 2 MB")
    assert page.evaluate("window.sentBytes") < 100_000
    assert page.evaluate("document.querySelector('.sizing-bring textarea').value.length") == PASTED_MB * 1_000_000
    paste(page, GEMMA)
    ended(page, "done")


def test_script_in_every_field_is_text(visit: Visit) -> None:
    page = visit.page
    dirty = json.loads(GEMMA)
    dirty |= {"model_type": SCRIPT, "architectures": [SCRIPT]}
    paste(page, json.dumps(dirty), name=f"acme {SCRIPT[:80]}")
    ended(page, "done")
    page.locator(".sizing-log textarea").fill(
        f"LLM engine (v0.28.0) with config: model='{SCRIPT.replace(chr(39), '')}', max_seq_len=4096\n"
        "Available KV cache memory: 9.1 GiB\nGPU KV cache size: 59,632 tokens"
    )
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("[data-live=log_result]")).to_contain_text("59,632")
    for name in ("Revision", "Entry of the catalogue"):
        way(page, "hub" if name == "Revision" else "catalogue")
        page.get_by_label(name).fill(SCRIPT)
    page.get_by_role("button", name="Use it as it is").click()
    ended(page, "failed")
    assert page.title() != "hit"
    assert page.locator("img[src=x]").count() == 0
    assert page.locator(".sizing-results script").count() == 0
    assert not visit.complaints


def test_an_entry_of_the_catalogue_can_be_changed(visit: Visit) -> None:
    page = visit.page
    way(page, "catalogue")
    page.get_by_label("Entry of the catalogue").fill("Qwen/Qwen3-32B")
    page.get_by_role("button", name="Change its config.json").click()
    text = page.locator(".sizing-bring textarea").first
    expect(text).to_have_value(re.compile('"num_hidden_layers": 64'))
    text.fill(text.input_value().replace('"num_hidden_layers": 64', '"num_hidden_layers": 32'))
    page.get_by_role("button", name="Read the model").click()
    ended(page, "done")
    expect(page.locator(".sizing-second").last).to_contain_text("changed from the catalogue's Qwen/Qwen3-32B")
    expect(page.locator(".sizing-figures")).to_contain_text("32")


def test_a_log_stands_beside_its_prediction_and_follows_the_model(visit: Visit) -> None:
    page = visit.page
    paste(page, json.dumps(config("Qwen/Qwen3-14B")), weights="10", name="Qwen/Qwen3-14B")
    ended(page, "done")
    page.locator(".sizing-log textarea").fill(
        "INFO [core.py:105] Initializing a V1 LLM engine (v0.28.0) with config: model='Qwen/Qwen3-14B', "
        "max_seq_len=40960, tensor_parallel_size=1, pipeline_parallel_size=1, kv_cache_dtype=auto\n"
        "Available KV cache memory: 9.1 GiB\nGPU KV cache size: 59,632 tokens\n"
    )
    page.get_by_role("button", name="Compare").click()
    result = page.locator("[data-live=log_result]")
    expect(result).to_contain_text("the same to the token")
    paste(page, GEMMA)
    expect(result).to_contain_text("the page shows config.json")
    page.get_by_role("button", name="Clear").click()
    expect(result).to_be_empty()


def test_a_config_of_megabytes_is_refused_before_the_area_gets_it(visit: Visit) -> None:
    page = visit.page
    way(page, "text")
    area = page.locator(".sizing-bring textarea").first
    left_to_the_browser = area.evaluate(
        """(area, length) => {
          const data = new DataTransfer();
          data.setData("text/plain", "x".repeat(length));
          const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
          return area.dispatchEvent(event);
        }""",
        PASTED_MB * 1_000_000,
    )
    assert not left_to_the_browser
    expect(fault(page)).to_contain_text("longer than 2 MB")
    assert area.input_value() == ""


LOG_MB = 3
PASTE_SAID_AFTER_MS = 500


def test_a_log_of_megabytes_is_cut_before_the_area_gets_it(visit: Visit) -> None:
    page = visit.page
    paste(page, json.dumps(config("Qwen/Qwen3-14B")), weights="10", name="Qwen/Qwen3-14B")
    ended(page, "done")
    head = (
        "INFO [core.py:105] Initializing a V1 LLM engine (v0.28.0) with config: model='Qwen/Qwen3-14B', "
        "max_seq_len=40960, tensor_parallel_size=1, pipeline_parallel_size=1, kv_cache_dtype=auto\n"
    )
    # What counts stands behind a megabyte of other lines: beyond what is shown, within what is taken.
    tail = "Available KV cache memory: 9.1 GiB\nGPU KV cache size: 59,632 tokens\n"
    area = page.locator(".sizing-log textarea")
    spent_ms = area.evaluate(
        """async (area, [head, tail, megabytes]) => {
          const filler = "2026-11-30 12:00:00 INFO some other line of the same start\\n";
          const million = filler.repeat(Math.ceil(1e6 / filler.length));
          const data = new DataTransfer();
          data.setData("text/plain", head + million + tail + million.repeat(megabytes - 1));
          area.focus();
          const begin = performance.now();
          const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
          if (area.dispatchEvent(event)) throw new Error("left to the browser");
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          return performance.now() - begin;
        }""",
        [head, tail, LOG_MB],
    )
    assert spent_ms < PASTE_SAID_AFTER_MS
    assert area.evaluate("area => area.value.length") == 100_000
    about = page.locator(".sizing-log [role=status]")
    expect(about).to_contain_text("first 2 million characters are taken")
    expect(about).to_contain_text("shows the first 100 thousand")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("[data-live=log_result]")).to_contain_text("the same to the token")
    area.press("End")
    area.press("x")
    expect(about).to_have_text("Only what stands in the box is read now.")
    page.get_by_role("button", name="Clear").click()
    expect(about).to_be_hidden()


def test_the_row_can_be_copied(server: Server, chromium: Browser) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    with visiting(chromium, server.page("new_model"), permissions=permissions) as visit:
        page = visit.open().page
        paste(page, GEMMA, name="acme/Gem")
        ended(page, "done")
        page.locator(".sizing-snippet button").first.click()
        expect(page.locator(".sizing-snippet button").first).to_have_text("Copied")
        assert 'id = "acme/Gem"' in page.evaluate("navigator.clipboard.readText()")


def test_a_reload_keeps_what_was_typed(visit: Visit) -> None:
    page = visit.page
    paste(page, GEMMA, name="acme/Gem")
    ended(page, "done")
    page.reload()
    visit.settle()
    expect(page.locator(".sizing-bring textarea").first).to_have_value(GEMMA)
    expect(page.get_by_label("Name", exact=True)).to_have_value("acme/Gem")


def test_everything_can_be_done_from_the_keyboard(visit: Visit) -> None:
    page = visit.page
    page.locator(".sizing-ways input[value=hub]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".sizing-ways input[value=text]")).to_be_checked()
    page.locator(".sizing-bring textarea").first.focus()
    page.keyboard.insert_text(GEMMA)
    page.get_by_label("Weights of one copy").focus()
    page.keyboard.type("55")
    page.keyboard.press("Enter")
    ended(page, "done")
    expect(page.locator(".sizing-answer")).to_contain_text(f"{package(GEMMA).conversations:,}")


def test_on_a_phone_the_box_folds_away_when_the_model_is_there(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("new_model"), width=390, height=844) as visit:
        page = visit.open().page
        expect(page.locator(".sizing-ways")).to_be_hidden()
        page.locator(".sizing-bring summary").first.click()
        paste(page, GEMMA)
        ended(page, "done")
        expect(page.locator(".sizing-ways")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


class _before:  # noqa: N801 - used like a function
    """What the Hub does instead of answering, for the time of a with-statement."""

    def __init__(self, hub: Hub, instead: Callable[[str, int], Any]) -> None:
        self.hub, self.instead, self.usual = hub, instead, hub.before

    def __enter__(self) -> None:
        self.hub.before = self.instead

    def __exit__(self, *_: object) -> None:
        self.hub.before = self.usual
