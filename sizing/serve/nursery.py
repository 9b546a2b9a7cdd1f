"""A process in which kernels are born: it has imported what every page needs, and forks.

A kernel that is started from nothing spends its first second and 60 MB on the same imports as every other kernel.
Here they are made once; a fork has them at once and shares their memory with all its siblings.

Run as ``python -m sizing.serve.nursery <fd of a socket> <number of pages to rehearse> <page> ...``. Each request on the
socket is one JSON object, each answer another one, with a pidfd of the new kernel beside it. The end of the socket is
the end of the nursery, and the end of the nursery that of its kernels.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import json
import os
import signal
import socket
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sizing.serve.log import use_one_line

MOST_BYTES = 200_000  # of a request: arguments and environment of one kernel
_PR_SET_PDEATHSIG = 1
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


def serve(requests: socket.socket) -> Mapping[str, Any]:
    """Fork for each request. Returns in the child, with the request it was born for."""
    while request := requests.recv(MOST_BYTES):
        wanted: dict[str, Any] = json.loads(request)
        if (threads := num_threads()) > 1:
            requests.send(json.dumps({"threads": threads}).encode())
            continue
        nursery = os.getpid()
        pid = os.fork()
        if pid == 0:
            requests.close()
            _settle(nursery, str(wanted["name"]))
            return wanted
        pidfd = os.pidfd_open(pid)
        try:
            socket.send_fds(requests, [json.dumps({"pid": pid}).encode()], [pidfd])
        finally:
            os.close(pidfd)
    os._exit(0)


def _settle(nursery: int, name: str) -> None:
    """What a new process needs: a session of its own, ordinary signals, a name, and an end with the nursery's."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    library = ctypes.CDLL(None)
    library.prctl(_PR_SET_NAME, name.encode("ascii", "replace"))
    library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != nursery:  # it ended before the kernel could say that it wants to follow
        os._exit(1)
    gc.enable()


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
    pages = known(sys.argv[3:])
    prepare(pages)
    for page in pages[: int(sys.argv[2])]:
        rehearse(page)
    requests.send(json.dumps({"threads": num_threads()}).encode())
    become_kernel(serve(requests))


def num_threads() -> int:
    """Of this process, those of libraries included. Only a process with one can be forked safely."""
    return len(os.listdir("/proc/self/task"))


if __name__ == "__main__":
    main()
