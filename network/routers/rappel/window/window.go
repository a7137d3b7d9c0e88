// Package window knows which of the numbered updates of a topic of Rappel have come (section 4.1 of the paper). It
// knows no messages and no nodes.
package window

import (
	"cmp"
	"math/bits"
)

// Stamp numbers an update. Numbers rise by 1 from 1 within an epoch; epochs rise. Signature is the root's, of topic,
// numbers and the event's digest; empty where nothing is signed.
type Stamp struct {
	Epoch     uint64 `cbor:"1,keyasint"`
	Number    uint64 `cbor:"2,keyasint"`
	Signature []byte `cbor:"3,keyasint" max:"64"`
}

// Compare orders updates as they were numbered.
func (s Stamp) Compare(t Stamp) int {
	return cmp.Or(cmp.Compare(s.Epoch, t.Epoch), cmp.Compare(s.Number, t.Number))
}

// Have says which updates of a topic a node has. Of those that the root numbered within Epoch, it has all up to Last
// but the ones with a bit set in Missing; bit 0 stands for Last. Epoch 0: none.
type Have struct {
	Epoch   uint64 `cbor:"1,keyasint"`
	Last    uint64 `cbor:"2,keyasint"`
	Missing uint64 `cbor:"3,keyasint"`
}

// Lacks reports whether an update is one that h does not have.
func (h Have) Lacks(s Stamp) bool {
	switch {
	case s.Epoch != h.Epoch:
		return s.Epoch > h.Epoch
	case s.Number > h.Last:
		return true
	}
	return h.Missing>>(h.Last-s.Number)&1 == 1 // shifts by 64 and more give 0
}

// Lacking returns how many updates are missing.
func (h Have) Lacking() int { return bits.OnesCount64(h.Missing) }

// Begin starts an epoch of which all up to last counts as known.
func (h *Have) Begin(epoch, last uint64) { *h = Have{Epoch: epoch, Last: last} }

// Know notes that numbers up to last exist: those that have not come are missing. An epoch begins with its first
// number.
func (h *Have) Know(epoch, last uint64) {
	if epoch > h.Epoch && last > 0 {
		h.Begin(epoch, 0)
	}
	if epoch != h.Epoch || last <= h.Last {
		return
	}
	by := last - h.Last
	h.Missing = h.Missing<<by | (1<<by - 1)
	h.Last = last
}

// Note records a number that came, and reports whether it comes for the first time. Numbers of an epoch that is over
// are never fresh; one that was missing for too long was given up.
func (h *Have) Note(s Stamp) (fresh bool) {
	if !h.Lacks(s) {
		return false
	}
	h.Know(s.Epoch, s.Number)
	h.Missing &^= 1 << (h.Last - s.Number)
	return true
}

// Next returns the stamp, unsigned, of one more update, which has come.
func (h *Have) Next() Stamp {
	h.Last++
	h.Missing <<= 1
	return Stamp{Epoch: h.Epoch, Number: h.Last}
}
