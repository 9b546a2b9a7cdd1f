"""A process in which kernels are born: it has imported what every page needs, and forks.

A kernel that is started from nothing spends its first second and 60 MB on the same imports as every other kernel.
Here they are made once; a fork has them at once and shares their memory with all its siblings.

Run as ``python -m sizing.serve.nursery <fd of a socket> <fd of a pipe> <number of pages to rehearse> <page> ...``. Each
request on the socket is one JSON object, each answer another one, with a pidfd of the new kernel beside it. The end of
the socket is the end of the nursery. The server holds the pipe's other end, and with that a kernel ends: it outlives
the nursery, so that no single process holds every visitor's work.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import json
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sizing.serve.log import use_one_line

MOST_MEMORY_BYTES = 1 << 30
"""Memory of a kernel beyond what the nursery has: a page with its measured tables takes a quarter of it. [bytes]"""
MOST_BYTES = 200_000  # of a request: arguments and environment of one kernel
_PR_SET_NAME = 15


# What a kernel imports only while it starts.
_LATE_IMPORTS = (
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.extensions.storemagic",
    "faulthandler",
    "tornado.platform.asyncio",
    "tornado.queues",
)


def prepare(pages: Sequence[str]) -> None:
    """Import what a kernel and the pages need."""
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # 30 MB a kernel for stopping at lines of code
    for name in (*_LATE_IMPORTS, *map(_module, pages)):
        importlib.import_module(name)


def rehearse(page: str) -> None:
    """Make a page once, so that what it reads and works out is at hand in every kernel from then on."""
    import ipywidgets

    importlib.import_module(_module(page)).page("")
    ipywidgets.Widget.close_all()
    gc.collect()
    gc.freeze()  # memory that is never looked through again stays shared


def _module(page: str) -> str:
    return f"sizing.ui.pages.{page}"


def known(pages: Iterable[str]) -> list[str]:
    """Those of the notebooks that are pages of the package; others bring their own code."""
    return [page for page in pages if page.isidentifier() and importlib.util.find_spec(_module(page))]


def serve(requests: socket.socket, lifeline: int) -> Mapping[str, Any]:
    """Fork for each request. Returns in the child, with the request it was born for.

    lifeline: a pipe whose other end the server holds; its end is the server's.
    """
    while request := requests.recv(MOST_BYTES):
        wanted: dict[str, Any] = json.loads(request)
        if (threads := num_threads()) > 1:
            requests.send(json.dumps({"threads": threads}).encode())
            continue
        try:
            pid = os.fork()
        except OSError as error:  # no process to be had now: one visitor less, and the nursery goes on
            requests.send(json.dumps({"error": str(error)}).encode())
            continue
        if pid == 0:
            requests.close()
            _settle(lifeline, str(wanted["name"]))
            return wanted
        try:
            pidfd = os.pidfd_open(pid)
        except OSError as error:
            os.kill(pid, signal.SIGKILL)
            requests.send(json.dumps({"error": str(error)}).encode())
            continue
        try:
            socket.send_fds(requests, [json.dumps({"pid": pid}).encode()], [pidfd])
        finally:
            os.close(pidfd)
    os._exit(0)


def _settle(lifeline: int, name: str) -> None:
    """What a new process needs: a session of its own, ordinary signals, a name, limits, the server's end as its own."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode("ascii", "replace"))
    _limit()
    threading.Thread(target=_follow, args=(lifeline,), daemon=True).start()
    gc.enable()


def _limit() -> None:
    """One kernel cannot take the machine: room for what a page works out and no more, and the first to go if short."""
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (held + MOST_MEMORY_BYTES, held + MOST_MEMORY_BYTES))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


def _follow(lifeline: int) -> None:
    """End with the server, whatever the kernel is doing then: its end of the pipe closes."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def become_kernel(wanted: Mapping[str, Any]) -> None:
    """Run as the kernel that was asked for.

    wanted: ``argv`` of the kernel's application, ``env``, ``cwd``, and the ``name`` of the process.
    """
    import ipywidgets
    from ipykernel.kernelapp import IPKernelApp

    os.environ.clear()
    os.environ.update(wanted["env"])
    os.chdir(wanted["cwd"])
    sys.path.insert(0, "")  # as with ``python -m``: modules beside the notebook
    # 1: the nursery's end is followed already, without a thread that looks for it
    app: Any = IPKernelApp.instance(parent_handle=1)
    app.initialize(list(wanted["argv"]))
    use_one_line(app.log)
    ipywidgets.register_comm_target()  # widgets were imported before there was a kernel for them to answer in
    app.start()


def main() -> None:
    """The nursery's life."""
    requests = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's to answer
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the kernels; a pidfd tells their end
    gc.disable()
    pages = known(sys.argv[4:])
    prepare(pages)
    for page in pages[: int(sys.argv[3])]:
        rehearse(page)
    requests.send(json.dumps({"threads": num_threads()}).encode())
    become_kernel(serve(requests, int(sys.argv[2])))


def num_threads() -> int:
    """Of this process, those of libraries included. Only a process with one can be forked safely."""
    return len(os.listdir("/proc/self/task"))


if __name__ == "__main__":
    main()
