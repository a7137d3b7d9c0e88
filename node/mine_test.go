package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/engine"
	"tidings/node/identity"
	"tidings/view"
)

// A node's ID has less work than its network requires. It polls its channels by itself meanwhile, reports its progress,
// and ends when it has a valid key, to be restarted. Started anew, two of them meet; one that asks for other work says
// why it does not.
func TestNodesWhoseIDsCostWork(t *testing.T) {
	t.Parallel()
	const work = 12
	costs := func(c *Config) { c.IDWork = work }
	one, two := identityOf(t, work, costs), identityOf(t, work, costs)
	a := newRestartable(t, one)
	b := newRestartable(t, two, joiningBy(a.address()))
	await(t, "two nodes with work meet", func() bool { return a.sees(b) && b.sees(a) })
	for _, n := range []*restartable{a, b} {
		if id, err := engine.ParseID(n.id); err != nil || id.Work() < work || n.view().Mining != nil {
			t.Errorf("the ID %v has %d bits of work", n.id, id.Work())
		}
	}
	other := newRestartable(t, joiningBy(a.address()))
	await(t, "a node of another network says why it does not join", func() bool {
		return strings.Contains(other.join(a.address()).Failure, "asks for 12 bits, this one for 0")
	})
	if a.sees(other) || other.sees(a) {
		t.Error("they have met all the same")
	}
}

// identityOf runs a node until it has a key with enough work. It returns a change of settings that gives another node
// that node's data.
func identityOf(t *testing.T, work int, change func(*Config)) func(*Config) {
	t.Helper()
	c := Default()
	c.Data, c.HTTP, c.LabOrigins = t.TempDir(), "127.0.0.1:0", true
	onLoopback(&c)
	change(&c)
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := n.Run(ctx); n.miner != nil && !errors.Is(err, ErrNewIdentity) { // else the first key will do
		t.Fatalf("the node ended with: %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.Data, identity.FormerKeyFile)); err != nil {
		t.Errorf("the former key is not kept: %v", err)
	}
	return func(to *Config) { to.Data = c.Data; change(to) }
}

// While a node makes its key it polls what is followed, and says how far it is.
func TestANodeThatMakesItsKeyPolls(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	if err := o.AddFeed("feed", origin.MakeFeed(1, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n := newRestartable(t, func(c *Config) { c.IDWork = engine.MaxIDWork })
	if f, err := n.client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "feed"}); err != nil ||
		f.Unread != 5 {
		t.Errorf("followed %+v, error %v", f, err)
	}
	await(t, "it tells how far it is", func() bool {
		m := n.view().Mining
		return m != nil && m.Tried > 0 && m.KeysPerSecond > 0
	})
	if network := n.view(); !network.Off || network.Mining.Bits != engine.MaxIDWork {
		t.Errorf("it says of the network: %+v", network)
	}
}

// What is published while the node makes its key is numbered and kept. It is sent once the node has joined others. A
// file is watched from then on.
func TestWhatIsPublishedWhileTheKeyIsMadeIsSent(t *testing.T) {
	t.Parallel()
	author := newRestartable(t, func(c *Config) { c.IDWork = engine.MaxIDWork })
	if !author.view().Off {
		t.Fatal("it does not make a key")
	}
	key := mustKey(t, author, "me")
	file := filepath.Join(t.TempDir(), "feed.xml")
	one := pushedStory{"One", "1"}
	writeFile(t, file, feedOf(one))
	issued := mustPublishFeed(t, author, view.PublishOrder{Source: file, Watch: true})
	if len(issued.Items) != 1 || issued.Items[0].Number != 1 || issued.Publication.Unsent != 1 ||
		issued.Publication.Trouble != "" {
		t.Fatalf("%+v", issued)
	}
	author.stop()
	author.config.IDWork = 0
	author.start()
	r := newReader(t, author, key.Fingerprint)
	r.awaits(t, "1 One")
	writeFile(t, file, feedOf(one, pushedStory{"Two", "2"}))
	r.awaits(t, "1 One, 2 Two")
}
