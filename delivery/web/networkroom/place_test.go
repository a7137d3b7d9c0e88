package networkroom

import (
	"testing"
	"unicode/utf8"

	"tidings/delivery/web/wording"
)

func TestPlaceOf(t *testing.T) {
	for address, want := range map[string]string{
		"/ip4/203.0.113.17/udp/7601/quic-v1/p2p/12D3KooWabc":                               "203.0.113.17:7601 · QUIC",
		"/ip6/2001:db8::7/tcp/7601/p2p/12D3KooWabc":                                        "[2001:db8::7]:7601 · TCP",
		"/dns4/friend.example/tcp/443/p2p/12D3KooWabc":                                     "friend.example:443 · TCP",
		"/ip4/203.0.113.17/udp/7601/quic-v1/p2p/12D3KooWrelay/p2p-circuit/p2p/12D3KooWabc": "203.0.113.17:7601 · by a relay",
		"/p2p/12D3KooWabc": "/p2p/12D3KooWabc",
		"/ip4/203.0.113.17/udp/7601/webrtc/p2p/12D3KooWab": "/ip4/203.0.113.17/udp/7601/webrtc/p2p/12D3KooWab",
		"/ip4":                                   "/ip4",
		"":                                       "",
		"a\nb\x1b":                               "a b",
		"/dns4/\u202eevil\x1b[31m.example/tcp/1": "evil[31m.example:1 · TCP",
	} {
		if got := placeOf(address); got != want {
			t.Errorf("placeOf(%q) = %q, want %q", address, got, want)
		}
	}
}

// Whatever an address holds, its place is one short line.
func FuzzPlaceOf(f *testing.F) {
	for _, seed := range []string{"/ip4/203.0.113.17/udp/7601/quic-v1/p2p/12D3KooWabc", "/dns/" + hostileText +
		"/tcp/1", "/", "//", "/udp", "\xff/ip4/\u202e/tcp/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := placeOf(address)
		if wording.Plain(got, maxPlace+1) != got || utf8.RuneCountInString(got) > maxPlace+1 {
			t.Errorf("placeOf(%q) = %q", address, got)
		}
	})
}
