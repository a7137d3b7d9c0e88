package version

import "slices"

// A version's number is a counter, followed in its last tagBits bits by the start of the content's hash. So two nodes
// that both think they are a channel's primary assign two contents two numbers, and one content after the same version
// the same. The counter follows the one before, or is the origin's modification time in seconds if that is higher. So
// both sides of a split ring agree more often. A wrong time does no harm: numbers only have to rise.
const (
	tagBits    = 24
	maxCounter = 1<<(63-tagBits) - 1

	// maxModified is the latest modification time, in seconds since 1970, that becomes a counter. Later ones would use
	// up the counter.
	maxModified = 1 << 33
)

// tagOf returns the last bits of the numbers of versions with a content.
func tagOf(h Hash) uint64 { return h.Start() >> (64 - tagBits) }

// follow returns the number of the version after last, or false if none is left. modified is in milliseconds. It is
// ignored if it is later than latest, in seconds.
func follow(last uint64, h Hash, modified int64, latest uint64) (uint64, bool) {
	counter := last>>tagBits + 1
	if at := modified / 1000; at > 0 && at < maxModified && uint64(at) <= latest {
		counter = max(counter, uint64(at))
	}
	return counter<<tagBits | tagOf(h), counter <= maxCounter
}

// numbers reports whether version can be the number of a content: it is below 2^63, and ends in the content's tag.
func numbers(h Hash, version uint64) bool {
	return version > 0 && version>>63 == 0 && version&(1<<tagBits-1) == tagOf(h)
}

// recent holds the starts of the hashes of a channel's last versions, the latest last.
type recent []uint64

// maxRecent is how many contents are recognized. A mirror that lags further behind makes a version of its content.
const maxRecent = 16

func (r recent) has(h Hash) bool { return slices.Contains(r, h.Start()) }

// note makes the start of a hash the latest.
func (r *recent) note(start uint64) {
	if i := slices.Index(*r, start); i >= 0 {
		*r = slices.Delete(*r, i, i+1)
	}
	if len(*r) >= maxRecent {
		*r = slices.Delete(*r, 0, 1)
	}
	*r = append(*r, start)
}
