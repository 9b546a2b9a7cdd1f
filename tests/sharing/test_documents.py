"""The English document's four scenarios, the German one's words on MIG, and the public placement that failed."""

from __future__ import annotations

from collections import Counter

import pytest

from sizing.catalogue.scenario import Scenario
from sizing.catalogue.slices import slice_profiles
from sizing.sharing import Plan, Service, place, preset
from sizing.sharing import needs as shares
from sizing.sharing.shared import slice_commands, starts


def test_four_32b_models_at_half_precision_one_a_card_with_headroom() -> None:
    placed = place(preset("four_32b"))
    assert placed.fits
    assert [card.mode for card in placed.cards] == ["whole"] * 4
    # By hand: Qwen3-32B is 65.52 GB = 61.02 GiB; 83.04 - 61.02 = 22.02 GiB; a conversation of 8,192 tokens in 16 bit
    # takes 64 layers x 8 heads x 128 x 2 x 2 B x 8,192 = 2 GiB, so that 11 have room, and 2 of 32,768 tokens (8 GiB).
    assert [placed.conversations(service) for service in range(4)] == [11, 11, 2, 2]


def test_one_70b_in_fp16_over_two_cards_leaves_two_for_others() -> None:
    placed = place(preset("one_70b"))
    assert placed.fits
    [large] = placed.engines_of(0)
    assert len(large.cards) == 2
    assert len({placed.cards[card].socket for card in large.cards}) == 1
    others = {card for number in range(1, 6) for engine in placed.engines_of(number) for card in engine.cards}
    assert others == {2, 3}
    # By hand: 2 x 83.04 - 131.42 GiB = 34.66; 80 layers x 8 heads x 128 x 2 x 2 B x 8,192 = 2.5 GiB; floor(13.9) = 13.
    assert large.conversations == 13


def test_a_dozen_services_of_7_to_14b_each_in_a_slice_of_four_cards() -> None:
    placed = place(preset("dozen"))
    assert placed.fits
    assert len(placed.engines) == 12
    assert {engine.kind for engine in placed.engines} == {"slice"}
    assert Counter(engine.profile for engine in placed.engines) == {"1g.24gb": 8, "2g.48gb": 4}
    # Three slices a card: within the two to four that the document calls sensible.
    assert [len(card.slices) for card in placed.cards] == [3, 3, 3, 3]
    # By hand: Qwen2.5-7B is 15.23 GB = 14.185 GiB; 0.9 x 23.62 - 3 = 18.258; 28 layers x 4 heads x 128 x 2 x 2 B x
    # 8,192 = 0.4375 GiB; floor(4.073 / 0.4375) = 9.
    assert placed.conversations(0) == 9


@pytest.mark.parametrize("name", ["four_32b", "one_70b", "dozen"])
def test_eight_cards_hold_twice_as_many_of_the_same(name: str) -> None:
    plan = preset(name)
    doubled = tuple(service.replace(copies=2) for service in plan.services)
    assert not place(plan.replace(services=doubled)).fits
    assert place(plan.replace(services=doubled, cards=8)).fits
    assert place(preset("eight_cards")).fits


def test_sixteen_isolated_slices_a_server() -> None:
    """The German document: four cards offer up to 16 slices of 24 GB."""
    services = (Service(checkpoint="Qwen/Qwen3-0.6B", copies=16, isolation="slice"),)
    placed = place(Plan(services=services, aim="fewest_cards"))
    assert placed.fits
    assert placed.slots == 16
    assert placed.cards_used == 4
    more = (services[0], Service(checkpoint="Qwen/Qwen3-0.6B", isolation="slice"))
    assert not place(Plan(services=more)).fits


def test_two_cards_run_a_pair_while_the_others_serve_quarters() -> None:
    """The German document: MIG is set card by card."""
    services = (
        Service(checkpoint="meta-llama/Llama-3.3-70B-Instruct", isolation="whole"),
        Service(checkpoint="Qwen/Qwen3-0.6B", copies=8, isolation="slice"),
    )
    placed = place(Plan(services=services))
    assert [card.mode for card in placed.cards] == ["whole", "whole", "slices", "slices"]
    assert [card.slices for card in placed.cards[2:]] == [("1g.24gb",) * 4] * 2


def test_a_slice_holds_what_it_really_has() -> None:
    card = place(Plan()).card
    assert [(each.name, each.memory_gib) for each in slice_profiles(card)] == [
        ("1g.24gb", 23.62),
        ("2g.48gb", 47.38),
        ("4g.96gb", 95.00),
    ]


def test_services_of_22_gib_do_not_fit_a_slice_of_20() -> None:
    """A public blueprint named a 20 GB slice for services that wanted 22.6 GB."""
    small = Service(checkpoint="Qwen/Qwen3-8B", context_tokens=32768, conversations=2, kv_dtype="bf16")
    # By hand: 15.26 GiB of weights and 2 x 4.5 GiB of cache are 24.3; the slice leaves 18.26.
    placed = place(Plan(services=(small.replace(isolation="slice"),), aim="fewest_cards"))
    assert {engine.profile for engine in placed.engines} <= {"2g.48gb", ""}


def test_the_public_placement_that_failed() -> None:
    """edutelligence issue 570: 79.12 of 94.97 GiB free, the second engine asked for 0.95 of the whole card."""
    assert shares.requested_gib(94.97, 0.95) == pytest.approx(90.22, abs=0.005)
    assert shares.requested_gib(94.97, 0.95) > 79.12 >= shares.requested_gib(94.97, 0.83)


def test_a_shared_card_is_given_in_shares_that_start_in_order() -> None:
    services = (
        Service(checkpoint="Qwen/Qwen3-14B", conversations=4, kv_dtype="bf16"),
        Service(checkpoint="Qwen/Qwen3-8B", conversations=4, kv_dtype="bf16"),
        Service(checkpoint="BAAI/bge-m3"),
    )
    placed = place(Plan(scenario=Scenario(cards=1), services=services, aim="most_free"))
    # By hand for the 14B: 29.537 GB = 27.508 GiB; 40 layers x 8 heads x 128 x 2 x 2 B x 8,192 = 1.25 GiB, four make 5;
    # with the reserve of 3 GiB 35.508 of 94.97 GiB: 0.37389, rounded up 0.3739.
    first = placed.engines_of(0)[0]
    assert first.share == 0.3739
    free = 94.97
    for start in starts(placed, 0):
        assert start.free_gib <= free + 1e-5
        assert start.asks_gib <= start.free_gib
        assert f"--gpu-memory-utilization {start.engine.share:.4f}".rstrip("0") in start.line
        free -= start.asks_gib
    assert sum(engine.share for engine in placed.engines) <= 0.9
    shared = [start.engine.share for start in starts(placed, 0)]
    assert shared == sorted(shared, reverse=True)


def test_the_lines_to_type() -> None:
    placed = place(preset("one_70b"))
    lines = [start.line for start in starts(placed, 0)]
    assert lines[0] == (
        "CUDA_VISIBLE_DEVICES=0,1 vllm serve meta-llama/Llama-3.3-70B-Instruct --port 8000 --tensor-parallel-size 2 "
        "--gpu-memory-utilization 0.9 --max-model-len 8192 --max-num-seqs 13"
    )
    cut = next(card for card in placed.cards if card.mode == "slices")
    commands = slice_commands(placed, 0)
    assert commands[0] == f"sudo nvidia-smi -i {cut.number} -mig 1"
    assert commands[1] == f"sudo nvidia-smi mig -i {cut.number} -cgi 2g.48gb,1g.24gb,1g.24gb -C"
    fp8 = Plan(services=(Service(checkpoint="Qwen/Qwen3-32B", kv_dtype="fp8", isolation="whole"),))
    assert "--kv-cache-dtype fp8" in starts(place(fp8), 0)[0].line


def test_the_slice_finder_finds_the_slice(tmp_path: object) -> None:
    """The shell function is run on the listing that nvidia-smi -L prints, with a stand-in for nvidia-smi."""
    import subprocess

    from sizing.sharing.shared import SLICE_FINDER

    listing = (
        "GPU 0: NVIDIA RTX PRO 6000 Blackwell Server Edition (UUID: GPU-aaa)\n"
        "  MIG 1g.24gb     Device  0: (UUID: MIG-zero)\n"
        "GPU 1: NVIDIA RTX PRO 6000 Blackwell Server Edition (UUID: GPU-bbb)\n"
        "  MIG 2g.48gb     Device  0: (UUID: MIG-large)\n"
        "  MIG 1g.24gb     Device  1: (UUID: MIG-first)\n"
        "  MIG 1g.24gb     Device  2: (UUID: MIG-second)\n"
        "GPU 10: NVIDIA RTX PRO 6000 Blackwell Server Edition (UUID: GPU-ccc)\n"
        "  MIG 1g.24gb     Device  0: (UUID: MIG-ten)\n"
    )
    script = f"nvidia-smi() {{ cat <<'END'\n{listing}END\n}}\n{SLICE_FINDER}\n"
    for asked, wanted in (("1 1g.24gb 2", "MIG-second"), ("1 2g.48gb 1", "MIG-large"), ("0 1g.24gb 1", "MIG-zero")):
        done = subprocess.run(["bash", "-c", f"{script}mig {asked}"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == wanted
