package live

import (
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

// A suggestion of mDNS is good for Connect, which verifies it: here a node that is there, and one that an attacker in a
// café only claims to be at the place of another (hostile 50).
func TestWhatIsFoundIsConnectedFirst(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b, c := w.host(1), w.host(2), w.host(3)
		found := finder{a.Host}
		found.HandlePeerFound(peer.AddrInfo{ID: c.pid, Addrs: b.net.Addrs()})
		found.HandlePeerFound(b.addrInfo())
		if _, err := a.Connect(t.Context(), FormatAddress(<-a.Found())); err == nil {
			t.Error("a node was met where another is")
		}
		if p, err := a.Connect(t.Context(), FormatAddress(<-a.Found())); err != nil || p.ID != b.id {
			t.Errorf("met %v: %v", p, err)
		}
		if peers := a.Peers(); len(peers) != 1 || peers[0].Peer.ID != b.id {
			t.Errorf("connected to %+v", peers)
		}
	})
}
