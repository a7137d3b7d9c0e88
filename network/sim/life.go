package sim

import (
	"fmt"
	"time"
)

// Boot starts a node that is down.
func (w *World) Boot(n Node) {
	if w.nodes[n].up() {
		panic(fmt.Sprintf("sim: node %d is up already", n))
	}
	w.note(noteBoot, n, 0)
	v, o := &w.nodes[n], &w.origins[n]
	if o.disk == nil {
		o.disk = &Disk{}
	}
	v.env = &env{world: w, node: n, incarnation: v.incarnation, born: w.machineTime(v)}
	protocol := o.start(v.env, o.disk)
	if protocol == nil {
		panic(fmt.Sprintf("sim: Start of node %d returned no protocol", n))
	}
	w.nodes[n].protocol = protocol // a new address of the node: start may have added nodes
}

// BootAll starts all nodes that are down, in their order, one at every step from now on. A
// step of 0 starts them all at once.
func (w *World) BootAll(step time.Duration) {
	at := w.now
	for n := range Node(len(w.nodes)) {
		if w.nodes[n].up() {
			continue
		}
		if step == 0 {
			w.Boot(n)
			continue
		}
		w.At(at, func() {
			if !w.Up(n) {
				w.Boot(n)
			}
		})
		at = later(at, step)
	}
}

// Crash ends a node at once, like kill -9 or a lost power supply. What its Disk holds stays.
// The protocols hear nothing; messages that they sent are on their way, but for those that
// wait for bandwidth. Who sends to the node hears of it by PeerDown. It may be called while
// the node's protocol is running, as by an observer given to Inject: the Env does nothing
// from then on.
func (w *World) Crash(n Node) {
	if w.nodes[n].up() {
		w.note(noteCrash, n, 0)
		w.end(n, true)
	}
}

// Shutdown stops a node in good order: its protocols may send farewells.
func (w *World) Shutdown(n Node) {
	if p := w.nodes[n].protocol; p != nil {
		w.note(noteShutdown, n, 0)
		p.Stop()
		if w.nodes[n].up() {
			w.end(n, false)
		}
	}
}

// end ends an incarnation. Messages that wait to be sent are lost if abruptly.
func (w *World) end(n Node, abruptly bool) {
	v := &w.nodes[n]
	v.protocol, v.env = nil, nil
	v.incarnation++
	w.endCalls(v)
	if c := v.condition; c != nil {
		c.outages = nil
		w.endSleep(n, c)
		w.clearPipe(n, download)
		w.clearPipe(n, inbox)
		if abruptly {
			w.clearPipe(n, upload)
		}
		w.endContacts(n, c)
	}
}

// Restart ends a node, if it is up, and starts it again at once with what its Disk holds.
func (w *World) Restart(n Node) {
	w.Crash(n)
	w.Boot(n)
}

// CrashFor crashes a node and starts it again after d, unless somebody else has.
func (w *World) CrashFor(n Node, d time.Duration) {
	w.Crash(n)
	w.After(d, func() {
		if !w.Up(n) {
			w.Boot(n)
		}
	})
}

// Move gives a node that is down a new address; nobody answers at the old one.
func (w *World) Move(n Node) {
	w.mustBeDown(n, "moved")
	w.note(noteMove, n, 0)
	v := &w.nodes[n]
	w.places[v.place] = nobody
	v.place = w.newPlace(n)
}

// Clone makes a second node with the ID of n, as when somebody copies a data directory to
// another machine. It has a copy of n's Disk, an address of its own, and is down. Others see
// one ID that sends from two addresses.
func (w *World) Clone(n Node) Node {
	c := w.Add(w.nodes[n].id, w.origins[n].start)
	w.origins[c].disk = w.Disk(n)
	return c
}

func (w *World) mustBeDown(n Node, why string) {
	if w.nodes[n].up() {
		panic(fmt.Sprintf("sim: node %d is %s while it is up", n, why))
	}
}
