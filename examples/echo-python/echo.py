"""An echo bot: it answers every text with the same text. It needs nothing but Python 3.9.

    export PARLEY_API_KEY=svc_live_…
    parley listen --forward-to localhost:3000/webhooks      # prints a signing secret
    WEBHOOK_SECRET=whsec_… python3 examples/echo-python/echo.py
"""

import hashlib
import hmac
import json
import os
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API = os.environ.get("PARLEY_API_URL", "http://localhost:8080")
KEY = os.environ["PARLEY_API_KEY"]
SECRET = os.environ["WEBHOOK_SECRET"]


def genuine(header, body):
    """Tells whether the service signed these bytes, within the last five minutes."""
    parts = [part.strip().partition("=")[::2] for part in header.split(",")]
    at = next((value for name, value in parts if name == "t"), "")
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    want = hmac.new(SECRET.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value, want) for name, value in parts)


def address(message):
    """Whom to answer. Some people keep their number to themselves: they have a user id instead."""
    if "from" in message:
        return {"to": "+" + message["from"]}
    return {"recipient": message["from_user_id"]}


def answer(event):
    value = event["entry"][0]["changes"][0]["value"]
    message = value["messages"][0]
    if message["type"] != "text":
        return
    body = {"messaging_product": "chat", "type": "text", "text": message["text"], "context": {"message_id": message["id"]}}
    request = urllib.request.Request(
        f"{API}/v1/{value['metadata']['phone_number_id']}/messages",
        data=json.dumps({**body, **address(message)}).encode(),
        headers={
            "Authorization": f"Bearer {KEY}",
            "Content-Type": "application/json",
            "Idempotency-Key": "echo " + message["id"],  # an event that comes twice is answered once
        },
    )
    urllib.request.urlopen(request, timeout=8).close()


class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not genuine(self.headers.get("X-Svc-Signature", ""), body):
            return self.send_error(400, "the signature is not valid")
        if self.headers.get("X-Svc-Event") == "message.received":
            answer(json.loads(body))  # an error is answered with nothing, and the event comes again
        self.send_response(200)
        self.end_headers()


if __name__ == "__main__":
    host, port = os.environ.get("LISTEN", "localhost:3000").rsplit(":", 1)
    server = ThreadingHTTPServer((host, int(port)), Webhooks)
    print("listening on", host, port, flush=True)
    server.serve_forever()
