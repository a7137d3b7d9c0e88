"""A hub of WebSub, from the W3C recommendation alone, and a server of rssCloud, for tests of subscribers.

It reads orders, one JSON object a line, from the standard input, and writes what happens, one JSON object a line, to
the standard output. It ends when its standard input does.

A request to /hub is verified. One to /307 or /308 is redirected to /hub with its body, and one to /rsscloud is of
rssCloud.
"""

import hashlib
import hmac
import http.server
import json
import secrets
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

lock = threading.Lock()
subscriptions = {}  # (topic, callback) -> secret


def tell(**event):
    with lock:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


class Never(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


client = urllib.request.build_opener(Never)


def fetch(request):
    """Returns the status and the body of the answer to a request."""
    try:
        with client.open(request, timeout=20) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as failed:
        return failed.code, failed.read().decode("utf-8", "replace")


def append(callback, parameters):
    return callback + ("&" if "?" in callback else "?") + urllib.parse.urlencode(parameters)


def verify(form):
    mode, topic, callback = form["hub.mode"], form["hub.topic"], form["hub.callback"]
    challenge = secrets.token_urlsafe(24)
    asked = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
    if mode == "subscribe":
        asked["hub.lease_seconds"] = min(int(form.get("hub.lease_seconds", 864000)), 864000)
    wrong, _ = fetch(append(callback, dict(asked, **{"hub.topic": topic + "?invalid"})))
    status, body = fetch(append(callback, asked))
    confirmed = 200 <= status < 300 and body == challenge
    if confirmed and mode == "subscribe":
        subscriptions[topic, callback] = form.get("hub.secret", "")
    elif confirmed:
        subscriptions.pop((topic, callback), None)
    tell(event="verified", mode=mode, topic=topic, callback=callback, confirmed=confirmed, wrong=wrong,
         secret=len(form.get("hub.secret", "").encode()))


def register(form, address):
    """Registers a subscriber of rssCloud: the callback is tried with a challenge if it names its domain."""
    scheme = "https" if form.get("protocol") == "https-post" else "http"
    callback = "%s://%s:%s%s" % (scheme, form.get("domain") or address, form["port"], form["path"])
    challenge = secrets.token_urlsafe(24)
    status, body = fetch(append(callback, {"url": form["url1"], "challenge": challenge}))
    confirmed = 200 <= status < 300 and body == challenge
    if confirmed:
        subscriptions[form["url1"], callback] = None
    tell(event="registered", topic=form["url1"], callback=callback, confirmed=confirmed)
    return confirmed


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path in ("/307", "/308"):
            return self.reply(int(self.path[1:]), Location="/hub")
        form = dict(urllib.parse.parse_qsl(body, keep_blank_values=True))
        if self.path == "/rsscloud":
            good = register(form, self.client_address[0])
            return self.reply(200 if good else 400, b'<notifyResult success="%s"/>' % (b"true" if good else b"false"))
        if self.headers.get("Content-Type") != "application/x-www-form-urlencoded" or form.get("hub.mode") not in (
                "subscribe", "unsubscribe") or not form.get("hub.topic") or not form.get("hub.callback") or len(form.get("hub.secret", "").encode()) >= 200:
            return self.reply(400, b"this is no subscription request")
        self.reply(202)
        verify(form)


def distribute(order):
    """Sends content to the subscribers of a topic, signed as the order says."""
    body = order["body"].encode()
    for (topic, callback), secret in list(subscriptions.items()):
        if topic != order["topic"]:
            continue
        if secret is None:
            request = urllib.request.Request(callback, urllib.parse.urlencode({"url": topic}).encode())
        else:
            headers = {"Content-Type": order.get("type", "application/atom+xml"),
                       "Link": '<http://hub.example/>; rel="hub", <%s>; rel="self"' % topic}
            method = order.get("sign", "sha256")
            if secret and method != "none":
                key = secret if method != "wrong" else "another secret"
                method = method if method != "wrong" else "sha256"
                headers["X-Hub-Signature"] = method + "=" + hmac.new(key.encode(), body, getattr(hashlib, method)).hexdigest()
            request = urllib.request.Request(callback, body, headers)
        status, _ = fetch(request)
        tell(event="distributed", callback=callback, status=status)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell(event="listening", url="http://127.0.0.1:%d" % server.server_port)
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "distribute":
            distribute(order)
        elif order["do"] == "deny":
            for topic, callback in list(subscriptions):
                if topic == order["topic"]:
                    del subscriptions[topic, callback]
                    status, _ = fetch(append(callback, {"hub.mode": "denied", "hub.topic": topic, "hub.reason": order["reason"]}))
                    tell(event="denied", status=status)


main()
