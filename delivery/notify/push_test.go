package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/webpush"
	"tidings/delivery/webpush/webpushtest"
)

var (
	testBrowser = sync.OnceValue(func() *webpushtest.Browser {
		b, err := webpushtest.New()
		if err != nil {
			panic(err)
		}
		return b
	})
	testPushKeys = sync.OnceValue(func() webpush.Keys {
		k, err := webpush.NewKeys()
		if err != nil {
			panic(err)
		}
		return k
	})
)

// pushStandIn checks what a push service does, and reads what a browser would.
func pushStandIn(r *http.Request, body string) (title, text string, err error) {
	if err := route(r, "POST", "/push/subscription-Xyz1"); err != nil {
		return "", "", err
	}
	payload, err := testBrowser().Read(r, []byte(body))
	if err != nil {
		return "", "", err
	}
	var m struct {
		ID, Title, Text, Link, Channel string
		Time                           int64
	}
	d := json.NewDecoder(strings.NewReader(string(payload)))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return "", "", err
	}
	if m.ID != "msg_1" || m.Title == "" || m.Text == "" || m.Time != testTime.UnixMilli() {
		return "", "", errors.New(string(payload))
	}
	return m.Title, m.Text, nil
}

// What a push service says decides whether the subscription is kept.
func TestRefusalsOfPushServices(t *testing.T) {
	for status, want := range map[int]outbox.Refusal{
		404: {Gone: true}, 410: {Gone: true}, 413: {Final: true}, 429: {After: 1}, 403: {}, 400: {}, 500: {After: 1},
	} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		})
		err := testNotifier().Send(t.Context(), testTarget(tidings.BrowserPush, server.URL), testMessages()[0])
		var r outbox.Refusal
		if known, ok := errors.AsType[*outbox.Refusal](err); ok {
			r = *known
		}
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || r.Gone != want.Gone ||
			r.Final != want.Final ||
			(r.After > 0) != (want.After > 0) {
			t.Errorf("%d: %v, %+v", status, err, r)
		}
	}
	n := New(Config{})
	if err := n.Send(t.Context(), testTarget(tidings.BrowserPush, "https://x.example"),
		testMessages()[0]); err == nil ||
		!strings.Contains(err.Error(), "no keys") {
		t.Error(err)
	}
}

// A preview shows what is encrypted, and no keys of the subscription.
func TestPreviewOfAPush(t *testing.T) {
	target := testTarget(tidings.BrowserPush, "https://push.example")
	sample, err := testNotifier().Preview(target, testMessages()[0])
	if err != nil {
		t.Fatal(err)
	}
	mustContain(t, sample.Request, `encrypted: {"id":"msg_1","title":"One & more"`)
	to, err := webpush.ParseRecipient(target.Secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{to.Auth, "subscription-Xyz1", testPushKeys().Private} {
		if strings.Contains(sample.Request, secret) {
			t.Errorf("%s is in\n%s", secret, sample.Request)
		}
	}
}

// A message with the longest title, channel and link has room for a text.
func TestTheLongestPush(t *testing.T) {
	long := strings.Repeat("\U0001F600", 2*maxTitle)
	i := testItems()[0]
	i.Title, i.URL, i.Summary = long, "https://x.example/"+strings.Repeat("a", maxLink-len("https://x.example/")),
		strings.Repeat(`"\`, 9000)
	m := itemMessage(i)
	m.Update.Title = long
	var text string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var err error
		if _, text, err = pushStandIn(r, bodyOf(t, r)); err != nil {
			t.Error(err)
		}
	})
	target := testTarget(tidings.BrowserPush, server.URL)
	target.Text.Body = "{text}"
	if err := testNotifier().Send(t.Context(), target, m); err != nil || len(text) < 100 {
		t.Errorf("%d bytes of text, %v", len(text), err)
	}
}
