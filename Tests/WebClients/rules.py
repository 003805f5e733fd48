"""Plays each rule of RFC 6455 that a server must keep, on real connections.

    PYTHONPATH=GENERATED:Tests/PythonClient python3 rules.py PORT

GENERATED has the classes that protoc makes of collsync.proto. A case is sent whole, and a byte at a
time. It ends with 0 if the server keeps all rules.
"""

import json
import sys

from websockets.frames import Opcode

from checks import check, end
from handshakes import check_handshakes
from peer import Peer, ServerMistake, frame
from subprotocols import Bytes, Lines

#: What a case has to come to beside the code of a closing frame: the message is answered, or the
#: connection is as it was.
ANSWERED, OPEN = "answered", "open"

CONTROL = {"close": Opcode.CLOSE, "ping": Opcode.PING, "pong": Opcode.PONG}
RESERVED_OPCODES = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]
#: 7.4: those that a frame may have, and those that it may not.
VALID_CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
INVALID_CODES = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
#: RFC 3629: too long forms, halves of UTF-16, what is above the last character, and parts.
NOT_UTF8 = [
    "80", "bf", "c0 80", "c0 af", "c1 bf", "c3", "c3 28", "e0 80 af", "e0 9f bf", "e2 82", "e2 28 a1",
    "ed a0 80", "ed bf bf", "f0 80 80 af", "f0 8f bf bf", "f0 9f 8d", "f4 90 80 80", "f5 80 80 80",
    "f8 88 80 80 80", "fc 84 80 80 80 80", "fe", "ff",
]  # fmt: skip


def framing_cases(kind):
    """5.1 and 5.2: masks, reserved bits, opcodes and lengths."""
    data, opcode = kind.message(), kind.opcode
    yield "5.1 a masked message", frame(opcode, data), ANSWERED
    yield "5.1 a message without a mask", frame(opcode, data, masked=False), 1002
    for name, control in CONTROL.items():
        yield f"5.1 a {name} without a mask", frame(control, masked=False), 1002
    for bits in range(1, 8):
        yield f"5.2 the reserved bits {bits}", frame(opcode, data, reserved=bits), 1002
    for name, control in CONTROL.items():
        yield f"5.2 a {name} with a reserved bit", frame(control, reserved=4), 1002
    for reserved in RESERVED_OPCODES:
        yield f"5.2 the opcode {reserved}", frame(reserved), 1002
        yield f"5.2 the opcode {reserved} with data", frame(reserved, data), 1002
    yield "5.2 a short length in two bytes", frame(opcode, data[:100], form=2), 1002
    yield "5.2 a short length in eight bytes", frame(opcode, data[:100], form=8), 1002
    yield "5.2 65535 in eight bytes", frame(opcode, bytes(65535), form=8), 1002
    yield "5.2 the highest bit of a length", frame(opcode, data, length=1 << 63, form=8), 1002
    yield "5.2 all bits of a length", frame(opcode, data, length=(1 << 64) - 1, form=8), 1002
    for count in [126, 65535, 65536]:
        padded = kind.message(count)
        if padded is not None:
            yield f"5.2 a message of {count} bytes", frame(opcode, padded), ANSWERED


def fragment_cases(kind):
    """5.4: messages in fragments."""
    data, opcode, more = kind.message(), kind.opcode, Opcode.CONT
    first, last = frame(opcode, data[:3], final=False), frame(more, data[3:])
    empty = frame(more, final=False)
    yield "5.4 two fragments", first + last, ANSWERED
    yield "5.4 empty fragments", first + empty + last, ANSWERED
    yield "5.4 an empty first fragment", frame(opcode, final=False) + frame(more, data), ANSWERED
    yield "5.4 an empty last fragment", frame(opcode, data, final=False) + frame(more), ANSWERED
    bytewise = b"".join(frame(more, data[index : index + 1], final=False) for index in range(30))
    yield (
        "5.4 a fragment for each byte",
        frame(opcode, final=False) + bytewise + frame(more, data[30:]),
        ANSWERED,
    )
    between = frame(Opcode.PING, b"1") + frame(Opcode.PONG, b"2")
    yield "5.4 control frames between fragments", first + between + last, ANSWERED
    yield "5.4 a continuation of nothing", last, 1002
    yield "5.4 a last continuation of nothing", empty, 1002
    yield "5.4 a continuation of a message that has ended", first + last + last, 1002
    yield "5.4 a message within a message", first + frame(opcode, data), 1002
    yield "5.4 fragments within a message", first + first, 1002
    yield "5.4 another kind within a message", first + frame(kind.other_opcode, data), 1002
    yield "5.5.1 a close within a message", first + kind.closing(1000), 1000


def control_cases(kind):
    """5.5: control frames."""
    long = bytes(range(125))
    yield "5.5 a ping of 126 bytes", frame(Opcode.PING, bytes(126)), 1002
    yield "5.5 a pong of 126 bytes", frame(Opcode.PONG, bytes(126)), 1002
    yield "5.5 a ping of 65536 bytes", frame(Opcode.PING, bytes(65536)), 1002
    yield "5.5 a close of 126 bytes", kind.closing(1000, b"a" * 124), 1002
    for name, control in CONTROL.items():
        yield f"5.5 a {name} in fragments", frame(control, final=False), 1002
    yield "5.5.3 a pong that nobody has asked for", frame(Opcode.PONG, long), OPEN
    yield "5.5.3 empty pongs", frame(Opcode.PONG) * 5, OPEN
    yield "5.5.2 pings before a message", frame(Opcode.PING) * 3 + frame(
        kind.opcode, kind.message()
    ), ANSWERED


def closing_cases(kind):
    """5.5.1 and 7: closing frames."""
    for code in VALID_CODES:
        yield f"7.4 the code {code}", kind.closing(code), code
        yield f"7.4 the code {code} with a reason", kind.closing(code, "für".encode()), code
    for code in INVALID_CODES:
        yield f"7.4 the code {code}", kind.closing(code), 1002
    yield "5.5.1 a close without a code", frame(Opcode.CLOSE), 1005
    yield "5.5.1 half of a code", frame(Opcode.CLOSE, b"\x03"), 1002
    yield "5.5.1 the longest reason", kind.closing(1000, b"a" * 123), 1000
    for text in NOT_UTF8:
        reason = bytes.fromhex(text)
        yield f"5.5.1 a reason with the bytes {text}", kind.closing(1000, reason), 1007
    after = frame(kind.opcode, kind.message()) + frame(Opcode.PING, b"late")
    yield "5.5.1 frames behind a close", kind.closing(1001) + after, 1001
    yield "5.5.1 garbage behind a close", kind.closing(1001) + b"\xff" * 64, 1001
    yield "5.5.1 two closes", kind.closing(1001) + kind.closing(1002), 1001


def text_cases(kind):
    """5.6 and 8.1: text is UTF-8; and what the subprotocols say of kinds."""
    yield "a message of the other kind", frame(kind.other_opcode, kind.message()), 1003
    if kind.opcode != Opcode.TEXT:
        return
    for text in NOT_UTF8:
        data = b'{"ops":["' + bytes.fromhex(text) + b'"]}'
        yield f"8.1 a text with the bytes {text}", frame(Opcode.TEXT, data), 1007
        halves = frame(Opcode.TEXT, data[:10], final=False) + frame(Opcode.CONT, data[10:])
        yield f"8.1 fragments with the bytes {text}", halves, 1007
    line = kind.message(title="日本 🍵 ä")
    for index in range(len(line)):
        if line[index] & 0xC0 == 0x80:
            halves = frame(Opcode.TEXT, line[:index], final=False) + frame(Opcode.CONT, line[index:])
            yield f"5.6 a character in two fragments, at {index}", halves, ANSWERED


def play(kind, port, name, sent, expected, size):
    """Plays a case on a connection of its own."""
    peer = Peer(port, kind.name, kind.path)
    try:
        kind.begin(peer)
        peer.send(sent, size)
        if expected == ANSWERED:
            check(kind.is_answered(peer), f"{kind.name}: {name}: there is no answer")
        elif expected == OPEN:
            check(peer.ping(), f"{kind.name}: {name}: the connection has ended")
        else:
            code = peer.close_code()
            check(code == expected, f"{kind.name}: {name}: closed with {code}, not {expected}")
    except ServerMistake as mistake:
        check(False, f"{kind.name}: {name}: {mistake}")
    finally:
        peer.close()


def check_pongs(kind, port):
    """5.5.2 and 5.5.3: a pong has the data of its ping."""
    peer = Peer(port, kind.name, kind.path)
    for data in [b"", b"\x00", b"x" * 125, bytes(range(125))]:
        check(peer.ping(data), f"{kind.name}: 5.5.2 a ping of {len(data)} bytes is not answered")
    peer.send(frame(Opcode.PING, b"last"), 1)
    pong = peer.next({Opcode.PONG})
    check(pong is not None and bytes(pong.data) == b"last", f"{kind.name}: 5.5.2 a ping in pieces")
    peer.close()
    # The request and the first frame may come at once.
    early = Peer(port, kind.name, kind.path, early=frame(Opcode.PING, b"early"))
    pong = early.next({Opcode.PONG})
    check(pong is not None and bytes(pong.data) == b"early", f"{kind.name}: 4.1 an early ping")
    early.close()


def main():
    port = int(sys.argv[1])
    count = check_handshakes(port)
    for kind in [Bytes(), Lines()]:
        check_pongs(kind, port)
        makers = [framing_cases, fragment_cases, control_cases, closing_cases, text_cases]
        cases = [case for maker in makers for case in maker(kind)]
        for name, sent, expected in cases:
            play(kind, port, name, sent, expected, None)
            if len(sent) < 300:
                play(kind, port, name, sent, expected, 1)
        count += len(cases)
    end(count)


if __name__ == "__main__":
    main()
