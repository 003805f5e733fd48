"""The libraries websockets and aiohttp use a server as their documentation says.

    python3 libraries.py BASE_URL [CA_FILE]

BASE_URL is where the server speaks HTTP, perhaps behind a proxy. It ends with 0 if all is as
Protocol/http.md says. Each client works in a room of its own.
"""

import asyncio
import json
import secrets
import sys

import aiohttp
import websockets

from checks import check, end
from events import next_event
from trust import trusting

LINES = "collsync.v1.json"


def insertion(item, **fields):
    """A line that appends an item."""
    operation = {"insert": {"item": {"id": item, "fields": fields}, "to": {"section": "main"}}}
    return json.dumps({"ops": [operation]})


async def websockets_client(base, trust):
    """Text, fragments, pings and endings, with the extension that the library offers."""
    url = f"{base.replace('http', 'ws', 1)}/v1/ws?room=w-{secrets.token_hex(8)}"
    async with websockets.connect(url, subprotocols=["chat", LINES], ssl=trust) as socket:
        check(socket.subprotocol == LINES, "websockets: the subprotocol")
        check(not socket.extensions, "websockets: an extension is in use")
        for name in ["welcome", "snapshot"]:
            check(name in json.loads(await socket.recv()), f"websockets: the line {name}")
        await socket.send(insertion("a"))
        check(json.loads(await socket.recv()) == {"ack": {"tx": 1, "revision": 1}}, "websockets: ack")
        check("batch" in json.loads(await socket.recv()), "websockets: batch")
        # An iterable is sent in fragments.
        line = insertion("b", title="日本 🍵")
        await socket.send(line[index : index + 7] for index in range(0, len(line), 7))
        check(json.loads(await socket.recv())["ack"]["revision"] == 2, "websockets: fragments")
        batch = await socket.recv()
        check("日本 🍵" in batch, "websockets: the text of fragments")
        await asyncio.wait_for(await socket.ping(b"data"), 60)
        await socket.pong()
        long = insertion("c", title="x" * 100_000)
        await socket.send(long)
        check(json.loads(await socket.recv())["ack"]["revision"] == 3, "websockets: a long message")
        check(len(await socket.recv()) > 100_000, "websockets: a long message comes")
    check(socket.close_code == 1000, f"websockets: the end has the code {socket.close_code}")
    await refused(websockets.connect(url, subprotocols=["chat"], ssl=trust), 400)
    stranger = "http://example.org"
    await refused(websockets.connect(url, subprotocols=[LINES], ssl=trust, origin=stranger), 403)
    async with websockets.connect(url, subprotocols=[LINES], ssl=trust, origin=base) as socket:
        check("welcome" in json.loads(await socket.recv()), "websockets: a page of its own")
    # A message of the other kind.
    async with websockets.connect(url, subprotocols=[LINES], ssl=trust) as socket:
        await socket.send(b"{}")
        try:
            while True:
                await socket.recv()
        except websockets.ConnectionClosed as closed:
            check(closed.code == 1003, f"websockets: binary is closed with {closed.code}")
    return 15


async def refused(attempt, status):
    try:
        async with attempt:
            check(False, f"websockets: opened, where {status} was due")
    except websockets.InvalidStatusCode as error:
        check(error.status_code == status, f"websockets: {error.status_code} in place of {status}")


async def rest_client(session, base):
    """The routes of Protocol/http.md, one after the other."""
    room = f"{base}/v1/rooms/r-{secrets.token_hex(8)}"

    async def get(path, status=200, **options):
        async with session.get(path, **options) as answer:
            check(answer.status == status, f"aiohttp: {path}: {answer.status}")
            return await answer.json(content_type=None) if answer.status == 200 else None

    async def post(body, status=200):
        async with session.post(f"{room}/transactions", data=body) as answer:
            check(answer.status == status, f"aiohttp: a transaction: {answer.status}")
            return await answer.json(content_type=None)

    async with session.get(f"{base}/healthz") as answer:
        check(answer.status == 200, "aiohttp: healthz")
    async with session.get(f"{base}/readyz") as answer:
        check(answer.status == 200, "aiohttp: readyz")
    for index, name in enumerate(["milk", "eggs", "tea"]):
        ack = await post(insertion(name, title=f"{name} 🍵", number=index))
        check(ack["ack"]["revision"] == index + 1, f"aiohttp: {ack}")
    reject = await post(json.dumps({"ops": [{"delete": {"id": "none"}}]}), 422)
    check(reject["reject"]["code"] == "unknownItem", f"aiohttp: {reject}")
    await post("{", 400)
    async with session.get(room) as answer:
        snapshot, tag = (await answer.json(content_type=None))["snapshot"], answer.headers["ETag"]
        items = [item["id"] for item in snapshot["sections"][0]["items"]]
        check(items == ["milk", "eggs", "tea"], f"aiohttp: the items {items}")
    await get(room, 304, headers={"If-None-Match": tag})
    async with session.head(room) as answer:
        check(answer.status == 200 and not await answer.read(), "aiohttp: HEAD")
    page = await get(f"{room}/items", params={"limit": "2"})
    rest = await get(f"{room}/items", params={"limit": "2", "after": page["next"]})
    found = [entry["content"]["id"] for entry in page["items"] + rest["items"]]
    check(found == items, f"aiohttp: pages with {found}")
    item = await get(f"{room}/items/eggs")
    check(item["content"]["fields"]["number"] == 1, f"aiohttp: {item}")
    await get(f"{room}/items/none", 404)
    search = await get(f"{room}/search", params={"q": "tea 🍵"})
    check([entry["content"]["id"] for entry in search["items"]] == ["tea"], f"aiohttp: {search}")
    batch = await get(f"{room}/batch", params={"from": "1", "to": "3"})
    check((batch["batch"]["from"], batch["batch"]["to"]) == (1, 3), f"aiohttp: {batch}")
    await get(f"{room}/batch", 204, params={"from": "3", "to": "3"})
    async with session.get(f"{room}/history", params={"from": "0"}) as answer:
        lines = [json.loads(line) async for line in answer.content]
        check([line["batch"]["to"] for line in lines] == [1, 2, 3], f"aiohttp: history {lines}")
    await get(f"{room}/stats")
    async with session.delete(room) as answer:
        check(answer.status == 204, f"aiohttp: DELETE: {answer.status}")
    await get(room, 404)
    await get(f"{base}/none", 404)
    return 20


async def events_client(session, base):
    """Server-sent events, also after a lost connection."""
    room = f"{base}/v1/rooms/e-{secrets.token_hex(8)}"

    async def add(name):
        async with session.post(f"{room}/transactions", data=insertion(name)) as answer:
            check(answer.status == 200, f"events: a transaction: {answer.status}")

    await add("a")
    timeout = aiohttp.ClientTimeout(total=None, sock_read=60)
    async with session.get(f"{room}/stream", timeout=timeout) as answer:
        check(answer.headers["Content-Type"].startswith("text/event-stream"), "events: the type")
        first = await next_event(answer)
        check(first["event"] == "snapshot", f"events: {first}")
        await add("b")
        batch = json.loads((second := await next_event(answer))["data"])["batch"]
        check((batch["from"], batch["to"]) == (1, 2), f"events: {second}")
    await add("c")
    await add("d")
    last = {"Last-Event-ID": second["id"]}
    async with session.get(f"{room}/stream", headers=last, timeout=timeout) as answer:
        batch = json.loads((third := await next_event(answer))["data"])["batch"]
        check((batch["from"], batch["to"]) == (2, 4), f"events: {third}")
    return 4


async def socket_client(session, base):
    """A WebSocket of lines by aiohttp: two members see each other's edits, and one comes back."""
    url = f"{base}/v1/ws"
    query = {"room": f"s-{secrets.token_hex(8)}"}

    async def open_socket(**more):
        return await session.ws_connect(
            url, protocols=[LINES], params={**query, **more}, autoping=True, compress=15
        )

    async def until(socket, name):
        while True:
            line = json.loads((await socket.receive(60)).data)
            if name in line:
                return line[name]

    ann, ben = await open_socket(), await open_socket()
    check(ann.protocol == LINES and not ann.compress, "sockets: the handshake")
    welcome = await until(ben, "welcome")
    for socket in [ann, ben]:
        await until(socket, "snapshot")
    await ann.send_str(insertion("a"))
    check((await until(ann, "ack"))["revision"] == 1, "sockets: ack")
    check((await until(ben, "batch"))["to"] == 1, "sockets: batch")
    await ben.close()
    check(ben.close_code == 1000, f"sockets: the end has the code {ben.close_code}")
    await ann.send_str(insertion("b"))
    again = await open_socket(**{"from": "1", "id": welcome["id"], "epoch": welcome["epoch"]})
    batch = await until(again, "batch")
    check((batch["from"], batch["to"]) == (1, 2), f"sockets: {batch}")
    await again.ping(b"x")
    await ann.close()
    await again.close()
    return 6


async def main():
    base, trust = sys.argv[1].rstrip("/"), trusting(sys.argv[2:])
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session:
        counts = await asyncio.gather(
            websockets_client(base, trust), rest_client(session, base), events_client(session, base),
            socket_client(session, base),
        )  # fmt: skip
    end(sum(counts))


if __name__ == "__main__":
    asyncio.run(main())
