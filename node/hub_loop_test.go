package node

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/proxy"
	"tidings/lab/effort"
	"tidings/node/hub"
)

// hubNode is a node with a hub behind a proxy that counts what it is delivered.
type hubNode struct {
	*Node
	client    *api.Client
	public    string
	delivered chan string // callbacks' paths
	latest    int64       // update
}

func startHubNode(t *testing.T) *hubNode {
	t.Helper()
	h := &hubNode{delivered: make(chan string, 1000)}
	var behind *url.URL
	onward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host
	}}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		onward.ServeHTTP(w, r)
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, callbackPath) {
			h.delivered <- r.URL.Path
		}
	}))
	h.public = "http://" + front.Listener.Addr().String()
	h.Node, h.client = startNode(t, hubConfig(t, hub.Open), func(c *Config) {
		behind, _ = url.Parse("http://" + c.HTTP)
		c.PublicURL = h.public
	})
	front.Start()
	t.Cleanup(front.Close)
	return h
}

func (h *hubNode) follow(t *testing.T, url string) {
	t.Helper()
	if _, err := h.client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: url}); err != nil {
		t.Fatal(err)
	}
}

// subscribed waits until a hub has confirmed the subscription of a channel to a topic, and keeps it. The hub stores a
// confirmed subscription a moment after the subscriber learns of it.
func (h *hubNode) subscribed(t *testing.T, channel, topic string, at *hubNode) {
	t.Helper()
	p := described(t, h.client, channel, func(p tidings.HubPush) bool {
		return p.State == tidings.HubActive || p.State == tidings.HubGood
	})
	if p.Hub != at.public+hub.Path {
		t.Errorf("%s is subscribed to at %s, not at %s", channel, p.Hub, at.public)
	}
	for {
		all, err := at.store.Hub.HubSubscriptions(t.Context(), "", 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		isOfH := func(s tidings.HubSubscription) bool {
			return s.Topic == topic && strings.HasPrefix(s.Callback, h.public)
		}
		if slices.ContainsFunc(all, isOfH) {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("the hub keeps %+v", all)
		}
	}
}

func (h *hubNode) poll(t *testing.T, channel string) {
	t.Helper()
	if _, err := h.client.Poll(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
}

// next waits for the next update, which must have an item of a title.
func (h *hubNode) next(t *testing.T, channel, title string) {
	t.Helper()
	u := nextUpdate(t, h.Node, h.client, h.latest)
	h.latest = u.ID
	if u.Channel != channel || len(u.Items) != 1 || u.Items[0].Title != title {
		t.Errorf("the update is %+v, not %s in %s", u, title, channel)
	}
}

// settle notes the latest update.
func (h *hubNode) settle(t *testing.T) {
	t.Helper()
	s, err := h.client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.latest = s.LatestUpdate
}

// quiet holds that polls of channels make no update. Without one nothing is delivered.
func (h *hubNode) quiet(t *testing.T, channels ...string) {
	t.Helper()
	before := h.latest
	for range 3 {
		for _, c := range channels {
			h.poll(t, c)
		}
	}
	if h.settle(t); h.latest != before {
		u, err := h.client.Update(t.Context(), h.latest)
		t.Errorf("%d updates although nothing has changed, the last is %+v, %v", h.latest-before, u, err)
	}
}

// hasDelivered reports whether nothing is left to be delivered to subscribers.
func (h *hubNode) hasDelivered(t *testing.T) bool {
	t.Helper()
	left, err := h.store.Outbox.Waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(left) == 0
}

// deliveries waits for n deliveries, and holds that there are no more.
func (h *hubNode) deliveries(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		select {
		case <-h.delivered:
		case <-t.Context().Done():
			t.Fatalf("%d deliveries, not %d", i, n)
		}
	}
	h.noDelivery(t)
}

func (h *hubNode) noDelivery(t *testing.T) {
	t.Helper()
	if n := len(h.delivered); n > 0 {
		t.Errorf("%d deliveries too many", n)
	}
}

// loopRounds returns how many changes a loop gets. Between two of them a node waits 10 seconds before it polls for a
// push.
func loopRounds() int {
	if effort.All() {
		return 3
	}
	return 1
}

// A feed names the hubs of two nodes. Each of them subscribes at the other one. A change that one of them finds is
// delivered once in each direction, and then it is quiet.
func TestTwoHubsOfOneFeedDeliverAChangeOnce(t *testing.T) {
	origin := startChanging(t)
	a, b := startHubNode(t), startHubNode(t)
	channel := origin.URL + "/feed"
	links := http.Header{"Link": {fmt.Sprintf(`<%s%s>; rel="hub", <%s%s>; rel="hub", <%s>; rel="self"`, a.public,
		hub.Path, b.public, hub.Path, channel)}}
	set := func(titles ...string) {
		origin.set("/feed", document{kind: "application/rss+xml", body: items(titles...), header: links})
	}
	set("one")
	a.follow(t, channel)
	b.follow(t, channel)
	a.subscribed(t, channel, channel, b)
	b.subscribed(t, channel, channel, a)
	titles := []string{"one"}
	for i, finds := range []*hubNode{a, b, a}[:loopRounds()] {
		a.settle(t)
		b.settle(t)
		title := fmt.Sprint("new ", i)
		titles = append([]string{title}, titles...)
		set(titles...)
		polls := origin.requests("/feed")
		finds.poll(t, channel)
		a.next(t, channel, title)
		b.next(t, channel, title)
		a.deliveries(t, 1)
		b.deliveries(t, 1)
		for origin.requests("/feed") < polls+3 { // the last push is answered before its poll
			select {
			case <-time.After(5 * time.Millisecond):
			case <-t.Context().Done():
				t.Fatalf("%d polls", origin.requests("/feed")-polls)
			}
		}
		if n := origin.requests("/feed") - polls; n != 3 {
			t.Errorf("change %d: %d polls", i, n)
		}
	}
	a.quiet(t, channel)
	b.quiet(t, channel)
	a.noDelivery(t)
	b.noDelivery(t)
}

// Each of two nodes follows three feeds by the other's hub: a feed, the other node's own feed of it, and its own feed
// of that. A change runs through all of them once, and then it is quiet.
func TestHubsThatFollowEachOthersFeedsDeliverAChangeOnce(t *testing.T) {
	origin := startChanging(t)
	a, b := startHubNode(t), startHubNode(t)
	channel := origin.URL + "/feed"
	set := func(titles ...string) {
		origin.set("/feed", document{kind: "application/rss+xml", body: items(titles...)})
	}
	set("one")
	feedAt := func(h *hubNode, channel string) string { return proxy.FeedURL(h.public, channel) }
	for _, h := range []*hubNode{a, b} {
		h.follow(t, channel)
	}
	a.follow(t, feedAt(b, channel))
	b.follow(t, feedAt(a, channel))
	b.follow(t, feedAt(a, feedAt(b, channel)))
	for _, f := range []struct {
		h, at *hubNode
		feed  string
	}{{a, b, feedAt(b, channel)}, {b, a, feedAt(a, channel)}, {b, a, feedAt(a, feedAt(b, channel))}} {
		f.h.subscribed(t, f.feed, f.feed, f.at)
	}
	titles := []string{"one"}
	for i := range loopRounds() {
		a.settle(t)
		b.settle(t)
		title := fmt.Sprint("new ", i)
		titles = append([]string{title}, titles...)
		set(titles...)
		a.poll(t, channel)
		a.next(t, channel, title)
		b.next(t, feedAt(a, channel), title) // pushed
		b.deliveries(t, 1)
		a.noDelivery(t)
		b.poll(t, channel)
		b.next(t, channel, title)
		a.next(t, feedAt(b, channel), title) // pushed
		b.next(t, feedAt(a, feedAt(b, channel)), title)
		a.deliveries(t, 1)
		b.deliveries(t, 1)
	}
	a.quiet(t, channel, feedAt(b, channel))
	b.quiet(t, channel, feedAt(a, channel), feedAt(a, feedAt(b, channel)))
	a.noDelivery(t)
	b.noDelivery(t)
}

// Two channels are redirected to each other. Each node reads its channel from the other node's feed, and delivers its
// own. A change that comes in at one of them goes round once, and then it is quiet. The item is known by its link and
// title, whatever ID each node's feed gives it.
func TestChannelsInACircleDeliverAChangeOnce(t *testing.T) {
	origin := startChanging(t)
	a, b := startHubNode(t), startHubNode(t)
	channels := map[*hubNode]string{a: origin.URL + "/a", b: origin.URL + "/b"}
	content := func(titles ...string) document {
		var b strings.Builder
		for _, title := range titles {
			fmt.Fprintf(&b, `<item><guid isPermaLink="false">%[1]s</guid><title>%[1]s</title><link>%[2]s/%[1]s</link><description>About %[1]s.</description></item>`, title, origin.URL)
		}
		return document{kind: "application/rss+xml", body: rss(b.String())}
	}
	redirect := func(to *hubNode) document {
		return document{status: http.StatusFound,
			header: http.Header{"Location": {proxy.FeedURL(to.public, channels[to])}}}
	}
	origin.set("/a", content("one"))
	origin.set("/b", content("one"))
	a.follow(t, channels[a])
	b.follow(t, channels[b])
	origin.set("/a", redirect(b))
	origin.set("/b", redirect(a))
	for range 3 { // until each has the other's words for the same item
		a.poll(t, channels[a])
		b.poll(t, channels[b])
	}
	a.subscribed(t, channels[a], proxy.FeedURL(b.public, channels[b]), b)
	b.subscribed(t, channels[b], proxy.FeedURL(a.public, channels[a]), a)
	a.settle(t)
	b.settle(t)
	a.quiet(t, channels[a])
	b.quiet(t, channels[b])
	await(t, "what the first rounds found is delivered", func() bool { return a.hasDelivered(t) && b.hasDelivered(t) })
	for len(a.delivered)+len(b.delivered) > 0 {
		select {
		case <-a.delivered:
		case <-b.delivered:
		}
	}
	direct := content("two", "one")
	// As the feed of b does: a stays subscribed there, and b's delivery finds it, however late that is.
	direct.header = http.Header{"Link": {fmt.Sprintf(`<%s%s>; rel="hub", <%s>; rel="self"`, b.public, hub.Path,
		proxy.FeedURL(b.public, channels[b]))}}
	origin.set("/a", direct)
	a.poll(t, channels[a])
	a.next(t, channels[a], "two")
	origin.set("/a", redirect(b))
	b.next(t, channels[b], "two") // pushed
	b.deliveries(t, 1)
	a.deliveries(t, 1) // the circle is closed, and the poll for that push finds nothing
	a.quiet(t, channels[a])
	b.quiet(t, channels[b])
	a.noDelivery(t)
	b.noDelivery(t)
}
