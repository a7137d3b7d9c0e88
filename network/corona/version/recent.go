package version

import "slices"

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
