"""One call put together, against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from sizing.answers.answer import answer
from sizing.answers.size import size
from sizing.base.errors import SizingError
from sizing.base.texts import LANGUAGES, say
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand.call import CLASSES, answers, call, goal, mixed
from sizing.sharing import Plan, preset
from sizing.sharing import plan as saved
from sizing.sharing.plan import starts
from sizing.sharing.shared import shared
from sizing.site import notes as site_notes

# Of 156 that two pairs hold in memory so many keep 20 tokens/s. 16 on a pair: operations 34.39 ms and the engine's own
# 2.59 ms a step, and 15 x 439.1 ms of others' prompts over 512 tokens: 49.85 ms; 17 come to 51.03 ms.
KEPT = 32


def poisson_by_hand(mean: float, most: int) -> float:
    """Share of moments with no more than ``most``, summed term by term."""
    term, total = math.exp(-mean), 0.0
    for count in range(most + 1):
        total += term
        term *= mean / (count + 1)
    return total


def test_a_thousand_people_come_to_ten_running_requests_and_a_peak_of_eighteen() -> None:
    # 1,000 x 0.2 x 6 requests an hour = 1,200 an hour = 1/3 a second; each runs 30 s: 10 at once (Little's law).
    found = call(answer(Scenario(staff=1000)))
    assert found.demand is not None
    assert found.demand.mean == pytest.approx(10)
    assert poisson_by_hand(10, 17) < 0.99 <= poisson_by_hand(10, 18)
    assert found.needed == 18
    assert (found.holds, found.enough) == (KEPT, True)


def test_a_number_that_was_asked_for_beats_the_people_and_a_measured_peak_beats_the_estimate() -> None:
    assert call(answer(Scenario(staff=1000, measured_peak=40))).needed == 40
    found = call(answer(Scenario(staff=1000, measured_peak=40, wanted_conversations=300)))
    assert (found.needed, found.enough) == (300, False)


def test_nobody_asked_means_no_verdict() -> None:
    found = call(answer(Scenario(staff=0)))
    assert (found.demand, found.needed, found.enough, found.chances) == (None, 0, None, ())


def test_several_servers_on_the_connection_hold_together() -> None:
    assert call(answer(Scenario(servers_connected=3))).holds == 3 * KEPT
    assert call(answer(Scenario(servers_offered=5, servers_connected=3))).holds == 5 * KEPT


def test_what_must_survive_a_lost_server_is_enough_only_without_it() -> None:
    asked = Scenario(wanted_conversations=60, servers_offered=2)
    assert call(answer(asked)).enough is True
    found = call(answer(asked.replace(survive_failure="yes")))
    assert (found.answer.left, found.answer.survives, found.enough) == (KEPT, False, False)
    assert call(answer(asked.replace(survive_failure="yes", servers_offered=3))).enough is True


def test_of_several_services_no_length_and_no_time_is_that_of_the_model_that_does_not_run() -> None:
    found = call(answer(Scenario(workload="several", short_share=1, seconds_per_request=0)))
    assert (found.counts, found.demand, found.enough) == (None, None, None)
    assert [note.key for note in found.notes] == ["seconds_of_services"]


def test_more_requests_than_can_be_counted_are_a_stop_not_the_end_of_the_page() -> None:
    # 10,000,000 x 1,000 an hour x 3,600 s: ten thousand million at once.
    asked = Scenario(staff=10_000_000, active_share=1, requests_per_hour=1000, seconds_per_request=3600)
    found = call(answer(asked))
    assert found.demand is None
    assert [note.key for note in found.notes] == ["people_beyond_count"]


def test_servers_on_one_connection_are_weighed_together() -> None:
    # One server draws 3,404 W; a 32 A socket is planned with 5,888 W, one of 63 A with 11,592 W.
    two = size(Scenario(servers_connected=2, circuit="eu-1ph-32a"))
    assert two.site.of_servers(1).connection.fits
    assert not two.circuit.fits
    assert [
        (note.values["load_w"], note.values["smallest"]) for note in two.notes if note.key == "circuit_exceeded"
    ] == [(pytest.approx(6808), "230 V, 63 A single-phase")]


def test_what_does_not_fit_is_not_enough() -> None:
    found = call(answer(Scenario(cards=1, kv_dtype="bf16", checkpoint="meta-llama/Llama-3.3-70B-Instruct")))
    assert (found.holds, found.enough) == (0, False)


def test_chances_add_up_and_have_their_peak_at_the_mean() -> None:
    found = call(answer(Scenario(staff=1000)))
    assert sum(share for _, share in found.chances) == pytest.approx(1, abs=0.001)
    assert max(found.chances, key=lambda each: each[1])[0] in (9, 10)
    assert dict(found.chances)[12] == pytest.approx(math.exp(-10) * 10**12 / math.factorial(12))


def test_the_mix_is_of_the_classes_with_a_share() -> None:
    scenario = Scenario(short_share=3, agent_share=1, context_tokens=32768)
    mix = mixed(scenario)
    assert mix is not None
    assert [one.prompt_tokens for one in mix.classes] == [1500, 24000]
    assert mixed(Scenario()) is None
    # Those that run: 3 x 300 against 1 x 1,500 answer tokens; they end at 1,800 and 25,500 tokens.
    final = (900 * 1800 + 1500 * 25500) / 2400
    found = call(answer(scenario)).counts
    assert found is not None
    assert found.mean_final_tokens == math.ceil(final) == 16613


def test_a_mix_beyond_the_context_is_said_and_the_rest_stays() -> None:
    found = call(answer(Scenario(staff=1000, agent_share=1)))
    assert found.counts is None
    assert [note.key for note in found.notes if note.level == "warn"] == ["mix_beyond_context"]
    assert found.needed == 18


def test_every_class_has_its_name_in_every_language() -> None:
    for language in LANGUAGES:
        assert len({say(f"call.class.{name}", language) for name in CLASSES}) == len(CLASSES)


def test_without_a_time_the_physical_limit_stands_in_while_kernels_load() -> None:
    found = call(answer(Scenario(staff=1000, seconds_per_request=0, answer_tokens=512), measured=False))
    assert found.seconds_from in ("loading", "measured", "interpolated", "limit")
    assert found.demand is not None
    assert found.demand.seconds_per_request > 0
    assert any(note.key == f"seconds_from_{found.seconds_from}" for note in found.notes)


def test_requests_that_come_faster_than_they_are_answered_are_a_stop() -> None:
    found = call(answer(Scenario(staff=100_000, requests_per_hour=60, seconds_per_request=0), measured=False))
    assert [note.key for note in found.notes if note.level == "stop"] == ["requests_come_faster"]


def test_the_search_takes_the_wishes_of_the_scenario() -> None:
    scenario = Scenario(
        staff=1000,
        goal_aim="least_power",
        connections=2,
        price_per_card=8000,
        budget=50000,
        kept="kv_dtype",
        survive_failure="yes",
        wanted_context_tokens=16384,
        free_rack_u=8,
        connection_binds="no",
    )
    asked = goal(call(answer(scenario)))
    assert (asked.aim, asked.conversations, asked.connections, asked.budget) == ("least_power", 18, 2, 50000)
    assert (asked.fixed, asked.survive_failure, asked.asked_context_tokens) == ({"kv_dtype"}, True, 16384)
    assert (asked.rack_u, asked.connection_binds) == (8, False)


def test_a_budget_without_a_price_is_refused_in_words() -> None:
    with pytest.raises(SizingError, match="price"):
        answers(call(answer(Scenario(budget=50000))))


@pytest.mark.parametrize("start", starts(), ids=lambda start: start.name)
def test_every_start_reads_fits_and_has_its_words(start: object) -> None:
    plan = start.plan  # type: ignore[attr-defined]
    assert Plan.from_query(plan.to_query()) == plan
    if plan.scenario.workload == "one":
        found = call(answer(plan.scenario))
        assert found.enough
        assert found.counts is not None
        assert not [note for note in found.notes if note.level == "stop"]
    else:
        assert not shared(plan).placement.left_out
    answered = answer(plan.scenario)  # of several services no one verdict is given: each must have its place
    assert answered.verdict == ("enough" if plan.scenario.workload == "one" else "not_known")
    assert answered.site.connection.fits
    assert not [note for note in (*answered.notes, *site_notes.notes(answered.site)) if note.level == "stop"]
    for language in LANGUAGES:
        assert say(f"preset.{start.name}.title", language)  # type: ignore[attr-defined]
        assert say(f"preset.{start.name}.text", language)  # type: ignore[attr-defined]


def test_the_starts_are_the_documents_configurations() -> None:
    """Two cards for a department, eight for 1,000 staff (German document), a dozen on four (English document)."""
    found = {start.name: start.scenario for start in starts()}
    assert {name: found[name].cards for name in ("department", "company", "services")} == {
        "department": 2,
        "company": 8,
        "services": 4,
    }


def test_a_thousand_staff_need_fewer_than_eight_cards_by_our_own_count() -> None:
    """What the start's words say: four cards hold the peak of 1,000 staff, too."""
    company = next(start.scenario for start in starts() if start.name == "company")
    assert answer(company.replace(cards=4)).verdict == "enough"


def test_a_saved_file_opens_again_with_its_services() -> None:
    plan = preset("dozen").replace(context_tokens=4096, staff=7)
    assert saved.read(plan.to_json()) == plan


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '"x"', '{"scenario": {"colour": "red"}}', '{"cards": 99}'])
def test_a_file_that_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(SizingError):
        saved.read(text)


def test_what_a_call_asks_for_is_in_the_link() -> None:
    scenario = Scenario(staff=250, budget=1e5, price_per_card=9000, goal_aim="lowest_price", workload="several")
    assert Scenario.from_query(scenario.to_query()) == scenario
    assert len({spec.short for spec in inputs().values()}) == len(inputs())
