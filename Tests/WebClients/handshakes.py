"""The opening handshake (RFC 6455, 4.2), as a table of requests and the statuses of their answers."""

import base64
import hashlib
import socket

from checks import check

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
USUAL = {
    "Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "collsync.v1",
}  # fmt: skip

#: What is changed of the usual request, and the status of the answer. A field without a value is left
#: out, and one with a list is there several times.
CASES = [
    ("the usual request", {}, 101),
    ("upper case", {"Upgrade": "WEBSOCKET", "Connection": "UPGRADE"}, 101),
    ("Connection with other words", {"Connection": "keep-alive, Upgrade"}, 101),
    ("two fields Connection", {"Connection": ["keep-alive", "Upgrade"]}, 101),
    ("Upgrade with another protocol", {"Upgrade": "h2c, websocket"}, 101),
    ("fields that nobody knows", {"Sec-WebSocket-Color": "red", "X": ""}, 101),
    ("no Host", {"Host": None}, 400),
    ("two Hosts", {"Host": ["a", "b"]}, 400),
    ("no Upgrade", {"Upgrade": None}, 400),
    ("Upgrade to h2c", {"Upgrade": "h2c"}, 400),
    ("no Connection", {"Connection": None}, 400),
    ("Connection: close", {"Connection": "close"}, 400),
    ("no key", {"Sec-WebSocket-Key": None}, 400),
    ("an empty key", {"Sec-WebSocket-Key": ""}, 400),
    ("two keys", {"Sec-WebSocket-Key": [KEY, KEY]}, 400),
    ("a key of 15 bytes", {"Sec-WebSocket-Key": base64.b64encode(bytes(15)).decode()}, 400),
    ("a key of 17 bytes", {"Sec-WebSocket-Key": base64.b64encode(bytes(17)).decode()}, 400),
    ("a key of 32 bytes", {"Sec-WebSocket-Key": base64.b64encode(bytes(32)).decode()}, 400),
    ("a key that is not base64", {"Sec-WebSocket-Key": "?" * 22 + "=="}, 400),
    ("a key without padding", {"Sec-WebSocket-Key": KEY.rstrip("=")}, 400),
    ("no version", {"Sec-WebSocket-Version": None}, 426),
    ("version 8", {"Sec-WebSocket-Version": "8"}, 426),
    ("version 14", {"Sec-WebSocket-Version": "14"}, 426),
    ("version 013", {"Sec-WebSocket-Version": "013"}, 426),
    ("two versions", {"Sec-WebSocket-Version": ["13", "8"]}, 426),
    ("no subprotocol", {"Sec-WebSocket-Protocol": None}, 400),
    ("another subprotocol", {"Sec-WebSocket-Protocol": "chat"}, 400),
    ("a subprotocol in another case", {"Sec-WebSocket-Protocol": "Collsync.V1"}, 400),
    ("a part of a subprotocol", {"Sec-WebSocket-Protocol": "collsync"}, 400),
    ("the second of three", {"Sec-WebSocket-Protocol": "chat, collsync.v1, soap"}, 101),
    ("the second of two fields", {"Sec-WebSocket-Protocol": ["chat", "collsync.v1"]}, 101),
    ("an extension", {"Sec-WebSocket-Extensions": "permessage-deflate"}, 101),
    ("a page of its own", {"Origin": "http://127.0.0.1"}, 101),
    ("a page of another server", {"Origin": "http://example.org"}, 403),
    ("a sandboxed page", {"Origin": "null"}, 403),
    ("a body", {"Content-Length": "5"}, 400),
    ("a body in chunks", {"Transfer-Encoding": "chunked"}, 400),
]

#: Request lines, and the status of the answer.
LINES = [
    ("POST /v1/ws HTTP/1.1", 405),
    ("PUT /v1/ws HTTP/1.1", 405),
    ("DELETE /v1/ws HTTP/1.1", 405),
    ("HEAD /v1/ws HTTP/1.1", 400),
    ("get /v1/ws HTTP/1.1", 501),
    ("GET /v1/ws HTTP/1.0", 400),
    ("GET /v1/ws HTTP/0.9", 505),
    ("GET /v1/ws HTTP/2.0", 505),
    ("GET /v1/ws", 505),
    ("GET /v1/WS HTTP/1.1", 404),
    ("GET /healthz HTTP/1.1", 200),
]


def check_handshakes(port):
    """Plays all; gives their number."""
    for name, changes, expected in CASES:
        expect(port, f"4.2 {name}", "GET /v1/ws HTTP/1.1", {**USUAL, **changes}, expected)
    for line, expected in LINES:
        expect(port, f"4.2 {line}", line, USUAL, expected)
    return len(CASES) + len(LINES)


def expect(port, name, line, fields, expected):
    """Sends a request, and checks its answer."""
    status, answer = ask(port, line, fields)
    if not check(status == expected, f"{name}: answered with {status}, not {expected}"):
        return
    if status == 426:
        check(answer.get("sec-websocket-version") == "13", f"{name}: no version is named")
    if status != 101:
        check("sec-websocket-accept" not in answer, f"{name}: a refusal has an Accept")
        return
    digest = hashlib.sha1((KEY + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    wanted = {
        "upgrade": "websocket", "connection": "upgrade",
        "sec-websocket-accept": base64.b64encode(digest).decode(),
        "sec-websocket-protocol": "collsync.v1",
    }  # fmt: skip
    for field, value in wanted.items():
        found = answer.get(field, "")
        is_same = found == value or (field in ["upgrade", "connection"] and found.lower() == value)
        check(is_same, f"{name}: {field} is '{found}'")
    check("sec-websocket-extensions" not in answer, f"{name}: there is an extension")


def ask(port, line, fields):
    """The status of the answer to a request, and its fields in lower case."""
    request = [line]
    for field, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                request.append(f"{field}: {value}")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall("\r\n".join([*request, "", ""]).encode())
        received = b""
        while b"\r\n\r\n" not in received:
            chunk = connection.recv(1 << 16)
            if not chunk:
                return None, {}
            received += chunk
    head = received.split(b"\r\n\r\n")[0].decode().split("\r\n")
    answer = {}
    for field in head[1:]:
        name, _, value = field.partition(":")
        check(name.lower() not in answer, f"{line}: the field {name} comes twice")
        answer[name.lower()] = value.strip()
    return int(head[0].split()[1]), answer
