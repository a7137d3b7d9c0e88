// Package interest is what a node announces to others of the topics that it follows: a [Set]. Up to a size a set lists
// its topics and is exact. Beyond that it is a Bloom filter, which may claim topics that the node does not follow but
// never denies one that it does. A user of a filter asks the node for the truth (see package overlay).
//
// A set is bytes as they travel, immutable, and shared by all that keep it: copying a Set copies a slice header.
package interest

import (
	"encoding/binary"
	"errors"
	"slices"

	"tidings/network/engine"
)

// Name stands for a topic in sets and messages: the first eight bytes of its ID. IDs are cryptographic hashes, so
// that among a million topics two share a name with a chance of 1 in 30 million.
type Name uint64

// NameOf returns the name of a topic.
func NameOf(topic engine.ID) Name { return Name(binary.BigEndian.Uint64(topic[:])) }

// Bounds of sets.
const (
	// MaxExact is how many topics a set lists at most. 64 need 512 bytes; a filter of as many needs 128.
	MaxExact = 64

	// MaxFilter is the longest filter in bytes. It holds 1,600 topics with one false claim in a hundred.
	MaxFilter = 2048

	// MaxBytes is the longest Set.
	MaxBytes = 1 + MaxFilter
)

// nameBytes is how many bytes a listed topic needs.
const nameBytes = 8

// Set is the topics that a node follows. Nil is none. The length distinguishes the two forms: a multiple of eight bytes
// is a list of ascending names. One byte more is a filter behind the number of its hashes.
type Set []byte

// Of returns the set of topics. It is exact if there are at most exact of them; exact is at most [MaxExact].
func Of(topics []engine.ID, exact int) Set {
	names := make([]Name, len(topics))
	for i, t := range topics {
		names[i] = NameOf(t)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > min(exact, MaxExact) {
		return filterOf(names)
	}
	return List(names)
}

// List returns ascending names as bytes: an exact set.
func List(names []Name) Set {
	if len(names) == 0 {
		return nil
	}
	s := make(Set, 0, nameBytes*len(names))
	for _, n := range names {
		s = binary.BigEndian.AppendUint64(s, uint64(n))
	}
	return s
}

// ErrInvalid is the error of bytes that are no set.
var ErrInvalid = errors.New("not a set of topics")

// Validate returns an error if s, which came in a message, is no set: names that do not ascend, or a filter of a length
// that none has.
func (s Set) Validate() error {
	if s.Exact() {
		for i := nameBytes; i < len(s); i += nameBytes {
			if s.name(i-nameBytes) >= s.name(i) {
				return ErrInvalid
			}
		}
		return nil
	}
	return s.validateFilter()
}

// Exact reports whether s lists its topics.
func (s Set) Exact() bool { return len(s)%nameBytes == 0 }

// Names returns the names that an exact set lists.
func (s Set) Names() []Name {
	names := make([]Name, 0, len(s)/nameBytes)
	for i := 0; i < len(s); i += nameBytes {
		names = append(names, s.name(i))
	}
	return names
}

// Has reports whether the node follows a topic; of a filter, whether it may.
func (s Set) Has(n Name) bool {
	if !s.Exact() {
		return s.filterHas(n)
	}
	low, high := 0, len(s)/nameBytes
	for low < high {
		middle := (low + high) / 2
		switch at := s.name(middle * nameBytes); {
		case at == n:
			return true
		case at < n:
			low = middle + 1
		default:
			high = middle
		}
	}
	return false
}

// Len returns how many topics s holds; of a filter, an estimate from how full it is.
func (s Set) Len() int {
	if !s.Exact() {
		return s.filterLen()
	}
	return len(s) / nameBytes
}

func (s Set) name(at int) Name { return Name(binary.BigEndian.Uint64(s[at:])) }

// Common returns how many topics two sets have in common: exactly if both are exact, or else an estimate. Of two
// filters it knows nothing, and returns 0.
func Common(a, b Set) (n int) {
	if !a.Exact() {
		a, b = b, a
	}
	if !a.Exact() {
		return 0
	}
	for i := 0; i < len(a); i += nameBytes {
		if b.Has(a.name(i)) {
			n++
		}
	}
	return n
}
