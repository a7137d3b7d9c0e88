package websub

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// What the suite of websub.rocks asks of a hub, case by case.

// verified checks a verification as the suite does.
func verified(t *testing.T, r received, mode, topic string) {
	t.Helper()
	q := r.query
	if r.method != "GET" || q.Get("hub.mode") != mode || q.Get("hub.topic") != topic || q.Get("hub.challenge") == "" {
		t.Errorf("verified by %+v", r)
	}
	if has := q.Has("hub.lease_seconds"); has != (mode == "subscribe") {
		t.Errorf("a lease in the verification of %s: %v", mode, has)
	}
}

var linkTo = regexp.MustCompile(`<([^>]*)>; rel="(\w+)"`)

// notified checks a delivery as the suite does.
func notified(t *testing.T, r received, topic, kind, body, secret string) {
	t.Helper()
	if r.method != "POST" || r.body != body || r.header.Get("Content-Type") != kind {
		t.Errorf("delivered by %+v", r)
	}
	links := make(map[string]string)
	for _, l := range linkTo.FindAllStringSubmatch(strings.Join(r.header.Values("Link"), ", "), -1) {
		links[l[2]] = l[1]
	}
	if links["hub"] != hubURL || links["self"] != topic {
		t.Errorf("links %v", links)
	}
	signature := r.header.Get("X-Hub-Signature")
	if secret == "" {
		if signature != "" {
			t.Errorf("signed by %s without a secret", signature)
		}
		return
	}
	if !validSignature(signature, secret, body) {
		t.Errorf("the signature %q is wrong", signature)
	}
}

func validSignature(signature, secret, body string) bool {
	method, digits, _ := strings.Cut(signature, "=")
	by := map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384,
		"sha512": sha512.New}[method]
	if by == nil {
		return false
	}
	mac := hmac.New(by, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil)) == digits
}

// changeOK changes a topic, and every delivery must succeed.
func (w *world) changeOK(topic, kind, body string) {
	w.t.Helper()
	if errs := w.change(topic, kind, body); len(errs) > 0 {
		w.t.Fatal(errs)
	}
}

func TestH100TypicalSubscriberRequest(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	verified(t, w.subscribed(s, topicA, s.URL+"/cb"), "subscribe", topicA)
	w.changeOK(topicA, atom, "<feed>two</feed>")
	notified(t, s.next(t), topicA, atom, "<feed>two</feed>", "")
	s.none(t)
}

func TestH101SubscriptionWithSecret(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	verified(t, w.subscribed(s, topicA, s.URL, "hub.secret", "a secret"), "subscribe", topicA)
	for _, m := range []Method{SHA1, SHA256, SHA384, SHA512} {
		w.hub.Signature = m
		body := "<feed>" + string(m) + "</feed>"
		w.changeOK(topicA, atom, body)
		r := s.next(t)
		notified(t, r, topicA, atom, body, "a secret")
		if !strings.HasPrefix(r.header.Get("X-Hub-Signature"), string(m)+"=") {
			t.Errorf("%s signs %s", m, r.header.Get("X-Hub-Signature"))
		}
	}
	s.none(t)
}

func TestH102AdditionalParameters(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	verified(t, w.subscribed(s, topicA, s.URL, "foo", "bar", "hub.foo", "hub.bar"), "subscribe", topicA)
	w.changeOK(topicA, atom, "<feed>two</feed>")
	notified(t, s.next(t), topicA, atom, "<feed>two</feed>", "")
}

func TestH103ResubscribingBeforeExpiry(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	verified(t, w.subscribed(s, topicA, s.URL), "subscribe", topicA)
	w.changeOK(topicA, atom, "<feed>two</feed>")
	notified(t, s.next(t), topicA, atom, "<feed>two</feed>", "")
	w.pass(MinLease / 2)
	verified(t, w.subscribed(s, topicA, s.URL, "hub.secret", "new"), "subscribe", topicA)
	w.changeOK(topicA, atom, "<feed>three</feed>")
	notified(t, s.next(t), topicA, atom, "<feed>three</feed>", "new")
	s.none(t)
}

func TestH104UnsubscriptionRequest(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL)
	w.ask(asking(unsubscribe, topicA, s.URL))
	verified(t, s.next(t), "unsubscribe", topicA)
	w.await(topicA, s.URL, gone)
	w.changeOK(topicA, atom, "<feed>two</feed>")
	s.none(t)
}

func TestH105PlaintextContent(t *testing.T) { testContent(t, "text/plain", "Hello,\nworld.\n") }

func TestH106JSONContent(t *testing.T) { testContent(t, "application/json", `{"hello": ["world"]}`) }

func testContent(t *testing.T, kind, body string) {
	w, s := newWorld(t), newSubscriber(t)
	topic := "https://news.example/other"
	verified(t, w.subscribed(s, topic, s.URL), "subscribe", topic)
	w.changeOK(topic, kind, body)
	notified(t, s.next(t), topic, kind, body, "")
}

// The suite's publisher announces what it publishes with either name of the parameter.
func TestPublisherNotifiesTheHub(t *testing.T) {
	w := newWorld(t)
	w.ask(url.Values{"hub.mode": {"publish"}, "hub.topic": {topicA}})
	w.ask(url.Values{"hub.mode": {"publish"}, "hub.url": {topicA, "https://news.example/b", topicA}})
	if got := strings.Join(w.polled, " "); got != topicA+" "+topicA+" https://news.example/b" {
		t.Errorf("polled %s", got)
	}
}
