package sim

import (
	"fmt"
	"time"
)

// Faults are what befalls messages by chance. A chance lies between 0, never, and 1, always. It is drawn for each
// message by itself, from the world's seed. A message goes through the faults of the world, of its sender, of its
// receiver and of the link between them, one after the other. No protocol learns of a message that is lost by chance.
type Faults struct {
	// Loss is the chance that a message does not arrive.
	Loss float64

	// Duplicate is the chance that a message arrives twice. The second copy travels by
	// itself and keeps no order.
	Duplicate float64

	// Reorder is the chance that a message is late by up to ReorderBy, drawn evenly,
	// and keeps no order: later ones overtake it.
	Reorder   float64
	ReorderBy time.Duration

	// Spike is the chance that a message is late by SpikeBy. What is sent after it
	// between the same nodes waits behind it, as on a connection that stalls.
	Spike   float64
	SpikeBy time.Duration
}

// Validate returns what is wrong with f.
func (f Faults) Validate() error {
	for _, c := range []struct {
		name   string
		chance float64
	}{{"Loss", f.Loss}, {"Duplicate", f.Duplicate}, {"Reorder", f.Reorder}, {"Spike", f.Spike}} {
		if !(c.chance >= 0 && c.chance <= 1) {
			return fmt.Errorf("the chance %s of %v does not lie between 0 and 1", c.name, c.chance)
		}
	}
	if f.ReorderBy < 0 || f.SpikeBy < 0 || f.Reorder > 0 && f.ReorderBy == 0 || f.Spike > 0 && f.SpikeBy == 0 {
		return fmt.Errorf("messages late by %v and %v", f.ReorderBy, f.SpikeBy)
	}
	return nil
}

func mustBeValid(f Faults) {
	if err := f.Validate(); err != nil {
		panic("sim: " + err.Error())
	}
}

// SetFaults sets the faults of the whole network from now on.
func (w *World) SetFaults(f Faults) {
	mustBeValid(f)
	w.config.Faults = f
	w.findFaulty()
}

// SetNodeFaults sets the faults of all messages that a node sends or receives from now on.
func (w *World) SetNodeFaults(n Node, f Faults) {
	mustBeValid(f)
	c := w.conditionOf(n)
	if c.faults != nil {
		w.faultyNodes--
		c.faults = nil
	}
	if f != (Faults{}) {
		w.faultyNodes++
		c.faults = &f
	}
	w.findFaulty()
}

// SetLinkFaults sets the faults of all messages from one node to another, in this direction
// alone, from now on.
func (w *World) SetLinkFaults(from, to Node, f Faults) {
	mustBeValid(f)
	if f == (Faults{}) {
		delete(w.links, pair{from, to})
	} else {
		w.links[pair{from, to}] = &f
	}
	w.findFaulty()
}

func (w *World) findFaulty() {
	w.faulty = w.config.Faults != (Faults{}) || w.faultyNodes > 0 || len(w.links) > 0
	w.steady = isSteady(w.config.Latency) && !w.faulty
}

type pair struct{ from, to Node }

// fate is what befalls a message.
type fate struct {
	lost, duplicate, reordered bool
	late                       time.Duration
}

// fateOf draws a message's fate.
func (w *World) fateOf(p *delivery) fate {
	var f fate
	w.draw(&f, &w.config.Faults)
	if w.faultyNodes > 0 {
		if c := w.node(p.from).condition; c != nil && c.faults != nil {
			w.draw(&f, c.faults)
		}
		if c := w.node(p.to).condition; c != nil && c.faults != nil {
			w.draw(&f, c.faults)
		}
	}
	if len(w.links) > 0 {
		if link := w.links[pair{p.from, p.to}]; link != nil {
			w.draw(&f, link)
		}
	}
	return f
}

func (w *World) draw(f *fate, faults *Faults) {
	f.lost = w.happens(faults.Loss) || f.lost
	f.duplicate = w.happens(faults.Duplicate) || f.duplicate
	if w.happens(faults.Reorder) {
		f.reordered = true
		f.late += time.Duration(w.faultChance.Int64N(int64(faults.ReorderBy) + 1))
	}
	if w.happens(faults.Spike) {
		f.late += faults.SpikeBy
	}
}

// happens draws whether something of the given chance does. The comparison is of integers:
// the scaling by a power of two is exact on every machine.
func (w *World) happens(chance float64) bool {
	return chance > 0 && w.faultChance.Uint64()>>1 < uint64(chance*(1<<63))
}
