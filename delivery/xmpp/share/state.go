package share

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"
)

// Bounds.
const (
	MaxNodes  = 16               // that share an account; others are not noticed
	MaxSeen   = 50_000           // parts that are known to be sent; the oldest are forgotten
	MaxClaims = 20_000           // parts that are granted and not sent
	ClaimTime = 90 * time.Second // after which a grant is void
)

// Key names a part of a message to an address.
type Key [16]byte

// KeyOf returns the key of a part, by its name, of a message to a bare address.
func KeyOf(address, part string) (k Key) {
	sum := sha256.Sum256([]byte(address + "\x00" + part))
	copy(k[:], sum[:])
	return k
}

// State is what a node knows of the others and of what was sent.
type State struct {
	self   string
	joined bool
	others map[string]bool
	epoch  uint64

	seen   map[Key]bool
	order  []Key  // the same, the oldest first
	first  uint64 // number of the first of order; 1 for the first of all
	claims map[Key]claim
}

// claim is a grant.
type claim struct {
	by    string
	until time.Time
}

// New returns the state of a node with a resource, which has not joined.
func New(self string) *State {
	return &State{self: self, others: make(map[string]bool), seen: make(map[Key]bool), first: 1,
		claims: make(map[Key]claim)}
}

// Begin notes that the node's own stream has begun or ended: it has not joined, and knows of no others and no grants.
func (s *State) Begin() {
	s.joined = false
	clear(s.others)
	clear(s.claims)
	s.epoch++
}

// Join notes that the node has learned from the others what was sent. From now on it sends and grants.
func (s *State) Join() {
	s.joined = true
	s.epoch++
}

// Joined reports whether the node has joined.
func (s *State) Joined() bool { return s.joined }

// Epoch is a number that changes whenever primaries may.
func (s *State) Epoch() uint64 { return s.epoch }

// Appear notes that a node is present, and reports whether it was not.
func (s *State) Appear(resource string) bool {
	if resource == s.self || s.others[resource] || len(s.others) >= MaxNodes-1 {
		return false
	}
	s.others[resource] = true
	s.epoch++
	return true
}

// Leave notes that a node is gone, with what was granted to it, and reports whether it was present.
func (s *State) Leave(resource string) bool {
	if !s.others[resource] {
		return false
	}
	delete(s.others, resource)
	maps.DeleteFunc(s.claims, func(_ Key, c claim) bool { return c.by == resource })
	s.epoch++
	return true
}

// Present reports whether another node is present.
func (s *State) Present(resource string) bool { return s.others[resource] }

// Others are the other nodes that are present, in a fixed order.
func (s *State) Others() []string { return slices.Sorted(maps.Keys(s.others)) }

// Primary is the node that grants the parts of messages to an address.
func (s *State) Primary(address string) string {
	best, least := s.self, rank(s.self, address)
	for other := range s.others {
		if r := rank(other, address); r < least || r == least && other < best {
			best, least = other, r
		}
	}
	return best
}

func rank(resource, address string) uint64 {
	sum := sha256.Sum256([]byte(resource + "\x00" + address))
	return binary.BigEndian.Uint64(sum[:])
}

// Saw notes that parts were sent.
func (s *State) Saw(keys []Key) {
	for _, k := range keys {
		delete(s.claims, k)
		if s.seen[k] {
			continue
		}
		s.seen[k] = true
		if s.order = append(s.order, k); len(s.order) > MaxSeen {
			delete(s.seen, s.order[0])
			s.order = s.order[1:]
			s.first++
		}
	}
}

// Unsent are the indexes of the keys that are not known to be sent.
func (s *State) Unsent(keys []Key) (at []int) {
	for i, k := range keys {
		if !s.seen[k] {
			at = append(at, i)
		}
	}
	return at
}

// Claim grants a node those parts of a message to an address that are not sent, and returns their indexes; none: all
// are sent. wait: the answer is not known yet, because another node has a part, or this node does not grant.
func (s *State) Claim(by, address string, keys []Key, now time.Time) (granted []int, wait bool) {
	if !s.joined || s.Primary(address) != s.self || by != s.self && !s.others[by] {
		return nil, true
	}
	for _, k := range keys {
		if c, held := s.claims[k]; held && c.by != by && now.Before(c.until) {
			return nil, true
		}
	}
	granted = s.Unsent(keys)
	if len(s.claims)+len(granted) > MaxClaims {
		maps.DeleteFunc(s.claims, func(_ Key, c claim) bool { return !now.Before(c.until) })
		if len(s.claims)+len(granted) > MaxClaims {
			return nil, true
		}
	}
	for _, i := range granted {
		s.claims[keys[i]] = claim{by, now.Add(ClaimTime)}
	}
	return granted, false
}

// Release notes that a node does not send what was granted to it.
func (s *State) Release(by string, keys []Key) {
	for _, k := range keys {
		if s.claims[k].by == by {
			delete(s.claims, k)
		}
	}
}

// Page lists parts that are known to be sent and have larger numbers than after, the oldest first. It returns the
// number of the last; 0: there are no more. Numbers begin with 1.
func (s *State) Page(after uint64, most int) (keys []Key, last uint64) {
	from := uint64(0)
	if after >= s.first {
		from = after - s.first + 1
	}
	if from >= uint64(len(s.order)) {
		return nil, 0
	}
	keys = slices.Clone(s.order[from:min(from+uint64(max(most, 1)), uint64(len(s.order)))])
	return keys, s.first + from + uint64(len(keys)) - 1
}
