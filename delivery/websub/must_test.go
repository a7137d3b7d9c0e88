package websub

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
)

// What the recommendation says that a hub MUST do, by its sections.

// Section 5.1: requests are forms in UTF-8 with callback, mode and topic; what cannot be is refused with the reason as
// text.
func TestMust51RequestsAreForms(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	for name, c := range map[string]struct {
		change func(url.Values)
		want   string
	}{
		"no mode":        {func(f url.Values) { f.Del("hub.mode") }, "hub.mode is missing"},
		"unknown mode":   {func(f url.Values) { f.Set("hub.mode", "denied") }, "hub.mode is none of"},
		"no topic":       {func(f url.Values) { f.Del("hub.topic") }, "hub.topic is missing"},
		"no callback":    {func(f url.Values) { f.Del("hub.callback") }, "hub.callback is missing"},
		"relative topic": {func(f url.Values) { f.Set("hub.topic", "/feed") }, "hub.topic is no http"},
		"another scheme": {func(f url.Values) {
			f.Set("hub.callback", "ftp://example.org/")
		}, "hub.callback is no http"},
		"no host":      {func(f url.Values) { f.Set("hub.callback", "http:///x") }, "hub.callback is no http"},
		"a space":      {func(f url.Values) { f.Set("hub.callback", s.URL+"/a b") }, "hub.callback is no URL"},
		"a line break": {func(f url.Values) { f.Set("hub.topic", topicA+"\r\nX: y") }, "hub.topic is no URL"},
		"no UTF-8":     {func(f url.Values) { f.Set("hub.topic", topicA+"\xff") }, "hub.topic is no URL"},
		"long topic": {func(f url.Values) { f.Set("hub.topic", topicA+strings.Repeat("x", MaxURL)) },
			"hub.topic has more than 2048"},
		"a fragment": {func(f url.Values) { f.Set("hub.callback", s.URL+"/#x") }, "no fragment"},
		"a user": {func(f url.Values) { f.Set("hub.callback", "http://me:secret@127.0.0.1/") },
			"no user name"},
		"two topics": {func(f url.Values) { f.Add("hub.topic", topicA) }, "hub.topic is there more than once"},
		"two callbacks": {func(f url.Values) { f.Add("hub.callback", s.URL) },
			"hub.callback is there more than once"},
		"a lease of words": {func(f url.Values) { f.Set("hub.lease_seconds", "long") }, "hub.lease_seconds"},
		"a lease before":   {func(f url.Values) { f.Set("hub.lease_seconds", "-5") }, "hub.lease_seconds"},
		"the hub itself": {func(f url.Values) { f.Set("hub.callback", "https://HUB.example:443/hub") },
			"at this node"},
		"publish nothing": {func(f url.Values) { f.Set("hub.mode", "publish"); f.Del("hub.topic") },
			"hub.topic or hub.url"},
		"no port": {func(f url.Values) { f.Set("hub.callback", "http://127.0.0.1:0/") }, "port"},
	} {
		t.Run(name, func(t *testing.T) {
			form := asking(subscribe, topicA, s.URL)
			c.change(form)
			w.pass(time.Hour)
			answer := w.post(form)
			if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), c.want) {
				t.Errorf("%d %s, not %q", answer.Code, answer.Body, c.want)
			}
			if kind := answer.Header().Get("Content-Type"); kind != "text/plain; charset=utf-8" {
				t.Errorf("the reason is %s", kind)
			}
		})
	}
	s.none(t)
	for name, c := range map[string]struct {
		method, kind, body string
		want               int
	}{
		"GET":     {"GET", "", "", http.StatusMethodNotAllowed},
		"JSON":    {"POST", "application/json", `{"hub.mode": "subscribe"}`, http.StatusUnsupportedMediaType},
		"no form": {"POST", "application/x-www-form-urlencoded", "hub.mode=%zz", http.StatusBadRequest},
		"endless": {"POST", "application/x-www-form-urlencoded", strings.Repeat("x", MaxRequest+1),
			http.StatusRequestEntityTooLarge},
		"the longest": {"POST", "application/x-www-form-urlencoded", strings.Repeat("x", MaxRequest),
			http.StatusBadRequest},
	} {
		r := httptest.NewRequest(c.method, hubURL, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		answer := httptest.NewRecorder()
		if w.hub.ServeHTTP(answer, r); answer.Code != c.want {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
}

// Section 5.1: a secret has less than 200 bytes.
func TestMust51SecretsHaveLessThan200Bytes(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	if answer :=
		w.post(asking(subscribe, topicA, s.URL, "hub.secret",
			strings.Repeat("x", 200))); answer.Code != http.StatusBadRequest {
		t.Errorf("200 bytes: %d", answer.Code)
	}
	w.subscribed(s, topicA, s.URL, "hub.secret", strings.Repeat("x", 199))
	w.changeOK(topicA, atom, "two")
	notified(t, s.next(t), topicA, atom, "two", strings.Repeat("x", 199))
}

// Section 5.1: the hub's own lease holds where the subscriber's is out of bounds; the verification says it; none is for
// ever.
func TestMust51LeasesAreBounded(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	for text, want := range map[string]time.Duration{
		"": DefaultLease, "0": MinLease, "1": MinLease, "299": MinLease, "300": MinLease, "301": 301 * time.Second,
		"2592000": MaxLease, "2592001": MaxLease, "1000000000000": MaxLease, "99999999999999999999999": MaxLease,
	} {
		callback := s.URL + "/" + text
		r := w.subscribed(s, topicA, callback, "hub.lease_seconds", text)
		if got := r.query.Get("hub.lease_seconds"); got != strconv.Itoa(int(want.Seconds())) {
			t.Errorf("asked for %q and got %s", text, got)
		}
		if got := w.subscription(topicA, callback).Expires; !got.Equal(testTime.Add(want)) {
			t.Errorf("asked for %q and got a lease until %v", text, got)
		}
	}
}

// Section 5.1.2: the answer is 202 whatever will come of the verification.
func TestMust512AcceptedBeforeItIsVerified(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	wait := make(chan struct{})
	s.set(func() {
		s.confirm = func(w http.ResponseWriter, r *http.Request) { <-wait; w.WriteHeader(http.StatusNotFound) }
	})
	w.ask(asking(subscribe, topicA, s.URL)) // answered while the callback does not answer
	s.next(t)
	close(wait)
}

// Section 5.1: unknown parameters are ignored: TestH102AdditionalParameters. URLs are compared after unreserved
// characters are decoded.
func TestMust51EscapesOfUnreservedCharactersDoNotCount(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	topic, escaped := "https://news.example/~a/b%2Fc?q=%20", "https://news.example/%7Ea/%62%2fc?q=%20"
	w.subscribed(s, topic, s.URL+"/x-y")
	w.ask(asking(subscribe, escaped, s.URL+"/x%2Dy", "hub.secret", "two"))
	if r := s.next(t); r.query.Get("hub.topic") != escaped {
		t.Errorf("the topic of the verification is %s", r.query.Get("hub.topic"))
	}
	w.await(topic, s.URL+"/x-y", func(s tidings.HubSubscription) bool { return s.Secret == "two" })
	if len(w.stored) != 1 {
		t.Errorf("%d subscriptions", len(w.stored))
	}
	for a, b := range map[string]string{"http://e/a%2Fb": "http://e/a/b", "http://e/a?b": "http://e/a%3Fb",
		"http://e/A": "http://e/a"} {
		if Key(a) == Key(b) {
			t.Errorf("%s and %s are the same", a, b)
		}
	}
}

// Section 5.1: a re-subscription overrides lease and secret, but only once it is verified.
func TestMust51AnUnverifiedResubscriptionChangesNothing(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL, "hub.secret", "one")
	before := w.subscription(topicA, s.URL)
	forged := make(chan struct{})
	s.set(func() {
		s.confirm = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound); close(forged) }
	})
	w.pass(time.Hour)
	w.ask(asking(subscribe, topicA, s.URL, "hub.secret", "forged"))
	s.next(t)
	<-forged
	s.set(func() { s.confirm = nil })
	w.subscribed(s, topicA, s.URL+"/barrier") // the jobs of a domain are done one after the other
	if now := w.subscription(topicA, s.URL); now != before {
		t.Errorf("%+v became %+v", before, now)
	}
	w.ask(asking(subscribe, topicA, s.URL))
	s.next(t)
	w.await(topicA, s.URL, func(now tidings.HubSubscription) bool {
		return now.Secret == "" && now.Expires.After(before.Expires) && now.Target == before.Target
	})
}

// Section 5.3: the verification appends to the callback's query, and its challenge is another one each time.
func TestMust53TheCallbacksQueryStays(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	challenges := make(map[string]bool)
	for range 5 {
		r := w.subscribed(s, topicA, s.URL+"/cb?hub.topic=mine&id=a%26b")
		if got := r.query["hub.topic"]; len(got) != 2 || got[0] != "mine" || got[1] != topicA ||
			r.query.Get("id") != "a&b" {
			t.Errorf("asked with %v", r.query)
		}
		challenge := r.query.Get("hub.challenge")
		if len(challenge) < 16 || challenges[challenge] {
			t.Errorf("the challenge %s", challenge)
		}
		challenges[challenge] = true
	}
	w.changeOK(topicA, atom, "two") // and deliveries go to it
	if r := s.next(t); r.query.Get("id") != "a&b" || r.query.Get("hub.topic") != "mine" || r.path != "/cb" {
		t.Errorf("delivered to %s %v", r.path, r.query)
	}
}

// Section 5.3: 2xx with the challenge confirms; all else does not, redirects too.
func TestMust53OnlyTheChallengeConfirms(t *testing.T) {
	for name, c := range map[string]struct {
		confirm http.HandlerFunc
		ok      bool
	}{
		"200":     {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 200) }, true},
		"201":     {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 201) }, true},
		"299":     {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 299) }, true},
		"300":     {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 300) }, false},
		"404":     {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 404) }, false},
		"500":     {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 500) }, false},
		"nothing": {func(w http.ResponseWriter, r *http.Request) {}, false},
		"another": {func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "AAAA") }, false},
		"more": {func(w http.ResponseWriter, r *http.Request) { repeat(w, r, 200); _, _ = io.WriteString(w, "\n") },
			false},
		"small letters": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.ToLower(r.URL.Query().Get("hub.challenge")))
		}, false},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again?"+r.URL.RawQuery, http.StatusFound)
		}, false},
		"307": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, m := range []mode{subscribe, unsubscribe} {
				w, s := newWorld(t), newSubscriber(t)
				if m == unsubscribe {
					w.subscribed(s, topicA, s.URL)
				}
				s.set(func() { s.confirm = c.confirm })
				w.ask(asking(m, topicA, s.URL))
				s.next(t)
				s.set(func() { s.confirm = nil })
				w.subscribed(s, topicA, s.URL+"/barrier")
				if is := there(w.subscription(topicA, s.URL)); is != (c.ok == (m == subscribe)) {
					t.Errorf("%s: there is a subscription: %v", m, is)
				}
				s.none(t)
			}
		})
	}
}

func repeat(w http.ResponseWriter, r *http.Request, status int) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
}

// Section 5.1: after the lease nothing is delivered.
func TestMust51NothingIsDeliveredAfterTheLease(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL, "hub.lease_seconds", "600")
	w.pass(599 * time.Second)
	w.changeOK(topicA, atom, "two")
	notified(t, s.next(t), topicA, atom, "two", "")
	w.pass(time.Second)
	if errs := w.change(topicA, atom, "three"); len(errs) != 1 {
		t.Errorf("errors: %v", errs)
	}
	s.none(t)
}

// Section 5.2: a topic that the policy forbids is denied at the callback, with the reason, and is not verified.
func TestMust52WhatIsForbiddenIsDenied(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.refused[topicA] = tidings.Invalidf("nobody follows %s here", topicA)
	w.ask(asking(subscribe, topicA, s.URL+"?a=b"))
	r := s.next(t)
	if q := r.query; r.method != "GET" || q.Get("hub.mode") != "denied" || q.Get("hub.topic") != topicA ||
		q.Get("hub.reason") != "nobody follows "+topicA+" here" || q.Get("a") != "b" || q.Has("hub.challenge") {
		t.Errorf("denied by %+v", r)
	}
	if there(w.subscription(topicA, s.URL+"?a=b")) {
		t.Error("it is stored")
	}
	// Denials come at any time, after a subscription was accepted, too.
	if !w.hub.End(tidings.HubSubscription{Topic: topicA, Callback: s.URL, Domain: "127.0.0.1"}, "it has ended") {
		t.Fatal("there is no room")
	}
	if q := s.next(t).query; q.Get("hub.mode") != "denied" || q.Get("hub.reason") != "it has ended" {
		t.Errorf("denied by %v", q)
	}
}

// Section 5.2 and the bounds: what is beyond them is denied once it is verified.
func TestTooManySubscriptionsAreDenied(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.hub.Bounds.All = 2
	w.subscribed(s, topicA, s.URL+"/1")
	w.subscribed(s, topicA, s.URL+"/2")
	w.ask(asking(subscribe, topicA, s.URL+"/3"))
	verified(t, s.next(t), "subscribe", topicA)
	if q := s.next(t).query; q.Get("hub.mode") != "denied" || !strings.Contains(q.Get("hub.reason"), "too many") {
		t.Errorf("denied by %v", q)
	}
	w.subscribed(s, topicA, s.URL+"/1") // a subscription that is there stays
}

// Section 5.3: an unsubscription is verified, and not validated: a topic that is forbidden now can be left. One that is
// not there does no harm.
func TestMust53UnsubscribingNeedsNoTopic(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL)
	w.refused[topicA] = tidings.Invalidf("forbidden")
	w.ask(asking(unsubscribe, topicA, s.URL))
	verified(t, s.next(t), "unsubscribe", topicA)
	w.await(topicA, s.URL, gone)
	w.ask(asking(unsubscribe, topicA, s.URL, "hub.secret", strings.Repeat("x", 300), "hub.lease_seconds", "x"))
	verified(t, s.next(t), "unsubscribe", topicA)
}

// Section 7: deliveries have the topic's type, whole content and links: TestH100TypicalSubscriberRequest and
// TestH105PlaintextContent. Any 2xx is success, 410 ends the subscription, and all else is tried again.
func TestMust7OnlySuccessIsSuccess(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL)
	for status, ok := range map[int]bool{
		200: true, 201: true, 202: true, 204: true, 299: true, 300: false, 301: false, 302: false, 307: false,
		308: false,
		400: false, 404: false, 410: false, 413: false, 429: false, 500: false, 503: false,
	} {
		s.set(func() { s.status = status })
		errs := w.change(topicA, atom, "status "+strconv.Itoa(status))
		if (len(errs) == 0) != ok {
			t.Errorf("%d: %v", status, errs)
		}
		s.next(t)
		if ok {
			continue
		}
		r, refused := errors.AsType[*outbox.Refusal](errs[0])
		if !refused || r.Gone != (status == 410) || r.Final {
			t.Errorf("%d is %+v", status, r)
		}
		s.set(func() { s.status = 200 })
		if err := w.deliver(1, w.version); err != nil { // the next attempt brings it
			t.Error(err)
		}
		if got := s.next(t); got.body != "status "+strconv.Itoa(status) {
			t.Errorf("tried again with %q", got.body)
		}
	}
	s.none(t)
}

// Several updates that wait for a subscription are delivered as one: the newest content.
func TestTheNewestContentIsDeliveredOnce(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL)
	s.set(func() { s.status = 500 })
	first := w.version + 1
	for _, body := range []string{"two", "three", "four"} {
		w.change(topicA, atom, body)
		s.next(t)
	}
	s.set(func() { s.status = 200 })
	for version := first; version <= w.version; version++ {
		if err := w.deliver(1, version); err != nil {
			t.Error(err)
		}
	}
	notified(t, s.next(t), topicA, atom, "four", "")
	s.none(t)
}

// Section 7.1: with a secret the body is signed, byte by byte: TestH101SubscriptionWithSecret. Without one it is not.
func TestMust71TheSignatureIsOfTheBody(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.subscribed(s, topicA, s.URL, "hub.secret", "käse")
	w.changeOK(topicA, atom, "\x00\xff binary \r\n")
	notified(t, s.next(t), topicA, atom, "\x00\xff binary \r\n", "käse")
}

// A callback asks for time by Retry-After.
func TestACallbackAsksForTime(t *testing.T) {
	w := newWorld(t)
	for after, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-5": 0, "1e9": 0, "9999999": 24 * time.Hour, "soon": 0,
		testTime.Add(time.Hour).Format(http.TimeFormat): time.Hour, testTime.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		r, ok := errors.AsType[*outbox.Refusal](w.hub.refused(503, http.Header{"Retry-After": {after}}))
		if !ok || r.After != want {
			t.Errorf("%q: %v", after, r.After)
		}
	}
}
