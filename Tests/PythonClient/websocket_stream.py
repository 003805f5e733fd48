"""A WebSocket in place of a socket, by the library websockets, which does no I/O here."""

import socket

from websockets.client import ClientConnection
from websockets.connection import State
from websockets.frames import Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

#: The subprotocol whose binary messages are the bytes of frames (Protocol/http.md).
BYTES = "collsync.v1"


class WebSocketStream:
    """Has the calls of a socket that `Connection` uses, with the bytes of binary messages."""

    def __init__(self, host, port, path="/v1/ws"):
        self._socket = socket.create_connection((host, port), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._websocket = ClientConnection(
            parse_uri(f"ws://{host}:{port}{path}"), subprotocols=[BYTES], max_size=None
        )
        self._websocket.send_request(self._websocket.connect())
        self._flush()
        #: What has come behind the answer.
        self._received = b""
        while self._websocket.state == State.CONNECTING:
            self._received += self._receive()
        if self._websocket.state != State.OPEN:
            raise ConnectionError("the server opens no WebSocket")

    def fileno(self):
        return self._socket.fileno()

    def sendall(self, data):
        if self._websocket.state != State.OPEN:
            raise ConnectionError("the WebSocket is closed")
        self._websocket.send_binary(data)
        self._flush()

    def recv(self, _):
        """The bytes of the messages that have come; None if something else has, and none at the end."""
        data, self._received = self._received, b""
        if not data and self._websocket.state == State.OPEN:
            data = self._receive()
        is_over = self._websocket.state != State.OPEN
        return data if data or is_over else None

    @property
    def has_bytes(self):
        """Whether `recv` has something that no waiting for the socket tells of."""
        return bool(self._received)

    def close(self):
        self._socket.close()

    def _receive(self):
        chunk = self._socket.recv(1 << 16)
        if chunk:
            self._websocket.receive_data(chunk)
        else:
            self._websocket.receive_eof()
        # Pongs and the answer to a closing frame.
        self._flush()
        data = b""
        for event in self._websocket.events_received():
            if isinstance(event, Response) and event.status_code != 101:
                raise ConnectionError(f"the server answers {event.status_code}")
            if getattr(event, "opcode", None) in (Opcode.BINARY, Opcode.CONT):
                data += event.data
        return data

    def _flush(self):
        for data in self._websocket.data_to_send():
            if data:
                self._socket.sendall(data)
