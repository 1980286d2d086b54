"""Not a test: a relay before an X server that adds power saving (DPMS), which no virtual server has.

Clients speak the real protocol through the real libraries. Requests of the extension become others of
the core protocol on their way to the server, so the sequence numbers stay right; their replies are
written here.
"""

from __future__ import annotations

import socket
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path

SOCKETS = Path("/tmp/.X11-unix")
QUERY_EXTENSION, GET_INPUT_FOCUS, NO_OPERATION = 98, 43, 127
DPMS = 200  # its major opcode, beyond those that Xvfb gives out
GET_VERSION, CAPABLE, GET_TIMEOUTS, ENABLE, DISABLE, INFO = 0, 1, 2, 4, 5, 7
REPLY, GENERIC_EVENT = 1, 35

Edit = Callable[[bytes], bytes]


class DpmsRelay:
    """Listens as the display `name`; `enabled` is what xset calls "DPMS is Enabled"."""

    def __init__(self, server: str) -> None:
        self.enabled = True
        self._server = str(SOCKETS / f"X{server.lstrip(':')}")
        self._listener = socket.socket(socket.AF_UNIX)
        number = next(n for n in range(300, 400) if not (SOCKETS / f"X{n}").exists())
        self._path = SOCKETS / f"X{number}"
        self._listener.bind(str(self._path))
        self._listener.listen()
        self.name = f":{number}"

    def close(self) -> None:
        self._listener.close()
        self._path.unlink()

    def serve(self) -> None:
        """Relay until the process ends."""
        while True:
            client, _ = self._listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            edits: dict[int, Edit] = {}
            for target, ends in ((self._requests, (client, server)), (self._replies, (server, client))):
                threading.Thread(target=self._pump, args=(target, *ends, edits), daemon=True).start()

    def _pump(
        self, carry: Callable[..., None], source: socket.socket, sink: socket.socket, edits: dict[int, Edit]
    ) -> None:
        try:
            with source.makefile("rb") as stream:
                carry(stream.read, sink.sendall, edits)
        except (OSError, struct.error):
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def _requests(
        self, read: Callable[[int], bytes], send: Callable[[bytes], None], edits: dict[int, Edit]
    ) -> None:
        setup = read(12)
        lengths = struct.unpack_from("<HH", setup, 6)
        send(setup + read(sum(length + -length % 4 for length in lengths)))
        number = 0
        while head := read(4):
            number = (number + 1) % 65536
            opcode, minor, words = struct.unpack("<BBH", head)
            if words == 0:
                long = read(4)
                head, words = head + long, struct.unpack("<I", long)[0]
            request = head + read(words * 4 - len(head))
            if opcode == QUERY_EXTENSION and request[8:12] == b"DPMS":
                edits[number] = lambda reply: reply[:8] + bytes([1, DPMS, 0, 0]) + reply[12:]
            elif opcode == DPMS:
                request = self._instead(minor, number, edits)
            send(request)

    def _instead(self, minor: int, number: int, edits: dict[int, Edit]) -> bytes:
        if minor in (ENABLE, DISABLE):
            self.enabled = minor == ENABLE
        answers = {
            GET_VERSION: struct.pack("<HH", 1, 2),
            CAPABLE: b"\1",
            GET_TIMEOUTS: struct.pack("<HHH", 600, 600, 600),
            INFO: struct.pack("<HB", 0, self.enabled),
        }
        if minor not in answers:
            return struct.pack("<BBH", NO_OPERATION, 0, 1)
        body = answers[minor].ljust(24, b"\0")
        edits[number] = lambda reply: b"\1\0" + reply[2:4] + bytes(4) + body
        return struct.pack("<BBH", GET_INPUT_FOCUS, 0, 1)

    def _replies(
        self, read: Callable[[int], bytes], send: Callable[[bytes], None], edits: dict[int, Edit]
    ) -> None:
        head = read(8)
        send(head + read(struct.unpack_from("<H", head, 6)[0] * 4))
        while message := read(32):
            if message[0] == REPLY:
                edit = edits.pop(struct.unpack_from("<H", message, 2)[0], None)
                message = edit(message) if edit else message
            if message[0] & 0x7F in (REPLY, GENERIC_EVENT):
                message += read(struct.unpack_from("<I", message, 4)[0] * 4)
            send(message)


def main() -> None:
    """Relay to the display that is named, until the input ends."""
    relay = DpmsRelay(sys.argv[1])
    threading.Thread(target=relay.serve, daemon=True).start()
    print(relay.name, flush=True)
    sys.stdin.read()
    relay.close()


if __name__ == "__main__":
    main()
