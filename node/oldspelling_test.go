package node

import (
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/node/coop/sharing"
	"tidings/store"
)

// A channel was stored under a spelling that is not canonical any more. It is polled, found under both, left, and
// followed again under the canonical one. Only the network does not learn of it, as other nodes would refuse it.
func TestAChannelInAnOldSpellingGoesOn(t *testing.T) {
	o, base := startOrigin(t)
	if err := o.AddFeed("~feed", origin.MakeFeed(1, 3, 100), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	const old, now = "%7efeed", "~feed"
	ctx := t.Context()
	data := t.TempDir()
	s, err := store.Open(ctx, store.Default(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Subscribe(ctx, tidings.Owner, store.Subscription{URL: base + old, Privacy: tidings.Public,
		Next: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	n, _ := startNode(t, func(c *Config) { c.Data = data })
	client := api.Dial(api.SocketPath(data))
	t.Cleanup(client.Close)
	for _, spelling := range []string{old, now} {
		if poll, err := client.Poll(ctx, base+spelling); err != nil || !poll.Outcome.Read() {
			t.Errorf("polled as %s: %+v, %v", spelling, poll, err)
		}
	}
	w, err := n.store.Content.Watch(ctx, base+old)
	if err != nil || w.Version != 1 || sharing.CanShare(&w) {
		t.Errorf("watched as %+v, %v", w, err)
	}
	if _, err := client.Unsubscribe(ctx, base+now); err != nil {
		t.Fatal(err)
	}
	f, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: base + old})
	if err != nil || !strings.HasSuffix(f.URL, now) {
		t.Errorf("followed again as %q, %v", f.URL, err)
	}
}
