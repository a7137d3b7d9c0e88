package member

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/view"
)

const (
	someID    = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"
	someJoin  = "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/" + someID
	otherJoin = "/dns4/tidings.example/tcp/7601/p2p/" + someID
)

func TestListenAddresses(t *testing.T) {
	want := []string{"/ip4/0.0.0.0/udp/1/quic-v1", "/ip4/0.0.0.0/tcp/1", "/ip6/::/udp/1/quic-v1", "/ip6/::/tcp/1"}
	if got := ListenAddresses(nil, 1, false); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := ListenAddresses(nil, 1, true); !slices.Equal(got, []string{want[1], want[3]}) {
		t.Errorf("with a network key: %q", got)
	}
	told := []string{"/ip4/127.0.0.1/tcp/5"}
	if got := ListenAddresses(told, 1, true); !slices.Equal(got, told) {
		t.Errorf("as told: %q", got)
	}
}

func FuzzJoinAddress(f *testing.F) {
	for _, seed := range []string{"", "/", someJoin, otherJoin, otherJoin + "/p2p-circuit/p2p/" + someID,
		"/p2p/" + someID, "/ip6zone/eth0/ip6/fe80::1/tcp/1",
		"/ip4/1.2.3.4/tcp/-1", "/unix/" + strings.Repeat("a/", 100), "192.0.2.7:7601",
		"/ip4/1.2.3.4/udp/1/quic-v1/webtransport/certhash/uEi"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, err := range []error{CheckJoin(text), CheckListen(text, false)} {
			if err != nil && (!errors.Is(err, tidings.ErrInvalid) || len(err.Error()) > view.MaxJoinAddress*4+400) {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if CheckListen(text, false) == nil {
			if _, _, err := ListenArgs(text); err != nil {
				t.Fatalf("%q can be listened at, but not by whom: %v", text, err)
			}
		}
	})
}
