package scribe

import (
	"fmt"
	"time"
)

// Config holds the constants of the protocol and the bounds of what a node keeps. Start from
// Default.
type Config struct {
	// Roots is how many of the nodes closest to a group's key keep its latest events, and can stand in for the root:
	// the owners, as in Corona. With only one, a root that swallows events is not found out. 1 to 9.
	Roots int

	// Heartbeat is how often a parent announces to each child that it is there, in one message for all groups that they
	// share. The paper sends one for each group.
	Heartbeat time.Duration

	// Silence is how many Heartbeats a child waits for before it looks for another parent.
	Silence int

	// JoinRetry is how long a node waits to be admitted before it tries again. It doubles with
	// each try, up to JoinSlow.
	JoinRetry, JoinSlow time.Duration

	// Compare is how often a member compares what it has with one of the other roots. If a root is asked more than
	// CompareLoad times in that time for one group, it makes the requesters ask less often.
	Compare     time.Duration
	CompareLoad int

	// PublishRetry is how long a publisher waits for the root to accept an event. Then it routes the event anew, up to
	// PublishTries times in all. The wait doubles.
	PublishRetry time.Duration
	PublishTries int

	// MaxChildren is how many children a node has in one group. If there would be more, the farthest is handed down to
	// one of its siblings, of which it learns two (the paper's bottleneck remover). The smaller the number, the deeper
	// the tree. MaxLoad bounds the children in all groups together.
	MaxChildren int
	MaxLoad     int

	// Kept is how many of a group's latest events a node keeps for those that lack them;
	// MaxKept and MaxKeptBytes bound those of all groups together.
	Kept         int
	MaxKept      int
	MaxKeptBytes int

	// Idle is how long a root keeps a group in which nobody is and nothing happens.
	Idle time.Duration

	// Bounds of what a node keeps besides; what would go beyond is refused and traced.
	MaxGroups       int
	MaxPublications int // topics that this node publishes on
	MaxUntaken      int // of one publication: events that no root has accepted yet
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Roots: 3, Heartbeat: 10 * time.Second, Silence: 3,
		JoinRetry: 2 * time.Second, JoinSlow: time.Minute,
		Compare: time.Minute, CompareLoad: 600,
		PublishRetry: 2 * time.Second, PublishTries: 6,
		MaxChildren: 16, MaxLoad: 1 << 14,
		Kept: 32, MaxKept: 1 << 14, MaxKeptBytes: 64 << 20,
		Idle:      10 * time.Minute,
		MaxGroups: 1 << 18, MaxPublications: 1 << 16, MaxUntaken: 256,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"Heartbeat", c.Heartbeat}, {"JoinRetry", c.JoinRetry}, {"JoinSlow", c.JoinSlow}, {"Compare", c.Compare},
		{"PublishRetry", c.PublishRetry}, {"Idle", c.Idle},
	} {
		if d.d <= 0 {
			return fmt.Errorf("scribe: %s is %v, not above zero", d.name, d.d)
		}
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Roots", c.Roots, 1, maxRoots}, {"Silence", c.Silence, 1, 100}, {"CompareLoad", c.CompareLoad, 1, 1 << 20},
		{"PublishTries", c.PublishTries, 1, 16}, {"MaxChildren", c.MaxChildren, 2, 1 << 20},
		{"MaxLoad", c.MaxLoad, 2, 1 << 24}, {"Kept", c.Kept, 1, 64}, {"MaxKept", c.MaxKept, 1, 1 << 24},
		{"MaxKeptBytes", c.MaxKeptBytes, 1, 1 << 40}, {"MaxGroups", c.MaxGroups, 1, 1 << 24},
		{"MaxPublications", c.MaxPublications, 1, 1 << 24}, {"MaxUntaken", c.MaxUntaken, 1, 1 << 16},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("scribe: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}
