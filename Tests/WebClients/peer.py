"""A client that sends any bytes, and has what comes judged by the library websockets.

The library makes the handshake and reads what the server sends: it raises if the server breaks a rule
of RFC 6455. What the client sends is written here, from the RFC, since the library writes only what is
allowed."""

import os
import select
import socket
import time

from websockets.client import ClientConnection
from websockets.connection import State
from websockets.frames import Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

#: How long anything may take, in seconds.
DEADLINE = 60


class ServerMistake(Exception):
    """The server breaks a rule, or does not answer."""


class Peer:
    def __init__(self, port, subprotocol, path, early=b""):
        """Opens a WebSocket. `early` are bytes that come right behind the request."""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._judge = ClientConnection(
            parse_uri(f"ws://127.0.0.1:{port}{path}"), subprotocols=[subprotocol], max_size=None
        )
        self._judge.send_request(self._judge.connect())
        self._socket.sendall(b"".join(self._judge.data_to_send()) + early)
        #: The frames that have come and were not taken.
        self.frames = []
        self._wait(lambda: self._judge.state != State.CONNECTING)
        if self._judge.state != State.OPEN:
            raise ServerMistake("it opens no WebSocket")
        if self._judge.subprotocol != subprotocol:
            raise ServerMistake(f"it chooses the subprotocol {self._judge.subprotocol}")

    def send(self, data, size=None):
        """Sends bytes, in writes of a size. A server that has closed takes no more."""
        size = size or max(1, len(data))
        try:
            for start in range(0, len(data), size):
                self._socket.sendall(data[start : start + size])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def next(self, opcodes):
        """The next frame of these kinds; others before it are dropped. None at the end."""
        found = []

        def is_there():
            while self.frames and not found:
                frame = self.frames.pop(0)
                if frame.opcode in opcodes:
                    found.append(frame)
            return found or self._is_over

        self._wait(is_there)
        return found[0] if found else None

    def ping(self, data=b"alive"):
        """Sends a ping, and waits for its answer; false if the connection has ended."""
        self.send(frame(Opcode.PING, data))
        while (pong := self.next({Opcode.PONG})) is not None:
            if bytes(pong.data) == data:
                return True
        return False

    def close_code(self):
        """Waits for the end of the connection. The code of the server's closing frame: 1005 if it has
        none, and None if there is no such frame."""
        closing = self.next({Opcode.CLOSE})
        self._wait(lambda: self._is_over)
        if closing is None:
            return None
        if any(other.opcode == Opcode.CLOSE for other in self.frames):
            raise ServerMistake("it sends two closing frames")
        return int.from_bytes(closing.data[:2], "big") if closing.data else 1005

    def close(self):
        self._socket.close()

    _is_over = False

    def _wait(self, holds):
        deadline = time.monotonic() + DEADLINE
        while not holds():
            if not select.select([self._socket], [], [], max(0, deadline - time.monotonic()))[0]:
                raise ServerMistake("nothing comes")
            self._read()

    def _read(self):
        try:
            chunk = self._socket.recv(1 << 16)
        except ConnectionResetError:
            chunk = b""
        if chunk:
            self._judge.receive_data(chunk)
        else:
            self._is_over = True
            if self._judge.state == State.CONNECTING:
                raise ServerMistake("it ends the connection during the handshake")
        # What the library would answer is not sent: the cases are about the server.
        self._judge.data_to_send()
        for event in self._judge.events_received():
            if isinstance(event, Response):
                if event.exception is not None:
                    raise ServerMistake(f"its handshake: {event.exception}")
            else:
                self.frames.append(event)
        mistake = getattr(self._judge, "parser_exc", None)
        if mistake is not None and not isinstance(mistake, EOFError):
            raise ServerMistake(f"its frames: {mistake}")


def frame(opcode, data=b"", final=True, reserved=0, masked=True, length=None, form=None):
    """A frame, right or wrong (RFC 6455, 5.2).

    `length` stands in the header in place of that of the data; `form` is the number of bytes that the
    length has beyond the first seven bits.
    """
    length = len(data) if length is None else length
    if form is None:
        form = 0 if length < 126 else 2 if length < 1 << 16 else 8
    short = {0: length, 2: 126, 8: 127}[form]
    head = bytes([final << 7 | reserved << 4 | opcode, masked << 7 | short])
    head += length.to_bytes(form, "big") if form else b""
    if not masked:
        return head + data
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
