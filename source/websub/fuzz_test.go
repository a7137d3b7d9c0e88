package websub

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
)

// A sender without the secret can push nothing, whatever it sends to a callback. A subscription becomes active only by
// the request that was made.
func FuzzCallback(f *testing.F) {
	f.Add("hub.mode=subscribe&hub.topic=https%3A%2F%2Fnews.example%2Ffeed&hub.challenge=abc&hub.lease_seconds=7200",
		"sha256=00", "body")
	f.Add("hub.mode=denied&hub.topic=https://news.example/feed&hub.reason=%00%0a", "sha1", "")
	f.Add("challenge=x&url=;", "=", "x")
	f.Fuzz(func(t *testing.T, query, signature, body string) {
		s := New(Config{Callback: "https://tidings.example/websub/"})
		sub := newSubscription(channel, WebSub, "https://hub.example/", channel, testTime)
		sub.State = tidings.HubAsked
		s.join(sub)
		get := httptest.NewRequest(http.MethodGet, "/websub/"+sub.Token, nil)
		get.URL.RawQuery = query
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, get)
		q := get.URL.Query()
		asked := q.Get("hub.mode") == "subscribe" && sameURL(q.Get("hub.topic"), channel) &&
			q.Get("hub.challenge") != ""
		if (sub.State == tidings.HubActive) != (asked && len(q.Get("hub.challenge")) <= maxChallenge) {
			t.Errorf("%q: the subscription is %s", query, sub.State)
		}
		if answer.Code == http.StatusOK && answer.Body.String() != q.Get("hub.challenge") &&
			sub.State == tidings.HubActive {
			t.Errorf("%q is answered with %q", query, answer.Body)
		}
		post := httptest.NewRequest(http.MethodPost, "/websub/"+sub.Token, strings.NewReader(body))
		post.Header.Set("X-Hub-Signature", signature)
		answer = httptest.NewRecorder()
		if s.ServeHTTP(answer, post); answer.Code != http.StatusForbidden || sub.Pushes != 0 {
			t.Errorf("%q: %d", signature, answer.Code)
		}
	})
}
