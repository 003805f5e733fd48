"""Checks that what protoc makes of collsync.proto, and this client, say what Protocol/vectors says.

    PYTHONPATH=GENERATED python3 check_vectors.py

It reads each frame of frames.jsonl as its message in protobuf's JSON and writes the message as the
frame's bytes; it follows the recorded streams from room to room.
"""

import json

from google.protobuf import json_format

import collsync_pb2 as pb
from replica import Replica
from wire import FRAME_BYTES, PROTOCOL, inflated, parse, read_varint, varint


def main():
    for vector in lines("frames"):
        check_frame(vector)
    for name in ("stream", "stream-with-horizon"):
        follow(name)


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
