package sim

import (
	"fmt"
	"time"

	"tidings/network/engine"
)

// Observer is called with every event that a protocol traces. It must not touch the world.
type Observer func(at time.Duration, n Node, event any)

// Observe adds an observer of what protocols trace.
func (w *World) Observe(o Observer) { w.observers = append(w.observers, o) }

// Inject adds an observer that may do to the world what faults do: crash the node in the middle of what it does, pause
// it, cut links. With it an experiment is part of the run, where a plain observer is not.
func (w *World) Inject(o Observer) { w.observers = append(w.observers, o) }

// traced passes on what a protocol traces.
func (w *World) traced(n Node, event any) {
	for _, o := range w.observers {
		o(w.now, n, event)
	}
	if w.writer != nil {
		w.line("node %d traces %T%+v", n, event, event)
	}
}

// Fate is what became of a message.
type Fate uint8

// What can become of a message. From Lost on, it was dropped.
const (
	Sent         Fate = iota // by its protocol; another fate follows
	Received                 // by the other node's protocol
	Lost                     // by chance: see Faults
	NobodyThere              // nobody lives at the address, or the node is down
	Stranger                 // the address belongs to another ID
	Cutoff                   // see Cut
	Asleep                   // the machine sleeps: see Suspend
	Crashed                  // it waited at a node that crashed
	UploadFull               // see SetBandwidth
	DownloadFull             // see SetBandwidth
	InboxFull                // see SetSlow and Pause
	Unreachable              // see Homes
	Fates        = iota
)

var fates = [Fates]string{
	"sent", "received", "lost", "nobody there", "stranger", "cut off", "asleep", "crashed",
	"upload full", "download full", "inbox full", "unreachable",
}

func (f Fate) String() string {
	if int(f) < len(fates) {
		return fates[f]
	}
	return fmt.Sprintf("fate %d", uint8(f))
}

// Delivery is a message on its way, as a Tap sees it.
type Delivery struct {
	At       time.Duration
	From, To Node // To is -1 if nobody lives at the address
	Message  engine.Message
	Bytes    int
	Fate     Fate
}

// Tap is called with every message when it is sent and when it is received or dropped. It must not
// touch the world or the message.
type Tap func(p Delivery)

// Tap adds a tap.
func (w *World) Tap(t Tap) {
	w.taps = append(w.taps, t)
	w.watched = true
}

// watch reports a message to taps and the writer.
func (w *World) watch(f Fate, p *delivery) {
	for _, t := range w.taps {
		t(Delivery{At: w.now, From: p.from, To: p.to, Message: p.message, Bytes: int(p.size), Fate: f})
	}
	if w.writer != nil && f != Sent {
		w.lineOf(f, p)
	}
}
