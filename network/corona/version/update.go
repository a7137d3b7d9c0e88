package version

import (
	"crypto/sha256"
	"encoding/binary"

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

// finder returns an update's finder, or zero if none is named.
func (u *Update) finder() engine.Peer { return engine.Peer{ID: u.FoundBy, Address: u.Seal.Finder} }

// forgetFinder removes the finder from an update.
func (u *Update) forgetFinder() {
	u.FoundBy, u.FoundAt, u.Modified = engine.ID{}, 0, 0
	u.Seal.Finder, u.Seal.Found = "", nil
}

// isBare reports whether an update only names the content. Reports and first versions are bare: a node that lacks the
// content requests it.
func (u *Update) isBare() bool { return len(u.Payload) == 0 && u.Size > 0 }

// trim removes a payload that is too long for a message. The receiver asks the origin.
func (u *Update) trim() {
	if len(u.Payload) > MaxPayload {
		u.Payload = nil
	}
}
