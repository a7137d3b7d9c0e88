package update

import (
	"time"

	"tidings/network/corona/machine"
)

// A version's number is a counter, followed in its last TagBits bits by the start of the content's hash. So two nodes
// that both think they are a channel's primary assign two contents two numbers, and one content after the same version
// the same. The counter follows the one before, or is the origin's modification time in seconds if that is higher. So
// both sides of a split ring agree more often. A wrong time does no harm: numbers only have to rise.
const (
	TagBits    = 24
	MaxCounter = 1<<(63-TagBits) - 1

	// MaxModified is the latest modification time, in seconds since 1970, that becomes a counter. Later ones would use
	// up the counter.
	MaxModified = 1 << 33
	// ClockSkew is by how much clocks may differ where a node compares another's time.
	ClockSkew = 5 * time.Minute
)

// TagOf returns the last bits of the numbers of versions with a content.
func TagOf(h Hash) uint64 { return h.Start() >> (64 - TagBits) }

// Follow returns the number of the version after last, or false if none is left. modified is in milliseconds. It is
// ignored if it is later than latest, in seconds.
func Follow(last uint64, h Hash, modified int64, latest uint64) (uint64, bool) {
	counter := last>>TagBits + 1
	if at := modified / 1000; at > 0 && at < MaxModified && uint64(at) <= latest {
		counter = max(counter, uint64(at))
	}
	return counter<<TagBits | TagOf(h), counter <= MaxCounter
}

// Numbers reports whether version can be the number of a content: it is below 2^63, and ends in the content's tag.
func Numbers(h Hash, version uint64) bool {
	return version > 0 && version>>63 == 0 && version&(1<<TagBits-1) == TagOf(h)
}

// Calendar returns the highest counter that is possible by a calendar ahead of this node's by ahead. If the clock is
// not set, all are.
func Calendar(wall time.Time, ahead time.Duration) uint64 {
	now := wall.Unix()
	if now < machine.ClockUnset {
		return MaxModified + uint64(machine.MaxAhead/time.Second)
	}
	return uint64(now) + uint64(ahead/time.Second)
}

// Timely reports whether a number is possible by now. A node with a calendar a day slow accepts no dated versions, and
// goes by its own polls.
func Timely(wall time.Time, version uint64) bool {
	return version>>63 == 0 && version>>TagBits <= Calendar(wall, machine.MaxAhead)
}
