package archive

import (
	"fmt"
	"time"
)

// Config holds the constants of the protocol and the bounds of what a node keeps. Start from
// Default.
type Config struct {
	// Replicas is how many of the nodes closest to an item's key keep it: PAST's k. All nodes of a network have to use
	// the same. An item is lost if all its k owners lose their disks within one repair. If a fifth of the nodes does so
	// at once, that is 0.2^k of the items. Each costs its bytes once in storage, and once when a node comes or goes. At
	// most half of the ring's leaf set; 1 to 8.
	Replicas int

	// Compare is how often a node compares what it has with each co-owner, if nothing differs. A
	// replica that is lost without any node coming or going is replaced within it.
	Compare time.Duration

	// Again is the time from a comparison that found differences to the next one. It is also how soon all are compared
	// when neighbours have changed. It doubles, up to 16 times Compare, as long as nothing comes of it.
	Again time.Duration

	// Patience is how long a node waits for an answer before it asks another. It has to outlast the
	// sending of MaxItem bytes over a slow connection.
	Patience time.Duration

	// Ways is how many times the ring is asked for the owners of an item before a lookup or an insertion gives up. Each
	// time but the first goes over another node and toward another point near the key. With a tenth of the nodes lying,
	// about one way of four is spoilt.
	Ways int

	// Parallel is how many items of a range are looked up at a time, by each Node.FindRange.
	Parallel int

	// Pulls is how many co-owners a node fetches from at a time what it lacks.
	Pulls int

	// ServeRate is how many bytes of items a node sends a second, on average; ServeBurst at once. Further requesters
	// are sent to other nodes.
	ServeRate, ServeBurst int

	// MaxItem bounds the bytes of an item, at most 640 KiB. MaxBytes and MaxItems bound what a node keeps in all. An
	// item also needs about 150 bytes of memory. MaxTopicBytes bounds what it keeps of one topic. Each node's share of
	// a topic is Replicas over the number of nodes. MaxBytes 0: it keeps nothing, and refuses what others give it.
	MaxItem       int
	MaxBytes      int64
	MaxTopicBytes int64
	MaxItems      int

	// Bounds of what is under way; what would go beyond is refused and traced.
	MaxFinds   int // lookups
	MaxInserts int // insertions, of up to MaxItem bytes each
	MaxOffers  int // of new items to their other owners
	MaxWanted  int // items that wait to be fetched
	MaxServing int // requests that are being answered
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Replicas: 5, Compare: 10 * time.Minute, Again: 20 * time.Second, Patience: 10 * time.Second,
		Ways: 8, Parallel: 16, Pulls: 8, ServeRate: 2 << 20, ServeBurst: 8 << 20,
		MaxItem: maxItem, MaxBytes: 1 << 30, MaxTopicBytes: 64 << 20, MaxItems: 1 << 18,
		MaxFinds: 1024, MaxInserts: 64, MaxOffers: 256, MaxWanted: 4096, MaxServing: 64,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"Compare", c.Compare}, {"Again", c.Again}, {"Patience", c.Patience}} {
		if d.d <= 0 || d.d > 24*time.Hour {
			return fmt.Errorf("archive: %s is %v, not above zero and at most a day", d.name, d.d)
		}
	}
	least := int64(c.MaxItem)
	if c.MaxBytes == 0 {
		least = 0
	}
	for _, n := range []struct {
		name           string
		n, least, most int64
	}{
		{"Replicas", int64(c.Replicas), 1, maxReplicas}, {"Ways", int64(c.Ways), 1, 64},
		{"Parallel", int64(c.Parallel), 1, 1 << 10},
		{"Pulls", int64(c.Pulls), 1, 64}, {"ServeRate", int64(c.ServeRate), 1, 1 << 30},
		{"ServeBurst", int64(c.ServeBurst), int64(c.MaxItem), 1 << 30},
		{"MaxItem", int64(c.MaxItem), 1, maxItem}, {"MaxBytes", c.MaxBytes, least, 1 << 50},
		{"MaxTopicBytes", c.MaxTopicBytes, least, c.MaxBytes}, {"MaxItems", int64(c.MaxItems), 1, 1 << 24},
		{"MaxFinds", int64(c.MaxFinds), 1, 1 << 20}, {"MaxInserts", int64(c.MaxInserts), 1, 1 << 16},
		{"MaxOffers", int64(c.MaxOffers), 1, 1 << 16}, {"MaxWanted", int64(c.MaxWanted), 1, 1 << 20},
		{"MaxServing", int64(c.MaxServing), 1, 1 << 16},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("archive: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}
