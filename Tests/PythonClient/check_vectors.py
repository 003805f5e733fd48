"""Checks that the classes made of collsync.proto say what Protocol/vectors/frames.jsonl says.

    PYTHONPATH=GENERATED python3 check_vectors.py

It reads each frame as its message in protobuf's JSON, and writes the message as the frame's bytes.
"""

import json

from google.protobuf import json_format

import collsync_pb2 as pb
from wire import FRAME_BYTES, PROTOCOL, inflate, parse, read_varint, varint


def main():
    count = 0
    for line in (PROTOCOL / "vectors" / "frames.jsonl").read_text().splitlines():
        check(json.loads(line))
        count += 1
    print(json.dumps({"checked": count}))


def check(vector):
    data = bytes.fromhex(vector["frame"])
    start, length = read_varint(data)
    assert len(data) == start + length, f"{vector['name']}: the length is another"
    frame = parse(data[start:])
    message = json_format.ParseDict(vector["message"], pb.Frame())
    if frame.WhichOneof("body") == "deflated":
        # Another deflate may write it otherwise; what it inflates to is the same.
        frame = parse(inflate(frame.deflated, FRAME_BYTES))
    else:
        body = message.SerializeToString(deterministic=True)
        assert varint(len(body)) + body == data, f"{vector['name']}: written otherwise"
    assert frame == message, f"{vector['name']}: read as another message"


if __name__ == "__main__":
    main()
