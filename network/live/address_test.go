package live

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	ma "github.com/multiformats/go-multiaddr"
	"pgregory.net/rapid"

	"tidings/network/engine"
)

// contactOf returns the peer with the n-th key at the given places.
func contactOf(t testing.TB, n int, places ...string) engine.Peer {
	t.Helper()
	c := contact{key: testKey(n).Public().(ed25519.PublicKey)}
	for _, p := range places {
		a, err := ma.NewMultiaddr(p)
		if err != nil {
			t.Fatal(err)
		}
		c.places = append(c.places, a)
	}
	return engine.Peer{ID: NodeID(c.key), Address: c.address()}
}

const relayedPlace = "/ip4/203.0.113.9/udp/4001/quic-v1/p2p/12D3KooWGBfKqTqgvYiYsVSQdyLsMa1TfxL3HKvNUMb5cVJzqjZ6/p2p-circuit"

func TestAddressesThroughTextAndBack(t *testing.T) {
	for _, places := range [][]string{
		{"/ip4/192.0.2.1/udp/4001/quic-v1"},
		{"/ip4/192.0.2.1/udp/4001/quic-v1", "/ip4/192.0.2.1/tcp/4001", "/ip6/2001:db8::1/udp/4001/quic-v1"},
		{"/dns4/node.example/tcp/4001", "/dns/node.example/udp/4001/quic-v1"},
	} {
		p := contactOf(t, 1, places...)
		texts := FormatAddresses(p)
		if len(texts) != len(places) {
			t.Fatalf("%v became %v", places, texts)
		}
		back, err := ParseAddress(strings.Join(texts, ", "))
		if err != nil || back != p {
			t.Errorf("%v became %v: %v", texts, FormatAddresses(back), err)
		}
		if one := FormatAddress(p); one != texts[0] {
			t.Errorf("the first of %v is %s", texts, one)
		}
	}
	if p := contactOf(t, 1, "/ip4/192.0.2.1/udp/4001/quic-v1", "/ip4/192.0.2.1/tcp/4001"); len(p.Address) != 53 {
		t.Errorf("an address of two places has %d bytes", len(p.Address))
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	id := strings.TrimPrefix(FormatAddress(contactOf(t, 1)), "/p2p/")
	for _, text := range []string{
		"", " ", "/", "node.example:4001", "https://node.example", "/ip4/192.0.2.1/tcp/4001",
		"/p2p/" + id, "/ip4/192.0.2.1/p2p/" + id, "/ip4/192.0.2.1/tcp/4001/ws/p2p/" + id,
		"/ip4/192.0.2.1/udp/4001/p2p/" + id, "/ip4/192.0.2.1/udp/4001/quic-v1/webtransport/p2p/" + id,
		"/ip4/999.0.2.1/tcp/4001/p2p/" + id, "/ip4/192.0.2.1/tcp/70000/p2p/" + id,
		"/ip4/192.0.2.1/tcp/4001/p2p/12D3KooW", "/unix/tmp/x/p2p/" + id,
		"/dns4/" + strings.Repeat("x", 250) + "/tcp/4001/p2p/" + id,
		"/ip4/192.0.2.1/tcp/1/p2p/" + id + ",/ip4/192.0.2.1/tcp/1" + FormatAddress(contactOf(t, 2)),
	} {
		if p, err := ParseAddress(text); err == nil {
			t.Errorf("%q was read as %v", text, FormatAddresses(p))
		}
	}
	if _, err := ParseAddress("/ip4/192.0.2.1/tcp/1/p2p/QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N"); !errors.Is(
		err, ErrWrongKey) {
		t.Errorf("an RSA key gives: %v", err)
	}
}

// An address never grows beyond its bounds, and what is left out comes from the end.
func TestAddressesAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.SampledFrom([]string{
			"/ip4/192.0.2.1/udp/4001/quic-v1", "/ip4/192.0.2.1/tcp/4001", relayedPlace,
			"/ip6/2001:db8::1/tcp/4001", "/dns4/" + strings.Repeat("x", 60) + "/tcp/1",
		}), 0, 20).Draw(t, "places")
		c := contact{key: testKey(1).Public().(ed25519.PublicKey)}
		for _, p := range all {
			a, err := ma.NewMultiaddr(p)
			if err != nil {
				t.Fatal(err)
			}
			c.places = append(c.places, a)
		}
		address := c.address()
		if len(address) > maxAddressBytes {
			t.Fatalf("%d bytes", len(address))
		}
		back, err := parseContact(address)
		if err != nil || len(back.places) > maxPlaces || !bytes.Equal(back.key, c.key) {
			t.Fatalf("%d places, %v", len(back.places), err)
		}
		if len(all) > 0 && !back.places[0].Equal(c.places[0]) {
			t.Fatal("the best place was left out")
		}
	})
}

func TestBestFirst(t *testing.T) {
	order := []string{
		"/ip4/8.8.8.8/udp/4001/quic-v1", "/ip4/8.8.8.8/tcp/4001", relayedPlace,
		"/ip4/192.168.1.5/udp/4001/quic-v1", "/ip4/192.168.1.5/tcp/4001",
		"/ip4/127.0.0.1/udp/4001/quic-v1", "/ip4/127.0.0.1/tcp/4001",
	}
	dropped := []string{"/ip6/fe80::1/tcp/4001", "/ip4/0.0.0.0/tcp/1", "/ip4/8.8.8.8/udp/4001/quic-v1/webtransport"}
	rapid.Check(t, func(t *rapid.T) {
		var places []ma.Multiaddr
		for _, p := range rapid.Permutation(append(append([]string{}, order...), dropped...)).Draw(t, "order") {
			a, err := ma.NewMultiaddr(p)
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, a)
		}
		sorted := bestFirst(places)
		if len(sorted) != len(order) {
			t.Fatalf("%d places are left", len(sorted))
		}
		for i, p := range sorted {
			if p.String() != order[i] {
				t.Fatalf("place %d is %s, not %s", i, p, order[i])
			}
		}
	})
}

func TestIDMustMatchKey(t *testing.T) {
	p := contactOf(t, 1, "/ip4/192.0.2.1/tcp/4001")
	if _, err := check(p); err != nil {
		t.Error(err)
	}
	p.ID[19] ^= 1
	if _, err := check(p); err == nil {
		t.Error("an ID of another key passed")
	}
}

// addressSeeds are what the fuzzer starts from.
func addressSeeds(t testing.TB) []string {
	seeds := []string{
		"", "short", string(contactOf(t, 1).Address),
		string(contactOf(t, 1, "/ip4/192.0.2.1/tcp/4001").Address),
		string(contactOf(t, 2, "/ip4/192.0.2.1/udp/4001/quic-v1", relayedPlace).Address),
		string(contactOf(t, 1).Address) + "\x00", string(contactOf(t, 1).Address) + "\xff\x01",
	}
	if len(seeds) < 7 {
		t.Fatal("the seeds are gone")
	}
	return seeds
}

// hostile 27: any bytes as an address are read without panic. What is read is within its bounds and is written as the
// same bytes.
func FuzzAddress(f *testing.F) {
	for _, s := range addressSeeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseContact(engine.Address(text))
		if err != nil {
			return
		}
		if len(c.places) > maxPlaces || len(c.key) != 32 {
			t.Fatalf("%d places, a key of %d bytes", len(c.places), len(c.key))
		}
		if back := c.address(); string(back) != text {
			t.Fatalf("%x was read and written as %x", text, back)
		}
		p := engine.Peer{ID: NodeID(c.key), Address: engine.Address(text)}
		for _, a := range FormatAddresses(p) {
			if _, err := ParseAddress(a); err != nil {
				t.Fatalf("%s: %v", a, err)
			}
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"/ip4/192.0.2.1/tcp/4001" + FormatAddress(contactOf(f, 1)), "/ip4/1.2.3.4",
		relayedPlace, ","} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseAddress(text)
		if err != nil {
			return
		}
		if _, err := check(p); err != nil {
			t.Fatalf("%q was read as an address that is none: %v", text, err)
		}
	})
}
