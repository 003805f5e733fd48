"""What the two subprotocols of collsync need of a case: a message, and how it is answered."""

import itertools
import json

from websockets.frames import Opcode

import collsync_pb2 as pb

from peer import frame
from wire import varint

_numbers = itertools.count()


class Subprotocol:
    #: The messages that come, of any kind.
    _data = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}

    @staticmethod
    def closing(code, reason=b""):
        """A closing frame."""
        return frame(Opcode.CLOSE, code.to_bytes(2, "big") + reason)

    def begin(self, peer):
        """Takes what the server says by itself."""


class Bytes(Subprotocol):
    """`collsync.v1`: the message is a hello, and the answer a welcome."""

    name, path = "collsync.v1", "/v1/ws"
    opcode, other_opcode = Opcode.BINARY, Opcode.TEXT

    def message(self, count=None):
        """A hello of that many bytes; None if none may be so long."""
        if count is not None and count > 200:
            return None
        agent = "a" * (60 if count is None else count - 22)
        hello = pb.Hello(magic="collsync", min_version=1, max_version=1, features=1, agent=agent)
        body = pb.Frame(hello=hello).SerializeToString()
        encoded = varint(len(body)) + body
        assert count is None or len(encoded) == count, len(encoded)
        return encoded

    def is_answered(self, peer):
        message = peer.next(self._data)
        if message is None:
            return False
        length = message.data[0] if message.data[0] < 0x80 else message.data[1] << 7
        answer = pb.Frame.FromString(bytes(message.data[1 if length < 0x80 else 2 :]))
        return answer.WhichOneof("body") == "welcome"


class Lines(Subprotocol):
    """`collsync.v1.json`: the message is a transaction. Played again, it is rejected."""

    name, path = "collsync.v1.json", "/v1/ws?room=rules"
    opcode, other_opcode = Opcode.TEXT, Opcode.BINARY

    def message(self, count=None, title="milk"):
        """A line of that many bytes."""
        item = {"id": f"item-{next(_numbers)}", "fields": {"title": title}}
        operation = {"insert": {"item": item, "to": {"section": "main"}}}
        line = json.dumps({"ops": [operation]}, ensure_ascii=False).encode()
        return line if count is None else line.ljust(count)

    def begin(self, peer):
        """After the snapshot the member is in the room."""
        while (message := peer.next(self._data)) is not None:
            if bytes(message.data).startswith(b'{"snapshot"'):
                return

    def is_answered(self, peer):
        while (message := peer.next(self._data)) is not None:
            if bytes(message.data).startswith((b'{"ack"', b'{"reject"')):
                return True
        return False
