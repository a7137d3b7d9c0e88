package believe

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// seals holds which nodes have signed what. Nothing is signed without keys.
type seals struct {
	around
	// latest has the latest version of each channel, so that it can be passed on with its signatures.
	latest       table.Newest[*seal]
	forgers      table.Offenders             // which nodes have sent bad signatures
	equivocators []equivocator               // at most maxEquivocators, the latest last
	aheadSent    map[engine.ID]time.Duration // by channel, at most maxUnderWay: when an owner was sent an Ahead
}

// seal holds the signatures of a version.
type seal struct {
	header update.Header
	found  *update.Update // the finder's part; nil: unknown
}

// SignNumber signs, as an owner, that an update has its number.
func (n *seals) SignNumber(u *update.Update) {
	if n.Keys == nil {
		return
	}
	if len(u.Seal.Found) == 0 {
		u.ForgetFinder()
	}
	u.Seal.Giver = n.Env.Self()
	h := u.Header()
	u.Seal.Given = n.Keys.Sign(h.Words())
	n.Note(u)
}

// Possible reports whether an update's number is possible.
func (n *seals) Possible(from engine.Peer, u *update.Update) bool {
	if !update.Numbers(u.Hash, u.Version) || !update.Timely(n.Env.Wall(), u.Version) {
		update.Refuse(&n.Base, u.Channel, u.Version, from, update.Impossible)
		return false
	}
	return true
}

// Proven reports whether an update's giver can be an owner, and all that it names have signed. A node that sends
// several badly signed updates is ignored. The update may prove that its giver equivocates.
func (n *seals) Proven(from engine.Peer, u *update.Update) (is bool, proof *Equivocation) {
	if n.Keys == nil {
		return true, nil
	}
	now, h, why := n.Env.Now(), u.Header(), update.Forged
	switch {
	case n.forgers.Known(from.ID, now), n.IsEquivocator(u.Seal.Giver.ID):
		why = update.FalseReporter
	case !u.Seal.Giver.IsZero() && !n.host.CouldOwn(u.Channel, u.Seal.Giver.ID):
		why = update.Stranger
	case update.IsSigned(n.Keys, &h) && update.IsFound(n.Keys, u):
		proof = n.Compare(&h)
		return proof == nil, proof
	default:
		n.forgers.Add(from.ID, now)
	}
	update.Refuse(&n.Base, u.Channel, u.Version, from, why)
	return false, nil
}

// Note remembers the signatures of an update that is kept here.
func (n *seals) Note(u *update.Update) {
	if n.Keys == nil || len(u.Seal.Given) == 0 {
		return
	}
	found := &update.Update{Channel: u.Channel, Hash: u.Hash, FoundBy: u.FoundBy, FoundAt: u.FoundAt,
		Modified: u.Modified,
		Seal:     u.Seal}
	n.noteSeal(&seal{u.Header(), found})
}

// NoteHeader remembers the header of a version that another owner has announced.
func (n *seals) NoteHeader(h update.Header) { n.noteSeal(&seal{header: h}) }

func (n *seals) noteSeal(s *seal) {
	old, _ := n.latest.Get(s.header.Channel)
	if old != nil && (old.header.Version > s.header.Version ||
		old.header.Version == s.header.Version && s.found == nil) {
		return
	}
	n.latest.Put(s.header.Channel, s)
}

// FoundAs names the finder of an update's content, if that is known already; else this node.
func (n *seals) FoundAs(u *update.Update) {
	u.FoundBy = n.Env.Self().ID
	if s, _ := n.latest.Get(u.Channel); s != nil && s.found != nil && s.header.Hash == u.Hash {
		u.FoundBy, u.FoundAt, u.Modified = s.found.FoundBy, s.found.FoundAt, s.found.Modified
		u.Seal = update.Seal{Finder: s.found.Seal.Finder, Found: s.found.Seal.Found}
	}
}

// Sealed adds the signatures of its version to an update that is about to be lent. If they are unknown here, only an
// owner can sign and lend; else it returns false.
func (n *seals) Sealed(u *update.Update) bool {
	if n.Keys == nil {
		return true
	}
	s, _ := n.latest.Get(u.Channel)
	if s != nil && (s.header.Version != u.Version || s.header.Hash != u.Hash) {
		s = nil
	}
	switch {
	case s != nil && n.IsEquivocator(s.header.Giver.ID):
		return false
	case s != nil && s.found != nil:
		u.FoundBy, u.FoundAt, u.Modified, u.Seal = s.found.FoundBy, s.found.FoundAt, s.found.Modified, s.found.Seal
		return true
	}
	if !n.host.Owns(u.Channel) {
		return false
	}
	u.Seal = update.Seal{}
	n.SignNumber(u)
	return true
}

// HeaderOf returns the header of a channel's version that is held here, unsigned if the signature is no longer known.
func (n *seals) HeaderOf(channel engine.ID) update.Header {
	version, hash := n.contents.Held(channel)
	if s, _ := n.latest.Get(channel); s != nil && s.header.Version == version && s.header.Hash == hash {
		return s.header
	}
	return update.Header{Channel: channel, Version: version, Hash: hash}
}

// MaybeAhead notifies an owner that seems to know a lower number than the one held here, or another content for it. It
// does so at most once an interval.
func (n *seals) MaybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	held, _ := n.contents.Held(channel)
	if n.Keys == nil || version > held || owner.IsZero() || n.IsSelf(owner) {
		return
	}
	now := n.Env.Now()
	if at, ok := n.aheadSent[channel]; ok && now-at < n.config.Interval {
		return
	}
	if len(n.aheadSent) >= maxUnderWay {
		clear(n.aheadSent) // some owners are notified twice
	}
	n.aheadSent[channel] = now
	n.Env.Send(owner, &Ahead{Header: n.HeaderOf(channel)})
}
