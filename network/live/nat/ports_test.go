package nat

import (
	"slices"
	"strings"
	"testing"

	ma "github.com/multiformats/go-multiaddr"
)

// A host with two ports at one address is behind a router that draws them. TCP, with ports that hosts draw, and other
// addresses say nothing.
func TestOnePort(t *testing.T) {
	const (
		one   = "/ip4/9.9.9.9/udp/7601/quic-v1"
		other = "/ip4/9.9.9.9/udp/33123/quic-v1"
		moved = "/ip4/9.9.9.7/udp/33123/quic-v1"
		six   = "/ip6/2600::1/udp/7602/quic-v1"
		tcp   = "/ip4/9.9.9.9/tcp/7601"
		tcp2  = "/ip4/9.9.9.9/tcp/33124"
	)
	for _, c := range []struct {
		places, few string
		drawn       bool
	}{
		{"", "", false},
		{one, one, false},
		{one + " " + other, one, true},
		{one + " " + moved + " " + other, one + " " + moved, true},
		{tcp + " " + tcp2 + " " + one + " " + moved + " " + six, tcp + " " + tcp2 + " " + one + " " + moved + " " +
			six, false},
	} {
		var places []ma.Multiaddr
		for _, text := range strings.Fields(c.places) {
			places = append(places, ma.StringCast(text))
		}
		few, drawn := OnePort(places)
		var got []string
		for _, place := range few {
			got = append(got, place.String())
		}
		if !slices.Equal(got, strings.Fields(c.few)) || drawn != c.drawn {
			t.Errorf("%s: %v, drawn: %v", c.places, got, drawn)
		}
	}
}
