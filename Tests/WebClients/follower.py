"""Follows the server-sent events of a room for ever, as a browser does.

    python3 follower.py BASE_URL ROOM [CA_FILE]

For each event it prints the revisions from which and to which it goes; a snapshot begins at -1. After
a lost connection, or an answer that is no stream, it asks again for what has come since.
"""

import asyncio
import json
import sys

import aiohttp

from events import next_event
from trust import trusting


async def follow(session, url):
    """Prints the events of one connection after the other."""
    last = {}
    while True:
        try:
            async with session.get(url, headers=last) as answer:
                while answer.status == 200 and (event := await next_event(answer)) is not None:
                    body = json.loads(event["data"])
                    if "error" in body:
                        break
                    snapshot, batch = body.get("snapshot"), body.get("batch")
                    start, end = (-1, snapshot["revision"]) if snapshot else (batch["from"], batch["to"])
                    print(start, end, flush=True)
                    last = {"Last-Event-ID": event["id"]}
        except (aiohttp.ClientError, asyncio.TimeoutError):
            pass
        await asyncio.sleep(0.1)


async def main():
    base, room, *rest = sys.argv[1:]
    connector = aiohttp.TCPConnector(ssl=trusting(rest))
    timeout = aiohttp.ClientTimeout(total=None, sock_read=60)
    async with aiohttp.ClientSession(
        connector=connector, timeout=timeout, read_bufsize=1 << 24
    ) as session:
        await follow(session, f"{base}/v1/rooms/{room}/stream")


if __name__ == "__main__":
    asyncio.run(main())
