package node

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
)

// publicConfig has a node be reached by hubs.
func publicConfig(t testing.TB) func(*Config) {
	address := freeAddress(t)
	return func(c *Config) { c.HTTP, c.PublicURL = address, "http://"+address }
}

// described waits until the subscription of a channel at its hub is as it is to be, and returns it.
func described(t testing.TB, client *api.Client, url string, is func(tidings.HubPush) bool) tidings.HubPush {
	t.Helper()
	for {
		f, err := client.Channel(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if f.Hub != nil && is(*f.Hub) {
			return *f.Hub
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("the subscription is %+v", f.Hub)
		}
	}
}

// nextUpdate waits for the first update after one.
func nextUpdate(t testing.TB, n *Node, client *api.Client, after int64) tidings.Update {
	t.Helper()
	for {
		wake := n.Wake()
		updates, err := client.Updates(t.Context(), tidings.UpdateQuery{After: after})
		if err != nil {
			t.Fatal(err)
		}
		if len(updates) > 0 {
			return updates[0]
		}
		select {
		case <-wake:
		case <-t.Context().Done():
			t.Fatal("there is no update")
		}
	}
}

// A feed and a page name an independent hub. They are subscribed to at once, however the hub is found. What the hub
// announces is here before any poll by plan, and then polls are rare. A forged push has no effect. All of that is
// shown, and is there after a restart.
func TestHubsOfFeedsAndPagesPush(t *testing.T) {
	h := startPython(t, "testdata/websub/hub.py")
	origin := startChanging(t)
	pageWith := func(text string) string {
		return fmt.Sprintf(`<!doctype html><html><head><title>P</title><link rel="hub" href="%s/307"><link rel="self" href="%s/page"></head><body><main><p>%s</p></main></body></html>`, h.url, origin.URL, text)
	}
	links := http.Header{"Link": {fmt.Sprintf(`<%s/hub>; rel="hub", <%s/feed>; rel="self"`, h.url, origin.URL)}}
	origin.set("/feed", document{kind: "application/rss+xml", body: items("one"), header: links})
	origin.set("/page", document{kind: "text/html", body: pageWith("One line of text.")})
	var config Config
	n, stop := startStoppable(t, publicConfig(t), func(c *Config) { c.Interval = time.Hour; config = *c })
	client := api.Dial(api.SocketPath(config.Data))
	t.Cleanup(client.Close)
	for path, order := range map[string]tidings.SubscribeRequest{"/feed": {}, "/page": {AsPage: true}} {
		order.URL = origin.URL + path
		if _, err := client.Subscribe(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		v := h.next("verified")
		if v["confirmed"] != true || v["wrong"] != 404.0 || v["topic"] != origin.URL+path ||
			!strings.HasPrefix(v["callback"].(string), n.config.public()+callbackPath) || v["secret"].(float64) == 0 {
			t.Errorf("%s: verified %v", path, v)
		}
		described(t, client, origin.URL+path, func(p tidings.HubPush) bool { return p.State == tidings.HubActive })
	}
	polls := origin.requests("/feed")
	distribute := func(path, body, sign string) map[string]any {
		h.order(map[string]any{"do": "distribute", "topic": origin.URL + path, "body": body, "sign": sign})
		return h.next("distributed")
	}
	for _, sign := range []string{"wrong", "none"} {
		if d := distribute("/feed", items("forged"), sign); d["status"] != 403.0 {
			t.Errorf("%s: distributed %v", sign, d)
		}
	}
	latest, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	origin.set("/feed", document{kind: "application/rss+xml", body: items("two", "one"), header: links})
	if d := distribute("/feed", items("forged, but signed"), "sha1"); d["status"] != 202.0 {
		t.Errorf("distributed %v", d)
	}
	u := nextUpdate(t, n, client, latest.LatestUpdate)
	if u.Channel != origin.URL+"/feed" || len(u.Items) != 1 || u.Items[0].Title != "two" {
		t.Errorf("the update is %+v", u)
	}
	if got := origin.requests("/feed") - polls; got != 1 {
		t.Errorf("%d polls for a push", got)
	}
	good := described(t, client, origin.URL+"/feed", func(p tidings.HubPush) bool { return p.State == tidings.HubGood })
	if good.Brought != 1 || good.Pushes != 1 || good.Missed != 0 || good.Hub != h.url+"/hub" ||
		good.Protocol != "websub" {
		t.Errorf("shown as %+v", good)
	}
	origin.set("/page", document{kind: "text/html", body: pageWith("Another line of text.")})
	distribute("/page", "", "sha512")
	if u := nextUpdate(t, n, client, u.ID); u.Channel != origin.URL+"/page" {
		t.Errorf("the update is %+v", u)
	}
	stop()
	n, _ = restart(t, config)
	if again := described(t, client, origin.URL+"/feed", func(tidings.HubPush) bool {
		return true
	}); again.State != tidings.HubGood || again.Brought != 1 {
		t.Errorf("after a restart: %+v", again)
	}
	origin.set("/feed", document{kind: "application/rss+xml", body: items("three", "two", "one"), header: links})
	distribute("/feed", "", "sha384")
	if u := nextUpdate(t, n, client, u.ID+1); len(u.Items) != 1 || u.Items[0].Title != "three" {
		t.Errorf("after a restart: %+v", u)
	}
	w, err := n.store.Content.Watch(t.Context(), origin.URL+"/feed")
	if err != nil || !strings.Contains(w.Last.NextWhy, "hub has not pushed everything") {
		t.Errorf("the next poll is because of %q, %v", w.Last.NextWhy, err)
	}
	h.order(map[string]any{"do": "deny", "topic": origin.URL + "/feed", "reason": "closed"})
	h.next("denied")
	if d := described(t, client, origin.URL+"/feed", func(p tidings.HubPush) bool {
		return p.State == tidings.HubDenied
	}); !strings.Contains(d.Problem, "closed") {
		t.Errorf("shown as %+v", d)
	}
}

// A feed with a cloud that others could have written is registered there, and its notification has the feed polled.
func TestCloudsOfFeedsPush(t *testing.T) {
	h := startPython(t, "testdata/websub/hub.py")
	origin := startChanging(t)
	port := h.url[strings.LastIndexByte(h.url, ':')+1:]
	feed := func(titles ...string) document {
		cloud := fmt.Sprintf(
			`<cloud domain="127.0.0.1" port="%s" path="/rsscloud" registerProcedure="" protocol="http-post"/>`, port)
		return document{kind: "application/rss+xml", body: strings.Replace(items(titles...), "<title>T</title>",
			"<title>T</title>"+cloud, 1)}
	}
	origin.set("/feed", feed("one"))
	n, client := startNode(t, publicConfig(t))
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: origin.URL + "/feed"})
	if err != nil {
		t.Fatal(err)
	}
	if r := h.next("registered"); r["confirmed"] != true {
		t.Errorf("registered %v", r)
	}
	described(t, client, f.URL, func(p tidings.HubPush) bool {
		return p.State == tidings.HubActive && p.Protocol == "rsscloud"
	})
	origin.set("/feed", feed("two", "one"))
	h.order(map[string]any{"do": "distribute", "topic": origin.URL + "/feed", "body": ""})
	if d := h.next("distributed"); d["status"] != 202.0 {
		t.Errorf("distributed %v", d)
	}
	if u := nextUpdate(t, n, client, 1); len(u.Items) != 1 || u.Items[0].Title != "two" {
		t.Errorf("the update is %+v", u)
	}
}

// Without a public address no hub is asked for pushes, and there are no callbacks.
func TestHubsAreNotAskedWithoutAPublicAddress(t *testing.T) {
	origin := startChanging(t)
	origin.set("/feed", document{kind: "application/rss+xml", body: items("one"), header: http.Header{"Link": {
		`<` + origin.URL + `/hub>; rel="hub", <` + origin.URL + `/feed>; rel="self"`}}})
	n, client := startNode(t)
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: origin.URL + "/feed"})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = client.Channel(t.Context(), f.URL); err != nil || f.Hub != nil {
		t.Errorf("shown as %+v, %v", f.Hub, err)
	}
	if origin.requests("/hub") != 0 || n.subscriber != nil {
		t.Error("the hub was asked")
	}
}

// In a network only the primary owner of a channel subscribes at the hub. What the hub pushes reaches all followers of
// the channel, long before any poll by plan.
func TestHubOfAFeedPushesToAWholeNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a network of nodes")
	}
	h := startPython(t, "testdata/websub/hub.py")
	origin := startChanging(t)
	w := pollTogether(t, 3, time.Hour, believing, func(c *Config) {
		address := freeAddress(t)
		c.HTTP, c.PublicURL = address, "http://"+address
	})
	path := ""
	for i := 0; path == "" || w.primary(origin.URL+path) != 1; i++ {
		path = fmt.Sprint("/feed-", i)
	}
	url := origin.URL + path
	links := http.Header{"Link": {fmt.Sprintf(`<%s/hub>; rel="hub", <%s>; rel="self"`, h.url, url)}}
	origin.set(path, document{kind: "application/rss+xml", body: items("one"), header: links})
	for _, i := range []int{0, 2, 1} {
		if _, err := w.nodes[i].client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	if v := h.next("verified"); v["confirmed"] != true ||
		!strings.HasPrefix(v["callback"].(string), w.nodes[1].Node.config.public()) {
		t.Errorf("verified %v", v)
	}
	described(t, w.nodes[1].client, url, func(p tidings.HubPush) bool { return p.State == tidings.HubActive })
	origin.set(path, document{kind: "application/rss+xml", body: items("two", "one"), header: links})
	h.order(map[string]any{"do": "distribute", "topic": url, "body": "", "sign": "sha256"})
	if d := h.next("distributed"); d["status"] != 202.0 {
		t.Errorf("distributed %v", d)
	}
	for i, n := range w.nodes {
		if u := nextUpdate(t, n.Node, n.client, 1); len(u.Items) != 1 || u.Items[0].Title != "two" {
			t.Errorf("node %d: %+v", i, u)
		}
	}
	for _, i := range []int{0, 2} {
		if f, err := w.nodes[i].client.Channel(t.Context(), url); err != nil || f.Hub != nil {
			t.Errorf("node %d has a subscription: %+v, %v", i, f.Hub, err)
		}
	}
}
