package stream

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings/delivery/xmpp/xmpptest"
)

// Messages are sent while connections break. Every message arrives once.
func TestProsodyBreaksUnderLoad(t *testing.T) {
	p := xmpptest.Start(t, "alice", "bob")
	a, b := keep(t, account(p, "alice", p.Clients)), keep(t, account(p, "bob", p.Clients))
	a.up()
	b.up()
	const senders, each = 8, 25
	failures := make(chan error, senders)
	for s := range senders {
		go func() {
			for i := range each {
				id := fmt.Sprintf("%d-%d", s, i)
				if i == each/2 && s%2 == 0 {
					a.cutOff()
				}
				if err := a.Send(t.Context(), chat("", "bob@localhost", id, id)); err != nil {
					failures <- fmt.Errorf("%s: %w", id, err)
					return
				}
			}
			failures <- nil
		}()
	}
	for range senders {
		if err := <-failures; err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Send(t.Context(), chat("", "bob@localhost", "last", "last")); err != nil {
		t.Fatal(err)
	}
	times := make(map[string]int)
	for {
		body := b.body()
		if body == "last" {
			break
		}
		times[body]++
	}
	for s := range senders {
		for i := range each {
			if n := times[fmt.Sprintf("%d-%d", s, i)]; n != 1 {
				t.Errorf("message %d of sender %d arrived %d times", i, s, n)
			}
		}
	}
}

// What comes while connections break comes once, and in order: the server learns what has arrived.
func TestProsodyReceivesOnce(t *testing.T) {
	p := xmpptest.Start(t, "alice", "bob")
	a, b := keep(t, account(p, "alice", p.Clients)), keep(t, account(p, "bob", p.Clients))
	a.up()
	b.up()
	const count = 40
	for i := range count {
		if err := b.Send(t.Context(), chat("", "alice@localhost", fmt.Sprint(i), fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if i%10 == 5 {
			a.cutOff()
		}
	}
	for i := range count {
		if got := a.body(); got != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, got)
		}
	}
}

// cutOff breaks the connection, if there is one.
func (s *station) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		s.live.n.secure.NetConn().Close()
	}
}

// A server that acknowledges more than it was sent is not believed (XEP-0198, section 4).
func TestTooManyAcknowledged(t *testing.T) {
	c := &Client{c: Config{Component: xmpptest.Component}.withDefaults(), changed: make(chan struct{})}
	c.ledger.counts = true
	live := &connection{client: c, n: &negotiation{counts: true}, out: make(chan []byte, 10),
		ended: make(chan struct{})}
	live.silence, live.quiet = time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	c.live = live
	for h, fails := range map[string]bool{"0": false, "1": true, "4294967295": true, "-1": true, "": true,
		"99999999999": true} {
		err := c.manage(live, &Element{Space: nsSM, Local: "a", Attributes: map[string]string{"h": h}})
		if _, is := errors.AsType[*violation](err); is != fails {
			t.Errorf("h=%q: %v", h, err)
		}
	}
}

// A server that is killed as messages arrive loses none that it has accepted, and none that it has not: each is sent
// again until it is accepted. At most one comes twice for each kill and sender.
func TestProsodyKilled(t *testing.T) {
	p := xmpptest.Start(t, "alice")
	c := keep(t, component(p))
	c.up()
	const count, kills = 60, 3
	for i := range count {
		id := fmt.Sprint(i)
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			if i%(count/kills) == count/kills/2 {
				p.Kill()
				p.Begin()
			}
		}()
		for {
			if err := c.Send(t.Context(), chat("bot@"+xmpptest.Component, "alice@localhost", id, id)); err == nil {
				break
			}
		}
		<-killed
	}
	a := keep(t, account(p, "alice", p.Clients))
	a.up()
	last, again := -1, 0
	for last < count-1 {
		var n int
		if _, err := fmt.Sscan(a.body(), &n); err != nil {
			t.Fatal(err)
		}
		switch n {
		case last + 1:
			last = n
		case last:
			again++
		default:
			t.Fatalf("message %d comes after %d", n, last)
		}
	}
	if again > kills {
		t.Errorf("%d messages came twice, and the server was killed %d times", again, kills)
	}
}
