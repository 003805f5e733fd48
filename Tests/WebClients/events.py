"""Reads server-sent events."""


async def next_event(answer):
    """The next event of aiohttp's answer, as its fields; None at the end. Comments are skipped."""
    fields = {}
    async for line in answer.content:
        text = line.decode().rstrip("\r\n")
        if not text and "data" in fields:
            return fields
        name, _, value = text.partition(":")
        if name:
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name in fields else value
    return None
