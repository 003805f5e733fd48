"""Frames of the collsync protocol over a socket (Protocol/framing.md)."""

import pathlib
import select
import socket
import time
import zlib

import collsync_pb2 as pb

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "Protocol"
DICTIONARY = (PROTOCOL / "dictionary.bin").read_bytes()

#: The limit of a frame until the server has told its own.
FRAME_BYTES = 16 << 20

#: The bits of a hello's features that say that we read deflated frames, and those without dictionary.
DEFLATED = 1
DEFLATED_WITHOUT_DICTIONARY = 8
#: The bit that says that we send guards.
GUARDS = 32


class ProtocolError(Exception):
    """The other side said something that the protocol does not allow."""


class ConnectionLost(Exception):
    """The connection has ended; what was not answered may or may not have been done."""


def connect(host, port):
    """A plain connection."""
    made = socket.create_connection((host, port), timeout=30)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class Connection:
    """A socket on which whole frames come and go."""

    def __init__(self, host, port, dictionary=DICTIONARY, connect=connect):
        self._dictionary = dictionary
        #: How many frames came deflated.
        self.deflated_frames = 0
        self._socket = connect(host, port)
        self._received = bytearray()
        self.frame_bytes = FRAME_BYTES
        #: Whether the server has said that it inflates.
        self.deflates = False

    def fileno(self):
        """Lets `select` wait for this connection."""
        return self._socket.fileno()

    def send(self, frame):
        body = frame.SerializeToString(deterministic=True)
        if self.deflates and len(body) > 256:
            deflater = zlib.compressobj(wbits=-15, zdict=self._dictionary)
            deflated = deflater.compress(body) + deflater.flush()
            body = pb.Frame(deflated=deflated).SerializeToString()
        try:
            self._socket.sendall(varint(len(body)) + body)
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    def receive(self, seconds):
        """The next frame, inflated if need be; None if none has come in that time."""
        deadline = time.monotonic() + seconds
        while (frame := self._next_frame()) is None:
            left = max(0, deadline - time.monotonic())
            has_bytes = getattr(self._socket, "has_bytes", False)
            if not has_bytes and not select.select([self], [], [], left)[0]:
                return None
            self._read()
        return frame

    def close(self):
        self._socket.close()

    def _read(self):
        try:
            chunk = self._socket.recv(1 << 16)
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        if chunk is None:
            return
        if not chunk:
            raise ConnectionLost("the server has closed the connection")
        self._received += chunk

    def _next_frame(self):
        start, length = read_varint(self._received)
        if start is None:
            return None
        if length > self.frame_bytes:
            raise ProtocolError(f"a frame of {length} bytes is too long")
        if len(self._received) < start + length:
            return None
        frame = parse(bytes(self._received[start : start + length]))
        del self._received[: start + length]
        if frame.WhichOneof("body") == "deflated":
            self.deflated_frames += 1
        frame = inflated(frame, self.frame_bytes, self._dictionary)
        if frame.HasField("request"):
            getattr(frame, frame.WhichOneof("body")).request = frame.request
        return frame


def inflated(frame, limit, dictionary=DICTIONARY):
    """The frame with the message that it holds deflated, if it does; whom it is for stays."""
    if frame.WhichOneof("body") != "deflated":
        return frame
    inner = parse(inflate(frame.deflated, limit, dictionary))
    if frame.HasField("request"):
        inner.request = frame.request
    if frame.HasField("view_head"):
        inner.view_head.CopyFrom(frame.view_head)
    return inner


def varint(number):
    """A number as protobuf writes it: seven bits a byte, the lowest first."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def read_varint(data):
    """Where the varint that `data` begins with ends, and its number; two None if it is not whole."""
    number = 0
    for index, byte in enumerate(data[:4]):
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return index + 1, number
    if len(data) >= 4:
        raise ProtocolError("a length has at most four bytes")
    return None, None


def inflate(data, limit, dictionary=DICTIONARY):
    """Inflates with a dictionary, or with b"" without one."""
    inflater = zlib.decompressobj(wbits=-15, zdict=dictionary)
    inflated = inflater.decompress(data, limit)
    if not inflater.eof:
        raise ProtocolError("a deflated frame is too long or not whole")
    return inflated


def parse(data):
    frame = pb.Frame()
    frame.ParseFromString(data)
    return frame
