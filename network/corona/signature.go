package corona

import (
	"crypto/sha256"
	"encoding/binary"

	"tidings/network/engine"
)

// What is signed begins with words that say what for.
const (
	foundWords = "tidings corona found\n"
	givenWords = "tidings corona given\n"
)

// reportWords returns what a finder signs: what it has seen, when, and where it is reached. The number
// is not known by then.
func (u *Update) reportWords() []byte {
	b := make([]byte, 0, 128+len(u.Seal.Finder))
	b = append(append(append(b, foundWords...), u.Channel[:]...), u.Hash[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(u.FoundAt))
	b = binary.BigEndian.AppendUint64(b, uint64(u.Modified))
	return append(append(b, u.FoundBy[:]...), u.Seal.Finder...)
}

// finder returns who has found an update; zero if nobody is named.
func (u *Update) finder() engine.Peer { return engine.Peer{ID: u.FoundBy, Address: u.Seal.Finder} }

// header returns what an update's giver has signed.
func (u *Update) header() Header {
	h := Header{Channel: u.Channel, Version: u.Version, Hash: u.Hash, Giver: u.Seal.Giver, Given: u.Seal.Given}
	if len(u.Seal.Found) > 0 {
		h.Report = sha256.Sum256(append(u.reportWords(), u.Seal.Found...))
	}
	return h
}

// words returns what the giver signs.
func (h *Header) words() []byte {
	b := make([]byte, 0, len(givenWords)+len(h.Channel)+8+2*len(h.Hash))
	b = append(append(b, givenWords...), h.Channel[:]...)
	b = binary.BigEndian.AppendUint64(b, h.Version)
	return append(append(b, h.Hash[:]...), h.Report[:]...)
}

// isSigned reports whether the giver has signed.
func (n *versioner) isSigned(h *Header) bool {
	return len(h.Given) == engine.SignatureLength && n.Keys.Signed(h.Giver, h.words(), h.Given)
}

// signFound signs that this node has found a content.
func (n *versioner) signFound(u *Update) {
	if n.Keys == nil || len(u.Seal.Found) > 0 {
		return
	}
	self := n.Env.Self()
	u.FoundBy, u.Seal.Finder = self.ID, self.Address
	if u.FoundAt == 0 {
		u.FoundAt = n.Env.Wall().UnixMilli()
	}
	u.Seal.Found = n.Keys.Sign(u.reportWords())
}

// isFound reports whether the finder has signed, if one is named; where none is, nothing may be said
// in its name.
func (n *versioner) isFound(u *Update) bool {
	if u.finder().IsZero() && len(u.Seal.Found) == 0 {
		return u.FoundAt == 0 && u.Modified == 0
	}
	return len(u.Seal.Found) == engine.SignatureLength && n.Keys.Signed(u.finder(), u.reportWords(), u.Seal.Found)
}

// forgetFinder leaves out who has found an update.
func (u *Update) forgetFinder() {
	u.FoundBy, u.FoundAt, u.Modified = engine.ID{}, 0, 0
	u.Seal.Finder, u.Seal.Found = "", nil
}

// give signs, as an owner, that an update has its number.
func (n *versioner) give(u *Update) {
	if n.Keys == nil {
		return
	}
	if len(u.Seal.Found) == 0 {
		u.forgetFinder()
	}
	u.Seal.Giver = n.Env.Self()
	h := u.header()
	u.Seal.Given = n.Keys.Sign(h.words())
	n.noteSeal(u)
}

// proven reports whether an update, or a version that one could lead to, was given by a node that
// can be an owner of the channel, and found by whom it names. Nothing is done with one that is
// not; who sends several that are not signed is ignored.
func (n *versioner) proven(from engine.Peer, u *Update) bool {
	if n.Keys == nil {
		return true
	}
	now := n.Env.Now()
	h := u.header()
	why := Forged
	switch {
	case n.versions.forgers.known(from.ID, now):
		why = FalseReporter
	case n.IsEquivocator(u.Seal.Giver.ID):
		why = FalseReporter
	case !u.Seal.Giver.IsZero() && !n.node.roster.CouldOwn(u.Channel, u.Seal.Giver.ID):
		why = Stranger
	case n.isSigned(&h) && n.isFound(u):
		n.compareHeaders(&h)
		return !n.IsEquivocator(u.Seal.Giver.ID)
	default:
		n.versions.forgers.add(from.ID, now)
	}
	n.Env.Trace(Refused{u.Channel, u.Version, from.ID, why})
	return false
}

// seals is what is known of who gave the latest versions here, so that they can be passed on with
// their signatures. It is bounded by maxSeals: an owner that has forgotten one signs anew, others
// then do not pass the version on.
type seals struct {
	of    map[engine.ID]*seal
	order []engine.ID // of coming, the oldest first
}

// seal is of a channel's latest version that is signed.
type seal struct {
	header Header
	found  *Update // the finder's part; nil: not known
}

// maxSeals is how many signed versions a node remembers, some 400 bytes each.
const maxSeals = 1 << 14

// noteSeal remembers who gave an update that is kept here.
func (n *versioner) noteSeal(u *Update) {
	if n.Keys == nil || len(u.Seal.Given) == 0 {
		return
	}
	found := &Update{Channel: u.Channel, Hash: u.Hash, FoundBy: u.FoundBy, FoundAt: u.FoundAt, Modified: u.Modified, Seal: u.Seal}
	n.noteHeader(&seal{u.header(), found})
}

func (n *versioner) noteHeader(s *seal) {
	v, channel := &n.versions.seals, s.header.Channel
	old := v.of[channel]
	switch {
	case old == nil && len(v.order) >= maxSeals:
		delete(v.of, v.order[0])
		v.order = append(v.order[1:], channel)
	case old == nil:
		v.order = append(v.order, channel)
	case old.header.Version > s.header.Version || old.header.Version == s.header.Version && s.found == nil:
		return
	}
	if v.of == nil {
		v.of = make(map[engine.ID]*seal)
	}
	v.of[channel] = s
}

// foundAs has an update name who found its content, where that is known already; else this node.
func (n *versioner) foundAs(u *Update) {
	if s := n.versions.seals.of[u.Channel]; s != nil && s.found != nil && s.header.Hash == u.Hash {
		u.FoundBy, u.FoundAt, u.Modified = s.found.FoundBy, s.found.FoundAt, s.found.Modified
		u.Seal = Seal{Finder: s.found.Seal.Finder, Found: s.found.Seal.Found}
		return
	}
	u.FoundBy = n.Env.Self().ID
}

// sealed puts the signatures of its version on an update that is about to be lent. Who owns
// the channel signs it if they are not known here; nobody else can, and passes nothing on (false).
func (n *versioner) sealed(u *Update) bool {
	if n.Keys == nil {
		return true
	}
	s := n.versions.seals.of[u.Channel]
	if s != nil && (s.header.Version != u.Version || s.header.Hash != u.Hash) {
		s = nil
	}
	switch {
	case s != nil && n.IsEquivocator(s.header.Giver.ID):
		return false
	case s != nil && s.found != nil:
		u.FoundBy, u.FoundAt, u.Modified, u.Seal = s.found.FoundBy, s.found.FoundAt, s.found.Modified, s.found.Seal
	case n.node.roster.Owns(u.Channel):
		u.Seal = Seal{}
		n.give(u)
	default:
		return false
	}
	return true
}

// headerOf returns how the version of a channel that is held here was given; unsigned if that is
// not known any more.
func (n *versioner) headerOf(channel engine.ID) Header {
	version, hash := n.library.Held(channel)
	if s := n.versions.seals.of[channel]; s != nil && s.header.Version == version && s.header.Hash == hash {
		return s.header
	}
	return Header{Channel: channel, Version: version, Hash: hash}
}
