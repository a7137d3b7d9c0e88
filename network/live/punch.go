package live

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/holepunch"
	"github.com/libp2p/go-libp2p/p2p/protocol/identify"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/live/nat"
)

// A hole is punched when a peer has come by relay. If that fails, it is tried again after punchFirst, then after
// punchMore times as long each time up to punchLast. It is tried anew when the host is seen at another address, or the
// peer is. An attempt costs some 35 kB, and where two routers let none succeed, none will. Where a router draws another
// port for each peer, the second try comes after punchLast.
const (
	punchFirst = 5 * time.Second
	punchMore  = 16
	punchLast  = time.Hour

	punchWithin = 4 * time.Second // each of the three times that libp2p tries
)

// punching is when a hole to a link's peer is to be punched next. Its zero value: at once.
type punching struct {
	pause time.Duration
	at    time.Duration // loop time
	seen  []netip.Addr  // where others see the peer, as it said last
}

// again has a hole punched soon, and as often as to a peer that has just come.
func (p *punching) again() { *p = punching{seen: p.seen} }

// seenAt notes the IP addresses at which others see the peer, 16 bytes each. With a new one the peer may be somewhere
// else. Other relays, or neighbours that come and go, make no hole possible.
func (p *punching) seenAt(ips []byte) {
	before := p.seen
	p.seen = nil
	for ; len(ips) >= 16; ips = ips[16:] {
		p.seen = append(p.seen, netip.AddrFrom16([16]byte(ips[:16])))
	}
	if slices.ContainsFunc(p.seen, func(ip netip.Addr) bool { return !slices.Contains(before, ip) }) {
		p.again()
	}
}

// deaf is a host with connections of which libp2p's service is not notified. That would punch at each new circuit, of
// which there are many where holes cannot be punched.
type deaf struct{ host.Host }

func (d deaf) Network() network.Network { return deafNetwork{d.Host.Network()} }

type deafNetwork struct{ network.Network }

func (deafNetwork) Notify(network.Notifiee) {}

// startPunching lets libp2p punch holes (DCUtR) at this host's bidding, and at that of peers.
func (h *Host) startPunching() (err error) {
	b, ok := h.net.(interface{ IDService() identify.IDService })
	if !ok {
		return errors.New("punching holes: libp2p's host does not identify")
	}
	h.punch, err = holepunch.NewService(deaf{h.net}, b.IDService(), h.punchedAt,
		holepunch.DirectDialTimeout(punchWithin), holepunch.WithAddrFilter(punchFilter{h}))
	return err
}

// punchedAt returns the public addresses at which a peer may punch a hole to this host: its own, those that the router
// forwards, and those at which others see it.
func (h *Host) punchedAt() []ma.Multiaddr {
	all := h.outside.Places()
	if b, ok := h.net.(interface{ AllAddrs() []ma.Multiaddr }); ok {
		all = append(all, b.AllAddrs()...)
	}
	var open []ma.Multiaddr
	for _, a := range ma.Unique(all) {
		if nat.IsOpen(a) {
			open = append(open, a)
		}
	}
	return open
}

// punchFilter chooses where holes are punched to, of the places that a peer names (holepunch.AddrFilter). libp2p's
// goroutines call it.
type punchFilter struct{ h *Host }

// FilterLocal returns what this host names: all that punchedAt returns.
func (punchFilter) FilterLocal(_ peer.ID, own []ma.Multiaddr) []ma.Multiaddr { return own }

// FilterRemote returns none, which ends the attempt, if the routers of both draw ports: neither knows which one to let
// in.
func (f punchFilter) FilterRemote(id peer.ID, places []ma.Multiaddr) []ma.Multiaddr {
	few, drawn := nat.OnePort(places)
	own := f.h.outside.Mapping() == nat.MappingPerPeer
	if drawn || own {
		f.h.mail.post(func() { f.h.loop.ways.punchSeldom(id) })
	}
	if drawn && own {
		return nil
	}
	return few
}

// punchSeldom has a hole to a peer punched no more until punchLast has passed, after the attempt under way.
func (p *ways) punchSeldom(id peer.ID) {
	if l := p.linkTo(id); l != nil {
		l.punching.pause, l.punching.at = punchLast, p.clock.now()+punchLast
	}
}

// isRelayed reports whether a link sends through a relay.
func (l *link) isRelayed() bool { return l.stream != nil && l.stream.Conn().Stat().Limited }

// maybePunch has a hole punched to a peer that came by relay, if it is time. The peer that dialled waits for that
// (DCUtR, section "The Protocol"). A peer on the local network is dialled there, by either side.
func (p *ways) maybePunch(l *link, now time.Duration) {
	if !l.connected || !l.isRelayed() || now < l.punching.at {
		return
	}
	near, came := p.nearby.places[l.peer.ID], l.stream.Conn().Stat().Direction == network.DirInbound
	if len(near) == 0 && !came {
		return
	}
	l.punching.pause = min(max(punchMore*l.punching.pause, punchFirst), punchLast)
	l.punching.at = now + l.punching.pause
	pid := l.pid
	p.h.task(func() {
		err := p.h.dialNear(pid, near)
		if err != nil && came {
			err = p.h.punch.DirectConnect(pid)
		}
		if err != nil {
			p.h.log.Debug("no hole was punched", "peer", l.peer.ID.Short(), "err", err)
		}
	})
}

// dialNear connects to a peer at its places on the local network.
func (h *Host) dialNear(id peer.ID, places []ma.Multiaddr) error {
	if len(places) == 0 {
		return errors.New("the peer is not on the local network")
	}
	ctx, cancel := context.WithTimeout(network.WithForceDirectDial(h.life, "it is near"), punchWithin)
	defer cancel()
	return h.net.Connect(ctx, peer.AddrInfo{ID: id, Addrs: places})
}

// punchAgain has holes punched soon to all peers that came by relay.
func (p *ways) punchAgain() {
	for _, l := range p.links {
		l.punching.again()
	}
}

// connectedBy handles a new connection.
func (p *ways) connectedBy(c network.Conn) {
	if l := p.linkTo(c.RemotePeer()); l != nil {
		p.maybeMove(l)
	}
}

// linkTo returns the link to a peer by its libp2p identity; nil if there is none.
func (p *ways) linkTo(id peer.ID) *link {
	key, err := keyOf(id)
	if err != nil {
		return nil
	}
	return p.links[NodeID(key)]
}

// maybeMove moves a link that goes through a relay to a connection that does not, if one stands.
func (p *ways) maybeMove(l *link) {
	if l.state != open || !l.connected || !l.isRelayed() || l.moving {
		return
	}
	for _, c := range p.h.net.Network().ConnsToPeer(l.pid) {
		if !c.Stat().Limited && !c.IsClosed() {
			p.move(l, c)
			return
		}
	}
}
