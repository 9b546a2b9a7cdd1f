"""The server's side of the nursery: kernels as forks where the system can, as processes of their own elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

PROVISIONER = "sizing-fork"
READY_TIMEOUT_S = 60
BIRTH_TIMEOUT_S = 60  # it may be rehearsing a page

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
    """The nursery's process, started when it is first needed and again when it has died.

    pages: names of the pages whose modules it imports.
    """

    current: ClassVar[Nursery | None] = None

    def __init__(self, pages: Sequence[str], environment: Mapping[str, str]) -> None:
        self.pages = pages
        self.environment = dict(environment)
        self.faults = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._retired: list[tuple[subprocess.Popen[bytes], socket.socket]] = []
        self._lock = asyncio.Lock()

    @staticmethod
    def possible() -> bool:
        """Forking is safe and can be watched: Linux with pidfd."""
        return sys.platform == "linux" and hasattr(os, "pidfd_open")

    @property
    def pid(self) -> int | None:
        """Of the process; None before it has started."""
        return self._process.pid if self._process else None

    async def child(self, name: str, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Child | None:
        """A new kernel; None where the nursery cannot give one.

        name: as the system's lists of processes show it, at most 15 characters.
        """
        request = json.dumps({"name": name, "argv": list(argv), "env": dict(env), "cwd": cwd}).encode()
        async with self._lock:
            if self.faults >= 3:  # it does not work on this machine: no use in trying at every visit
                return None
            try:
                return await asyncio.to_thread(self._ask, request)
            except (OSError, ValueError, KeyError, IndexError):
                self.faults += 1
                self._retire()
                return None

    def _ask(self, request: bytes) -> Child:
        if self._socket is None:
            self._start()
        assert self._socket is not None
        self._socket.settimeout(BIRTH_TIMEOUT_S)
        self._socket.send(request)
        answer, fds, _flags, _address = socket.recv_fds(self._socket, 1000, 1)
        child = Child(json.loads(answer)["pid"], fds[0])
        self.faults = 0
        return child

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "sizing.serve.nursery", str(theirs.fileno()), *self.pages]
        with theirs:
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env=self.environment, cwd=Path(__file__).parents[2]
            )
        self._socket = ours
        ours.settimeout(READY_TIMEOUT_S)
        if json.loads(ours.recv(1000))["threads"] != 1:
            raise ValueError("a process with threads cannot be forked safely")

    def _retire(self) -> None:
        """Ask this process for no more kernels, and let it live for those that it has."""
        if self._process is not None and self._socket is not None:
            self._retired.append((self._process, self._socket))
        self._process = self._socket = None

    def close(self) -> None:
        """End the process; its kernels end with it."""
        self._retire()
        for process, requests in self._retired:
            requests.close()
            process.kill()
            process.wait()
        self._retired.clear()


class ForkProvisioner(LocalProvisioner):
    """Jupyter's way to a kernel: through the nursery, or as it is without one."""

    process: Any = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        cmd = [*cmd, *KERNEL_OPTIONS]
        if Nursery.current is not None:
            argv = cmd[cmd.index("ipykernel_launcher") + 1 :]
            name = f"kernel-{self.kernel_id[:8]}"
            child = await Nursery.current.child(name, argv, kwargs["env"], kwargs.get("cwd") or os.getcwd())
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
