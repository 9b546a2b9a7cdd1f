"""The server's side of the nursery: kernels as forks where the system can, as processes of their own elsewhere."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from sizing.serve.log import plain

PROVISIONER = "sizing-fork"
READY_TIMEOUT_S = 120
BIRTH_TIMEOUT_S = 10
MOST_FAULTS = 3
FAULTS_FORGOTTEN_S = 60.0
QUICK = 2  # pages that the first nursery rehearses
REHEARSE_AFTER_S = 20.0  # the others take seconds of a core: not while the first visitors come

# What a page's kernel does without: files of a history, completion of code, a debugger's traces of cells.
KERNEL_OPTIONS = (
    "--HistoryManager.enabled=False",
    "--IPCompleter.use_jedi=False",
    "--InteractiveShell.cache_size=0",
    "--IPKernelApp.log_level=40",
    "--IPKernelApp.capture_fd_output=False",
)


class Child:
    """A forked kernel, with the methods of `subprocess.Popen` that Jupyter calls.

    Its pidfd tells when it has ended, and no signal can reach another process that came to have its number.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, pidfd: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._pidfd = pidfd

    def poll(self) -> int | None:
        """None while it runs; 0 afterwards, since only its parent knows more."""
        if self.returncode is None and select.select([self._pidfd], [], [], 0)[0]:
            self.returncode = 0
            os.close(self._pidfd)
            with suppress(ChildProcessError):  # ours only where its nursery has ended and this is a container's first
                os.waitpid(self.pid, os.WNOHANG)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Block until it has ended."""
        if self.returncode is None:
            select.select([self._pidfd], [], [], timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired("kernel", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """To the kernel and whatever it has started."""
        if self.poll() is None:
            os.killpg(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


class Nursery:
    """One process that kernels are forked from.

    pages: names of the pages whose modules it imports.   rehearsed: how many of them it makes once before it is ready.
    """

    def __init__(self, pages: Sequence[str], environment: Mapping[str, str], rehearsed: int) -> None:
        """Start it and wait until it is ready. OSError or ValueError where it is not to be."""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        fds = [theirs.fileno(), lifeline()]
        command = [sys.executable, "-m", "sizing.serve.nursery", *map(str, fds), str(rehearsed), *pages]
        with theirs:
            self.process = subprocess.Popen(command, pass_fds=fds, env=dict(environment), cwd=Path(__file__).parents[2])
        try:
            self._socket.settimeout(READY_TIMEOUT_S)
            if json.loads(self._socket.recv(1000))["threads"] != 1:
                raise ValueError("a process with threads cannot be forked safely")
        except BaseException:
            self.end()
            raise

    def ask(self, request: bytes) -> Child:
        """A new kernel. BlockingIOError where the machine has no process for it; OSError, ValueError or KeyError where
        it is the nursery that cannot give one."""
        self._socket.settimeout(BIRTH_TIMEOUT_S)
        self._socket.send(request)
        answer, fds, _flags, _address = socket.recv_fds(self._socket, 1000, 1)
        told = json.loads(answer)
        if "error" in told:
            raise BlockingIOError(told["error"])
        return Child(told["pid"], fds[0])

    def end(self) -> None:
        """End the process; its kernels live on."""
        self._socket.close()
        self.process.kill()
        self.process.wait()


@functools.cache
def lifeline() -> int:
    """Reading end of a pipe that closes with this process, for its kernels to follow."""
    reading, _held = os.pipe()
    return reading


class Nurseries:
    """The nursery in use: a quick one for the first visitors, then one that has rehearsed every page.

    One that has died or does not answer is replaced; its kernels live on without it.
    """

    current: ClassVar[Nurseries | None] = None

    def __init__(self, pages: Sequence[str], environment: Mapping[str, str], log: logging.Logger) -> None:
        self._pages = pages
        self._environment = environment
        self._log = log
        self._used: Nursery | None = None
        self._faults = 0
        self._fault_at = 0.0
        self._lock = asyncio.Lock()
        self._better: asyncio.Task[None] | None = None

    @staticmethod
    def possible() -> bool:
        """Forking is safe and can be watched: Linux with pidfd."""
        return sys.platform == "linux" and hasattr(os, "pidfd_open")

    async def child(self, name: str, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Child | None:
        """A new kernel; None where no nursery can give one. BlockingIOError where the machine has no process left.

        name: as the system's lists of processes show it, at most 15 characters.
        """
        request = json.dumps({"name": name, "argv": list(argv), "env": dict(env), "cwd": cwd}).encode()
        async with self._lock:
            if time.monotonic() - self._fault_at > FAULTS_FORGOTTEN_S:
                self._faults = 0
            while self._faults < MOST_FAULTS:  # it does not work now: no use in trying at every visit
                try:
                    if self._used is None:
                        self._used = await asyncio.to_thread(Nursery, self._pages, self._environment, QUICK)
                        self._better = asyncio.ensure_future(self._rehearse_all())
                    child = await asyncio.to_thread(self._used.ask, request)
                except BlockingIOError:
                    raise
                except (OSError, ValueError, KeyError, IndexError) as error:
                    self._faults, self._fault_at = self._faults + 1, time.monotonic()
                    self._log.error("nursery: %s %s", type(error).__name__, plain(error))
                    self._retire()
                else:
                    self._faults = 0
                    return child
            return None

    async def _rehearse_all(self) -> None:
        await asyncio.sleep(REHEARSE_AFTER_S)
        try:
            better = await asyncio.to_thread(Nursery, self._pages, self._environment, len(self._pages))
        except (OSError, ValueError, KeyError):
            return  # the one in use goes on
        async with self._lock:
            self._retire()
            self._used = better

    def _retire(self) -> None:
        if self._used is not None:
            self._used.end()
        self._used = None

    def close(self) -> None:
        """End the nursery. What kernels there still are end with this process."""
        if self._better is not None:
            self._better.cancel()
        self._retire()


class ForkProvisioner(LocalProvisioner):
    """Jupyter's way to a kernel: through the nursery, or as it is without one."""

    process: Any = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        cmd = [*cmd, *KERNEL_OPTIONS]
        if Nurseries.current is not None:
            argv = cmd[cmd.index("ipykernel_launcher") + 1 :]
            name = f"kernel-{self.kernel_id[:8]}"
            child = await Nurseries.current.child(name, argv, kwargs["env"], kwargs.get("cwd") or os.getcwd())
            if child is not None:
                self.process, self.pid, self.pgid, self.cwd = child, child.pid, None, kwargs.get("cwd")
                return self.connection_info
        return await super().launch_kernel(cmd, **kwargs)


def register() -> None:
    """Make it known to Jupyter, without an entry point that would concern every other server of this environment."""
    factory = KernelProvisionerFactory.instance()
    factory.provisioners[PROVISIONER] = EntryPoint(
        PROVISIONER, f"{__name__}:{ForkProvisioner.__name__}", KernelProvisionerFactory.GROUP_NAME
    )
    factory.default_provisioner_name = PROVISIONER
