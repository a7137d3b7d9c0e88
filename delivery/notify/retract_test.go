package notify

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/webpush"
)

// retraction retracts so many messages with IDs as long as those of the outbox.
func retraction(n int) outbox.Message {
	m := outbox.Message{ID: "msg_9", Attempt: 1}
	for i := range n {
		m.Retracts = append(m.Retracts, fmt.Sprintf("%x-%d", int64(1)<<56, int64(1)<<62+int64(i)))
	}
	return m
}

// Each kind that retracts messages sends a request for it that its service understands, and no other kind sends
// anything.
func TestRetractions(t *testing.T) {
	for _, kind := range Kinds() {
		var asked []string
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization"))
		})
		most := 1
		if kind == tidings.BrowserPush {
			most = kind.Retractable()
		}
		m := retraction(most)
		if err := testNotifier().Send(t.Context(), testTarget(kind, server.URL), m); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		switch {
		case kind.Retractable() == 0:
			if len(asked) != 0 {
				t.Errorf("%s: asked %q", kind, asked)
			}
		case kind == tidings.Ntfy:
			if want := "PUT /my-topic/" + m.Retracts[0] + "/clear Bearer " + testSecrets[kind]; len(asked) != 1 ||
				asked[0] != want {
				t.Errorf("%s: asked %q, want %q", kind, asked, want)
			}
			if !ntfyTopic.MatchString(m.Retracts[0]) { // sequence IDs are of the same form as topics
				t.Errorf("%s is no ID of a sequence", m.Retracts[0])
			}
		case len(asked) != 1 || !strings.HasPrefix(asked[0], "POST /push/"):
			t.Errorf("%s: asked %q", kind, asked)
		}
	}
}

// A server that knows no retractions is asked no more; one that fails is.
func TestRefusedRetractions(t *testing.T) {
	for status, final := range map[int]bool{400: true, 404: true, 405: true, 401: false, 429: false, 500: false} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
		err := testNotifier().Send(t.Context(), testTarget(tidings.Ntfy, server.URL), retraction(1))
		r, _ := errors.AsType[*outbox.Refusal](err)
		if err == nil || (r != nil && r.Final) != final {
			t.Errorf("after %d: %v, %+v", status, err, r)
		}
	}
}

// A retraction of one message replaces it where it waits at the push service. A retraction of several messages has a
// place of its own.
func TestRetractionsReplaceWhatWaits(t *testing.T) {
	var topics []string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		topics = append(topics, r.Header.Get("Topic"))
		w.WriteHeader(http.StatusCreated)
	})
	target := testTarget(tidings.BrowserPush, server.URL)
	for _, m := range []outbox.Message{testMessages()[0], {ID: "msg_9", Retracts: []string{"msg_1"}},
		{ID: "msg_9", Retracts: []string{"msg_1", "msg_2"}}} {
		if err := testNotifier().Send(t.Context(), target, m); err != nil {
			t.Fatal(err)
		}
	}
	if len(topics) != 3 || topics[0] == "" || topics[0] != topics[1] || topics[1] == topics[2] {
		t.Errorf("topics: %q", topics)
	}
	if size := len(retraction(tidings.BrowserPush.Retractable()).Retracts) * 64; size > webpush.MaxPayload {
		t.Errorf("the largest retraction may have %d bytes", size)
	}
}
