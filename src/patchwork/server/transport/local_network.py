"""Opens a server that serves its own machine to the local network, and closes it again.

It then also listens on the machine's addresses in that network. Addresses on the Internet are left
alone: whoever opens a server to the neighbours does not mean everyone.
"""

import asyncio
import logging
import socket
from collections.abc import Collection
from contextlib import suppress
from ipaddress import ip_address
from typing import Protocol

_log = logging.getLogger(__name__)

_ELSEWHERE = ("198.51.100.1", 9)
"""Any address outside the local network. Nothing is sent there."""


class Listener(Protocol):
    """What the server offers to listen on more addresses."""

    async def listen(self, address: str, port: int) -> None:
        """Accepts connections at another IPv4 address.

        Raises:
            OSError: the address or the port cannot be used.
        """

    def stop_listening(self, addresses: Collection[str]) -> None:
        """Accepts no more connections at some addresses, and closes those that came there."""


class LocalNetwork:
    """Whether others in the local network can reach the server, and where."""

    def __init__(self, listener: Listener, port: int) -> None:
        """Starts closed.

        Args:
            listener: the server.
            port: the port that it listens on at this machine, and will in the network.
        """
        self._listener = listener
        self._port = port
        self._open: list[str] = []

    @property
    def urls(self) -> list[str]:
        """Where others reach the server, the best first; empty while it is closed."""
        return [self._url(address) for address in self._open]

    async def possible_urls(self) -> list[str]:
        """Returns where others could reach the server, the best first."""
        return [self._url(address) for address in await _own_addresses()]

    async def open(self) -> None:
        """Listens on the addresses of this machine, as far as that is possible."""
        for address in await _own_addresses():
            if address in self._open:
                continue
            try:
                await self._listener.listen(address, self._port)
            except OSError as error:
                _log.warning("cannot listen on %s: %s", address, error)
            else:
                self._open.append(address)
        _log.info("open to the local network", extra={"addresses": self.urls})

    def close(self) -> None:
        """Listens on this machine alone again."""
        self._listener.stop_listening(self._open)
        self._open = []
        _log.info("closed to the local network")

    def _url(self, address: str) -> str:
        return f"http://{address}:{self._port}"


async def _own_addresses() -> list[str]:
    return await asyncio.to_thread(own_addresses)  # looking up a name may take seconds


def own_addresses() -> list[str]:
    """Returns this machine's IPv4 addresses in local networks, that of the default route first."""
    found: dict[str, None] = {}
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)  # the system chooses the route, and so our address
        found[probe.getsockname()[0]] = None
    with suppress(OSError):
        for *_, (address, *_) in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            found[str(address)] = None
    return [address for address in found if _is_local(address)]


def _is_local(address: str) -> bool:
    ip = ip_address(address)
    return not (ip.is_global or ip.is_loopback or ip.is_unspecified or ip.is_multicast)
