"""Has a browser without a window open page.html, which uses a server.

    python3 browser.py BROWSER

It prints the port of its pages, whose origin the server has to admit as http://127.0.0.1:PORT, and
reads the server's address. When it prints `restart`, the server is to be killed and started again, and
a line says that it was. It ends with 0 if the page found nothing wrong.
"""

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from checks import check, end

PAGE = pathlib.Path(__file__).with_name("page.html").read_bytes()
results = queue.Queue()


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(PAGE if self.path.startswith("/page") else b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/restart":
            print("restart", flush=True)
            sys.stdin.readline()
        else:
            results.put(json.loads(body))
        self.answer(b"")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def visit(browser, url):
    """Opens a page, and gives what it found wrong."""
    with tempfile.TemporaryDirectory() as folder:
        options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-proxy-server", f"--user-data-dir={folder}", "--remote-debugging-port=0",
        ]  # fmt: skip
        # The browser is several processes, in a group of their own.
        process = subprocess.Popen(
            [browser, *options, url], stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            return results.get(timeout=60)
        except queue.Empty:
            return ["the page gives no result"]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    print(port, flush=True)
    base = sys.stdin.readline().strip()
    # The two hosts are one machine, and two origins.
    for host, admitted in [("127.0.0.1", "yes"), ("localhost", "no")]:
        query = urllib.parse.urlencode({"base": base, "admitted": admitted})
        for wrong in visit(sys.argv[1], f"http://{host}:{port}/page?{query}"):
            check(False, f"the page of {host}: {wrong}")
    end(2)


if __name__ == "__main__":
    main()
