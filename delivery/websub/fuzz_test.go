package websub

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the form, it is refused with a reason, or all that was read of it is within bounds.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		asking(subscribe, topicA, "http://example.org/cb?a=b", "hub.secret", "x", "hub.lease_seconds", "7200").Encode(),
		asking(unsubscribe, topicA, "http://[::1]:8080/").Encode(),
		"hub.mode=publish&hub.url=http://a.example/&hub.topic[]=http://b.example/",
		"hub.mode=subscribe&hub.topic=%ff&hub.callback=http://x", "&&&;=%", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, hubURL, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		form, no := readForm(httptest.NewRecorder(), r)
		if no == nil {
			var q request
			if q, no = parse(form); no == nil {
				check(t, q)
			}
		}
		if no != nil && (no.status < 400 || no.status > 499 || no.text == "" || strings.ContainsAny(no.text, "\r\n")) {
			t.Errorf("%+v", no)
		}
	})
}

func check(t *testing.T, q request) {
	if q.mode == publish {
		if len(q.topics) == 0 || len(q.topics) > MaxPings {
			t.Errorf("%d topics", len(q.topics))
		}
		return
	}
	for _, address := range []string{q.topic, q.callback} {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || len(address) > MaxURL || Key(Key(address)) != Key(address) {
			t.Errorf("%q: %v", address, err)
		}
	}
	if q.mode == subscribe && (len(q.secret) > MaxSecret || q.lease < MinLease || q.lease > MaxLease) {
		t.Errorf("%+v", q)
	}
	if strings.ContainsAny(linked(q.topic), "<>\"\r\n ") {
		t.Errorf("linked as %q", linked(q.topic))
	}
}

// However unreserved characters are escaped, a URL is the same, and what is reserved stays another.
func TestKeysOfURLs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.StringMatching(`[a-zA-Z0-9._~/?&=-]{1,30}`).Draw(t, "path")
		var escaped strings.Builder
		for i := range len(plain) {
			if c := plain[i]; isUnreserved(c) && rapid.Bool().Draw(t, "escape") {
				fmt.Fprintf(&escaped, []string{"%%%02x", "%%%02X"}[rapid.IntRange(0, 1).Draw(t, "case")], c)
			} else {
				escaped.WriteByte(c)
			}
		}
		if Key(escaped.String()) != plain {
			t.Fatalf("%s is %s, not %s", escaped.String(), Key(escaped.String()), plain)
		}
	})
}
