"""What a page may say to its kernel. Frames are built here from the protocol's description, part by part."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sizing.serve import kernels


def frame(
    kind: str, content: Any, channel: str = "shell", *, header: Any = None, buffers: tuple[bytes, ...] = ()
) -> bytes:
    """A message as a browser packs it: number of offsets, offsets, channel, four JSON parts, buffers."""
    head = {"msg_type": kind, "msg_id": "1", "session": "s"} if header is None else header
    parts = [channel.encode(), *(json.dumps(part).encode() for part in (head, {}, {}, content)), *buffers]
    offsets = [8 * (len(parts) + 2)]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    numbers = [len(offsets), *offsets]
    return b"".join(number.to_bytes(8, "little") for number in numbers) + b"".join(parts)


MOVE = {"comm_id": "a", "data": {"method": "custom", "content": {"kind": "edit", "changes": {"cards": "4"}, "seq": 1}}}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("comm_msg", MOVE),
        ("comm_msg", {"comm_id": "a", "data": {"method": "request_states"}}),
        ("comm_open", {"comm_id": "a", "target_name": "jupyter.widget.control", "data": {}}),
        ("comm_close", {"comm_id": "a", "data": {}}),
        ("comm_info_request", {"target_name": "jupyter.widget"}),
        ("kernel_info_request", {}),
    ],
)
def test_what_a_page_says_is_passed_on(kind: str, content: dict[str, Any]) -> None:
    assert kernels.refusal(frame(kind, content)) is None
    assert kernels.refusal(frame(kind, content, buffers=(b"\0\1",))) is None


@pytest.mark.parametrize(
    "kind",
    ["execute_request", "complete_request", "inspect_request", "history_request", "is_complete_request",
     "shutdown_request", "interrupt_request", "debug_request", "input_reply", "create_subshell_request", "", "comm"],
)  # fmt: skip
@pytest.mark.parametrize("channel", ["shell", "control", "stdin", "iopub", "hb", "none"])
def test_nothing_else_is(kind: str, channel: str) -> None:
    assert kernels.refusal(frame(kind, {"code": "1", "silent": True}, channel))


@pytest.mark.parametrize("channel", ["control", "stdin", "iopub"])
def test_a_move_goes_over_the_shell_channel_only(channel: str) -> None:
    assert kernels.refusal(frame("comm_msg", MOVE, channel))


@pytest.mark.parametrize("target", ["jupyter.widget", "hv-comm", "", None, 3, ["jupyter.widget.control"]])
def test_no_other_comm_is_opened(target: Any) -> None:
    assert kernels.refusal(frame("comm_open", {"comm_id": "a", "target_name": target, "data": {}}))


@pytest.mark.parametrize(
    "content",
    [
        {}, {"comm_id": 3, "data": {"method": "custom"}}, {"comm_id": "", "data": {"method": "custom"}},
        {"comm_id": "a" * 200, "data": {"method": "custom"}}, {"comm_id": "a", "data": []},
        {"comm_id": "a", "data": {"method": "run"}}, [], "text", None,
    ],
)  # fmt: skip
def test_malformed_content_is_refused(content: Any) -> None:
    assert kernels.refusal(frame("comm_msg", content))


@pytest.mark.parametrize(
    "message",
    [
        b"", b"\0", b"\xff" * 8, b"\xff" * 200, (2**63).to_bytes(8, "little") + b"\0" * 100, "a text frame",
        json.dumps({"channel": "shell", "header": {"msg_type": "execute_request"}}), None, 3,
        (7).to_bytes(8, "little") + b"\0" * 56, frame("comm_msg", MOVE)[:-1], frame("comm_msg", MOVE) + b"x",
        frame("comm_msg", MOVE, buffers=(b"",) * 20), frame("comm_msg", MOVE, header=[]),
        frame("comm_msg", MOVE, header={"msg_type": ["comm_msg"]}),
        frame("comm_msg", MOVE).replace(b'"cards"', b'"cards\xff'),
    ],
)  # fmt: skip
def test_malformed_frames_are_refused(message: Any) -> None:
    assert kernels.refusal(message)


def test_deep_nesting_does_not_end_the_server() -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    sound = frame("comm_msg", {"x": "here"})
    start = sound.index(b'{"x": "here"}')
    parts = sound[:start] + deep
    patched = parts[: 8 * 7] + len(parts).to_bytes(8, "little") + parts[8 * 8 :]
    assert kernels.refusal(patched)


def test_an_oversized_message_is_refused() -> None:
    assert kernels.refusal(
        frame("comm_msg", {"comm_id": "a", "data": {"method": "custom", "content": "x" * kernels.MOST_BYTES}})
    )


def test_what_a_kernel_prints_is_not_heard() -> None:
    def parts(kind: str, content: Any) -> list[bytes]:
        return [b"", *(json.dumps(part).encode() for part in ({"msg_type": kind}, {}, {}, content))]

    assert kernels.unheard(parts("stream", {"name": "stderr", "text": "Traceback"})) == ("stream", "Traceback")
    assert kernels.unheard(parts("error", {"ename": "E", "evalue": "v", "traceback": ["a", "b"]})) == ("error", "a\nb")
    assert kernels.unheard(parts("execute_input", {"code": "secret"})) == ("execute_input", "")
    assert kernels.unheard(parts("comm_msg", MOVE)) is None
    assert kernels.unheard(parts("status", {"execution_state": "idle"})) is None


def test_only_another_s_page_sets_the_state_of_its_widgets() -> None:
    update = {"comm_id": "a", "data": {"method": "update", "state": {"value": 3}, "buffer_paths": []}}
    assert kernels.refusal(frame("comm_msg", update)) == "a malformed comm_msg"
    assert kernels.refusal(frame("comm_msg", update), sets_state=True) is None
