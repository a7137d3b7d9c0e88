package live

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/autonat"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/pb"
	ma "github.com/multiformats/go-multiaddr"
)

// relay starts a public host that serves as a relay.
func (w *world) relay(change func(*Relaying)) *running {
	return w.host(1, func(c *Config) {
		c.Relay, c.options = true, append(c.options, forcePublic)
		change(&c.Limits.Relay)
	})
}

func (r *running) addrInfo() peer.AddrInfo { return peer.AddrInfo{ID: r.pid, Addrs: r.net.Addrs()} }

// reserve asks a relay for a place.
func (s *stranger) reserve(by *running) error {
	_, err := client.Reserve(s.t.Context(), s.net, by.addrInfo())
	return err
}

// through connects to another stranger through a relay, and opens a stream there.
func (s *stranger) through(by *running, to *stranger) (network.Stream, error) {
	s.t.Helper()
	way, err := ma.NewMultiaddr(by.Addresses()[0] + "/p2p-circuit")
	if err != nil {
		s.t.Fatal(err)
	}
	s.net.Peerstore().ClearAddrs(to.net.ID()) // not by where it says it is
	ctx := network.WithAllowLimitedConn(s.t.Context(), "that is what is tested")
	if err := s.net.Connect(ctx, peer.AddrInfo{ID: to.net.ID(), Addrs: []ma.Multiaddr{way}}); err != nil {
		return nil, err
	}
	return s.net.NewStream(ctx, to.net.ID(), protocolID)
}

// hostile 50: a relay has only so many places, and fewer for one address. A node that has one keeps it.
func TestRelayPlacesAreBounded(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.relay(func(r *Relaying) { r.Places, r.PlacesPerIP = 4, 2 })
		time.Sleep(time.Second)
		for _, c := range []struct {
			key, place int
			granted    bool
		}{
			{11, 5, true}, {12, 5, true}, {13, 5, false}, // three of one address
			{14, 6, true}, {15, 7, true}, {16, 8, false}, // the fifth of all
		} {
			s := w.strangerAt(c.key, c.place, 8000+c.key)
			err := s.reserve(a)
			var refusal client.ReservationError
			if c.granted != (err == nil) || err != nil &&
				(!errors.As(err, &refusal) || refusal.Status != pb.Status_RESERVATION_REFUSED) {
				t.Errorf("node %d at place %d: %v", c.key, c.place, err)
			}
			if err := s.reserve(a); c.granted && err != nil {
				t.Errorf("node %d cannot renew its place: %v", c.key, err)
			}
		}
	})
}

// hostile 50: a node that refuses to relay grants no place, and a relay carries nothing to those that have none.
func TestRelayingIsAskedFor(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		plain := w.host(2, func(c *Config) { c.NoRelay = true })
		a := w.relay(func(*Relaying) {})
		s, other := w.stranger(3), w.stranger(4)
		time.Sleep(time.Second)
		if err := s.reserve(plain); err == nil {
			t.Error("a node that refuses to relay gives places")
		}
		if err := other.net.Connect(t.Context(), a.addrInfo()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.through(a, other); err == nil ||
			!strings.Contains(err.Error(), pb.Status_NO_RESERVATION.String()) {
			t.Errorf("reaching a node that did not ask for it: %v", err)
		}
	})
}

// hostile 50: a node has only so many connections through a relay.
func TestRelayCircuitsAreBounded(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.relay(func(r *Relaying) { r.Circuits = 2 })
		time.Sleep(time.Second)
		greedy := w.stranger(3)
		for n := range 3 {
			to := w.stranger(4 + n)
			to.ignore()
			if err := to.reserve(a); err != nil {
				t.Fatal(err)
			}
			_, err := greedy.through(a, to)
			if full := n == 2; full != (err != nil) || full &&
				!strings.Contains(err.Error(), pb.Status_RESOURCE_LIMIT_EXCEEDED.String()) {
				t.Errorf("connection %d: %v", n+1, err)
			}
		}
	})
}

// hostile 50: a connection through a relay is cut after so many bytes, and after so much time.
func TestRelayCircuitsAreCut(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		const most = 64 << 10
		a := w.relay(func(r *Relaying) { r.Bytes, r.Lasts = most, time.Minute })
		time.Sleep(time.Second)
		from, to := w.stranger(3), w.stranger(4)
		if err := to.reserve(a); err != nil {
			t.Fatal(err)
		}
		read := make(chan int64, 1)
		to.net.SetStreamHandler(protocolID, func(s network.Stream) {
			n, _ := io.Copy(io.Discard, s)
			read <- n
		})
		talk := func(size int) (got int64, lasted time.Duration) {
			s, err := from.through(a, to)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := s.Write(make([]byte, size)); size < most && err != nil {
				t.Errorf("writing %d bytes: %v", size, err)
			}
			got, lasted = <-read, time.Since(start)
			_ = from.net.Network().ClosePeer(to.net.ID())
			time.Sleep(time.Second)
			return got, lasted
		}
		if got, lasted := talk(4 * most); got >= most || lasted > 10*time.Second {
			t.Errorf("of %d bytes %d came, in %v", 4*most, got, lasted)
		}
		if got, lasted := talk(most / 4); got != most/4 || lasted < 50*time.Second || lasted > 70*time.Second {
			t.Errorf("of %d bytes %d came, and the connection lasted %v", most/4, got, lasted)
		}
	})
}

// nowhere is a gater that lets nobody be dialled, and notes where a host would have.
type nowhere struct {
	mu    sync.Mutex
	asked []ma.Multiaddr
}

var _ connmgr.ConnectionGater = (*nowhere)(nil)

func (*nowhere) InterceptPeerDial(peer.ID) bool              { return true }
func (*nowhere) InterceptAccept(network.ConnMultiaddrs) bool { return true }
func (*nowhere) InterceptSecured(network.Direction, peer.ID, network.ConnMultiaddrs) bool {
	return true
}
func (*nowhere) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }

func (n *nowhere) InterceptAddrDial(_ peer.ID, a ma.Multiaddr) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, a)
	return false
}

// hostile 50: a node asks to be dialled back to find out whether it can be reached. Each gets that a few times a
// minute, and all together a few times more. The dial goes to the address that the request comes from, whatever it
// says.
func TestDialBacksAreBounded(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		gate := &nowhere{}
		a := w.host(1, func(c *Config) {
			c.Limits.AutoNATPeerMinute, c.Limits.AutoNATPerMinute = 3, 7
			c.options = append(c.options, forcePublic, func(c *libp2p.Config) error {
				// The gate keeps libp2p's dialler, which has sockets of its own, from any use of them.
				c.AutoNATConfig.EnableService, c.ConnectionGater = true, gate
				return nil
			})
		})
		victim, err := ma.NewMultiaddr(listenAt(200, 53))
		if err != nil {
			t.Fatal(err)
		}
		var askers []autonat.Client
		for n := range 4 {
			s := w.stranger(3 + n)
			if err := s.net.Connect(t.Context(), a.addrInfo()); err != nil {
				t.Fatal(err)
			}
			askers = append(askers,
				autonat.NewAutoNATClient(s.net, func() []ma.Multiaddr { return []ma.Multiaddr{victim} }, nil))
		}
		// ask has all ask at the same time, each six times, and returns how often each was served.
		ask := func() []int {
			served := make([]int, len(askers))
			var all sync.WaitGroup
			for i, c := range askers {
				all.Go(func() {
					for range 6 {
						err := c.DialBack(context.Background(), a.pid)
						if autonat.IsDialError(err) { // it was dialled, in vain because of the gate
							served[i]++
						} else if !autonat.IsDialRefused(err) {
							t.Errorf("a requester gets: %v", err)
						}
					}
				})
			}
			all.Wait()
			return served
		}
		sum := 0
		for _, n := range ask() {
			if sum += n; n > 3 {
				t.Errorf("of 6 dial-backs for one peer %d were made", n)
			}
		}
		if sum != 7 {
			t.Errorf("of 24 dial-backs for all %d were made", sum)
		}
		time.Sleep(2 * time.Minute)
		if served := ask(); slices.Max(served) == 0 {
			t.Error("minutes later none were made")
		}
		for _, at := range gate.asked {
			ip, err := at.ValueForProtocol(ma.P_IP4)
			if err != nil || ip == ipOf(200).String() {
				t.Errorf("somebody else would have been dialled: %s", at)
			}
		}
		if len(gate.asked) < 8 {
			t.Errorf("of 8 dial-backs, %d came to the gate", len(gate.asked))
		}
	})
}
