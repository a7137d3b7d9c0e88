# Reads documents with feedparser for oracle_test.go: for every "<length>\n<bytes>" on
# standard input it writes one line of JSON to standard output.
import calendar
import io
import json
import sys

import feedparser

HEADERS = {"content-type": "application/xml", "content-location": "http://base.example/dir/feed.xml"}


def seconds(entry, key):
    parsed = dict.get(entry, key)  # get itself takes "published" for "updated"
    return calendar.timegm(parsed) if parsed else None


def has_text(entry):
    if entry.get("enclosures") or entry.get("media_content"):
        return True
    details = entry.get("content", []) + [entry.get("summary_detail") or {"value": entry.get("summary", "")}]
    return any(
        d.get("value") and (t := d.get("type", "text/html")) and (t.startswith("text/") or t.endswith("xml"))
        for d in details)


def read(doc):
    result = feedparser.parse(
        io.BytesIO(doc), response_headers=HEADERS, sanitize_html=False, resolve_relative_uris=False)
    return {
        "version": result.version,
        "title": result.feed.get("title", ""),
        "site": result.feed.get("link", ""),
        "items": [
            {
                "id": e.get("id", ""),
                "link": e.get("link", ""),
                "title": e.get("title", ""),
                "type": e.get("title_detail", {}).get("type", ""),
                "published": seconds(e, "published_parsed"),
                "updated": seconds(e, "updated_parsed"),
                "created": seconds(e, "created_parsed"),
                "links": [l.get("href", "") for l in e.get("links", [])],
                "text": has_text(e),
            }
            for e in result.entries
        ],
    }


for line in iter(sys.stdin.buffer.readline, b""):
    body = sys.stdin.buffer.read(int(line))
    try:
        answer = read(body)
    except Exception as e:
        answer = {"error": repr(e)}
    print(json.dumps(answer), flush=True)
