package newswire

import (
	"fmt"
	"time"
)

// Config says how a node behaves. Start from Default.
type Config struct {
	Shape Shape

	// Redundancy is to how many representatives of a zone an item goes at once: 1. More deliver sooner where
	// representatives fail, and multiply the load; a node that gets an item twice drops it.
	Redundancy int

	// Patience is how long a node waits for the first sign that an item has arrived, before it sends it to another
	// representative, Attempts times. A second and third representative have half as long. A member is sent it again
	// until Deadline. It has twice as long each time, but no longer than twice Silence. Below a round trip all is sent
	// twice. A zone without an answer of any representative has the item by a contact, if one is known. Otherwise it is
	// tried again after about Silence, then twice that, until Deadline: its members name others.
	Patience time.Duration
	Attempts int

	// Sign is how often a representative says that it is still at work on an item. Silence is after how long without a
	// sign another is asked: at least twice as long.
	Sign, Silence time.Duration

	// Deadline is after how long a node gives up an item that others are still at work on, whatever they say. Nodes
	// that it has not reached request it.
	Deadline time.Duration

	// Window is how many items may be on their way to one zone or member that it has not accepted yet. Queue is how
	// many wait for that, and Turns of how many publishers they may be.
	Window, Queue int

	// Rate is how many items of one publisher a node accepts a second, on average, and Burst how many at once. Items
	// beyond that wait at their sender.
	Rate, Burst int

	// Keep is for how long items are kept for those that have missed them, in Cache items at most and CacheBytes at
	// most. That they came is remembered for three times as long, and of four times as many.
	Keep              time.Duration
	Cache, CacheBytes int

	// CatchUp is how often a node asks another whether it has missed an item of the last Missed.
	CatchUp, Missed time.Duration

	// MaxTopics is how many topics a node subscribes to at most.
	MaxTopics int
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Shape: Shape{Bits: 1024, Hashes: 1}, Redundancy: 1,
		Patience: time.Second, Attempts: 4, Sign: time.Second, Silence: 5 * time.Second / 2, Deadline: time.Minute,
		Window: 16, Queue: 256, Rate: 20, Burst: 100,
		Keep: 30 * time.Minute, Cache: 1024, CacheBytes: 16 << 20,
		CatchUp: 15 * time.Second, Missed: 20 * time.Minute,
		MaxTopics: 1 << 14,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	if err := c.Shape.Validate(); err != nil {
		return err
	}
	for _, d := range []struct {
		name     string
		d, least time.Duration
	}{
		{"Patience", c.Patience, 1}, {"Sign", c.Sign, 1}, {"Silence", c.Silence, 2 * c.Sign},
		{"Deadline", c.Deadline, c.Silence}, {"Keep", c.Keep, c.Missed},
		{"CatchUp", c.CatchUp, 1}, {"Missed", c.Missed, c.CatchUp},
	} {
		if d.d < d.least {
			return fmt.Errorf("newswire: %s is %v, less than %v", d.name, d.d, d.least)
		}
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Redundancy", c.Redundancy, 1, 8}, {"Attempts", c.Attempts, 1, 16}, {"Window", c.Window, 1, 1 << 10},
		{"Queue", c.Queue, c.Window, 1 << 16},
		{"Rate", c.Rate, 1, 1 << 20}, {"Burst", c.Burst, 1, 1 << 20}, {"Cache", c.Cache, 1, 1 << 16},
		{"CacheBytes", c.CacheBytes, 1, 1 << 30},
		{"MaxTopics", c.MaxTopics, 1, 1 << 16},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("newswire: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}
