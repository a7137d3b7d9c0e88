package live

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"strings"
	"testing"

	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
)

// working returns a configuration with a key that has exactly so many bits of work, the n-th of the tests.
func working(n, work, asked int) Config {
	c := onTCP(n)
	for i := 1000 * n; ; i++ {
		if c.Key = testKey(i); NodeID(c.Key.Public().(ed25519.PublicKey)).Work() == work {
			c.IDWork = asked
			return c
		}
	}
}

// Two nodes with IDs of the work that both require talk as ever. Nodes that require different work do not meet, and
// both sides say why, whichever dials.
func TestIDsThatCostWork(t *testing.T) {
	a, b := startHost(t, working(1, 6, 6)), startHost(t, working(2, 7, 6))
	talk(t, a, b)
	c := startHost(t, working(3, 0, 0))
	d := startHost(t, working(4, 6, 5))
	for _, pair := range []struct {
		from, to *running
		want     error
	}{{a, c, ErrLittleWork}, {c, a, ErrOtherWork}, {a, d, ErrOtherWork}, {d, a, ErrOtherWork}} {
		_, err := pair.from.Connect(t.Context(), pair.to.Addresses()[0])
		if !errors.Is(err, pair.want) || !strings.Contains(err.Error(), "--id-work") {
			t.Errorf("connecting says: %v; want %v", err, pair.want)
		}
		if len(pair.to.gotten()) > 0 && pair.to != a {
			t.Error("a message has passed")
		}
	}
	eventually(t, "it is observed which peer could not be met",
		func() bool { return len(eventsOf[Incompatible](a.recorder)) > 0 })
	for _, h := range []*running{c, d} {
		if len(eventsOf[Connected](h.recorder)) > 0 {
			t.Error("they have connected")
		}
	}
}

// A node that claims to require the same work, and has an ID without, is refused and learns why.
func TestHostile38AnIDWithoutWorkIsRefused(t *testing.T) {
	a := startHost(t, working(1, 6, 6))
	c := working(2, 6, 6)
	liar := startHost(t, c)
	liar.Host.config.IDWork = 6
	weak := working(3, 2, 0)
	h := startHost(t, weak)
	h.do(func() { h.Host.config.IDWork = 6 })
	_, _ = h.Connect(t.Context(), a.Addresses()[0]) // it may believe that the other side's Hello admits it
	eventually(t, "it is observed", func() bool {
		return slices.ContainsFunc(eventsOf[Incompatible](a.recorder), func(e Incompatible) bool {
			return strings.Contains(e.Why, "2 bits") && strings.Contains(e.Why, "asks for 6")
		})
	})
	a.send(h.Host.Self(), aWord(1)) // nor does anything go to it
	eventually(t, "it is reported down", func() bool { return a.downCount() > 0 })
	if len(h.gotten()) > 0 {
		t.Error("it got a message")
	}
	words := []byte("test: words")
	if a.Keys().Signed(h.Host.Self(), words, h.Keys().Sign(words)) {
		t.Error("its signature counts")
	}
	if !a.Keys().Signed(liar.Host.Self(), words, liar.Keys().Sign(words)) {
		t.Error("the signature of one with work does not count")
	}
}

// A host with a key that has not enough work does not start.
func TestOwnIDNeedsWork(t *testing.T) {
	for asked, fine := range map[int]bool{0: true, 5: true, 6: false, -1: false, engine.MaxIDWork + 1: false} {
		if _, err := New(working(1, 5, asked)); (err == nil) != fine {
			t.Errorf("an ID with 5 bits where %d are asked for: %v", asked, err)
		}
	}
}

// Of public addresses the /24 or /48 counts, and of others nothing.
func TestPrefixes(t *testing.T) {
	for text, want := range map[string]string{
		"/ip4/8.8.8.8/udp/1/quic-v1":          "8.8.8.0/24",
		"/ip4/8.8.8.200/tcp/1":                "8.8.8.0/24",
		"/ip6/2a00:1450:4001:81b::200e/tcp/1": "2a00:1450:4001::/48",
		"/ip4/127.0.0.1/tcp/1":                "",
		"/ip4/192.168.1.5/tcp/1":              "",
		"/ip4/100.64.0.1/tcp/1":               "",
		"/ip4/169.254.1.1/tcp/1":              "",
		"/ip6/fe80::1/tcp/1":                  "",
		"/ip6/fd00::1/tcp/1":                  "",
		"/dns/example.org/tcp/1":              "",
		relayedPlace:                          "",
	} {
		place, err := ma.NewMultiaddr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := prefixOf(place); got != want {
			t.Errorf("%s is in %q, want %q", text, got, want)
		}
	}
}

// A node's own claims count only until it is connected: then it is where it is connected from. In a network with a key
// all are friends.
func TestPrefixesOfPeers(t *testing.T) {
	a, b := startHost(t, onTCP(1)), startHost(t, onTCP(2))
	claims := func(n int) engine.Address {
		return contactOf(t, n, "/ip4/192.168.1.1/tcp/1", "/ip4/8.8.8.8/tcp/1", "/ip4/9.9.9.9/tcp/1").Address
	}
	prefix := func(of engine.Address) (got string) {
		a.do(func() { got = engine.PrefixOf(a.env, of) })
		return got
	}
	if got := prefix(claims(2)); got != "8.8.8.0/24" {
		t.Errorf("before it is connected: %q", got)
	}
	if _, err := a.Connect(t.Context(), b.Addresses()[0]); err != nil {
		t.Fatal(err)
	}
	if got := prefix(claims(2)); got != "" {
		t.Errorf("connected from loopback: %q", got)
	}
	if got := prefix("no address"); got != "" {
		t.Errorf("no address is in %q", got)
	}
	c := onTCP(3)
	c.NetworkKey = NewNetworkKey()
	a = startHost(t, c)
	if got := prefix(claims(2)); got != "" {
		t.Errorf("in a closed network: %q", got)
	}
}
