package notify

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/egress"
)

var testTime = time.Date(2026, 5, 12, 9, 30, 0, 0, time.UTC)

// testSecrets are secrets of the form that each kind wants.
var testSecrets = map[tidings.TargetKind]string{
	tidings.Webhook:  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	tidings.Ntfy:     "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2",
	tidings.Gotify:   "AppToken.example1",
	tidings.Matrix:   "syt_bm90aWZ5_abcdefghij_0Xyz12",
	tidings.Telegram: "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
	tidings.Pushover: "azGDORePK8gMaC0QOYAMyEEuzJnyUi",

	tidings.BrowserPush: testBrowser().Secret(),
}

// testPaths are what stands behind the server's address in a target's URL.
var testPaths = map[tidings.TargetKind]string{
	tidings.Webhook: "/hooks/tidings", tidings.Ntfy: "/my-topic", tidings.Gotify: "",
	tidings.Matrix:   "/!room1:example.org",
	tidings.Telegram: "/-100123", tidings.Discord: "/api/webhooks/1234/discord-token_Abc",
	tidings.Slack:    "/services/T000/B000/slackTokenXyz",
	tidings.Pushover: "/uQiRzpo4DXghDmr9QzzfQu27cmVRsG", tidings.Generic: "/in/{id}?about={title}",

	tidings.BrowserPush: "/push/subscription-Xyz1",
}

func testTarget(kind tidings.TargetKind, server string) tidings.Target {
	t := tidings.Target{ID: 7, Name: "mine", Kind: kind, URL: server + testPaths[kind], Secret: testSecrets[kind]}
	if kind == tidings.Generic {
		t.Form = &tidings.Form{Method: "PUT",
			Body: `{"title": "{title}", "link": "{link}", "all": "{text} ({channel}, {channel_url}, {id}, {time})"}`,
			Headers: map[string]string{"Content-Type": "application/json",
				"Authorization": "Bearer genericToken99", "X-Title": "{title}"}}
	}
	return t
}

func testItems() []tidings.Item {
	var items []tidings.Item
	for _, name := range []string{"One", "Two", "Three", "Four", "Five", "Six", "Seven"} {
		items = append(items, tidings.Item{ID: "id-" + name, URL: "https://news.example/" + name + "?a=1&b=2",
			Title:   name + " & more",
			Summary: "<p>What <b>happened</b>:</p><p>" + name + " &lt;things&gt;</p>", Change: tidings.New,
			Published: testTime})
	}
	return items
}

func testUpdate(items ...tidings.Item) tidings.Update {
	return tidings.Update{ID: 42, Channel: "https://news.example/feed", Title: "Example News", Version: 5,
		Time: testTime,
		Kind: tidings.KindFeed, Items: items}
}

func itemMessage(i tidings.Item) outbox.Message {
	u := testUpdate(i)
	return outbox.Message{ID: "msg_1", Update: u, Item: &u.Items[0], Made: testTime, Attempt: 1}
}

// testMessages are the sorts of messages, in the order in which they stand in testdata.
func testMessages() []outbox.Message {
	changed := testItems()[0]
	changed.Change = tidings.Changed
	page := testUpdate()
	page.Kind, page.Channel, page.Title = tidings.KindPage, "https://news.example/about", "About"
	page.Delta = "2c2\n< We are three.\n---\n> We are four.\n"
	return []outbox.Message{itemMessage(testItems()[0]), itemMessage(changed),
		{ID: "msg_1", Update: testUpdate(testItems()...), Made: testTime, Attempt: 1},
		{ID: "msg_1", Update: page, Made: testTime, Attempt: 1}}
}

// testNotifier may connect to this machine.
func testNotifier() *Notifier {
	n := New(Config{Guard: egress.ForMessages(true), UserAgent: "Tidings/test",
		PushKeys: testPushKeys()})
	n.now = func() time.Time { return testTime }
	return n
}

// serve starts a server for the time of a test.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func bodyOf(t testing.TB, r *http.Request) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("reading a request: %v", err)
	}
	return string(b)
}

// accepted is what the services answer to a message that they accept.
func accepted(kind tidings.TargetKind) string {
	switch kind {
	case tidings.Telegram:
		return `{"ok":true,"result":{"message_id":1}}`
	case tidings.Pushover:
		return `{"status":1,"request":"647d2300-702c-4b38-8b2f-d56326ae460b"}`
	case tidings.Matrix:
		return `{"event_id":"$YUwRidLecu:example.com"}`
	case tidings.Slack:
		return "ok"
	}
	return "{}"
}

// ok is a server that accepts everything of a kind.
func ok(kind tidings.TargetKind) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, accepted(kind)) }
}

func mustContain(t testing.TB, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q has no %q", text, part)
	}
}
