"""Edits a room of a collsync server at random, as the lines on standard input say.

    PYTHONPATH=GENERATED python3 main.py PORT ROOM SEED [--plain] [--every-revision] [--websocket]

Each line is answered with one line of JSON:

    edit COUNT         submits that many transactions, without waiting for their answers
    cut                loses the connection and goes on with another
    settle REVISION    waits until all is answered and that revision is held; above 0 it is the last
    export             gives the room as it is held, as the `snapshot` object
"""

import argparse
import json
import os
import select
import sys

from client import Client, name
from random_editor import RandomEditor
from snapshot_json import snapshot_json
from wire import DEFLATED, DEFLATED_WITHOUT_DICTIONARY, GUARDS, connect

import collsync_pb2 as pb


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("room")
    parser.add_argument("seed", type=int)
    parser.add_argument("--plain", action="store_true", help="asks for no deflated frames")
    parser.add_argument(
        "--no-dictionary", action="store_true", help="asks for frames deflated without dictionary"
    )
    parser.add_argument("--every-revision", action="store_true")
    parser.add_argument(
        "--websocket", action="store_true", help="PORT is that of HTTP, and has a WebSocket"
    )
    arguments = parser.parse_args()
    client = Client(
        "127.0.0.1",
        arguments.port,
        arguments.room,
        features=features(arguments),
        every_revision=arguments.every_revision,
        connect=way(arguments),
    )
    client.wait(lambda: client.replica.revision is not None)
    editor = RandomEditor(client, arguments.seed)
    for line in lines_while_polling(client):
        print(json.dumps(answer(line.split(), client, editor)), flush=True)


def way(arguments):
    if not arguments.websocket:
        return connect
    # The only part that needs the library.
    from websocket_stream import WebSocketStream

    return WebSocketStream


def features(arguments):
    if arguments.plain:
        return GUARDS
    return GUARDS | (DEFLATED_WITHOUT_DICTIONARY if arguments.no_dictionary else DEFLATED)


def lines_while_polling(client):
    """The lines of standard input; between them the client takes in what comes."""
    received = b""
    while True:
        while client.poll(0):
            pass
        if sys.stdin in select.select([sys.stdin, client], [], [], 0.5)[0]:
            chunk = os.read(sys.stdin.fileno(), 1 << 16)
            if not chunk:
                return
            *lines, received = (received + chunk).split(b"\n")
            yield from (line.decode() for line in lines)


def answer(words, client, editor):
    match words:
        case ["edit", count]:
            for _ in range(int(count)):
                editor.edit()
                client.poll(0)
            return {"sent": client.counter}
        case ["cut"]:
            client.cut()
            return {"reconnections": client.reconnections}
        case ["settle", revision]:
            client.wait(lambda: not client.unanswered and client.replica.revision >= int(revision))
            if int(revision) > 0:
                client.guards.check_conflicts()
            return report(client)
        case ["export"]:
            return snapshot_json(client.room, client.replica)
    raise SystemExit(f"no such command: {words}")


def report(client):
    rejected = [
        name(pb.RejectionCode, rejection.code) + ": " + rejection.message
        for rejection in client.rejected.values()
    ]
    return {
        "sent": client.counter,
        "acknowledged": sorted(client.acknowledged.values()),
        "rejected": rejected,
        "reconnections": client.reconnections,
        "stale": client.stale,
        "guardsChecked": client.guards.checked,
        "guardsChanged": client.guards.changed,
    }


if __name__ == "__main__":
    main()
