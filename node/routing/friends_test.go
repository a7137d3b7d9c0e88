package routing

import (
	"slices"
	"testing"

	"tidings/network/engine"
)

const (
	someID  = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp"
	otherID = "12D3KooWQYhTNQdmr3ArTeUHRYzFg94BKyTkoWBDWez9kSCVe2Xo"
)

// The friends of the run before are there, and are kept until there are others. Addresses that cannot be read are left
// out.
func TestFriendsAreRemembered(t *testing.T) {
	some, other := "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/"+someID, "/ip4/192.0.2.8/tcp/7601/p2p/"+otherID
	r := New(nil, []string{some + ",/ip4/10.0.0.7/tcp/7601/p2p/" + someID, "nonsense", "", other})
	before := r.friends.Friends()
	if len(before) != 2 || !slices.Equal(r.Remembered(), []string{some, other}) {
		t.Fatalf("of the run before are %v, to be saved as %q", before, r.Remembered())
	}
	r.friends.Remember([]engine.Peer{before[1]})
	if !slices.Equal(r.Remembered(), []string{other}) || len(r.friends.Friends()) != 2 {
		t.Errorf("of this run are saved %q", r.Remembered())
	}
}
