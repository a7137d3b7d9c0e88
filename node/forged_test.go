package node

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/node/channels"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// coronaEvents is a log that calls a function with the text of each event that protocols trace.
type coronaEvents struct {
	slog.Handler
	traced func(text string)
}

func (coronaEvents) Enabled(context.Context, slog.Level) bool { return true }

func (l coronaEvents) Handle(_ context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "event" {
			l.traced(a.Value.String())
		}
		return true
	})
	return nil
}

func (l coronaEvents) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l coronaEvents) WithGroup(string) slog.Handler      { return l }

// stranger is a peer that speaks the nodes' protocols over real connections, and says what it likes.
type stranger struct {
	*live.Host
	env  engine.Env
	gots atomic.Int32
}

func (s *stranger) Receive(_ engine.Peer, m engine.Message) {
	if _, ok := m.(*corona.Got); ok {
		s.gots.Add(1)
	}
}

func (*stranger) PeerDown(engine.Peer) {}
func (*stranger) Stop()                {}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := live.Default()
	c.Key, c.Codec, c.Listen, c.MDNS, c.Relay = key, Codec(), []string{"/ip4/127.0.0.1/udp/0/quic-v1"}, false, false
	s := &stranger{}
	if s.Host, err = live.New(c); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- s.Run(ctx, func(env engine.Env) engine.Protocol {
			s.env = env
			return s
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-s.Ready():
	case err := <-ended:
		ended <- err
		t.Fatal(err)
	}
	return s
}

// Hostile 42: updates that a peer makes up, over a real connection, are neither stored nor acknowledged nor shown.
// After repeated ones the peer is ignored. What the network finds is shown as before, with its finder.
func TestForgedUpdatesOverTheNetwork(t *testing.T) {
	t.Parallel()
	var forged, known atomic.Int32
	w := &together{t: t}
	w.origin, w.base = startOrigin(t)
	quick := func(c *Config) { c.Interval, c.Witnesses = 2*time.Second, 0 }
	w.nodes = append(w.nodes, newRestartable(t, quick, func(c *Config) {
		c.Logger = slog.New(coronaEvents{traced: func(text string) {
			switch {
			case !strings.HasPrefix(text, "update.Refused"):
			case strings.Contains(text, string(corona.Forged)):
				forged.Add(1)
			case strings.Contains(text, string(corona.FalseReporter)):
				known.Add(1)
			}
		}})
	}))
	w.nodes = append(w.nodes, newRestartable(t, quick, joiningBy(w.nodes[0].address())))
	await(t, "both are in one ring", func() bool {
		return w.nodes[0].view().Nodes == 2 && w.nodes[1].view().Nodes == 2
	})
	name, url := w.ownedBy(1)
	w.follow(0, url)
	await(t, "the primary looks for the first node", func() bool { return w.watching(0).ByOthers == 1 })
	w.awaitNumber(0, url)
	before := len(w.updates(0))
	held := w.numbered(0, url)

	s := newStranger(t)
	victim := reach(t, s.Host, w.nodes[0].address())
	lie := inventedUpdate(t, url, held.Number)
	named := *lie
	named.Seal = corona.Seal{Giver: engine.Peer{ID: mustID(t, w.nodes[1].id)},
		Given: make([]byte, engine.SignatureLength)}
	mine := *lie
	mine.Seal.Giver, mine.Seal.Given = *selfOf(s), s.Keys().Sign([]byte("something else"))
	for range 2 {
		for _, u := range []corona.Update{*lie, named, mine} {
			if err := s.Do(t.Context(), func() { s.env.Send(victim, &u) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	await(t, "the peer is not listened to any more", func() bool { return forged.Load() == 3 && known.Load() == 3 })
	if v := w.numbered(0, url); v != held || len(w.updates(0)) != before {
		t.Errorf("version %+v, %d updates", v, len(w.updates(0)))
	}
	if got := s.gots.Load(); got > 0 {
		t.Errorf("%d forged updates were acknowledged", got)
	}
	w.foundFor(0, 1, name)

	// Hostile 39: where the owners do not answer the node looks as if it were alone.
	backup := func() bool {
		f, err := w.client(0).Channel(t.Context(), url)
		return err == nil && f.Last.NextWhy == channels.BackupWhy
	}
	for _, why := range []corona.Suspicion{corona.Silent, corona.Denied, corona.Silent, corona.Trusted} {
		w.nodes[0].coop.Listener().Suspected(corona.Suspected{Channel: engine.ID(tidings.IDOf(url)), Why: why})
		await(t, "the next check is another", func() bool { return backup() == (why != corona.Silent) })
	}
}

func selfOf(s *stranger) *engine.Peer {
	var self engine.Peer
	if err := s.Do(context.Background(), func() { self = s.env.Self() }); err != nil {
		panic(err)
	}
	return &self
}

func mustID(t *testing.T, text string) engine.ID {
	t.Helper()
	id, err := engine.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// inventedUpdate is an update that is consistent in every way, and with content that no origin has served.
func inventedUpdate(t *testing.T, url string, after uint64) *corona.Update {
	t.Helper()
	d, err := feed.Parse([]byte(rss(`<item><guid>invented</guid><title>Invented</title></item>`)), "", url,
		feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	p := &changeset.Set{Kind: tidings.KindFeed, Title: d.Title}
	var marks []tidings.ItemIdentity
	for _, i := range feed.Match(nil, d) {
		p.Items = append(p.Items, feed.Carried{FoundItem: i, Whole: true})
		marks = append(marks, i.Mark)
	}
	payload, err := p.Encode()
	if err != nil {
		t.Fatal(fmt.Errorf("packing: %w", err))
	}
	h := tidings.ContentHash(marks)
	version := (after>>24+1)<<24 | uint64(h[0])<<16 | uint64(h[1])<<8 | uint64(h[2])
	return &corona.Update{Channel: engine.ID(tidings.IDOf(url)), Version: version, Hash: h, Payload: payload,
		Size: 1000}
}
