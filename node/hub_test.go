package node

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tidings"
	"tidings/node/hub"
)

// pythonProgram is an independent program. It receives orders and reports events, as JSON, one a line.
type pythonProgram struct {
	t      testing.TB
	orders io.Writer
	events chan map[string]any
	url    string
	early  map[string]any // an event that came before another, and that next returns
}

// startPython starts a program in testdata. It ends with the test.
func startPython(t testing.TB, file string) *pythonProgram {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	c := exec.Command(python, file)
	c.Stderr = testWriter{t}
	orders, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p := &pythonProgram{t: t, orders: orders, events: make(chan map[string]any, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(p.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var event map[string]any
			if json.Unmarshal(lines.Bytes(), &event) == nil {
				p.events <- event
			}
		}
	}()
	t.Cleanup(func() {
		_ = orders.Close()
		_ = c.Process.Kill()
		<-read
		_ = c.Wait()
	})
	p.url = p.next("listening")["url"].(string)
	return p
}

func (p *pythonProgram) order(what map[string]any) {
	p.t.Helper()
	line, err := json.Marshal(what)
	if err == nil {
		_, err = p.orders.Write(append(line, '\n'))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next event, which must be of one of the kinds.
func (p *pythonProgram) next(kinds ...string) map[string]any {
	p.t.Helper()
	if early := p.early; early != nil {
		p.early = nil
		if kind, _ := early["event"].(string); !slices.Contains(kinds, kind) {
			p.t.Fatalf("the program says %v, not %s", early, kinds)
		}
		return early
	}
	select {
	case event, open := <-p.events:
		if kind, _ := event["event"].(string); !open || !slices.Contains(kinds, kind) {
			p.t.Fatalf("the program says %v, not %s", event, kinds)
		}
		return event
	case <-p.t.Context().Done():
		p.t.Fatal("the program says nothing")
	}
	return nil
}

// changing is an origin with documents that tests change.
type changing struct {
	*httptest.Server
	mu        sync.Mutex
	documents map[string]document
	asked     map[string]int
}

type document struct {
	kind, body string
	header     http.Header
	status     int // 0: 200
}

func startChanging(t testing.TB) *changing {
	c := &changing{documents: make(map[string]document), asked: make(map[string]int)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *changing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	d, known := c.documents[r.URL.Path]
	c.asked[r.URL.Path]++
	c.mu.Unlock()
	if !known {
		http.NotFound(w, r)
		return
	}
	for name, values := range d.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", d.kind)
	if d.status != 0 {
		w.WriteHeader(d.status)
	}
	_, _ = io.WriteString(w, d.body)
}

func (c *changing) set(path string, d document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.documents[path] = d
}

func (c *changing) requests(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[path]
}

// items is an RSS feed with titles.
func items(titles ...string) string {
	var b strings.Builder
	for _, title := range titles {
		fmt.Fprintf(&b, `<item><guid>%s</guid><title>%s</title></item>`, title, title)
	}
	return rss(b.String())
}

// lastPort is the last port that freeAddress has tried.
var lastPort atomic.Uint32

func init() { lastPort.Store(rand.Uint32()) }

// freeAddress returns an address that is not in use now. No system assigns its port to sockets that ask for any: it
// stays free until the test uses it, and while a node restarts.
func freeAddress(t testing.TB) string {
	t.Helper()
	for {
		address := fmt.Sprint("127.0.0.1:", 10_000+lastPort.Add(1)%20_000)
		l, err := net.Listen("tcp", address)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			continue
		case err != nil:
			t.Fatal(err)
		}
		l.Close()
		return address
	}
}

// steady has a node listen for others at one port, also after a restart: nodes that know it find it again.
func steady(t testing.TB) func(*Config) {
	t.Helper()
	_, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Listen = []string{"/ip4/127.0.0.1/tcp/" + port} }
}

// hubConfig has a node be a hub.
func hubConfig(t testing.TB, mode hub.Mode) func(*Config) {
	address := freeAddress(t)
	return func(c *Config) { c.HTTP, c.PublicURL, c.Hub = address, "http://"+address, mode }
}

// publish has the hub notified of a change.
func (p *pythonProgram) publish(hub, topic string) {
	p.t.Helper()
	p.order(map[string]any{"do": "publish", "hub": hub, "topic": topic})
	a := p.next("answer", "delivery")
	if a["event"] == "delivery" { // it may come before the answer is read
		early := a
		a, p.early = p.next("answer"), early
	}
	if a["status"] != 202.0 {
		p.t.Errorf("publishing: %v", a)
	}
}

// subscribe subscribes at a hub, and waits for the verification.
func (p *pythonProgram) subscribe(hub, topic, path string, more map[string]any) map[string]any {
	p.t.Helper()
	order := map[string]any{"do": "subscribe", "hub": hub, "topic": topic, "path": path}
	for name, value := range more {
		order[name] = value
	}
	p.order(order)
	var verification map[string]any
	for range 2 { // the hub may ask before its answer is read
		select {
		case event := <-p.events:
			switch event["event"] {
			case "answer":
				if event["status"] != 202.0 {
					p.t.Fatalf("subscribing: %v", event)
				}
			case "verification", "denied":
				verification = event
			default:
				p.t.Fatalf("subscribing: %v", event)
			}
		case <-p.t.Context().Done():
			p.t.Fatal("nothing happens")
		}
	}
	return verification
}

// awaitSubscriptions waits until so many subscriptions are stored at a node's hub.
func awaitSubscriptions(t testing.TB, n *Node, count int) []tidings.HubSubscription {
	t.Helper()
	for {
		all, err := n.store.Hub.HubSubscriptions(t.Context(), "", 0, 100_000)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == count {
			return all
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("%d subscriptions, not %d", len(all), count)
		}
	}
}

// An independent subscriber gets what changes at any URL: a feed unknown here, a text and JSON. Deliveries are byte for
// byte, with their types, signed, and go on over a restart of the node. It leaves, and the topic is left too.
func TestHubServesAnyURL(t *testing.T) {
	origin := startChanging(t)
	feedType := "application/rss+xml; charset=utf-8"
	for path, d := range map[string]document{
		"/feed": {kind: feedType, body: items("one")},
		"/text": {kind: "text/plain", body: "Hello.\nThis is a text with a line.\n"},
		"/json": {kind: "application/json", body: `{"hello": "world", "count": 1}`},
	} {
		origin.set(path, d)
	}
	config := Config{}
	n, stop := startStoppable(t, hubConfig(t, hub.Open), func(c *Config) { config = *c })
	at := n.config.public() + hub.Path
	p := startPython(t, "testdata/websub/subscriber.py")
	for _, path := range []string{"/feed", "/text", "/json"} {
		v := p.subscribe(at, origin.URL+path, path+"-cb",
			map[string]any{"secret": "secret of " + path, "lease_seconds": 7200, "query": "?id=" + path[1:]})
		if v["known"] != true || v["lease"] != "7200" || v["mode"] != "subscribe" || v["topic"] != origin.URL+path ||
			!strings.HasPrefix(v["query"].(string), "id="+path[1:]+"&") {
			t.Errorf("verified by %v", v)
		}
	}
	awaitSubscriptions(t, n, 3)
	if s, err := n.Status(t.Context()); err != nil ||
		s.Hub != (tidings.HubStatus{Mode: "open", URL: at, Topics: 3, Subscriptions: 3}) {
		t.Errorf("the status is %+v, %v", s.Hub, err)
	}
	check := func(path string, d document) {
		t.Helper()
		origin.set(path, d)
		p.publish(at, origin.URL+path)
		got := p.next("delivery")
		if got["path"] != path+"-cb" || got["body"] != d.body || got["type"] != d.kind || got["valid"] != true ||
			got["hub"] != at || got["self"] != origin.URL+path {
			t.Errorf("%s: delivered %v", path, got)
		}
	}
	check("/feed", document{kind: feedType, body: items("two", "one")})
	check("/text", document{kind: "text/plain", body: "Hello.\nThis is a text with another line.\n"})
	check("/json", document{kind: "application/json", body: `{"hello": "world", "count": 2}`})

	stop()
	n, stop = restart(t, config)
	check("/feed", document{kind: feedType, body: items("three", "two", "one")})
	check("/json", document{kind: "application/json", body: `{"hello": "world", "count": 3}`})

	for _, path := range []string{"/feed", "/text", "/json"} {
		p.order(map[string]any{"do": "unsubscribe", "hub": at, "topic": origin.URL + path, "path": path + "-cb",
			"query": "?id=" + path[1:]})
		for range 2 {
			select {
			case event := <-p.events:
				if event["event"] == "answer" && event["status"] != 202.0 ||
					event["event"] == "verification" && event["known"] != true {
					t.Errorf("unsubscribing: %v", event)
				}
			case <-t.Context().Done():
				t.Fatal("nothing happens")
			}
		}
	}
	awaitSubscriptions(t, n, 0)
	now := time.Now().Add(time.Hour)
	account, err := n.store.Subscribers.Find(t.Context(), tidings.HubSubscriber)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.hub.Sweep(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if left, err := n.store.Channels(t.Context(), account); err != nil || len(left) > 0 {
		t.Errorf("still followed: %v, %v", left, err)
	}
	stop()
}

// startStoppable starts a node that the test may stop.
func startStoppable(t testing.TB, change ...func(*Config)) (*Node, func()) {
	t.Helper()
	c := testConfig(t)
	for _, f := range change {
		f(&c)
	}
	return restart(t, c)
}

func restart(t testing.TB, c Config) (*Node, func()) {
	t.Helper()
	n, stop := runNode(t, c)
	t.Cleanup(stop)
	return n, stop
}

// A hub for listed topics denies what is not followed here, with the reason. It ends a subscription when the topic is
// no longer followed.
func TestHubListedIsForWhatIsFollowed(t *testing.T) {
	origin := startChanging(t)
	origin.set("/feed", document{kind: "application/rss+xml", body: items("one")})
	n, client := startNode(t, hubConfig(t, hub.Listed))
	at := n.config.public() + hub.Path
	p := startPython(t, "testdata/websub/subscriber.py")
	if v := p.subscribe(at, origin.URL+"/feed", "/cb", nil); v["event"] != "denied" ||
		!strings.Contains(v["reason"].(string), "nobody at this node follows") {
		t.Errorf("asked %v", v)
	}
	if origin.requests("/feed") != 0 {
		t.Error("the origin was asked for what was denied")
	}
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: origin.URL + "/feed"})
	if err != nil {
		t.Fatal(err)
	}
	p.subscribe(at, origin.URL+"/feed", "/cb", nil)
	awaitSubscriptions(t, n, 1)
	origin.set("/feed", document{kind: "application/rss+xml", body: items("two", "one")})
	p.publish(at, origin.URL+"/feed")
	if d := p.next("delivery"); d["body"] != items("two", "one") || d["signature"] != "" {
		t.Errorf("delivered %v", d)
	}
	if _, err := client.Unsubscribe(t.Context(), f.URL); err != nil {
		t.Fatal(err)
	}
	if err := n.hub.Sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if d := p.next("denied"); d["topic"] != origin.URL+"/feed" || !strings.Contains(d["reason"].(string), "any more") {
		t.Errorf("denied by %v", d)
	}
	awaitSubscriptions(t, n, 0)
}

// A topic that is gone for good (410) is denied to its subscribers. So is one that is not public, or at the node
// itself.
func TestHubDeniesWhatIsGoneOrPrivate(t *testing.T) {
	origin := startChanging(t)
	origin.set("/feed", document{kind: "application/rss+xml", body: items("one")})
	n, _ := startNode(t, hubConfig(t, hub.Open))
	at := n.config.public() + hub.Path
	p := startPython(t, "testdata/websub/subscriber.py")
	unlisted := origin.URL + "/feed?token=0123456789abcdef0123456789abcdef"
	for topic, reason := range map[string]string{
		unlisted:                "not public",
		n.config.public() + "/": "only its feeds of channels",
		n.config.public() + "/feed?url=" + n.config.public() + "/x": "at this node",
		"http://me:secret@example.org/":                             "no user name",
	} {
		if v := p.subscribe(at, topic, "/cb", nil); v["event"] != "denied" ||
			!strings.Contains(v["reason"].(string), reason) {
			t.Errorf("%s: asked %v", topic, v)
		}
	}
	p.subscribe(at, origin.URL+"/feed", "/cb", nil)
	awaitSubscriptions(t, n, 1)
	origin.set("/feed", document{kind: "text/plain", status: http.StatusGone})
	p.publish(at, origin.URL+"/feed")
	awaitEnd(t, n, origin.URL+"/feed")
	if err := n.hub.Sweep(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	d := p.next("delivery", "denied") // that it is gone is news, too, and may be the first
	if d["event"] == "delivery" {
		d = p.next("denied")
	}
	if !strings.Contains(d["reason"].(string), "gone") {
		t.Errorf("denied by %v", d)
	}
	awaitSubscriptions(t, n, 0)
}

// awaitEnd waits until a channel has ended.
func awaitEnd(t *testing.T, n *Node, url string) {
	t.Helper()
	for {
		w, err := n.store.Content.Watch(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if w.Ended {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("it has not ended")
		}
	}
}

// The node's own feeds of public channels name the hub, in their headers and in themselves. They also name one self
// that is the same for all. A subscriber that finds it there gets the feed as it is at that address.
func TestHubIsDiscoveredInTheProxysFeeds(t *testing.T) {
	origin := startChanging(t)
	origin.set("/feed", document{kind: "application/rss+xml", body: items("one")})
	n, client := startNode(t, hubConfig(t, hub.Listed))
	at := n.config.public() + hub.Path
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: origin.URL + "/feed"})
	if err != nil {
		t.Fatal(err)
	}
	p := startPython(t, "testdata/websub/subscriber.py")
	for _, path := range []string{"/feed?url=", "/feed.json?url="} {
		address := n.URL() + path + f.URL
		p.order(map[string]any{"do": "discover", "url": address})
		found := p.next("discovered")
		hubs, selves := found["hubs"].([]any), found["selves"].([]any)
		if len(hubs) != 1 || hubs[0] != at || len(selves) != 1 ||
			!strings.HasPrefix(selves[0].(string), n.config.public()+path) {
			t.Fatalf("discovered %v", found)
		}
		self := selves[0].(string)
		p.subscribe(at, self, "/cb", nil)
		awaitSubscriptions(t, n, 1)
		title := "new in " + path[:len(path)-5]
		origin.set("/feed", document{kind: "application/rss+xml", body: items(title, "one")})
		p.publish(at, self)
		d := p.next("delivery")
		r, err := http.Get(self)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || d["body"] != string(body) || d["type"] != r.Header.Get("Content-Type") || d["self"] != self ||
			!strings.Contains(string(body), title) || strings.Count(string(body), at) != 1 {
			t.Errorf("delivered %v, and at the address is %s", d, body)
		}
		all := awaitSubscriptions(t, n, 1)
		if err := n.store.Hub.RemoveHubSubscription(t.Context(), all[0].Topic, all[0].Callback); err != nil {
			t.Fatal(err)
		}
	}
}

// Without a hub there is nothing at its address, and feeds name none. A hub that is off has no subscriptions any more.
func TestHubIsOffByDefault(t *testing.T) {
	origin := startChanging(t)
	origin.set("/feed", document{kind: "application/rss+xml", body: items("one")})
	var config Config
	n, stop := startStoppable(t, hubConfig(t, hub.Open), func(c *Config) { config = *c })
	p := startPython(t, "testdata/websub/subscriber.py")
	p.subscribe(n.config.public()+hub.Path, origin.URL+"/feed", "/cb", nil)
	awaitSubscriptions(t, n, 1)
	stop()
	config.Hub, config.PublicURL = "", ""
	n, _ = restart(t, config)
	awaitSubscriptions(t, n, 0)
	if w, err := n.store.Content.Watches(t.Context()); err != nil || len(w) > 0 {
		t.Errorf("watched: %v, %v", w, err)
	}
	r, err := http.PostForm(n.URL()+hub.Path, map[string][]string{"hub.mode": {"publish"}, "hub.topic": {origin.URL}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode == http.StatusAccepted {
		t.Error("there is a hub")
	}
}

// The hub is reached by its public host alone, without a password, also by a page's form. It opens nothing else.
func TestHubStandsApart(t *testing.T) {
	n, client := startNode(t, hubConfig(t, hub.Open))
	if err := client.SetPassword(t.Context(), personsPassword); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, host, path string
		want               int
	}{
		{"POST", "", "/hub", http.StatusUnsupportedMediaType},
		{"GET", "", "/hub", http.StatusMethodNotAllowed},
		{"POST", "tidings.example.org", "/hub", http.StatusMisdirectedRequest},
		{"POST", "localhost", "/hub", http.StatusMisdirectedRequest},
		{"GET", "", "/hub/", http.StatusUnauthorized},
		{"GET", "", "/api/v1/status", http.StatusUnauthorized},
		{"GET", "", "/feed?url=https://example.org/", http.StatusUnauthorized},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, n.URL()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Host = c.host; c.host == "" {
			r.Host = strings.TrimPrefix(n.URL(), "http://")
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want || len(answer.Cookies()) > 0 {
			t.Errorf("%s %s of %s: %d, not %d", c.method, c.path, r.Host, answer.StatusCode, c.want)
		}
	}
}

// What cannot be is refused with a hint.
func TestHubSettings(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Hub = hub.Open },
		func(c *Config) { c.Hub, c.PublicURL = "public", "https://example.org" },
		func(c *Config) { c.PublicURL = "example.org" },
		func(c *Config) { c.PublicURL = "https://example.org/path" },
		func(c *Config) { c.PublicURL = "https://example.org?a=b" },
		func(c *Config) { c.PublicURL = "https://me@example.org" },
		func(c *Config) { c.PublicURL = "https://" },
		func(c *Config) { c.HubSignature = "md5" },
	} {
		c := testConfig(t)
		change(&c)
		if err := c.Validate(); err == nil || tidings.Reason(err) == "" {
			t.Errorf("%q %q is valid", c.PublicURL, c.Hub)
		}
	}
	c := testConfig(t)
	c.PublicURL, c.Hub = "https://Tidings.example.org/", hub.Listed
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
