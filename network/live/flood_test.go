package live

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

// hostile 49: a hundred keys at one address. They get what an address may have, the peer that
// was there keeps its link, and others still come in.
func TestConnectionFlood(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, good, later := w.host(1), w.host(2), w.host(3)
		w.connect(good, a)
		for n := range 40 {
			bad := w.strangerAt(100+n, 50, 9000+n)
			_, _ = bad.open(a)
		}
		time.Sleep(time.Second)
		held := 0
		for _, c := range a.net.Network().Conns() {
			if strings.Contains(c.RemoteMultiaddr().String(), ipOf(50).String()) {
				held++
			}
		}
		if most := a.limits.Resources.PerIP4; held > most || held == 0 {
			t.Errorf("%d connections of one address are held, at most %d may be", held, most)
		}
		good.send(a.Host.Self(), aWord(1))
		later.send(a.Host.Self(), aWord(2))
		time.Sleep(time.Minute)
		if got := a.numbers(); !sameNumbers(got, []uint64{1, 2}) || good.downCount()+later.downCount() != 0 {
			t.Errorf("received %v, reported down %v and %v", got, good.downs(), later.downs())
		}
	})
}

// hostile 49: 10^5 streams on a connection. Only a few are held at a time.
func TestStreamFlood(t *testing.T) {
	streams := 100_000
	if testing.Short() || raced {
		streams = 2000
	}
	inWorld(t, func(t *testing.T, w *world) {
		a, good := w.host(1), w.host(2)
		w.connect(good, a)
		bad := w.stranger(3)
		bad.ignore()
		out := bad.mustOpen(a)
		bad.keepAlive(out)
		most := 0
		for i := range streams {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			s, err := out.Conn().NewStream(ctx)
			cancel()
			if err == nil {
				_, _ = s.Write([]byte{1})
			}
			if i%500 == 0 {
				most = max(most, len(a.net.Network().ConnsToPeer(bad.net.ID())[0].GetStreams()))
				good.send(a.Host.Self(), aWord(uint64(i/500)))
			}
		}
		if limit := a.limits.Resources.StreamsPerPeer + 1; most > limit { // and the host's own
			t.Errorf("%d streams were held, at most %d may be", most, limit)
		}
		time.Sleep(time.Second)
		if want := upTo(uint64(streams / 500)); !sameNumbers(a.numbers(), want) || good.downCount() != 0 {
			t.Errorf("of %d, the good peer had %d handled; reported down %v", len(want), len(a.numbers()), good.downs())
		}
	})
}

// hostile 49: connections that never come through the handshake. Only so many wait, the peer
// that was there keeps its link, and when they are gone others come in.
func TestSlowHandshakes(t *testing.T) {
	a, good := startHost(t, onTCP(1)), startHost(t, onTCP(2))
	if _, err := good.Connect(t.Context(), a.Addresses()[0]); err != nil {
		t.Fatal(err)
	}
	place, _, _ := strings.Cut(a.Addresses()[0], "/p2p/")
	port := place[strings.LastIndex(place, "/")+1:]
	var all []net.Conn
	for range 3 * a.limits.Resources.Handshakes {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	good.send(a.Host.Self(), aWord(1))
	eventually(t, "the good peer is heard", func() bool { return sameNumbers(a.numbers(), []uint64{1}) })
	for _, c := range all {
		_ = c.Close()
	}
	later := startHost(t, onTCP(3))
	eventually(t, "others come in", func() bool {
		_, err := later.Connect(t.Context(), a.Addresses()[0])
		return err == nil
	})
	if good.downCount() != 0 {
		t.Error("the good peer lost its link")
	}
}

// hostile 50: mDNS finds are suggested, in a bounded number. They are neither dialled nor reported to protocols.
func TestFoundPeersAreOnlySuggested(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		found := finder{a.Host}
		for n := range 2 * a.limits.Found {
			key, err := crypto.UnmarshalEd25519PrivateKey(testKey(100 + n))
			if err != nil {
				t.Fatal(err)
			}
			id, err := peer.IDFromPrivateKey(key)
			if err != nil {
				t.Fatal(err)
			}
			found.HandlePeerFound(peer.AddrInfo{ID: id, Addrs: b.net.Addrs()})
		}
		found.HandlePeerFound(peer.AddrInfo{ID: a.pid, Addrs: a.net.Addrs()})
		found.HandlePeerFound(peer.AddrInfo{ID: "nonsense", Addrs: a.net.Addrs()})
		time.Sleep(time.Minute)
		if n := len(a.Found()); n != a.limits.Found {
			t.Errorf("%d peers are suggested", n)
		}
		if p := <-a.Found(); p.ID == a.id || FormatAddress(p) == "" {
			t.Errorf("suggested: %v", p)
		}
		if n := len(a.net.Network().Conns()); n != 0 || a.downCount() != 0 || len(a.gotten()) != 0 {
			t.Errorf("%d connections were made, reported down %v", n, a.downs())
		}
	})
}

// hostile 50: a node that refuses to relay carries nothing for others, not even
// when it is public.
func TestNoRelayWhereRefused(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1, func(c *Config) { c.NoRelay = true })
		time.Sleep(time.Minute)
		for _, p := range a.net.Mux().Protocols() {
			if strings.Contains(string(p), "relay") && strings.HasSuffix(string(p), "hop") {
				t.Errorf("it serves %s", p)
			}
		}
	})
}

// A node that nobody can connect to is reached through a relay that it is connected to. The
// relay needs no list: it was joined by.
func TestRelayedLink(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		relay := w.host(1, func(c *Config) { c.Relay = true; c.options = append(c.options, forcePublic) })
		hidden := w.privateHost(2)
		friend := w.host(3)
		w.connect(hidden, relay)
		time.Sleep(time.Minute)
		var through string
		for _, text := range hidden.Addresses() {
			if strings.Contains(text, "/p2p-circuit") {
				through = text
			}
		}
		if through == "" {
			t.Fatalf("the hidden node has no relay: %v", hidden.Addresses())
		}
		w.block(3, 2) // the friend reaches it by the relay alone
		p, err := friend.Connect(t.Context(), through)
		if err != nil || p.ID != hidden.id {
			t.Fatalf("connected with %v: %v", p, err)
		}
		friend.send(p, aWord(1))
		time.Sleep(5 * time.Second)
		if !sameNumbers(hidden.numbers(), []uint64{1}) {
			t.Fatalf("the hidden node heard %v", hidden.numbers())
		}
		hidden.send(hidden.gotten()[0].from, aWord(2))
		time.Sleep(5 * time.Second)
		if !sameNumbers(friend.numbers(), []uint64{2}) {
			t.Errorf("the friend heard %v", friend.numbers())
		}
		if peers := friend.Peers(); len(peers) != 1 || !peers[0].Relayed {
			t.Errorf("the friend shows %+v", peers)
		}
	})
}
