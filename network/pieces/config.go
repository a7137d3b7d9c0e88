package pieces

import (
	"fmt"
	"time"
)

// Config holds the constants of the protocol and its bounds. Start from Default.
type Config struct {
	// MaxLength is how long a content may be that this node fetches, in bytes; at most MaxContent.
	MaxLength int64

	// Parallel is how many sources are asked for pieces at a time, for one content, and Window for how
	// many pieces each. More fill faster links; what is asked for has to fit into a source's queue,
	// with that of others.
	Parallel, Window int

	// Patience is how long a source has for a piece before others are asked for it too, and the source
	// whether it is there. After five times as long without an answer it is dropped.
	Patience time.Duration

	// Retry is how soon a source is asked again what it has that had nothing wanted, was busy, or down.
	Retry time.Duration

	// GiveUp is how long a fetch goes on in which nothing comes any more.
	GiveUp time.Duration

	// ServeRate is how many bytes this node sends a second, on average, to all together; ServeBurst at
	// once.
	ServeRate, ServeBurst int

	// Owners is how many nodes know the lenders of a content.
	Owners int

	// Announce is how often a node that lends a content says so to its owners, which forget it after three times as
	// long. They change as nodes come and go; until then new ones know of nobody.
	Announce time.Duration

	// Seek is how often a fetch without sources asks the owners for lenders; one that has some asks
	// seldomer. After seekRounds times in vain it ends.
	Seek time.Duration

	// Bounds of what is under way; what would go beyond is refused and traced.
	MaxFetches int // contents
	MaxSources int // of one content
	MaxServing int // reads of the store for others
	MaxLent    int // contents that this node lends
	MaxKnown   int // lenders that this node knows as an owner, of all contents
	MaxOfOne   int // of them, that are one and the same node
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		MaxLength: 256 << 20, Parallel: 4, Window: 2, Patience: 15 * time.Second, Retry: 20 * time.Second,
		GiveUp: 10 * time.Minute, ServeRate: 2 << 20, ServeBurst: 8 << 20, Owners: 3,
		Announce: 15 * time.Minute, Seek: 15 * time.Second, MaxFetches: 8, MaxSources: 32, MaxServing: 16,
		MaxLent: 10_000, MaxKnown: 1 << 14, MaxOfOne: 1 << 10,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"Patience", c.Patience}, {"Retry", c.Retry}, {"GiveUp", c.GiveUp}, {"Announce", c.Announce}, {"Seek", c.Seek}} {
		if d.d <= 0 || d.d > 24*time.Hour {
			return fmt.Errorf("pieces: %s is %v, not above zero and at most a day", d.name, d.d)
		}
	}
	for _, n := range []struct {
		name           string
		n, least, most int64
	}{
		{"MaxLength", c.MaxLength, 1, MaxContent}, {"Parallel", int64(c.Parallel), 1, 64},
		{"Window", int64(c.Window), 1, maxWindow},
		{"ServeRate", int64(c.ServeRate), 1, 1 << 30}, {"ServeBurst", int64(c.ServeBurst), 1, 1 << 30},
		{"MaxFetches", int64(c.MaxFetches), 1, 1 << 10}, {"MaxSources", int64(c.MaxSources), 1, 1 << 10},
		{"MaxServing", int64(c.MaxServing), 1, 1 << 10}, {"Owners", int64(c.Owners), 1, maxOwners},
		{"MaxLent", int64(c.MaxLent), 1, 1 << 20}, {"MaxKnown", int64(c.MaxKnown), 1, 1 << 20},
		{"MaxOfOne", int64(c.MaxOfOne), 1, 1 << 20},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("pieces: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}

// maxWindow keeps what is on its way from one source within what waits for a slow peer before messages
// are dropped.
const maxWindow = 8
