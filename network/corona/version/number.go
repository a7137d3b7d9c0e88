package version

import "slices"

// A version's number is a counter and, in its last tagBits bits, the start of the content's hash. So two nodes that both think they are a channel's primary give
// two contents two numbers, and one content after the same version the same. The counter follows the one before, or is the origin's time of modification in
// seconds where that is higher: both sides of a ring agree more often. A time that is wrong does no harm: numbers only have to rise.
const (
	tagBits    = 24
	maxCounter = 1<<(63-tagBits) - 1

	// maxModified is the latest time of modification that is made a counter, in seconds since 1970: later ones must not use up the counter.
	maxModified = 1 << 33
)

// tag returns what numbers of versions with a content end in.
func tagOf(h Hash) uint64 { return h.Start() >> (64 - tagBits) }

// follow returns the number of the version after last; false if there are none left. modified is in milliseconds; later than latest, in seconds, it is ignored.
func follow(last uint64, h Hash, modified int64, latest uint64) (uint64, bool) {
	counter := last>>tagBits + 1
	if at := modified / 1000; at > 0 && at < maxModified && uint64(at) <= latest {
		counter = max(counter, uint64(at))
	}
	return counter<<tagBits | tagOf(h), counter <= maxCounter
}

// numbers reports whether a version can be the number of a content: it is none of those from 2^63 on, and ends in the content's tag.
func numbers(h Hash, version uint64) bool {
	return version > 0 && version>>63 == 0 && version&(1<<tagBits-1) == tagOf(h)
}

// recent is the starts of the hashes of a channel's last versions, the latest last.
type recent []uint64

// maxRecent is how many contents are known again. A mirror that is further behind makes a version of what it has.
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
