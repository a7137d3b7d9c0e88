package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/live/nat"
)

// atHome is where the n-th host listens that is in a local network. Each is in one of its own, as far as others know.
func atHome(n int) string { return fmt.Sprintf("/ip4/192.168.%d.2/udp/8000/quic-v1", n) }

func (w *world) atHome(n int) *running {
	return w.host(n, func(c *Config) { c.Listen = []string{atHome(n)} })
}

// Strangers do not learn where a node is on its local network, nor are they dialled at such addresses. In a network in
// which all are private there is nothing else.
func TestLocalAddressesStayAtHome(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		alone, friend := w.atHome(5), w.atHome(6)
		if !strings.Contains(FormatAddress(alone.Self()), "192.168.5.2") {
			t.Errorf("where all addresses are private, a node announces %v", FormatAddresses(alone.Self()))
		}
		alone.send(friend.Self(), aWord(0))
		time.Sleep(5 * time.Second)
		friend.received(1)

		server, home := w.host(1), w.atHome(7)
		w.connect(home, server)
		time.Sleep(10 * time.Second)
		for _, got := range [][]string{FormatAddresses(home.Self()), FormatAddresses(server.Peers()[0].Peer),
			texts(home.net.Addrs())} {
			if strings.Contains(strings.Join(got, " "), "192.168.") {
				t.Errorf("a node that is on the internet announces %v", got)
			}
		}
		if given := home.Addresses(); len(given) != 1 || !strings.Contains(given[0], "192.168.7.2") {
			t.Errorf("people are shown %v", given)
		}
		stranger := w.atHome(8)
		before := time.Now()
		home.send(stranger.Self(), aWord(0))
		time.Sleep(5 * time.Second)
		if n := home.downCount(); n != 1 || len(stranger.gotten()) > 0 {
			t.Errorf("a stranger at a private address was dialled: %d outages after %v", n, time.Since(before))
		}
		if _, err := home.Connect(t.Context(), FormatAddress(stranger.Self())); err != nil {
			t.Errorf("a person may give such an address: %v", err)
		}
		for _, p := range home.Peers() {
			if p.Peer.ID == stranger.id && strings.Contains(FormatAddress(p.Peer), "192.168.") {
				t.Errorf("protocols learn of %s", FormatAddress(p.Peer))
			}
		}
	})
}

func texts(all []ma.Multiaddr) (list []string) {
	for _, a := range all {
		list = append(list, a.String())
	}
	return list
}

// Two nodes behind one router exchange their places on their local network, and dial each other there.
func TestNodesBehindOneRouterMeetAtHome(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		relay := w.host(1)
		var homes []*running
		for n := 5; n < 7; n++ {
			h := w.privateHost(n, func(c *Config) { c.Listen = []string{atHome(n)} })
			w.connect(h, relay)
			eventually(t, "a place at the relay", func() bool { return h.Router().Relays > 0 })
			// The simulated links have no routers: as what the relay would see the node.
			if !h.outside.Sees(h.net.Network().ConnsToPeer(relay.pid)[0],
				multiaddrs(t, "/ip4/9.9.9.9/udp/8000/quic-v1")[0]) {
				t.Fatal("it is no news where the node is seen outside")
			}
			h.do(h.loop.ways.seenElsewhere)
			homes = append(homes, h)
		}
		a, b := homes[0], homes[1]
		a.send(b.Self(), aWord(0))
		time.Sleep(5 * time.Second)
		for _, c := range []struct{ at, other *running }{{a, b}, {b, a}} {
			var known []ma.Multiaddr
			c.at.do(func() { known = c.at.loop.ways.nearby.places[c.other.id] })
			if len(known) != 1 || !strings.Contains(known[0].String(), "192.168.") {
				t.Errorf("it is known of the other one: %v", known)
			}
			var got contact
			c.at.do(func() { got = c.at.loop.ways.dialled(c.other.id, contact{}) })
			if len(got.places) != 1 {
				t.Errorf("it is dialled at %v", got.places)
			}
		}
		time.Sleep(10 * time.Second)
		for _, p := range a.Peers() {
			if p.Peer.ID == b.id && (p.Relayed || !strings.Contains(p.Over, "192.168.")) {
				t.Errorf("they are connected over %s", p.Over)
			}
		}
		for _, p := range relay.Peers() {
			if strings.Contains(fmt.Sprint(FormatAddresses(p.Peer)), "192.168.") {
				t.Errorf("the relay learns of %v", FormatAddresses(p.Peer))
			}
		}
	})
}

// A stranger that claims to be behind the same router, and is seen elsewhere, learns nothing of the local network.
func TestFalseNeighboursLearnNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		home, liar := w.atHome(5), w.host(1)
		w.connect(home, liar)
		own := multiaddrs(t, "/ip4/9.9.9.9/udp/8000/quic-v1")[0]
		home.outside.Sees(home.net.Network().ConnsToPeer(liar.pid)[0], own)
		liar.outside.Sees(liar.net.Network().ConnsToPeer(home.pid)[0], own)
		claim := home.sentBy(new(Place))
		liar.do(func() {
			for _, l := range liar.loop.links {
				at := nat.AddrOf(own).As16()
				liar.loop.say(l, &Place{Address: liar.Host.Self().Address, Seen: at[:]})
			}
		})
		time.Sleep(5 * time.Second)
		home.do(func() {
			for _, l := range home.loop.links {
				if l.near || len(home.loop.ways.placeFor(l).Near) > 0 {
					t.Error("the liar counts as a neighbour")
				}
			}
		})
		if got := home.sentBy(new(Place)); got != claim {
			t.Errorf("the liar learns of %d more places", got-claim)
		}
	})
}
