"""Checks that what protoc makes of collsync.proto, and this client, say what Protocol/vectors says.

    PYTHONPATH=GENERATED python3 check_vectors.py

It reads each frame of frames.jsonl as its message in protobuf's JSON and writes the message as the
frame's bytes; it follows the recorded streams from room to room, and the recorded session from room to
room and from screen to screen.
"""

import json

from google.protobuf import json_format

import collsync_pb2 as pb
from client import Client, Refused
from guard_check import GuardCheck
from replica import Replica
from screen import Screen, in_order
from snapshot_json import snapshot_json
from wire import FRAME_BYTES, PROTOCOL, inflated, parse, read_varint, varint


def main():
    for vector in lines("frames"):
        check_frame(vector)
    for name in ("stream", "stream-with-horizon", "stream-by-hand"):
        follow(name)
    follow_session()
    check_newer_server()


def lines(name):
    text = (PROTOCOL / "vectors" / f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def check_frame(vector):
    frame, written = read(vector["frame"])
    message = json_format.ParseDict(vector["message"], pb.Frame())
    if frame.WhichOneof("body") == "deflated":
        # Another deflate may write it otherwise; what it inflates to is the same.
        frame = inflated(frame, FRAME_BYTES)
    else:
        assert write(message) == written, f"{vector['name']}: written otherwise"
    assert frame == message, f"{vector['name']}: read as another message"


def check_newer_server():
    """A client takes what it knows, and passes over the rest, of what a newer server says."""
    client = Client.__new__(Client)
    client.unanswered = [pb.Submit(counter=1), pb.Submit(counter=2)]
    client.acknowledged, client.rejected = {}, {}
    client.replica = Replica()
    client.guards = GuardCheck()
    client.told = client.resent = client._in_flight = 0
    # A message 60, and a field 1000 in an ack with reason 99.
    assert parse(b"\xe2\x03\x02\x08\x07").WhichOneof("body") is None
    client._take(parse(b"\xe2\x03\x02\x08\x07"))
    client._take(parse(b"\x1a\x0d\x08\x01\x10\x01\x18\x05\x22\x02\x10\x63\xc0\x3e\x07"))
    assert client.acknowledged == {1: 5}
    # A reject with code 99.
    client._take(parse(b"\x22\x08\x08\x01\x10\x02\x1a\x02\x10\x63"))
    assert client.rejected[2].code == 99
    try:
        client._take(pb.Frame(error=pb.ErrorMessage(code=4711, text="newer")))
        raise AssertionError("an error is passed over")
    except Refused as refused:
        assert "4711" in str(refused)


def follow(name):
    """Applies the batches of a stream; what is held is each time the room that is recorded."""
    replica = Replica()
    for number, line in enumerate(lines(name), start=1):
        if "batch" in line:
            frame, written = read(line["batch"])
            assert write(frame) == written, f"{name}, line {number}: written otherwise"
            replica.take_batch(frame.batch)
        if "snapshot" in line:
            room = Replica()
            room.take_snapshot(read(line["snapshot"])[0].snapshot)
            if replica.revision is None:
                replica = room
            assert replica == room, f"{name}, line {number}: another room is held"


def follow_session():
    """Takes what comes in the session; room and screens are those that the server has told of."""
    replica, screen, compared = Replica(), None, 0
    for number, line in enumerate(lines("session"), start=1):
        if "event" in line:
            continue
        check_frame(dict(line, name=f"session, line {number}"))
        frame = inflated(read(line["frame"])[0], FRAME_BYTES)
        kind = frame.WhichOneof("body")
        if kind == "snapshot":
            replica.take_snapshot(frame.snapshot)
        elif kind == "batch":
            replica.take_batch(frame.batch)
        elif kind == "view" and frame.view.HasField("bounds"):
            screen = screen or Screen(frame.view.bounds)
            screen.bounds.CopyFrom(frame.view.bounds)
        elif kind == "view_update":
            screen.take(frame.view_head, frame.view_update)
        if "room" in line:
            snapshot = snapshot_json("", replica)["snapshot"]
            del snapshot["room"]
            assert snapshot == line["room"], f"session, line {number}: another room is held"
            compared += 1
        if "screen" in line:
            shown = dict(line["screen"], elements=in_order(line["screen"]["elements"]))
            assert screen.json() == shown, f"session, line {number}: another screen is shown"
            compared += 1
    assert compared > 15


def read(digits):
    """A frame in hexadecimal, and its bytes."""
    data = bytes.fromhex(digits)
    start, length = read_varint(data)
    assert len(data) == start + length, "the length is another"
    return parse(data[start:]), data


def write(message):
    body = message.SerializeToString(deterministic=True)
    return varint(len(body)) + body


if __name__ == "__main__":
    main()
