package websub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/egress"
	"tidings/egress/egresstest"
)

// guarded is a world with the node's own guard in its hub.
func guarded(t *testing.T) *world {
	w := newWorld(t)
	w.permit(egress.ForMessages(false))
	return w
}

// permit gives the hub another guard.
func (w *world) permit(g egress.Guard) {
	w.hub.Guard, w.hub.client, w.hub.verifier = g, w.hub.newClient(g), w.hub.newVerifier(g)
}

// Callbacks at private addresses are refused. If the address is written out, that happens at once; if a name leads
// there, when the node connects. The flag that opens private origins opens them.
func TestHostile55CallbacksAtPrivateAddresses(t *testing.T) {
	w := guarded(t)
	for _, callback := range []string{
		"http://127.0.0.1/", "http://127.0.0.1:8080/", "http://10.0.0.1/", "http://192.168.1.1/",
		"http://169.254.169.254/latest",
		"http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "http://0.0.0.0/",
		"http://[64:ff9b::7f00:1]/",
		"http://192.0.2.1/", "http://93.184.215.14:22/", "http://93.184.215.14:25/",
	} {
		w.pass(time.Hour)
		if answer := w.post(asking(subscribe, topicA, callback)); answer.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", callback, answer.Code)
		}
	}
	// localhost is a name: it is refused where the connection is made.
	s := newSubscriber(t)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	err := w.hub.verify(t.Context(), request{mode: subscribe, topic: topicA, callback: "http://localhost" + port})
	if !errors.Is(err, errPrivate) {
		t.Errorf("localhost: %v", err)
	}
	s.none(t)
	w.permit(egress.ForMessages(true))
	w.subscribed(s, topicA, "http://localhost"+port)
}

// A domain that confirms nothing is asked a bounded number of times, from whatever names below it.
func TestHostile55AVerificationFloodAtAThirdParty(t *testing.T) {
	w := newWorld(t)
	w.hub.requests = newLimiter(10_000, time.Second)
	accepted := 0
	for i := range 500 {
		answer := w.post(asking(subscribe, topicA, fmt.Sprintf("http://a%d.victim.invalid/%d", i, i)))
		switch answer.Code {
		case http.StatusAccepted:
			accepted++
		case http.StatusTooManyRequests:
			if answer.Header().Get("Retry-After") == "" {
				t.Fatal("it is not said when to try again")
			}
		default:
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
	}
	if accepted != VerifyBurst {
		t.Errorf("%d accepted", accepted)
	}
	w.pass(10 * VerifyEvery)
	for i := range 100 {
		if w.post(asking(subscribe, topicA, fmt.Sprintf("http://victim.invalid/%d", i))).Code == http.StatusAccepted {
			accepted++
		}
	}
	if accepted != VerifyBurst+10 {
		t.Errorf("%d accepted in all", accepted)
	}
}

// flooded returns a hub that accepts many requests, and a table of the names of callbacks.
func flooded(t *testing.T) (*world, *egresstest.Names) {
	w, names := newWorld(t), new(egresstest.Names)
	w.hub.requests = newLimiter(10_000, time.Second)
	g := egress.ForMessages(true)
	g.Resolver = names.Resolver()
	w.permit(g)
	return w, names
}

// flood sends requests for callbacks below n domains that all have the same addresses, and waits until all are done.
func (w *world) flood(names *egresstest.Names, prefix string, n int, port string, addresses ...netip.Addr) {
	w.t.Helper()
	for i := range n {
		host := fmt.Sprintf("%s%d.example", prefix, i)
		names.Set(host, addresses...)
		w.ask(asking(subscribe, topicA, "http://"+host+port+"/"))
	}
	w.hub.wait.Wait()
}

var here, elsewhere = netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")

// An address that confirms nothing is sent a bounded number of verifications, by whatever names callbacks lead there.
func TestHostile55AVerificationFloodByManyNamesOfOneAddress(t *testing.T) {
	w, names := flooded(t)
	victim := newSubscriber(t)
	victim.set(func() { victim.confirm = http.NotFound })
	port := victim.URL[strings.LastIndex(victim.URL, ":"):]
	w.flood(names, "a", 900, port, here)
	if n := len(victim.requests); n != VerifyBurst {
		t.Errorf("%d verifications", n)
	}
	w.pass(10 * VerifyEvery)
	w.flood(names, "b", 900, port, here)
	if n := len(victim.requests); n != VerifyBurst+10 {
		t.Errorf("%d verifications in all", n)
	}
	// Names that the address confirms have room as soon as it does so, and other addresses have always.
	other := newSubscriberAt(t, "127.0.0.2")
	w.flood(names, "c", 3*VerifyBurst, other.URL[strings.LastIndex(other.URL, ":"):], elsewhere)
	if n := len(w.stored); n != 3*VerifyBurst {
		t.Errorf("%d subscriptions", n)
	}
	victim.set(func() { victim.confirm = nil })
	w.pass(VerifyEvery)
	w.flood(names, "d", 1, port, here)
	w.flood(names, "e", 1, port, here)
	if n := len(w.stored); n != 3*VerifyBurst+2 {
		t.Errorf("%d subscriptions after the address has confirmed", n)
	}
}

// Denials count as verifications do, also where the callback accepts them.
func TestHostile55AFloodOfDenialsByManyNamesOfOneAddress(t *testing.T) {
	w, names := flooded(t)
	victim := newSubscriber(t)
	w.refused[topicA] = tidings.Invalidf("nobody follows it")
	w.flood(names, "a", 100, victim.URL[strings.LastIndex(victim.URL, ":"):], here)
	if n := len(victim.requests); n != VerifyBurst {
		t.Errorf("%d denials", n)
	}
}

// The end of a subscription that was confirmed does not count if its callback accepts the denial.
func TestEndsOfSubscriptionsAreAllAnnounced(t *testing.T) {
	w, names := flooded(t)
	s := newSubscriber(t)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	end := func(prefix string) int {
		for i := range 3 * VerifyBurst {
			host := fmt.Sprintf("%s%d.example", prefix, i)
			names.Set(host, here)
			if !w.hub.End(tidings.HubSubscription{Topic: topicA, Callback: "http://" + host + port, Domain: host},
				"it has ended") {
				t.Fatal("there is no room")
			}
			w.hub.wait.Wait()
		}
		return len(s.requests)
	}
	if n := end("a"); n != 3*VerifyBurst {
		t.Errorf("%d announced", n)
	}
	s.set(func() { s.confirm = http.NotFound })
	if n := end("b"); n != 4*VerifyBurst {
		t.Errorf("%d announced where nobody accepts them", n-3*VerifyBurst)
	}
}

// A name with several addresses counts at each that a connection was tried to; a confirmation counts where it came
// from.
func TestHostile55NamesOfAVictimAndOfACallback(t *testing.T) {
	w, names := flooded(t)
	s := newSubscriber(t)
	w.flood(names, "a", 3*VerifyBurst, s.URL[strings.LastIndex(s.URL, ":"):], elsewhere, here)
	if n := len(w.stored); n != 3*VerifyBurst {
		t.Errorf("%d subscriptions", n)
	}
	if wait := w.hub.machines.limit.allow(machineOf(elsewhere), w.clock()); wait == 0 {
		t.Error("connections to the other address do not count")
	}
	if wait := w.hub.machines.limit.allow(machineOf(here), w.clock()); wait != 0 {
		t.Error("confirmed verifications count")
	}
}

// Callbacks are confirmed, and then their name leads to another machine. That machine gets as few deliveries as it
// would get verifications, until it accepts one.
func TestHostile55CallbacksThatMoveToAThirdParty(t *testing.T) {
	w, names := flooded(t)
	own := newSubscriber(t)
	_, port, _ := net.SplitHostPort(own.Listener.Addr().String())
	victim := newSubscriberAt(t, "127.0.0.2:"+port)
	victim.set(func() { victim.status = http.StatusNotFound })
	names.Set("evil.example", here)
	const all = 5 * VerifyBurst
	for i := range all {
		w.subscribed(own, topicA, fmt.Sprintf("http://evil.example:%s/%d", port, i))
	}
	own.set(func() { own.status = http.StatusInternalServerError })
	if w.change(topicA, atom, "two"); len(own.requests) != all {
		t.Errorf("%d deliveries to a machine that has confirmed, and fails now", len(own.requests))
	}
	w.hub.client.CloseIdleConnections()
	names.Set("evil.example", elsewhere)
	errs := w.change(topicA, atom, "three")
	if n := len(victim.requests); n != VerifyBurst || len(errs) != all {
		t.Errorf("%d deliveries to the other machine, %d errors", n, len(errs))
	}
	w.pass(10 * VerifyEvery)
	w.change(topicA, atom, "four")
	if n := len(victim.requests); n != VerifyBurst+10 {
		t.Errorf("%d deliveries in all", n)
	}
	victim.set(func() { victim.status = http.StatusNoContent })
	w.pass(VerifyEvery)
	if errs := w.change(topicA, atom, "five"); len(errs) != 0 || len(victim.requests) != VerifyBurst+10+all {
		t.Errorf("to one that accepts: %v, %d deliveries in all", errs, len(victim.requests))
	}
}

// A name has an address where nobody is any more, and one that has accepted nothing so far. The delivery goes there.
func TestDeliveriesGoToTheOtherAddressesOfAName(t *testing.T) {
	w, names := flooded(t)
	s := newSubscriber(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	names.Set("moves.example", here)
	w.subscribed(s, topicA, "http://moves.example:"+port+"/")
	s.Close()
	other := newSubscriberAt(t, "127.0.0.2:"+port)
	for i, addresses := range [][]netip.Addr{{here, elsewhere}, {elsewhere, here}} {
		w.hub.client.CloseIdleConnections()
		names.Set("moves.example", addresses...)
		w.hub.proven = proven{}
		w.hub.proven.add("moves.example", machineOf(here))
		if errs := w.change(topicA, atom, fmt.Sprint(i)); len(errs) != 0 || len(other.requests) != i+1 {
			t.Errorf("%v: %v, %d deliveries", addresses, errs, len(other.requests))
		}
	}
}

// What is remembered of machines has a bound.
func TestProvenMachinesHaveABound(t *testing.T) {
	var p proven
	for i := range maxProven + 10 {
		p.add(fmt.Sprint(i), "192.0.2.1/32")
	}
	if len(p.known) != 10 {
		t.Errorf("%d are remembered", len(p.known))
	}
	to := netip.MustParseAddrPort("192.0.2.1:80")
	for domain, want := range map[string]error{fmt.Sprint(maxProven): nil, "0": errUnproven, "": errUnproven} {
		if err := p.connect(context.WithValue(t.Context(), attemptKey{}, &attempt{domain: domain}), to); !errors.Is(err,
			want) {
			t.Errorf("%q: %v", domain, err)
		}
	}
	if err := p.connect(t.Context(), to); !errors.Is(err, errUnproven) {
		t.Errorf("without an attempt: %v", err)
	}
	if err := p.connect(context.WithValue(t.Context(), attemptKey{}, &attempt{domain: fmt.Sprint(maxProven)}),
		netip.MustParseAddrPort("192.0.2.2:80")); !errors.Is(err, errUnproven) {
		t.Errorf("another machine: %v", err)
	}
}

// One machine has one name, in whatever its address is wrapped.
func TestMachinesHaveOneName(t *testing.T) {
	for _, same := range [][]string{
		{"192.0.2.7", "::ffff:192.0.2.7", "64:ff9b::192.0.2.7", "2002:c000:207::1", "2002:c000:207:5::9"},
		{"2606:4700:1:2::1", "2606:4700:1:2:ffff::7", "2606:4700:1:2::1%eth0"},
	} {
		for _, a := range same {
			if got, want := machineOf(netip.MustParseAddr(a)), machineOf(netip.MustParseAddr(same[0])); got != want {
				t.Errorf("%s is %s, not %s", a, got, want)
			}
		}
	}
	if machineOf(netip.MustParseAddr("2606:4700:1:2::1")) == machineOf(netip.MustParseAddr("2606:4700:1:3::1")) {
		t.Error("two networks have one name")
	}
}

// One that confirms what it is asked can subscribe to as much as it likes.
func TestADomainThatConfirmsIsNotLimited(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	for i := range 3 * VerifyBurst {
		w.subscribed(s, topicA, fmt.Sprintf("%s/%d", s.URL, i))
	}
}

// One verification is under way for a domain, and the queue of all is bounded.
func TestHostile55OneVerificationAtATime(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	w.hub.requests, w.hub.verifications = newLimiter(100_000, time.Second), newLimiter(100_000, time.Second)
	wait := make(chan struct{})
	s.set(func() {
		s.confirm = func(w http.ResponseWriter, r *http.Request) { <-wait; w.WriteHeader(http.StatusNotFound) }
	})
	full := 0
	for i := range 2 * maxLine {
		if answer :=
			w.post(asking(subscribe, topicA,
				fmt.Sprintf("%s/%d", s.URL, i))); answer.Code == http.StatusServiceUnavailable {
			full++
		}
		if i == 0 {
			s.next(t)
		}
	}
	if full < maxLine-1 {
		t.Errorf("%d refused", full)
	}
	s.none(t) // the others wait
	s.set(func() { s.confirm = nil })
	other := newSubscriber(t)
	w.subscribed(other, topicA, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)) // another domain does not
	close(wait)
}

// A client sends a bounded number of requests, and its address may be one that a proxy names.
func TestRequestsAreLimitedByClient(t *testing.T) {
	w := newWorld(t)
	client := "one"
	w.hub.Client = func(*http.Request) string { return client }
	refused := 0
	for range 2 * requestBurst {
		if w.post(url.Values{}).Code == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != requestBurst {
		t.Errorf("%d refused", refused)
	}
	if client = "two"; w.post(url.Values{}).Code != http.StatusBadRequest {
		t.Error("another client is refused")
	}
}

// Pings are limited by topic, however it is written, and by host.
func TestPingsAreLimited(t *testing.T) {
	w := newWorld(t)
	ping := func(topic string) int { return w.post(url.Values{"hub.mode": {"publish"}, "hub.url": {topic}}).Code }
	for range pingBurst {
		if code := ping(topicA); code != http.StatusAccepted {
			t.Errorf("%d", code)
		}
	}
	if code := ping(strings.Replace(topicA, "f", "%66", 1)); code != http.StatusTooManyRequests {
		t.Errorf("%d", code)
	}
	if ping("https://news.example/other") != http.StatusAccepted {
		t.Error("another topic is refused")
	}
	for i := range 2 * hostPingBurst {
		ping(fmt.Sprintf("https://news.example/%d", i))
		w.pass(10 * time.Millisecond)
	}
	if len(w.polled) > hostPingBurst+2 {
		t.Errorf("%d polls of a host", len(w.polled))
	}
	many := url.Values{"hub.mode": {"publish"}}
	for i := range MaxPings + 1 {
		many.Add("hub.url", fmt.Sprintf("https://h%d.example/", i))
	}
	if code := w.post(many).Code; code != http.StatusBadRequest {
		t.Errorf("too many topics: %d", code)
	}
}

// An exchange with a callback ends, whatever that does, and what it sends is not read without end.
func TestHostile55SlowAndEndlessCallbacks(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(net.Conn)
		verify string
		send   string
	}{
		"never answers":      {egresstest.Silent, "timed out", "timed out"},
		"header without end": {egresstest.Endless("HTTP/1.1 200 OK\r\n", "X: y\r\n"), "header", "header"},
		"body without end": {egresstest.Endless("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 4096)),
			"did not repeat", ""},
		"informational for ever": {egresstest.Endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"), "", "1xx"},
		"closes":                 {func(net.Conn) {}, "EOF", "EOF"},
		"no HTTP":                {egresstest.Says("220 smtp ready\r\n"), "malformed", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if name == "never answers" {
				w.hub.timeout = 100 * time.Millisecond
			}
			callback := egresstest.ServeHTTP(t, c.serve) + "/secret"
			err := w.hub.verify(t.Context(), request{mode: subscribe, topic: topicA, callback: callback})
			if err == nil || !strings.Contains(err.Error(), c.verify) {
				t.Errorf("verified: %v", err)
			}
			if err != nil && strings.Contains(err.Error(), callback) {
				t.Errorf("%v names the callback", err)
			}
			w.stored[[2]string{topicA, callback}] = tidings.HubSubscription{
				Target: 1, Topic: topicA, Callback: callback, Channel: topicA, Expires: testTime.Add(time.Hour),
			}
			if err := w.deliver(1, 1); c.send == "" && err != nil ||
				c.send != "" &&
					(err == nil || !strings.Contains(err.Error(), c.send) && name != "informational for ever") {
				t.Errorf("delivered: %v", err)
			}
		})
	}
}

// The content of a topic is read once for all of its subscriptions.
func TestContentIsReadOnceForAllSubscriptions(t *testing.T) {
	w, s := newWorld(t), newSubscriber(t)
	for i := range 20 {
		w.subscribed(s, topicA, fmt.Sprintf("%s/%d", s.URL, i))
	}
	w.changeOK(topicA, atom, "two")
	w.changeOK(topicA, atom, "three")
	if w.reads != 2 {
		t.Errorf("read %d times", w.reads)
	}
}

// A subscription has what it was sent, and what came before that. Another topic or callback in the place of its target
// is another subscription.
func TestWhatASubscriptionHas(t *testing.T) {
	d := newDocuments()
	d.sent(1, "https://a.example/feed", "https://b.example/hook", 5)
	for _, c := range []struct {
		target            int64
		channel, callback string
		version           tidings.Version
		has               bool
	}{
		{1, "https://a.example/feed", "https://b.example/hook", 5, true},
		{1, "https://a.example/feed", "https://b.example/hook", 4, true},
		{1, "https://a.example/feed", "https://b.example/hook", 6, false},
		{1, "https://a.example/other", "https://b.example/hook", 5, false},
		{1, "https://a.example/feed", "https://b.example/other", 5, false},
		{2, "https://a.example/feed", "https://b.example/hook", 5, false},
	} {
		if has := d.has(c.target, c.channel, c.callback, c.version); has != c.has {
			t.Errorf("%+v: %v", c, has)
		}
	}
}

// What is held of documents has bounds, and each is what was read last.
func TestHeldDocumentsHaveBounds(t *testing.T) {
	d := newDocuments()
	for i := range 100 {
		topic := fmt.Sprint(i % 20)
		doc, err := d.get(t.Context(), topic, tidings.Version(i), func(context.Context) (Document, error) {
			return Document{Body: make([]byte, maxDocumentBytes/4), Version: tidings.Version(i)}, nil
		})
		if err != nil || doc.Version < tidings.Version(i) {
			t.Fatalf("%+v, %v", doc, err)
		}
		bytes := 0
		for _, l := range d.topics {
			bytes += len(l.doc.Body)
		}
		if len(d.topics) > maxDocuments || bytes > maxDocumentBytes+maxDocumentBytes/4 ||
			len(d.order) != len(d.topics) {
			t.Fatalf("%d documents of %d bytes, %d in order", len(d.topics), bytes, len(d.order))
		}
	}
	for i := range 100 {
		if _, err := d.get(t.Context(), fmt.Sprint("small ", i), 1, func(context.Context) (Document, error) {
			return Document{Version: 1}, nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(d.topics) > maxDocuments || len(d.order) != len(d.topics) {
			t.Fatalf("%d small documents, %d in order", len(d.topics), len(d.order))
		}
	}
	failed := errors.New("failed")
	if _, err := d.get(t.Context(), "x", 1, func(context.Context) (Document, error) {
		return Document{}, failed
	}); !errors.Is(err, failed) {
		t.Error(err)
	}
	if doc, err := d.get(t.Context(), "x", 1, func(context.Context) (Document, error) {
		return Document{Version: 1}, nil
	}); err != nil || doc.Version != 1 {
		t.Errorf("after an error: %+v, %v", doc, err)
	}
	for i := range int64(maxSent + 10) {
		d.sent(i, "x", "y", 1)
	}
	if len(d.got) > maxSent {
		t.Errorf("%d subscriptions", len(d.got))
	}
}

// A limiter forgets keys that need no limit, and refuses new ones where it can forget none.
func TestLimitersHaveBounds(t *testing.T) {
	l, now := newLimiter(2, time.Minute), testTime
	for i := range maxLimited {
		if l.allow(fmt.Sprint(i), now) != 0 {
			t.Fatalf("%d is refused", i)
		}
	}
	if l.allow("new", now) == 0 {
		t.Error("a key beyond the bound is admitted")
	}
	now = now.Add(time.Minute)
	if l.allow("new", now) != 0 || len(l.limits) != 1 {
		t.Errorf("%d keys", len(l.limits))
	}
	for i, want := range []bool{true, false} {
		if wait := l.allow("new", now); (wait == 0) != want || !want && wait != time.Minute {
			t.Errorf("event %d waits %v", i+2, wait)
		}
	}
	l.restore("new", now)
	if l.allow("new", now) != 0 {
		t.Error("what was restored counts")
	}
}

// Before it runs, and after, the hub asks to be tried again.
func TestAHubThatDoesNotRun(t *testing.T) {
	hub := New(Config{URL: hubURL, Guard: egress.ForMessages(true)})
	r := httptest.NewRequest(http.MethodPost, hubURL,
		strings.NewReader(asking(subscribe, topicA, "http://127.0.0.1/").Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer := httptest.NewRecorder()
	if hub.ServeHTTP(answer, r); answer.Code != http.StatusServiceUnavailable ||
		answer.Header().Get("Retry-After") != "10" {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
}

// It ends although callbacks do not answer.
func TestAHubEndsWhileCallbacksHang(t *testing.T) {
	hub := New(Config{Store: &world{}, Topics: &world{}, URL: hubURL, Guard: egress.ForMessages(true)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); hub.Run(ctx) }()
	began := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	}))
	defer s.Close()
	for {
		q, _ := parse(asking(subscribe, topicA, s.URL))
		if hub.enqueue("127.0.0.1", job{request: q}) {
			break
		}
		time.Sleep(time.Millisecond) // until Run has begun
	}
	<-began
	cancel()
	<-ended
}
