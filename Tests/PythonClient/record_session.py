"""Records Protocol/vectors/session.jsonl: what a client sends and is sent in a room and its view.

    collsync serve --memory --threads 1 --listen 127.0.0.1:PORT --http 127.0.0.1:HTTP \\
        --max-frame-bytes 2048 --max-transaction-bytes 2048
    PYTHONPATH=GENERATED python3 record_session.py PORT HTTP > session.jsonl

The server has a debug build: that sends views in small parts. The rooms and screens in the file are
not what this client holds, but what the server says of the room and of another view.
"""

import json
import socket
import sys
import time
import urllib.request

from google.protobuf import json_format

import collsync_pb2 as pb
from replica import Replica
from screen import Screen, in_order, rect_json
from wire import inflated, parse, read_varint, varint

ROOM = "session"
LIMIT = 1 << 16

LAYOUT = {
    "kind": "flow",
    "itemSize": {"width": 100, "height": 60},
    "sectionHeadersPinToVisibleBounds": True,
}
COLUMNS = {"kind": "waterfall", "columnCount": 3, "sectionHeadersPinToVisibleBounds": True}


class Side:
    """A client that keeps what it sends and is sent, byte by byte."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.received = b""

    def send(self, frame):
        body = frame.SerializeToString(deterministic=True)
        data = varint(len(body)) + body
        self.socket.sendall(data)
        return data

    def frames(self, seconds=0.5):
        """What comes until nothing has come for some time: bytes and messages."""
        while True:
            start, length = read_varint(self.received)
            if start is not None and len(self.received) >= start + length:
                data = self.received[: start + length]
                self.received = self.received[start + length :]
                yield data, inflated(parse(data[start:]), LIMIT)
                continue
            self.socket.settimeout(seconds)
            try:
                chunk = self.socket.recv(1 << 16)
            except TimeoutError:
                return
            if not chunk:
                raise SystemExit("the server has closed the connection")
            self.received += chunk


class Recorder:
    def __init__(self, port, http):
        self.http = http
        self.lines = []
        self.ada, self.bob = Side(port), Side(port)
        self.replica, self.screen, self.layout = Replica(), None, LAYOUT
        self.counters = {self.ada: 0, self.bob: 0}
        self.serial = 0
        self.handle = None

    # ---- What the two do

    def say(self, **body):
        """Ada sends a message."""
        frame = pb.Frame(**body)
        data = self.ada.send(frame)
        self.note("client", data, frame)

    def submit(self, side, *operations):
        self.counters[side] += 1
        transaction = pb.Transaction(base=self.replica.revision or 0, operations=operations)
        body = pb.Submit(room=self.handle, counter=self.counters[side], transaction=transaction)
        if side is self.ada:
            self.say(submit=body)
        else:
            side.send(pb.Frame(submit=body))

    def view(self, **changes):
        """Ada opens or changes her view."""
        self.serial += 1
        request = pb.ViewRequest(room=self.handle, view=1, serial=self.serial, **changes)
        request.seen = self.screen.number
        if request.HasField("bounds"):
            self.screen.bounds.CopyFrom(request.bounds)
        self.say(view=request)

    def event(self, text):
        self.lines.append({"event": text})

    def enter_bob(self):
        self.bob.send(pb.Frame(hello=hello(features=0)))
        self.bob.send(pb.Frame(join=pb.Join(request=1, room=ROOM, client="bob")))
        for _, frame in self.bob.frames():
            if frame.HasField("joined"):
                self.handle = frame.joined.handle

    # ---- What comes

    def note(self, sender, data, frame):
        line = {"from": sender, "frame": data.hex(), "message": json_format.MessageToDict(frame)}
        if parse(data[read_varint(data)[0] :]).HasField("deflated"):
            line["deflate"] = "dictionary"
        self.lines.append(line)
        return line

    def settle(self):
        """Records all that comes, with the rooms and the last screen that it leads to."""
        last = None
        for data, frame in self.ada.frames():
            line = self.note("server", data, frame)
            kind = frame.WhichOneof("body")
            if kind == "snapshot":
                self.replica.take_snapshot(frame.snapshot)
                if frame.snapshot.last:
                    line["room"] = self.room()
            elif kind == "batch":
                self.replica.take_batch(frame.batch)
                if not frame.batch.more:
                    line["room"] = self.room()
            elif kind == "view_update":
                self.screen.take(frame.view_head, frame.view_update)
                last = line
        if last is not None:
            assert not self.screen.more
            last["screen"] = self.shown()
        # Bob takes what comes, too.
        for _ in self.bob.frames(0.05):
            pass

    def ask(self, path, body=None):
        url = f"http://127.0.0.1:{self.http}/v1/rooms/{ROOM}{path}"
        with urllib.request.urlopen(url, body) as answer:
            return json.load(answer)

    def room(self):
        """The room at the client's revision, as the server exports it."""
        snapshot = self.ask(f"?revision={self.replica.revision}")["snapshot"]
        return {key: snapshot[key] for key in ("revision", "sections")}

    def shown(self):
        """What another view with the same layout and bounds has on its screen."""
        bounds = rect_json(self.screen.bounds)
        view = {"id": "v", "layout": self.layout, "bounds": bounds, "overscan": 20}
        answer = self.ask("/view", json.dumps({"view": view}).encode())["viewUpdate"]
        assert answer["revision"] == self.screen.revision
        screen = {
            "revision": answer["revision"],
            "bounds": bounds,
            "contentSize": answer["contentSize"],
            "elements": in_order([entry["element"] for entry in answer["appeared"]]),
            "items": {},
            "sections": {},
        }
        for entry in answer["appeared"]:
            element, content = entry["element"], entry["content"]
            things = screen["items" if "item" in element else "sections"]
            things[element["id"]] = content
        return screen


def hello(features):
    return pb.Hello(magic="collsync", min_version=1, max_version=1, features=features)


def text(name, value):
    return pb.Field(name=name, value=pb.Value(text=value))


def item(id, title):
    return pb.Item(id=id, fields=[text("title", title)])


def insert(id, title, **place):
    return pb.Operation(insert=pb.Insert(item=item(id, title), to=pb.Placement(**place)))


def section(id, title, after):
    header = pb.Supplementary(
        kind="header", size=pb.Size(height=30), fields=[text("title", title)]
    )
    content = pb.Section(id=id, supplementaries=[header])
    return pb.Operation(
        insert_section=pb.InsertSection(section=content, to=pb.Placement(after=after))
    )


def record(recorder):
    fill(recorder)
    recorder.event("Ada connects. She reads frames that are deflated with the dictionary.")
    recorder.say(hello=hello(features=1))
    recorder.settle()
    recorder.event("Ada joins the room, which is too large for one part of a snapshot.")
    recorder.say(join=pb.Join(request=1, room=ROOM, client="ada", secret=b"\1\2\3\4"))
    recorder.settle()
    open_view(recorder)
    edits(recorder)
    scroll(recorder)
    recorder.event("Ada closes her view, and leaves the room.")
    recorder.view(close=True)
    recorder.say(leave=pb.Leave(request=2, room=recorder.handle))
    recorder.settle()


def fill(recorder):
    recorder.enter_bob()
    recorder.replica.revision = 0
    fish = [insert(f"fish{n}", f"A fish of number {n}", section="fish") for n in range(9)]
    birds = [insert(f"bird{n}", f"A bird of number {n}", section="birds") for n in range(7)]
    recorder.submit(
        recorder.bob, section("fish", "Fish", "main"), section("birds", "Birds", "fish"), *fish, *birds
    )
    list(recorder.bob.frames())
    recorder.replica.revision = None


def open_view(recorder):
    recorder.event("Ada opens a view, two columns wide, with headers that are pinned.")
    bounds = pb.Rect(width=210, height=200)
    recorder.screen = Screen(pb.Rect())
    layout = pb.Layout(
        kind=pb.LAYOUT_KIND_FLOW,
        item_size=pb.Size(width=100, height=60),
        section_headers_pin_to_visible_bounds=True,
    )
    recorder.view(layout=layout, bounds=bounds, overscan=20)
    recorder.settle()


def edits(recorder):
    recorder.event("Bob inserts many fish in front of all others, deletes one and moves one.")
    new = [insert(f"new{n}", f"A new fish of number {n}", section="fish", index=n) for n in range(16)]
    delete = pb.Operation(delete=pb.Delete(id="fish1"))
    move = pb.Operation(move=pb.Move(id="fish2", to=pb.Placement(section="birds", after="bird3")))
    recorder.submit(recorder.bob, *new, delete, move)
    recorder.settle()
    recorder.event("Bob inserts more of them. Ada scrolls by 30 points before she reads of that.")
    more = [insert(f"more{n}", f"One more, number {n}", section="fish", index=n) for n in range(4)]
    recorder.submit(recorder.bob, *more)
    time.sleep(0.5)
    bounds = pb.Rect()
    bounds.CopyFrom(recorder.screen.bounds)
    bounds.y += 30
    recorder.view(bounds=bounds)
    recorder.settle()
    recorder.event("Bob changes what is on the screen, and deletes the first item on it.")
    update = pb.Operation(update=pb.Update(id="fish3", set=[text("title", "Another title")]))
    header = pb.Supplementary(kind="header", size=pb.Size(height=40))
    wider = pb.Operation(update_section=pb.UpdateSection(id="fish", supplementaries=[header]))
    recorder.submit(recorder.bob, update, wider, pb.Operation(delete=pb.Delete(id="fish0")))
    recorder.settle()
    recorder.event("Ada moves a section. Her own edit comes back to her like all others.")
    place = pb.Placement(before="fish")
    recorder.submit(recorder.ada, pb.Operation(move_section=pb.Move(id="birds", to=place)))
    recorder.settle()
    recorder.event("Bob deletes the section of the birds. Its items are not listed one by one.")
    recorder.submit(recorder.bob, pb.Operation(delete_section=pb.Delete(id="birds")))
    recorder.settle()
    recorder.event("Bob makes it again, with two birds.")
    birds = [insert(f"owl{n}", f"An owl of number {n}", section="birds") for n in range(2)]
    recorder.submit(recorder.bob, section("birds", "Birds", "fish"), *birds)
    recorder.settle()


def scroll(recorder):
    recorder.event("Ada scrolls to where the header of the fish is pushed up by that of the birds.")
    end = recorder.screen.content_size.height - 200
    recorder.view(bounds=pb.Rect(y=end + 10, width=210, height=200))
    recorder.settle()
    recorder.event("Ada asks for nothing new: the answer has only the revision.")
    recorder.view()
    recorder.settle()
    recorder.event("Ada goes to an item. Its neighbours come with a second update.")
    recorder.view(anchor=pb.Anchor(item="new4", distance=pb.Point(y=50)))
    recorder.settle()
    recorder.event("Ada has three columns instead.")
    recorder.layout = COLUMNS
    columns = pb.Layout(
        kind=pb.LAYOUT_KIND_WATERFALL,
        column_count=3,
        section_headers_pin_to_visible_bounds=True,
    )
    recorder.view(layout=columns)
    recorder.settle()
    recorder.event("Ada makes the view smaller.")
    recorder.screen.bounds.height = 90
    recorder.view(bounds=recorder.screen.bounds)
    recorder.settle()


def main():
    recorder = Recorder(int(sys.argv[1]), int(sys.argv[2]))
    record(recorder)
    for line in recorder.lines:
        print(json.dumps(line, separators=(",", ":"), ensure_ascii=False))


if __name__ == "__main__":
    main()
