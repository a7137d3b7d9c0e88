package spread

import (
	"fmt"
	"time"
)

// Config holds the protocol's constants and bounds. Start from Default. SpiderCast's paper leaves dissemination open
// (section 5) and gives no values; the mechanisms are Plumtree's.
type Config struct {
	// Announce is how long the names of events are gathered, over all topics, before they are announced on a link.
	// Longer sends fewer messages; a node that the tree missed waits longer.
	Announce time.Duration

	// Resend is how long to wait for an Acknowledge before an announcement is repeated. It doubles every other time, up
	// to sixteenfold. Below a round trip, announcements that arrived are repeated.
	Resend time.Duration

	// Silent is how many times an announcement is sent without an answer before the neighbour is suspected. A small
	// number suspects neighbours that merely lose messages.
	Silent int

	// Wait is how long an announced event may still arrive over the tree before it is asked for. Shorter asks for
	// events that are on their way, and gets them twice; longer delays what the tree has lost.
	Wait time.Duration

	// Answer is how long to wait for an event that was asked for before the next announcer is asked. It grows as Resend
	// does.
	Answer time.Duration

	// Tries is how many times an event is asked for, in all, before the node gives up.
	Tries int

	// Strikes is how many promises in a row a neighbour may break before it is suspected: events that it announces and
	// does not deliver. A small number suspects neighbours that merely lose messages: at 20 % loss a third of requests
	// fail.
	Strikes int

	// Shorter is the number of hops by which an announcement must beat its event for its link to be tried in the tree.
	// It is the threshold of Plumtree's optimisation. A lower value tries more often.
	Shorter int

	// Moves is how many events of a topic must pass between two such trials; up to twice as many do. A trial costs a
	// duplicate or two. Plumtree has no such limit.
	Moves int

	// Kept and KeptBytes bound the events of one topic that are kept for neighbours, MaxKept and MaxKeptBytes those of
	// all topics. The latest are kept. A node that is cut off while more are published misses events.
	Kept, KeptBytes       int
	MaxKept, MaxKeptBytes int

	// Remembered is how many events of a topic, at least, are remembered as seen, so that they are not delivered again.
	// It must not be below Kept, or catching up delivers events twice. About 40 bytes each.
	Remembered int

	// Hold is how long an event that was published here may go unnoticed by all neighbours before that is traced.
	Hold time.Duration

	// MaxLeft bounds the topics that are remembered without being joined: those that were left, or are only published
	// on.
	MaxLeft int

	// MaxWanted bounds the missing events that one neighbour has announced; further announcements are not acknowledged,
	// and so are repeated later. MaxAsked bounds the events that one neighbour is asked for at a time.
	MaxWanted, MaxAsked int

	// Intake is how many messages of one neighbour are handled a second, IntakeBurst how many at once; others are
	// dropped.
	Intake, IntakeBurst int

	// Serve is how many bytes of requested events one neighbour is sent a second, ServeBurst how many at once.
	Serve, ServeBurst int
}

// Default returns what an ordinary network uses.
func Default() Config {
	return Config{
		Announce: 500 * time.Millisecond, Resend: time.Second, Silent: 12,
		Wait: 500 * time.Millisecond, Answer: time.Second, Tries: 16, Strikes: 8,
		Shorter: 3, Moves: 256,
		Kept: 64, KeptBytes: 4 << 20, MaxKept: 4096, MaxKeptBytes: 32 << 20, Remembered: 512,
		Hold: 10 * time.Minute, MaxLeft: 256, MaxWanted: 512, MaxAsked: 64,
		Intake: 2000, IntakeBurst: 8000, Serve: 1 << 20, ServeBurst: 16 << 20,
	}
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name    string
		d, most time.Duration
	}{
		{"Announce", c.Announce, time.Hour}, {"Resend", c.Resend, time.Hour}, {"Wait", c.Wait, time.Hour},
		{"Answer", c.Answer, time.Hour},
		{"Hold", c.Hold, 24 * time.Hour},
	} {
		if d.d < 1 || d.d > d.most {
			return fmt.Errorf("spread: %s is %v, not between 1ns and %v", d.name, d.d, d.most)
		}
	}
	for _, v := range []struct {
		name               string
		value, least, most int
	}{
		{"Silent", c.Silent, 1, 1 << 10}, {"Tries", c.Tries, 1, 1 << 10}, {"Strikes", c.Strikes, 1, 1 << 10},
		{"Shorter", c.Shorter, 1, 255}, {"Moves", c.Moves, 1, 1 << 20},
		{"Kept", c.Kept, 1, maxNames}, {"KeptBytes", c.KeptBytes, 1, 1 << 30},
		{"MaxKept", c.MaxKept, c.Kept, 1 << 20}, {"MaxKeptBytes", c.MaxKeptBytes, c.KeptBytes, 1 << 30},
		{"Remembered", c.Remembered, c.Kept, 1 << 20}, {"MaxLeft", c.MaxLeft, 1, 1 << 16},
		{"MaxWanted", c.MaxWanted, maxBatch, 1 << 20}, {"MaxAsked", c.MaxAsked, 1, maxNames},
		{"Intake", c.Intake, 1, 1 << 20}, {"IntakeBurst", c.IntakeBurst, 1, 1 << 24},
		{"Serve", c.Serve, 1, 1 << 30}, {"ServeBurst", c.ServeBurst, 1, 1 << 30},
	} {
		if v.value < v.least || v.value > v.most {
			return fmt.Errorf("spread: %s is %d, not between %d and %d", v.name, v.value, v.least, v.most)
		}
	}
	return nil
}
