package websub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/egress"
)

// Section 5.1: a request is a form with callback, mode and topic. The topic is the self link (websub.rocks S200 to
// S202: whatever the address was at first). The callback is one of its own, and the secret has less than 200 bytes.
func TestS200TheTopicIsTheSelfLink(t *testing.T) {
	w := newWorld(t)
	w.s.Polled(channel, &Discovery{Hubs: []string{w.hub.URL + "/hub"}, Topic: "https://other.example/self"}, false)
	w.tick()
	form := w.next()
	if form.Get(":request") != "POST /hub" || form.Get("hub.mode") != "subscribe" ||
		form.Get("hub.topic") != "https://other.example/self" || form.Get("hub.lease_seconds") != "864000" {
		t.Errorf("asked with %v", form)
	}
	name := strings.TrimPrefix(form.Get("hub.callback"), w.callbacks.URL+"/websub/")
	if len(name) < 26 || strings.Contains(name, "/") {
		t.Errorf("the callback is %s", form.Get("hub.callback"))
	}
	if secret := form.Get("hub.secret"); len(secret) < 26 || len(secret) >= 200 {
		t.Errorf("the secret is %q", secret)
	}
	w.mustBe(tidings.HubAsked)
	w.tick()
	w.none()
}

// Section 5.1: a secret is sent only over TLS. On this machine nobody else can read it.
func TestSecretsAreForHubsOverTLS(t *testing.T) {
	for hub, want := range map[string]bool{"https://hub.example/": true, "http://hub.example/": false,
		"http://127.0.0.1:80/": true, "http://127.0.0.1.example/": false} {
		if s := newSubscription(channel, WebSub, hub, channel, testTime); (s.Secret != "") != want {
			t.Errorf("%s: secret %q", hub, s.Secret)
		}
	}
}

// websub.rocks S203 and S204: a hub that moved is followed with the whole request. Other redirects are not followed.
func TestS203AndS204HubsThatMoved(t *testing.T) {
	for status, follows := range map[int]bool{307: true, 308: true, 301: false, 302: false, 303: false} {
		w := newWorld(t)
		w.answer = func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hub" {
				http.Redirect(rw, r, "/new", status)
				return
			}
			rw.WriteHeader(http.StatusAccepted)
		}
		first := w.asked()
		if !follows {
			w.none()
			w.mustBe(tidings.HubFailed)
			continue
		}
		second := w.next()
		if second.Get(":request") != "POST /new" || second.Get("hub.callback") != first.Get("hub.callback") ||
			second.Get("hub.secret") != first.Get("hub.secret") {
			t.Errorf("%d: asked with %v", status, second)
		}
		w.confirmed(second, "600")
		w.mustBe(tidings.HubActive)
	}
	w := newWorld(t)
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "/hub", http.StatusTemporaryRedirect)
	}
	w.asked()
	for range maxHops - 1 {
		w.next()
	}
	w.none()
	w.mustBe(tidings.HubFailed)
}

// websub.rocks S205 and section 5.3: what was not asked for is not confirmed, but answered with 404.
func TestS205OnlyWhatWasAskedForIsConfirmed(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	callback := form.Get("hub.callback")
	for name, asked := range map[string][]string{
		"another topic": {"hub.mode", "subscribe", "hub.topic", channel + "?invalid", "hub.challenge", "abc"},
		"no topic":      {"hub.mode", "subscribe", "hub.challenge", "abc"},
		"unsubscribe":   {"hub.mode", "unsubscribe", "hub.topic", channel, "hub.challenge", "abc"},
		"no mode":       {"hub.topic", channel, "hub.challenge", "abc"},
		"no challenge":  {"hub.mode", "subscribe", "hub.topic", channel},
		"a long one": {"hub.mode", "subscribe", "hub.topic", channel, "hub.challenge",
			strings.Repeat("x", maxChallenge+1)},
		"denied, another": {"hub.mode", "denied", "hub.topic", channel + "?invalid"},
	} {
		if status, body := w.get(callback, asked...); status != http.StatusNotFound || strings.Contains(body, "abc") {
			t.Errorf("%s: %d %q", name, status, body)
		}
	}
	if status, _ := w.get(callback+"x", "hub.mode", "subscribe", "hub.topic", channel, "hub.challenge",
		"abc"); status != http.StatusNotFound {
		t.Errorf("another callback: %d", status)
	}
	w.mustBe(tidings.HubAsked)
	w.confirmed(form, "")
	w.mustBe(tidings.HubActive)
	if status, _ := w.get(callback, "hub.mode", "subscribe", "hub.topic", channel, "hub.challenge", "abc",
		"hub.lease_seconds", "1209600"); status != http.StatusNotFound {
		t.Errorf("a second confirmation that nobody asked for: %d", status)
	}
}

// Hubs that escape the topic again are understood.
func TestATopicMayBeEscapedAnotherWay(t *testing.T) {
	w := newWorld(t)
	w.s.Polled(channel, &Discovery{Hubs: []string{w.hub.URL + "/hub"}, Topic: "https://news.example/~a?q=x%20y"}, false)
	w.tick()
	form := w.next()
	if status, _ := w.get(form.Get("hub.callback"), "hub.mode", "subscribe", "hub.topic",
		"https://news.example/%7Ea?q=x%20y", "hub.challenge", "abc"); status != http.StatusOK {
		t.Errorf("%d", status)
	}
}

// websub.rocks S300 and section 7: a delivery is acknowledged, and has the channel polled: at once, and later if
// nothing was found.
func TestS300ADeliveryIsAcknowledged(t *testing.T) {
	w := newWorld(t)
	callback, secret := w.active()
	for _, method := range []string{"sha1", "sha256", "sha384", "sha512"} {
		w.pass(10 * time.Minute)
		w.polls()
		if status := w.push(callback, "<feed/>", signature(method, secret, "<feed/>")); status != http.StatusAccepted {
			t.Errorf("%s: %d", method, status)
		}
		if n := w.polls(); n != 1 {
			t.Errorf("%s: %d polls", method, n)
		}
		w.s.Polled(channel, nil, true)
	}
	w.pass(10 * time.Minute)
	if w.polls() != 0 {
		t.Error("it is polled again after the news was found")
	}
	w.push(callback, "<feed/>", signature("sha256", secret, "<feed/>"))
	w.polls()
	w.s.Polled(channel, nil, false) // nothing new
	for _, c := range []struct {
		after time.Duration
		polls int
	}{{59 * time.Second, 0}, {time.Second, 1}, {time.Minute, 0}, {3 * time.Minute, 1}, {time.Hour, 0}} {
		if w.pass(c.after); w.polls() != c.polls {
			t.Errorf("%v later: not %d polls", c.after, c.polls)
		}
	}
}

// Many pushes cause few polls, the last of which is after them.
func TestPushesCauseABoundedNumberOfPolls(t *testing.T) {
	w := newWorld(t)
	callback, secret := w.active()
	w.polls()
	for range 100 {
		if status := w.push(callback, "", signature("sha256", secret, "")); status != http.StatusAccepted {
			t.Fatalf("%d", status)
		}
	}
	if n := w.polls(); n != 1 {
		t.Errorf("%d polls", n)
	}
	if w.pass(pollPause); w.polls() != 1 {
		t.Error("the last push is not followed by a poll")
	}
}

// websub.rocks S301, S302 and section 7.1: what is not signed as it should be has no effect.
func TestS301AndS302SignaturesAreChecked(t *testing.T) {
	w := newWorld(t)
	callback, secret := w.active()
	w.polls()
	body := "<feed>news</feed>"
	right := signature("sha256", secret, body)
	for name, given := range map[string]string{
		"S302 none": "", "S301 another": signature("sha256", "another", body),
		"of another body": signature("sha256", secret, body+" "),
		"no method":       strings.TrimPrefix(right, "sha256="), "unknown method": "md5=" +
			strings.TrimPrefix(right, "sha256="), "another method": "sha512=" + strings.TrimPrefix(right, "sha256="),
		"no digits": "sha256=", "cut": right[:len(right)-2], "longer": right + "00", "no hexadecimal": "sha256=zz",
	} {
		if status := w.push(callback, body, given); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	if d := w.s.Describe(channel); d.Pushes != 0 || w.polls() != 0 {
		t.Errorf("%d pushes counted", d.Pushes)
	}
	if status := w.push(callback, body, strings.ToUpper(right)); status != http.StatusAccepted {
		t.Errorf("in large letters: %d", status)
	}
}

// A push has a bound, and one to a callback that there is not is answered with 410, so that the hub stops.
func TestPushesAreBounded(t *testing.T) {
	w := newWorld(t)
	callback, _ := w.active()
	w.polls()
	r, err := http.NewRequest(http.MethodPost, callback, io.LimitReader(zeros{}, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(r); err == nil { // or the connection is cut while it is sent
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%d", answer.StatusCode)
		}
	}
	if w.polls() != 0 {
		t.Error("it causes a poll")
	}
	refused := 0
	for i := range 2 * strangers {
		switch status := w.push(fmt.Sprint(callback, i), "", ""); status {
		case http.StatusGone:
		case http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("%d", status)
		}
	}
	if refused == 0 {
		t.Error("guesses are not limited")
	}
	req, err := http.NewRequest(http.MethodPut, callback, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", answer.StatusCode)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Section 5.2: a denial ends the attempts; the hub is asked again after a day.
func TestADenialEndsTheAttempts(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	if status, _ := w.get(form.Get("hub.callback"), "hub.mode", "denied", "hub.topic", channel, "hub.reason",
		"not\nhere"); status != http.StatusOK {
		t.Errorf("%d", status)
	}
	w.mustBe(tidings.HubDenied)
	if d := w.s.Describe(channel); !strings.Contains(d.Problem, "not here") {
		t.Errorf("shown as %+v", d)
	}
	w.pass(23 * time.Hour)
	w.none()
	w.pass(time.Hour)
	w.next()
}

// Section 5.1: the lease that the hub grants counts, within bounds. It is renewed when two thirds are over, after the
// topic was read again (6.1). At its end without a renewal the channel is polled by plan.
func TestLeasesAreRenewed(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	w.confirmed(form, "9000") // 2.5 h
	w.prove(form)
	w.polls()
	w.pass(100*time.Minute - time.Second)
	if w.polls() != 0 {
		t.Error("the topic is read too early")
	}
	if w.pass(time.Second); w.polls() != 1 {
		t.Error("the topic is not read again")
	}
	w.none()
	w.pass(checkBefore)
	again := w.next()
	if again.Get("hub.callback") != form.Get("hub.callback") || again.Get("hub.secret") != form.Get("hub.secret") {
		t.Errorf("renewed with %v", again)
	}
	w.mustBe(tidings.HubGood)
	w.confirmed(again, "9000")
	if d := w.s.Describe(channel); !d.Expires.Equal(w.clock().Add(9000 * time.Second)) {
		t.Errorf("until %v", d.Expires)
	}
	w.pass(100 * time.Minute)
	w.pass(checkBefore)
	w.next() // and the hub does not confirm it
	w.pass(48*time.Minute - time.Second)
	if !w.covered() {
		t.Error("it ends before the lease")
	}
	w.pass(time.Second)
	if w.covered() || w.state() == tidings.HubGood {
		t.Errorf("it is %s after the lease", w.state())
	}
	w.pass(maxRetry)
	w.next()
}

// A lease is what the hub grants, if that can be; else what was asked for.
func TestLeasesHaveBounds(t *testing.T) {
	for granted, want := range map[string]time.Duration{
		"1": minLease, "300": 5 * time.Minute, "301": 301 * time.Second, "1209600": maxLease, "1209601": maxLease,
		"99999999999": maxLease,
		"":            lease, "0": lease, "-5": lease, "soon": lease, "99999999999999999999": lease,
	} {
		w := newWorld(t)
		w.confirmed(w.asked(), granted)
		if d := w.s.Describe(channel); !d.Expires.Equal(testTime.Add(want)) {
			t.Errorf("%q: until %v", granted, d.Expires)
		}
	}
}

// A hub over TLS cannot have the secret sent on without TLS.
func TestASecretStaysWithinTLS(t *testing.T) {
	w := newWorld(t)
	secure := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, w.hub.URL+"/hub", http.StatusTemporaryRedirect)
	}))
	defer secure.Close()
	w.s.client.Transport.(*http.Transport).TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	w.s.Polled(channel, &Discovery{Hubs: []string{secure.URL}, Topic: channel}, false)
	w.tick()
	w.none()
	if d := w.s.Describe(channel); d.Problem != "the hub points to where it cannot be" {
		t.Errorf("shown as %+v", d)
	}
}

// A topic that names another hub, or another topic, moves the subscription there (6.1). The old hub is asked to end it,
// and may verify that.
func TestASubscriptionMoves(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	w.confirmed(form, "9000")
	w.s.Polled(channel, &Discovery{Hubs: []string{w.hub.URL + "/second"}, Topic: channel}, false)
	w.tick()
	got := map[string]url.Values{}
	for range 2 {
		r := w.next()
		got[r.Get("hub.mode")] = r
	}
	old, next := got["unsubscribe"], got["subscribe"]
	if old.Get(":request") != "POST /hub" || old.Get("hub.callback") != form.Get("hub.callback") ||
		next.Get(":request") != "POST /second" || next.Get("hub.callback") == form.Get("hub.callback") ||
		next.Get("hub.secret") == form.Get("hub.secret") {
		t.Errorf("asked with %v and %v", old, next)
	}
	if status, _ := w.get(old.Get("hub.callback"), "hub.mode", "subscribe", "hub.topic", channel, "hub.challenge",
		"abc"); status != http.StatusNotFound {
		t.Errorf("the old hub may subscribe: %d", status)
	}
	w.confirmed(old, "")
	w.confirmed(next, "9000")
	if status := w.push(form.Get("hub.callback"), "", ""); status != http.StatusGone {
		t.Errorf("a push to the old callback: %d", status)
	}
	w.pass(verifyWithin)
	if status, _ := w.get(old.Get("hub.callback"), "hub.mode", "unsubscribe", "hub.topic", channel, "hub.challenge",
		"abc"); status != http.StatusNotFound {
		t.Errorf("much later: %d", status)
	}
}

// What names no hub any more, is not watched, or is not public has no subscription.
func TestASubscriptionEnds(t *testing.T) {
	for name, end := range map[string]func(w *world){
		"no hub":      func(w *world) { w.s.Polled(channel, &Discovery{Topic: channel}, false) },
		"not watched": func(w *world) { w.gone[channel] = true; w.now = w.now.Add(watchEvery) },
		"forgotten":   func(w *world) { w.s.Forget(channel); w.s.Forget(channel) },
	} {
		w := newWorld(t)
		w.active()
		w.tick()
		if len(w.stored) != 1 {
			t.Errorf("%s: %d are stored", name, len(w.stored))
		}
		end(w)
		w.tick()
		if got := w.next(); got.Get("hub.mode") != "unsubscribe" {
			t.Errorf("%s: the hub gets %v", name, got)
		}
		if w.state() != "" || len(w.stored) != 0 {
			t.Errorf("%s: it is %q, and %d are stored", name, w.state(), len(w.stored))
		}
	}
}

// prove has a push bring news.
func (w *world) prove(form url.Values) {
	w.t.Helper()
	if status := w.push(form.Get("hub.callback"), "x",
		signature("sha256", form.Get("hub.secret"), "x")); status != http.StatusAccepted {
		w.t.Fatalf("a push: %d", status)
	}
	w.s.Polled(channel, w.hubs(), true)
}

// A channel is polled seldom once its hub has proved itself, and by plan again when polls find what should have been
// pushed. The tally has it all. Many hubs accept subscriptions and deliver nothing.
func TestHubsThatAcceptAndDoNotDeliver(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	if w.covered() {
		t.Error("it counts before the hub has confirmed it")
	}
	w.confirmed(form, "864000")
	if w.covered() {
		t.Error("it counts before a push has come")
	}
	for range 3 { // by plan
		w.s.Polled(channel, w.hubs(), true)
		w.pass(missAfter)
	}
	if d := w.s.Describe(channel); d.Missed != 3 || d.State != tidings.HubUnreliable || w.covered() {
		t.Errorf("shown as %+v", d)
	}
	w.prove(form)
	w.mustBe(tidings.HubGood)
	until, why := w.s.Pushed(channel)
	if !until.Equal(w.clock().Add(BackupEvery)) || why == "" {
		t.Errorf("polled at %v: %s", until, why)
	}
	w.pass(BackupEvery)
	w.s.Polled(channel, w.hubs(), true)
	w.pass(missAfter)
	if !w.covered() {
		t.Error("one miss is enough")
	}
	w.s.Polled(channel, w.hubs(), true)
	w.pass(missAfter)
	if d := w.s.Describe(channel); w.covered() || d.State != tidings.HubUnreliable || d.Missed != 5 || d.Brought != 1 ||
		d.Pushes != 1 {
		t.Errorf("shown as %+v", d)
	}
	w.prove(form)
	w.mustBe(tidings.HubGood)
}

// A poll by plan that was a moment before the push is no miss.
func TestAPollMayBeBeforeThePush(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	w.confirmed(form, "864000")
	w.s.Polled(channel, w.hubs(), true)
	w.pass(missAfter - time.Second)
	if status := w.push(form.Get("hub.callback"), "x",
		signature("sha256", form.Get("hub.secret"), "x")); status != http.StatusAccepted {
		t.Fatal(status)
	}
	w.s.Polled(channel, nil, false)
	w.pass(time.Hour)
	if d := w.s.Describe(channel); d.Missed != 0 || d.Brought != 1 || d.State != tidings.HubGood {
		t.Errorf("shown as %+v", d)
	}
}

// A hub that refuses, or cannot be reached, is asked again, each time after twice as long, and a hub that does not
// confirm too.
func TestRequestsAreRepeated(t *testing.T) {
	w := newWorld(t)
	w.answer = func(rw http.ResponseWriter, _ *http.Request) {
		http.Error(rw, "no\nroom", http.StatusServiceUnavailable)
	}
	w.asked()
	if d := w.s.Describe(channel); d.State != tidings.HubFailed ||
		d.Problem != "the hub answered 503 Service Unavailable: no room" {
		t.Errorf("shown as %+v", d)
	}
	for _, wait := range []time.Duration{firstRetry, 2 * firstRetry, 4 * firstRetry} {
		w.pass(wait - time.Second)
		w.none()
		w.pass(time.Second)
		w.next()
	}
	w.answer = nil
	w.pass(8 * firstRetry)
	w.next()
	w.mustBe(tidings.HubAsked)
	w.pass(verifyWithin)
	w.mustBe(tidings.HubFailed)
	for range 20 {
		w.pass(maxRetry)
		w.next()
		w.pass(verifyWithin)
	}
}

// Where a document names this node's own hub, another one of its hubs is asked; it does not deliver to itself.
func TestTheNodesOwnHubIsNotAsked(t *testing.T) {
	w := newWorld(t)
	own := w.callbacks.URL + "/hub"
	w.s.Polled(channel, &Discovery{Hubs: []string{own}, Topic: channel}, false)
	w.tick()
	w.mustBe("")
	d := &Discovery{Hubs: []string{own, strings.Replace(own, "http", "HTTP", 1), w.hub.URL + "/hub"}, Topic: channel}
	w.s.Polled(channel, d, false)
	w.tick()
	if form := w.next(); form.Get("hub.topic") != channel || len(d.Hubs) != 3 {
		t.Errorf("asked %v, of %v", form, d.Hubs)
	}
	w.s.Polled(channel, &Discovery{Hubs: []string{own}, Topic: channel}, false)
	w.mustBe("")
}

// Hubs at private addresses are refused as origins are.
func TestHubsAtPrivateAddresses(t *testing.T) {
	w := newWorld(t)
	w.s.client = egress.Client(egress.ForMessages(false).Transport(maxHeader))
	w.s.Polled(channel, w.hubs(), false)
	w.tick()
	w.none()
	if d := w.s.Describe(channel); d.State != tidings.HubFailed || !strings.Contains(d.Problem, "private") {
		t.Errorf("shown as %+v", d)
	}
	w.s.Polled(channel, &Discovery{Hubs: []string{"http://localhost:22/"}, Topic: channel}, false)
	w.tick()
	if d := w.s.Describe(channel); !strings.Contains(d.Problem, "private") {
		t.Errorf("shown as %+v", d)
	}
}

// The state of subscriptions survives a restart, with the tally; what cannot be read is made anew. A store that fails
// is written again.
func TestSubscriptionsSurviveARestart(t *testing.T) {
	w := newWorld(t)
	form := w.asked()
	w.confirmed(form, "864000")
	w.failing = errors.New("full")
	w.prove(form)
	w.tick()
	w.failing = nil
	w.tick()
	before := *w.s.Describe(channel)
	w.s = w.restart()
	if after := *w.s.Describe(channel); after != before || after.State != tidings.HubGood {
		t.Errorf("%+v became %+v", before, after)
	}
	w.prove(form)
	w.tick()
	w.none()
	w.stored[channel] = []byte("{")
	w.s = w.restart()
	if w.state() != "" {
		t.Errorf("it is %s", w.state())
	}
	if again := w.asked(); again.Get("hub.callback") == form.Get("hub.callback") {
		t.Error("the callback is the same")
	}
	// What is removed while the store fails is removed later.
	w.failing = errors.New("full")
	w.s.Forget(channel)
	w.tick()
	w.failing = nil
	w.tick()
	if len(w.stored) != 0 {
		t.Errorf("stored: %v", w.stored)
	}
}

// rssCloud: a cloud is asked with the callback in parts, tries it with a challenge, and then counts as subscribed for
// 25 hours. A notification has the channel polled.
func TestRSSCloud(t *testing.T) {
	w := newWorld(t)
	w.s.Polled(channel, &Discovery{Cloud: w.hub.URL + "/rsscloud/pleaseNotify"}, false)
	var tried string
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		for _, sub := range w.s.tokens {
			_, tried = w.get(w.callbacks.URL+"/websub/"+sub.Token, "url", channel, "challenge", "ch")
		}
	}
	w.tick()
	form := w.next()
	host, port, _ := strings.Cut(strings.TrimPrefix(w.callbacks.URL, "http://"), ":")
	if form.Get(":request") != "POST /rsscloud/pleaseNotify" || form.Get("protocol") != "http-post" ||
		form.Get("domain") != host || form.Get("port") != port || form.Get("url1") != channel ||
		!form.Has("notifyProcedure") || !strings.HasPrefix(form.Get("path"), "/websub/") {
		t.Errorf("asked with %v", form)
	}
	if tried != "ch" {
		t.Errorf("the challenge was answered with %q", tried)
	}
	d := w.s.Describe(channel)
	if d.State != tidings.HubActive || d.Protocol != "rsscloud" || !d.Expires.Equal(testTime.Add(cloudTime)) {
		t.Errorf("shown as %+v", d)
	}
	var callback string
	for token := range w.s.tokens {
		callback = w.callbacks.URL + "/websub/" + token
	}
	if status, _ := w.get(callback, "url", "https://other.example/", "challenge", "ch"); status != http.StatusNotFound {
		t.Errorf("another feed's challenge: %d", status)
	}
	w.polls()
	if status := w.push(callback, "url="+url.QueryEscape(channel), ""); status != http.StatusAccepted ||
		w.polls() != 1 {
		t.Errorf("a notification: %d", status)
	}
	w.s.Polled(channel, nil, true)
	w.mustBe(tidings.HubGood)
	w.pass(cloudTime * 2 / 3)
	w.pass(checkBefore)
	if again := w.next(); again.Get("url1") != channel {
		t.Errorf("renewed with %v", again)
	}
}

// There are at most MaxChannels subscriptions.
func TestSubscriptionsAreBounded(t *testing.T) {
	w := newWorld(t)
	for i := range MaxChannels + 10 {
		w.s.Polled(fmt.Sprint("https://news.example/", i),
			&Discovery{Hubs: []string{"https://hub.example/"}, Topic: channel}, false)
	}
	if len(w.s.channels) != MaxChannels || len(w.s.tokens) != MaxChannels {
		t.Errorf("%d subscriptions", len(w.s.channels))
	}
}

// A subscriber that ends saves what it has, and asks again for what was broken off.
func TestASubscriberEnds(t *testing.T) {
	w := newWorld(t)
	w.active()
	began, hold := make(chan struct{}), make(chan struct{})
	w.answer = func(rw http.ResponseWriter, r *http.Request) { close(began); <-hold }
	defer close(hold)
	w.s.Polled("https://news.example/second", w.hubs(), false)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.s.Run(ctx) }()
	<-began
	cancel()
	<-ended
	w.s = w.restart()
	if d := w.s.Describe("https://news.example/second"); d == nil || d.Problem != "" {
		t.Errorf("shown as %+v", d)
	}
}
