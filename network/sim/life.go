package sim

import (
	"fmt"
	"time"
)

// Boot starts a node that is down.
func (w *World) Boot(n Node) {
	if w.node(n).up() {
		panic(fmt.Sprintf("sim: node %d is up already", n))
	}
	w.note(noteBoot, n, 0)
	v, o := w.node(n), &w.origins[n]
	if o.disk == nil {
		o.disk = &Disk{}
	}
	e := &v.first
	if v.incarnation > 0 {
		e = new(env) // code that still holds the first one holds that of a dead node
	}
	*e = env{world: w, node: n, incarnation: v.incarnation, born: w.machineTime(v)}
	protocol := o.start(e, o.disk)
	if protocol == nil {
		panic(fmt.Sprintf("sim: Start of node %d returned no protocol", n))
	}
	v.protocol = protocol
}

// BootAll starts all nodes that are down, in their order, one at every step from now on. A
// step of 0 starts them all at once.
func (w *World) BootAll(step time.Duration) {
	at := w.now
	for n := range Node(w.Len()) {
		if w.node(n).up() {
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

// Crash ends a node at once, like kill -9 or a lost power supply. The content of its Disk stays. The protocols get no
// call. Messages that they sent are on their way, but for those that wait for bandwidth. A node that sends to it learns
// of it by PeerDown. Crash may be called while the node's protocol is running, as by an observer of Inject: the Env
// does nothing from then on.
func (w *World) Crash(n Node) {
	if w.node(n).up() {
		w.note(noteCrash, n, 0)
		w.end(n, true)
	}
}

// Shutdown stops a node in good order: its protocols may send farewells.
func (w *World) Shutdown(n Node) {
	if p := w.node(n).protocol; p != nil {
		w.note(noteShutdown, n, 0)
		p.Stop()
		if w.node(n).up() {
			w.end(n, false)
		}
	}
}

// end ends an incarnation. Messages that wait to be sent are lost if abruptly.
func (w *World) end(n Node, abruptly bool) {
	v := w.node(n)
	v.protocol, v.working = nil, 0
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
	v := w.node(n)
	v.place = w.places.add(n)
}

// Clone makes a second node with the ID of n, as when somebody copies a data directory to
// another machine. It has a copy of n's Disk, an address of its own, and is down. Others see
// one ID that sends from two addresses.
func (w *World) Clone(n Node) Node {
	c := w.Add(w.node(n).id, w.origins[n].start)
	w.origins[c].disk = w.Disk(n)
	return c
}

func (w *World) mustBeDown(n Node, why string) {
	if w.node(n).up() {
		panic(fmt.Sprintf("sim: node %d is %s while it is up", n, why))
	}
}
