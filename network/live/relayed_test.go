package live

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// homes starts two private hosts that have a place at a relay and between which nothing passes. It returns them when
// the first knows how to reach the second through it.
func (w *world) homes(by *running) (a, b *running) {
	w.t.Helper()
	home := func(n int) *running {
		h := w.privateHost(n)
		if _, err := h.Connect(w.t.Context(), by.Addresses()[0]); err != nil {
			w.t.Fatal(err)
		}
		eventually(w.t, "a place at the relay", func() bool { return h.Router().Relays > 0 })
		return h
	}
	a, b = home(3), home(4)
	w.block(3, 4)
	return a, b
}

// talk has two hosts say numbers to each other, one a tick, for a while, and returns how many.
func (w *world) talk(a, b *running, ticks int, tick time.Duration) (said uint64) {
	for range ticks {
		a.send(b.Self(), aWord(said))
		b.send(a.Self(), aWord(said))
		said++
		time.Sleep(tick)
	}
	time.Sleep(10 * time.Second)
	return said
}

// received checks that what was sent has come, in order and once, without an outage.
func (r *running) received(said uint64) {
	r.t.Helper()
	if got := r.numbers(); !slices.Equal(got, upTo(said)) {
		r.t.Errorf("of %d messages %d came, or in another order", said, len(got))
	}
	if down := r.downCount(); down > 0 {
		r.t.Errorf("protocols were notified of %d outages: %v", down, r.failures())
	}
}

// A relay ends each circuit after a while and after so many bytes. Links go on on new ones before that, and protocols
// see nothing of it.
func TestCircuitsAreRenewed(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		relay := w.relay(func(r *Relaying) { r.Lasts = time.Minute })
		a, b := w.homes(relay)
		said := w.talk(a, b, 900, 300*time.Millisecond)
		for _, h := range []*running{a, b} {
			h.received(said)
			if n := len(eventsOf[Connected](h.recorder)); n < 5 {
				t.Errorf("in more than four minutes there were %d circuits of a minute each", n)
			}
			for _, p := range h.Peers() {
				if p.Since < 4*time.Minute {
					t.Errorf("a link that goes on on other circuits is said to have begun %v ago", p.Since)
				}
			}
		}
	})
}

// The same by bytes.
func TestCircuitsAreRenewedBeforeTheirBytesEnd(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		relay := w.relay(func(r *Relaying) { r.Bytes, r.Lasts = 64<<10, time.Hour })
		a, b := w.homes(relay)
		for n := range uint64(120) {
			a.send(b.Self(), someNews(n, 2<<10))
			time.Sleep(time.Second)
		}
		time.Sleep(5 * time.Second)
		b.received(120)
	})
}

// unblock lets everything pass between two places again.
func (w *world) unblock(x, y int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, b := ipOf(x).String(), ipOf(y).String()
	delete(w.apart, [2]string{a, b})
	delete(w.apart, [2]string{b, a})
}

// When nodes that met by relay can reach each other, they soon do, in the middle of their messages: in order and
// without loss.
func TestLinksMoveFromRelays(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.homes(w.relay(func(r *Relaying) { r.Lasts = time.Hour }))
		a.send(b.Self(), aWord(0))
		b.send(a.Self(), aWord(0))
		time.Sleep(5 * time.Second)
		way := func(h *running, to engine.ID) (relayed, punched bool) {
			for _, p := range h.Peers() {
				if p.Peer.ID == to {
					return p.Relayed, p.Punched
				}
			}
			t.Error("there is no link")
			return false, false
		}
		if relayed, _ := way(a, b.id); !relayed {
			t.Fatal("they do not meet by relay")
		}
		w.unblock(3, 4)
		said := uint64(1)
		for ; said < 2000; said++ {
			a.send(b.Self(), aWord(said))
			b.send(a.Self(), aWord(said))
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		for _, h := range []*running{a, b} {
			h.received(said)
		}
		for _, c := range []struct{ from, to *running }{{a, b}, {b, a}} {
			if relayed, punched := way(c.from, c.to.id); relayed || !punched {
				t.Errorf("20 s later a connection is relayed: %v, punched: %v", relayed, punched)
			}
			if n := len(c.from.net.Network().ConnsToPeer(c.to.pid)); n != 1 {
				t.Errorf("and there are %d connections", n)
			}
		}
	})
}

// A node with Relay relays from the start if it listens at a public address. There may be no other node to find out
// that it can be reached. Any other public node relays in small measure.
func TestPublicAddressesRelayAtOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		relay := w.host(1, func(c *Config) { c.Relay = true })
		plain := w.host(2)
		time.Sleep(time.Second)
		for _, h := range []*running{relay, plain} {
			if r := h.Reachability(); r != Public {
				t.Errorf("a node at a public address counts as %s", r)
			}
			if err := w.stranger(10 + int(h.Port())%7).reserve(h); err != nil {
				t.Errorf("it gives no place: %v", err)
			}
		}
	})
}

// A machine's own public IPv4 address makes a node public, until AutoNAT finds that a firewall is before it. An IPv6
// address does not, as homes have them behind firewalls, nor does any address of a local network.
func TestWhereANodeListensOpenly(t *testing.T) {
	interfaces := multiaddrs(t, "/ip4/127.0.0.1", "/ip4/192.168.1.5", "/ip4/8.8.8.8", "/ip4/100.64.0.9",
		"/ip4/169.254.7.7", "/ip6/fd00::1", "/ip6/2a01:4f8::1", "/ip6/fe80::1")
	for _, c := range []struct {
		listen string
		open   []string
	}{
		{"/ip4/0.0.0.0/udp/7601/quic-v1", []string{"/ip4/8.8.8.8/udp/7601/quic-v1"}},
		{"/ip6/::/tcp/7601", []string{"/ip6/2a01:4f8::1/tcp/7601"}},
		{"/ip4/192.168.1.5/tcp/7601", nil},
		{"/ip4/127.0.0.1/tcp/7601", nil},
		{"/ip4/8.8.8.8/tcp/7601", []string{"/ip4/8.8.8.8/tcp/7601"}},
	} {
		var open []string
		for _, a := range openListening(multiaddrs(t, c.listen), interfaces) {
			open = append(open, a.String())
		}
		if !slices.Equal(open, c.open) {
			t.Errorf("%s is open at %v; want %v", c.listen, open, c.open)
		}
	}
}

// When peers see a node at another public address, it finds out soon which of its connections have outlived that,
// however quiet they are.
func TestAnotherAddressPutsConnectionsInDoubt(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		home, server, friend := w.atHome(5), w.host(1), w.host(2)
		w.connect(home, server)
		w.connect(home, friend)
		at := func(place string) {
			c := home.net.Network().ConnsToPeer(server.pid)[0]
			home.do(func() { home.loop.ways.seenBy(c, multiaddrs(t, place)[0].Bytes()) })
		}
		at("/ip4/9.9.9.9/udp/8000/quic-v1")
		time.Sleep(2 * time.Minute)
		w.plug(2, false) // as the hole is closed in which the connection went
		time.Sleep(10 * time.Millisecond)
		start := time.Now()
		at("/ip4/9.9.9.8/udp/8000/quic-v1")
		for home.downCount() == 0 && time.Since(start) < time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		if elapsed := time.Since(start); elapsed > suspectWithin+2*tick {
			t.Errorf("that the connection is dead is known after %v", elapsed)
		}
		time.Sleep(10 * time.Second)
		if down := home.downs(); len(down) != 1 || down[0].ID != friend.id {
			t.Errorf("reported down: %v", down)
		}
	})
}
