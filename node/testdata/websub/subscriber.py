"""A subscriber of WebSub, from the W3C recommendation alone, for tests of hubs.

It reads orders, one JSON object a line, from the standard input, and writes what happens, one JSON object a line, to
the standard output. It ends when its standard input does.
"""

import hashlib
import hmac
import html.parser
import http.server
import json
import re
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

lock = threading.Lock()
wanted = {}  # path of a callback -> {"mode", "topic", "secret"}


def tell(**event):
    with lock:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


class Callback(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = urllib.parse.parse_qs(query, keep_blank_values=True)
        last = {name: values[-1] for name, values in asked.items()}
        want = wanted.get(path)
        if last.get("hub.mode") == "denied":
            tell(event="denied", path=path, topic=last.get("hub.topic"), reason=last.get("hub.reason", ""))
            return self.reply(200)
        known = want is not None and want["mode"] == last.get("hub.mode") and want["topic"] == last.get("hub.topic")
        tell(event="verification", path=path, known=known, mode=last.get("hub.mode"), topic=last.get("hub.topic"),
             lease=last.get("hub.lease_seconds", ""), query=query)
        if not known:
            return self.reply(404)
        self.reply(200, last["hub.challenge"].encode())

    def do_POST(self):
        path = self.path.partition("?")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        want = wanted.get(path, {"secret": ""})
        signature = self.headers.get("X-Hub-Signature", "")
        valid = signature == ""
        if want["secret"]:
            method, _, digits = signature.partition("=")
            valid = method in ("sha1", "sha256", "sha384", "sha512") and hmac.compare_digest(
                hmac.new(want["secret"].encode(), body, getattr(hashlib, method)).hexdigest(), digits)
        self.reply(204)
        links = dict((rel, url) for url, rel in links_of(self.headers.get_all("Link") or []))
        tell(event="delivery", path=path, body=body.decode("utf-8", "replace"), type=self.headers.get("Content-Type", ""),
             hub=links.get("hub", ""), self=links.get("self", ""), signature=signature, valid=valid)


def links_of(headers):
    """Yields URL and relation of each link in Link headers."""
    for header in headers:
        for url, parameters in re.findall(r'<([^>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^",;\s]+))*)', header):
            found = re.search(r';\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]+))', parameters)
            for rel in ((found.group(1) or found.group(2)) if found else "").split():
                yield url, rel


class Head(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "link":
            self.links += [(attrs.get("href", ""), rel) for rel in attrs.get("rel", "").split()]


def discover(url):
    """Finds hubs and topic of a URL (section 4): in Link headers, else in the document."""
    request = urllib.request.Request(url, headers={"User-Agent": "subscriber.py"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        body = answer.read()
        links = list(links_of(answer.headers.get_all("Link") or []))
        if not any(rel == "hub" for _, rel in links):
            if "html" in answer.headers.get("Content-Type", ""):
                head = Head()
                head.feed(body.decode())
                links = head.links
            else:
                root = xml.etree.ElementTree.fromstring(body)
                links = [(e.get("href"), e.get("rel")) for e in root.iter("{http://www.w3.org/2005/Atom}link")]
        return {
            "hubs": [urllib.parse.urljoin(url, to) for to, rel in links if rel == "hub"],
            "selves": [urllib.parse.urljoin(url, to) for to, rel in links if rel == "self"],
        }


def ask(order, base):
    wanted[order["path"]] = {"mode": order["do"], "topic": order["topic"], "secret": order.get("secret", "")}
    form = {"hub.mode": order["do"], "hub.topic": order["topic"], "hub.callback": base + order["path"] + order.get("query", "")}
    for name in ("secret", "lease_seconds"):
        if order.get(name):
            form["hub." + name] = str(order[name])
    form.update(order.get("more", {}))
    post(order["hub"], form)


def post(url, form):
    try:
        with urllib.request.urlopen(url, urllib.parse.urlencode(form, doseq=True).encode(), timeout=20) as answer:
            tell(event="answer", status=answer.status, text=answer.read().decode())
    except urllib.error.HTTPError as failed:
        tell(event="answer", status=failed.code, text=failed.read().decode())


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    base = "http://127.0.0.1:%d" % server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tell(event="listening", url=base)
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] in ("subscribe", "unsubscribe"):
            ask(order, base)
        elif order["do"] == "publish":
            post(order["hub"], {"hub.mode": "publish", "hub.topic": order["topic"]})
        elif order["do"] == "discover":
            tell(event="discovered", **discover(order["url"]))


main()
