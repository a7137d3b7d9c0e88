package fetch

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tidings"
)

// Memory is what is remembered of a channel's origin from one poll to the next. Only a
// Plan changes it. Times have a precision of a millisecond.
type Memory struct {
	// Phase is the channel's own place in the interval, as a fraction of 2^32, so that
	// the polls of many channels are spread evenly.
	Phase uint32
	Kind  tidings.Kind

	// The validators of the latest document that was read, and the address that gave them.
	ETag, LastModified, ValidFor string
	// What its header said of freshness; a 304 brings this up to date (RFC 9111, 4.3.4).
	CacheControl, Expires string
	// FreshUntil is until when the origin says that the document stays as it is; zero if
	// it does not say.
	FreshUntil time.Time
	// Sum is the SHA-256 of the latest whole document that was read; zero if there is none.
	Sum [sha256.Size]byte

	// What the document asks of its pollers. Hours are bits 0 to 23, GMT; days bits 0 (Sunday) to 6.
	TTL, UpdatePeriod time.Duration
	SkipHours         uint32
	SkipDays          uint8

	LastRead time.Time // when the origin's present content was last known
	LastFull time.Time // when a whole document last came and was read

	// A permanent redirect that may come to be believed.
	Redirect      string // where it leads
	RedirectCount int    // how many times in a row
	RedirectSince time.Time

	Failures     int             // polls in a row that did not read it
	FailingSince time.Time       // the first of them
	Trouble      tidings.Outcome // how the latest of them ended
	Row          int             // how many of them in a row ended so
	RowSince     time.Time

	Changes       int       // polls in a row that found it changed
	NoDelta       bool      // its deltas (226) cannot be trusted
	DistrustUntil time.Time // its validators lied, and are not used until then
	Ended         string    // why it is not polled any more; empty: it is
}

// NewMemory returns the memory of a channel that was never polled.
func NewMemory(id tidings.ChannelID) Memory {
	return Memory{Phase: binary.BigEndian.Uint32(id[:4])}
}

// Same reports whether a response brings, byte for byte, the document that was read last,
// so that it need not be read again.
func (m *Memory) Same(r *Response) bool {
	return r.Status == 200 && m.Sum != [sha256.Size]byte{} && r.Sum() == m.Sum
}

// Health sums up how the channel is. It is noisy after noisyAfter changes in a row.
func (m *Memory) health(noisyAfter int) tidings.Health {
	switch {
	case m.Ended != "":
		return tidings.HealthEnded
	case m.Trouble == tidings.OutcomeChallenged:
		return tidings.HealthChallenged
	case m.Trouble == tidings.OutcomeLimited:
		return tidings.HealthLimited
	case m.Trouble != tidings.OutcomeNone:
		return tidings.HealthFailing
	case m.LastRead.IsZero():
		return tidings.HealthNew
	case m.Changes >= noisyAfter:
		return tidings.HealthNoisy
	default:
		return tidings.HealthGood
	}
}
