package update

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Signed words begin with their purpose.
const (
	foundWords = "tidings corona found\n"
	givenWords = "tidings corona given\n"
	seenWords  = "tidings corona seen\n"
)

// ReportWords returns what a finder signs: the content seen, when, and the finder's address. The number is not known by
// then.
func (u *Update) ReportWords() []byte {
	b := make([]byte, 0, 128+len(u.Seal.Finder))
	b = append(append(append(b, foundWords...), u.Channel[:]...), u.Hash[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(u.FoundAt))
	b = binary.BigEndian.AppendUint64(b, uint64(u.Modified))
	return append(append(b, u.FoundBy[:]...), u.Seal.Finder...)
}

// AttestationWords returns what a witness signs: the content seen, for which version, when, and the witness's address.
// If the content becomes another version later, it has to be seen again.
func AttestationWords(channel engine.ID, version uint64, h Hash, a *Attestation) []byte {
	b := make([]byte, 0, 128+len(a.By.Address))
	b = append(append(append(b, seenWords...), channel[:]...), h[:]...)
	b = binary.BigEndian.AppendUint64(b, version)
	b = binary.BigEndian.AppendUint64(append(b, a.Place), uint64(a.At))
	return append(append(b, a.By.ID[:]...), a.By.Address...)
}

// Words returns what a giver signs.
func (h *Header) Words() []byte {
	b := make([]byte, 0, len(givenWords)+len(h.Channel)+8+2*len(h.Hash))
	b = append(append(b, givenWords...), h.Channel[:]...)
	b = binary.BigEndian.AppendUint64(b, h.Version)
	return append(append(b, h.Hash[:]...), h.Report[:]...)
}

// Header returns what an update's giver has signed.
func (u *Update) Header() Header {
	h := Header{Channel: u.Channel, Version: u.Version, Hash: u.Hash, Giver: u.Seal.Giver, Given: u.Seal.Given}
	if len(u.Seal.Found) > 0 {
		h.Report = sha256.Sum256(append(u.ReportWords(), u.Seal.Found...))
	}
	return h
}

// Finder returns an update's finder, or zero if none is named.
func (u *Update) Finder() engine.Peer { return engine.Peer{ID: u.FoundBy, Address: u.Seal.Finder} }

// ForgetFinder removes the finder from an update.
func (u *Update) ForgetFinder() {
	u.FoundBy, u.FoundAt, u.Modified = engine.ID{}, 0, 0
	u.Seal.Finder, u.Seal.Found = "", nil
}

// IsBare reports whether an update only names the content. Reports and first versions are bare: a node that lacks the
// content requests it.
func (u *Update) IsBare() bool { return len(u.Payload) == 0 && u.Size > 0 }

// Trim removes a payload that is too long for a message. The receiver asks the origin.
func (u *Update) Trim() {
	if len(u.Payload) > MaxPayload {
		u.Payload = nil
	}
}

// SignFound signs that this node has found a content, unless its finder has signed already.
func SignFound(b *machine.Base, u *Update) {
	if b.Keys == nil || len(u.Seal.Found) > 0 {
		return
	}
	self := b.Env.Self()
	u.FoundBy, u.Seal.Finder = self.ID, self.Address
	if u.FoundAt == 0 {
		u.FoundAt = b.Env.Wall().UnixMilli()
	}
	u.Seal.Found = b.Keys.Sign(u.ReportWords())
}

// IsFound reports whether the named finder has signed. If none is named, nothing may be attributed to it.
func IsFound(keys engine.Keys, u *Update) bool {
	if u.Finder().IsZero() && len(u.Seal.Found) == 0 {
		return u.FoundAt == 0 && u.Modified == 0
	}
	return len(u.Seal.Found) == engine.SignatureLength && keys.Signed(u.Finder(), u.ReportWords(), u.Seal.Found)
}

// Vouched reports whether the finder's signature says that it has just found the content. A finder with a wrong clock
// is asked instead.
func Vouched(b *machine.Base, u *Update) bool {
	return b.Keys != nil && (b.Env.Wall().Sub(time.UnixMilli(u.FoundAt))).Abs() <= ClockSkew
}

// IsSigned reports whether the giver has signed.
func IsSigned(keys engine.Keys, h *Header) bool {
	return len(h.Given) == engine.SignatureLength && keys.Signed(h.Giver, h.Words(), h.Given)
}

// Contents knows which contents of channels a node has. The packages beside this one know their hashes only.
type Contents interface {
	// Held returns the number and the hash of the latest stored version of a channel; zero: none.
	Held(channel engine.ID) (version uint64, hash Hash)
	// Content returns the hash of the latest content here, with a number or without; zero: none is known.
	Content(channel engine.ID) Hash
}

// Fits reports whether an update leads on from what is held here.
func (u *Update) Fits(l Contents) bool {
	_, held := l.Held(u.Channel)
	now := l.Content(u.Channel)
	here := u.Hash == held || u.Hash == now
	return (u.Base == held || u.Base == now || u.Base == Hash{} || here) && (len(u.Payload) > 0 || u.Size == 0 || here)
}

// PollResult is the outcome of a poll.
type PollResult struct {
	Verified bool // Poller.Verify asked for it
	// Update is the change against the latest version that the Library holds; nil: none. Version is that version's
	// number, and Base its hash.
	Update *Update
	Hash   Hash   // of the content that was read; zero: none
	Size   uint32 // of the document, in bytes; 0: unknown
	// Wait is for how long the origin asked not to be polled (Retry-After), Interval the time that it wants between
	// polls (ttl, Cache-Control). 0: it asked nothing.
	Wait, Interval time.Duration
}

// SeenAs returns an update with the change that this node has seen.
func SeenAs(u Update, r *PollResult) Update {
	u.Base, u.Hash, u.Payload, u.Size = r.Hash, r.Hash, nil, r.Size // held here under another number
	if r.Update != nil {
		u.Base, u.Payload, u.Size = r.Update.Base, r.Update.Payload, r.Update.Size
	}
	return u
}

// Steps are what a part returns for the node to do next, in this order: values that each part documents, and functions
// with which the part itself goes on. So what another part does about a value is done before the
// part goes on.
type Steps []any

// Then adds what the part itself goes on with, and Do adds something that returns nothing.
func (s Steps) Then(f func() Steps) Steps { return append(s, f) }
func (s Steps) Do(f func()) Steps         { return append(s, f) }

// Room reports whether a table with so many entries has room for one more, and traces that it has not.
func Room(b *machine.Base, entries int, what string, most int) bool {
	return entries < most || b.LimitHit(what, most)
}
