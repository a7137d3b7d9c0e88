package astrolabe

import (
	"fmt"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
)

// Config says how a node behaves. Start from Default.
type Config struct {
	// Interval is how often a node compares its tables with another member of its zone, and a representative its zone's
	// with another zone's. Less finds lost rows sooner; each comparison costs some hundred bytes a table.
	Interval time.Duration

	// Fanout is to how many nodes of each zone on its path a node sends news: 2. Comparisons bring it to the few that
	// are missed.
	Fanout int

	// PushDelay is how long news waits for more, so that they travel together.
	PushDelay time.Duration

	// Refresh is how often a row is stamped anew. Each costs every node below the table 100 bytes. Lifetime is for how
	// long a stamp holds: after so long a failed member is forgotten. It is at least three times Refresh, so that a
	// late stamp is no failure. For zones of zones both are twice as long (Stamps). They fail as a whole only if
	// hundreds of nodes do, and more nodes learn of each.
	Refresh, Lifetime time.Duration

	// Representatives is how many members represent a zone. They gossip for it, aggregate its table, and forward what
	// is sent to it. The first of them writes the zone's row. The others do when news that it should have written is
	// late by a Turn each.
	Representatives int
	Turn            time.Duration

	// Settle is how long a representative waits after a change for more, before it aggregates.
	Settle time.Duration

	// Soft are the attributes of zones with changes that are not news. They are announced when the row is stamped anew.
	// A whole number that has changed by more than an eighth is news all the same.
	Soft []string

	// Full is with how many rows a table splits: 64, as in the paper. Small is with how many members a zone that made
	// itself dissolves, after that held for DissolveAfter.
	Full, Small   int
	DissolveAfter time.Duration

	// Patience is how long a node waits for an answer as it looks for its place, and Stay for how long its row stays
	// where it was, after it moved.
	Patience, Stay time.Duration

	// MaxAttributes is how many bytes of attributes a member of an open network may announce, which nobody certifies.
	MaxAttributes int

	// MaxFilter is how many bits a member's filter may have set to count in the zone's, in an open network; 0: any
	// number. Default is for filters of 1,024 bits: a member reaches it that subscribes to some 1,400 topics. See
	// Overfull.
	MaxFilter int

	// MaxFunctions is how many aggregation functions count in a table; those with the first names.
	MaxFunctions int
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Interval: 10 * time.Second, Fanout: 2, PushDelay: 100 * time.Millisecond,
		Refresh: 2 * time.Minute, Lifetime: 7 * time.Minute,
		Representatives: 3, Turn: 8 * time.Second, Settle: 200 * time.Millisecond,
		Soft: []string{"load", "members", "depth", "up", "x", "y", "z", "h"},
		Full: 64, Small: 8, DissolveAfter: 3 * time.Minute,
		Patience: 4 * time.Second, Stay: 30 * time.Second,
		MaxAttributes: 2048, MaxFilter: 768, MaxFunctions: 16,
	}
}

// Stamps returns how often a row is stamped anew that says this, and for how long a stamp holds.
func (c Config) Stamps(row attr.Row) (every, hold time.Duration) {
	if row.Get(AttrDepth).Integer > 1 {
		return 2 * c.Refresh, 2 * c.Lifetime
	}
	return c.Refresh, c.Lifetime
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name     string
		d, least time.Duration
	}{
		{"Interval", c.Interval, 1}, {"PushDelay", c.PushDelay, 0}, {"Refresh", c.Refresh, time.Second},
		{"Lifetime", c.Lifetime, 3 * c.Refresh},
		{"Turn", c.Turn, 1}, {"Settle", c.Settle, 0}, {"DissolveAfter", c.DissolveAfter, c.Interval},
		{"Patience", c.Patience, 1}, {"Stay", c.Stay, 0},
	} {
		if d.d < d.least {
			return fmt.Errorf("astrolabe: %s is %v, less than %v", d.name, d.d, d.least)
		}
	}
	if 2*c.Lifetime > MaxLifetime {
		return fmt.Errorf("astrolabe: Lifetime is %v, so that stamps of large zones would hold for more than %v",
			c.Lifetime, MaxLifetime)
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Fanout", c.Fanout, 1, 16}, {"Representatives", c.Representatives, 1, maxPeers},
		{"Full", c.Full, 4, table.MaxRows / 3},
		{"Small", c.Small, 0, c.Full / 4}, {"MaxAttributes", c.MaxAttributes, 256, 8192},
		{"MaxFunctions", c.MaxFunctions, 0, 64},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("astrolabe: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}

// MaxLifetime is for how long a stamp may hold.
const MaxLifetime = 4 * time.Hour
