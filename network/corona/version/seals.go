package version

import (
	"time"

	"tidings/network/engine"
)

// seals holds which nodes have signed what. Nothing is signed without keys.
type seals struct {
	*core
	// latest has the latest version of each channel, so that it can be passed on with its signatures.
	latest       newest[*seal]
	forgers      falseReporters              // which nodes have sent bad signatures
	equivocators []equivocator               // at most maxEquivocators, the latest last
	floors       map[engine.ID]uint64        // by channel, at most maxFloors: the next number has to be above it
	aheadSent    map[engine.ID]time.Duration // by channel, at most maxUnderWay: when an owner was sent an Ahead
}

// seal holds the signatures of a version.
type seal struct {
	header Header
	found  *Update // the finder's part; nil: unknown
}

// isSigned reports whether the giver has signed.
func (n *seals) isSigned(h *Header) bool {
	return len(h.Given) == engine.SignatureLength && n.Keys.Signed(h.Giver, h.Words(), h.Given)
}

// signFound signs that this node has found a content.
func (n *seals) signFound(u *Update) {
	if n.Keys == nil || len(u.Seal.Found) > 0 {
		return
	}
	self := n.Env.Self()
	u.FoundBy, u.Seal.Finder = self.ID, self.Address
	if u.FoundAt == 0 {
		u.FoundAt = n.Env.Wall().UnixMilli()
	}
	u.Seal.Found = n.Keys.Sign(u.ReportWords())
}

// isFound reports whether the named finder has signed. If none is named, nothing may be attributed to it.
func (n *seals) isFound(u *Update) bool {
	if u.finder().IsZero() && len(u.Seal.Found) == 0 {
		return u.FoundAt == 0 && u.Modified == 0
	}
	return len(u.Seal.Found) == engine.SignatureLength && n.Keys.Signed(u.finder(), u.ReportWords(), u.Seal.Found)
}

// vouched reports whether the finder's signature says that it has just found the content. A finder with a wrong clock
// is asked instead.
func (n *seals) vouched(u *Update) bool {
	return n.Keys != nil && (n.Env.Wall().Sub(time.UnixMilli(u.FoundAt))).Abs() <= clockSkew
}

// signNumber signs, as an owner, that an update has its number.
func (n *seals) signNumber(u *Update) {
	if n.Keys == nil {
		return
	}
	if len(u.Seal.Found) == 0 {
		u.forgetFinder()
	}
	u.Seal.Giver = n.Env.Self()
	h := u.Header()
	u.Seal.Given = n.Keys.Sign(h.Words())
	n.note(u)
}

// possible reports whether an update's number is possible.
func (n *seals) possible(from engine.Peer, u *Update) bool {
	if !numbers(u.Hash, u.Version) || !n.timely(u.Version) {
		n.Env.Trace(Refused{u.Channel, u.Version, from.ID, Impossible})
		return false
	}
	return true
}

// proven reports whether an update's giver can be an owner, and all that it names have signed. A node that sends
// several badly signed updates is ignored.
func (n *seals) proven(from engine.Peer, u *Update) bool {
	if n.Keys == nil {
		return true
	}
	now, h, why := n.Env.Now(), u.Header(), Forged
	switch {
	case n.forgers.known(from.ID, now), n.isEquivocator(u.Seal.Giver.ID):
		why = FalseReporter
	case !u.Seal.Giver.IsZero() && !n.Roster.CouldOwn(u.Channel, u.Seal.Giver.ID):
		why = Stranger
	case n.isSigned(&h) && n.isFound(u):
		n.compareHeaders(&h)
		return !n.isEquivocator(u.Seal.Giver.ID)
	default:
		n.forgers.add(from.ID, now)
	}
	n.Env.Trace(Refused{u.Channel, u.Version, from.ID, why})
	return false
}

// note remembers the signatures of an update that is kept here.
func (n *seals) note(u *Update) {
	if n.Keys == nil || len(u.Seal.Given) == 0 {
		return
	}
	found := &Update{Channel: u.Channel, Hash: u.Hash, FoundBy: u.FoundBy, FoundAt: u.FoundAt, Modified: u.Modified,
		Seal: u.Seal}
	n.noteHeader(&seal{u.Header(), found})
}

func (n *seals) noteHeader(s *seal) {
	old := n.latest.of[s.header.Channel]
	if old != nil && (old.header.Version > s.header.Version ||
		old.header.Version == s.header.Version && s.found == nil) {
		return
	}
	n.latest.put(s.header.Channel, s)
}

// foundAs names the finder of an update's content, if that is known already; else this node.
func (n *seals) foundAs(u *Update) {
	u.FoundBy = n.Env.Self().ID
	if s := n.latest.of[u.Channel]; s != nil && s.found != nil && s.header.Hash == u.Hash {
		u.FoundBy, u.FoundAt, u.Modified = s.found.FoundBy, s.found.FoundAt, s.found.Modified
		u.Seal = Seal{Finder: s.found.Seal.Finder, Found: s.found.Seal.Found}
	}
}

// sealed adds the signatures of its version to an update that is about to be lent. If they are unknown here, only an
// owner can sign and lend; else it returns false.
func (n *seals) sealed(u *Update) bool {
	if n.Keys == nil {
		return true
	}
	s := n.latest.of[u.Channel]
	if s != nil && (s.header.Version != u.Version || s.header.Hash != u.Hash) {
		s = nil
	}
	switch {
	case s != nil && n.isEquivocator(s.header.Giver.ID):
		return false
	case s != nil && s.found != nil:
		u.FoundBy, u.FoundAt, u.Modified, u.Seal = s.found.FoundBy, s.found.FoundAt, s.found.Modified, s.found.Seal
		return true
	}
	owners, _ := n.Roster.Owners(u.Channel, n.config.Owners)
	for _, p := range owners {
		if n.IsSelf(p) {
			u.Seal = Seal{}
			n.signNumber(u)
			return true
		}
	}
	return false
}

// headerOf returns the header of a channel's version that is held here, unsigned if the signature is no longer known.
func (n *seals) headerOf(channel engine.ID) Header {
	version, hash := n.Library.Held(channel)
	if s := n.latest.of[channel]; s != nil && s.header.Version == version && s.header.Hash == hash {
		return s.header
	}
	return Header{Channel: channel, Version: version, Hash: hash}
}
