"""Keeps streams open from an address of this machine, and prints the status of each.

    python3 addresses.py BASE_URL ADDRESS COUNT [CA_FILE]
"""

import asyncio
import sys

import aiohttp

from trust import trusting


async def main():
    base, address, count, *rest = sys.argv[1:]
    connector = aiohttp.TCPConnector(local_addr=(address, 0), ssl=trusting(rest))
    async with aiohttp.ClientSession(connector=connector) as session:
        answers = []
        for _ in range(int(count)):
            answers.append(await session.get(f"{base}/v1/rooms/room1/stream"))
            print(answers[-1].status, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
