package live

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/live/nat"
)

// ways is what the loop knows of how this host and its peers reach each other. It moves links to the best way. It is a
// part of the loop, and touched by its goroutine alone.
type ways struct {
	*loop
	nearby     *nearby
	lookout    *link         // on which a host behind a router asks more often than it rests; nil: none
	lookoutAt  time.Duration // when it was chosen
	seen       bool          // by peers at some public address
	staleUntil time.Duration // until then AutoNAT may say what it found before the router forwarded
}

func (p *ways) reached(r network.Reachability) {
	if p.h.reach.Swap(int32(r)) != int32(r) {
		p.observe(Reached{p.h.Reachability()})
		p.h.config.OnPeers()
	}
	p.contradict(r)
	if r == network.ReachabilityUnknown {
		p.maybeTranslated()
	}
}

// moved finds out the host's own addresses and announces them to the peers if they changed.
func (p *ways) moved() {
	places := p.h.announced(p.h.net.Addrs())
	// AutoNAT goes on trying those at which others see the host; it is in vain for all else
	if p.h.Reachability() == Private {
		places = slices.DeleteFunc(places, nat.IsOpen)
	}
	self, err := peerOf(peer.AddrInfo{ID: p.h.pid, Addrs: places})
	if err != nil || self == *p.h.self.Load() {
		return
	}
	p.h.self.Store(&self)
	p.observe(Moved{self})
	p.h.config.OnPeers()
	p.placeAgain()
}

// seenElsewhere handles that peers see the host at a new public IP address. If that is not this machine's own, a router
// translates, and peers cannot connect until AutoNAT finds that the router lets them in. Holes that failed at another
// address are tried anew.
func (p *ways) seenElsewhere() {
	p.maybeTranslated()
	if p.seen {
		p.doubtAll()
	}
	p.seen = true
	p.punchAgain()
	p.moved()
	p.placeAgain()
}

// doubtAll requests a sign of life of all peers soon: behind a router that has another address, connections to which
// holes were punched are dead.
func (p *ways) doubtAll() {
	for _, l := range p.links {
		l.doubt(p.loop)
	}
}

// maybeTranslated makes libp2p count the host as private if peers see it at public addresses that are not this
// machine's own, or of IPv6, where firewalls keep homes closed; until AutoNAT knows better.
func (p *ways) maybeTranslated() {
	own := p.h.openListening(p.h.net.Network().ListenAddresses())
	for _, ip := range p.h.outside.IPs() {
		if ip.Is6() || !slices.ContainsFunc(own, func(a ma.Multiaddr) bool { return nat.AddrOf(a) == ip }) {
			p.h.maybePresume(network.ReachabilityPrivate)
			return
		}
	}
}

// seenBy notes where the other end of a connection says that it sees this host now.
func (p *ways) seenBy(c network.Conn, seen []byte) {
	if len(seen) == 0 {
		return
	}
	place, err := ma.NewMultiaddrBytes(seen)
	if err == nil && transportOf(place) == overQUIC && p.h.outside.Sees(c, place) {
		p.seenElsewhere()
	}
}

// forwards handles that the router forwards the ports, or no longer does.
func (p *ways) forwards(now bool) {
	reachability := network.ReachabilityPrivate
	if now {
		reachability = network.ReachabilityPublic
		p.staleUntil = p.clock.now() + staleFor
	}
	p.h.presumed(reachability)
}

// staleFor is how long after the router has begun to forward AutoNAT may still report its earlier result: a dial-back
// that was requested then needs its time to fail.
const staleFor = time.Minute

// contradict makes libp2p count the host as public again after a report of AutoNAT about the time before the router
// forwarded; once, for the next report is about the time since.
func (p *ways) contradict(r network.Reachability) {
	if r == network.ReachabilityPrivate && p.clock.now() < p.staleUntil {
		p.staleUntil = 0
		p.h.presumed(network.ReachabilityPublic)
	}
}

// lacksUDP reports whether QUIC comes through nowhere: all links with peers outside that speak it are over TCP.
func (p *ways) lacksUDP() bool {
	lacks := false
	for _, l := range p.links {
		if !l.connected || l.stream == nil || !nat.IsOpen(l.stream.Conn().RemoteMultiaddr()) {
			continue
		}
		c, err := parseContact(l.peer.Address)
		if err != nil || !slices.ContainsFunc(c.places,
			func(a ma.Multiaddr) bool { return transportOf(a) == overQUIC }) {
			continue
		}
		if transportOf(l.stream.Conn().RemoteMultiaddr()) == overQUIC {
			return false
		}
		lacks = true
	}
	return lacks && p.h.config.NetworkKey == nil
}

// asksSecond reports whether the peer of a link is the first to request a sign of life. Of two of which one can be
// dialled, it is the other one: its router has to let answers in, and may have another address now. Else it is the one
// with the lesser ID.
func (p *ways) asksSecond(l *link) bool {
	c, err := parseContact(l.peer.Address)
	open := err == nil && slices.ContainsFunc(c.places, nat.IsOpen)
	if public := p.h.Reachability() == Public; public != open {
		return public
	}
	return p.h.id.Compare(l.peer.ID) > 0
}

// lookoutEvery is how often a host behind a router requests a sign of life of one public peer, however quiet all is.
// The peer sees if the router has another address, and says so (Pong.Seen), and holes are punched again soon. And if
// the peer has died, nodes at rest learn of it sooner.
const lookoutEvery = 5 * time.Second

// chooseLookout chooses the link for that: one is enough.
func (p *ways) chooseLookout() {
	before := p.lookout
	defer func() {
		if p.lookout != before {
			p.lookoutAt = p.clock.now()
		}
	}()
	p.lookout = nil
	if p.h.Reachability() != Private {
		return
	}
	for _, l := range p.links {
		if l.state != open || !l.connected || l.isRelayed() || p.asksSecond(l) ||
			!nat.IsOpen(l.stream.Conn().RemoteMultiaddr()) || l.punched {
			continue
		}
		if p.lookout == nil || l.peer.ID.Compare(p.lookout.peer.ID) < 0 {
			p.lookout = l
		}
	}
}

// opensTo reports whether either end of a link can be dialled from everywhere.
func (p *ways) opensTo(l *link) bool {
	c, err := parseContact(l.peer.Address)
	return p.h.Reachability() == Public || err == nil && slices.ContainsFunc(c.places, nat.IsOpen)
}
