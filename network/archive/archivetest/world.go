package archivetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// Codec knows all that is said in these worlds.
var Codec = engine.NewCodec(pastry.Vocabulary, archive.Vocabulary)

// Settings say what a world is like. Start from Default.
type Settings struct {
	Nodes   int
	Pastry  pastry.Config
	Archive archive.Config

	// Env, if not nil, is put around a node's Env: to make a liar of it.
	Env func(n sim.Node, env engine.Env) engine.Env

	// LocalSource, if not nil, is the local source of every node.
	LocalSource archive.LocalSource

	// Writing is how long a disk needs to keep an item.
	Writing time.Duration
}

// Default returns the settings of an ordinary network with so many nodes.
func Default(nodes int) Settings {
	return Settings{Nodes: nodes, Pastry: pastry.Default(), Archive: archive.Default(), Writing: writing}
}

// World is a simulated network.
type World struct {
	*sim.World

	settings Settings
	chance   *rand.Rand
	disks    []*Disk // by node
	kept     []archive.Name
	lengths  map[archive.Name]int
}

// Node is one incarnation of a node.
type Node struct {
	*engine.Stack
	Pastry  *pastry.Node
	Archive *archive.Node
}

// New puts nodes into a world that has none, lets them form a ring, and returns when it is right.
func New(w *sim.World, s Settings) *World {
	world := &World{World: w, settings: s, lengths: make(map[archive.Name]int)}
	world.chance = rand.New(rand.NewPCG(w.Seed(), 0xa1))
	for range s.Nodes {
		world.Boot(world.Grow(world.ID()))
		w.Run(50 * time.Millisecond)
	}
	world.Settle()
	return world
}

// ID draws an ID.
func (w *World) ID() engine.ID { return engine.DrawID(w.chance) }

// Grow adds a node, which is down.
func (w *World) Grow(id engine.ID) sim.Node {
	number := sim.Node(w.Len())
	w.disks = append(w.disks, NewDisk())
	return w.Add(id, func(env engine.Env, disk *sim.Disk) engine.Protocol {
		if _, formatted := disk.Get("formatted"); !formatted { // it is new, or was removed
			disk.Put("formatted", nil)
			w.Wipe(number)
		}
		return w.start(number, env)
	})
}

func (w *World) start(number sim.Node, env engine.Env) *Node {
	if w.settings.Env != nil {
		env = w.settings.Env(number, env)
	}
	n := &Node{Stack: engine.NewStack(env), Pastry: pastry.New(env, w.settings.Pastry)}
	n.Archive = archive.New(env, n.Pastry, Judge{}, &slowStore{env, w.disks[number], w.settings.Writing},
		w.settings.Archive)
	if w.settings.LocalSource != nil {
		n.Archive.Use(w.settings.LocalSource)
	}
	n.Pastry.Handle(engine.Archive, n.Archive)
	n.Add(engine.Pastry, n.Pastry)
	n.Add(engine.Archive, n.Archive)
	if active := w.Active(); len(active) == 0 {
		n.Pastry.Create()
	} else {
		n.Pastry.Join(w.Peer(active[w.chance.IntN(len(active))]), w.Peer(active[0]))
	}
	return n
}

// Node returns the incarnation of a node that is up.
func (w *World) Node(n sim.Node) *Node { return w.Protocol(n).(*Node) }

// Disk returns what a node's store holds. The node may be down.
func (w *World) Disk(n sim.Node) *Disk { return w.disks[n] }

// Wipe removes the disk of a node that is down.
func (w *World) Wipe(n sim.Node) { w.disks[n] = NewDisk() }

// Live returns the nodes that are up, in order.
func (w *World) Live() (live []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			live = append(live, n)
		}
	}
	return live
}

// Active returns the nodes that are part of the ring, in order.
func (w *World) Active() []sim.Node {
	return slices.DeleteFunc(w.Live(), func(n sim.Node) bool { return !w.Node(n).Pastry.Active() })
}

// Any draws a node that is part of the ring.
func (w *World) Any() sim.Node {
	active := w.Active()
	return active[w.chance.IntN(len(active))]
}

// settling is the longest time that a ring may need to become right.
const settling = 30 * time.Minute

// Settle runs the world until all nodes that are up form one right ring. It panics if that needs longer than settling.
func (w *World) Settle() {
	ring := &check.Ring{Half: w.settings.Pastry.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := w.Node(n).Pastry.LeafSet()
		return append(below, above...)
	}}
	for end := w.Now() + settling; len(w.Active()) < len(w.Live()) || ring.Wrong(w.World) > 0; w.Run(time.Second) {
		if w.Now() > end {
			panic(fmt.Sprintf("archivetest: seed %d: no right ring after %v", w.Seed(), settling))
		}
	}
}

// Insert has a node insert the item of a name, of so many bytes. What is accepted is kept count of.
func (w *World) Insert(n sim.Node, name archive.Name, length int) {
	item := Item(name, length)
	w.Do(n, func(engine.Protocol) {
		w.Node(n).Archive.Insert(name, item, func(_ int, why archive.Refusal) {
			if _, known := w.lengths[name]; why == archive.Accepted && !known {
				w.kept = append(w.kept, name)
				w.lengths[name] = length
			}
		})
	})
}

// Kept returns the names of what was inserted and accepted, in this order.
func (w *World) Kept() []archive.Name { return w.kept }

// Owners returns the live nodes that are closest to a key, closest first.
func (w *World) Owners(key engine.ID) []sim.Node {
	k := w.settings.Archive.Replicas
	owners := make([]sim.Node, 0, k+1)
	for n := range sim.Node(w.Len()) {
		if !w.Up(n) {
			continue
		}
		at, id := len(owners), w.Peer(n).ID
		for at > 0 && engine.Closer(key, id, w.Peer(owners[at-1]).ID) {
			at--
		}
		if at < k {
			owners = slices.Insert(owners, at, n)[:min(k, len(owners)+1)]
		}
	}
	return owners
}

// Lacking returns how many copies of inserted items owners lack, except the owners in but.
func (w *World) Lacking(but ...sim.Node) (copies int) {
	for _, name := range w.kept {
		for _, n := range w.Owners(name.Key()) {
			if !slices.Contains(but, n) && w.disks[n].Get(name) == nil {
				copies++
			}
		}
	}
	return copies
}

// Lost returns the items that no live node has, except the nodes in but.
func (w *World) Lost(but ...sim.Node) (lost []archive.Name) {
	for _, name := range w.kept {
		if !slices.ContainsFunc(w.Live(), func(n sim.Node) bool {
			return !slices.Contains(but, n) && w.disks[n].Get(name) != nil
		}) {
			lost = append(lost, name)
		}
	}
	return lost
}

// Excess returns how many copies there are at live nodes that are not owners.
func (w *World) Excess() (copies int) {
	for _, n := range w.Live() {
		for _, name := range w.disks[n].Names() {
			if !slices.Contains(w.Owners(name.Key()), n) {
				copies++
			}
		}
	}
	return copies
}

// False returns what is on a disk and is not genuine.
func (w *World) False() error {
	for n, d := range w.disks {
		for _, name := range d.Names() {
			if !(Judge{}).Genuine(name, d.Get(name)) {
				return fmt.Errorf("node %d keeps false bytes of item %d", n, name.Number)
			}
		}
	}
	return nil
}

// Looked is what came of a lookup.
type Looked struct {
	Name  archive.Name
	Bytes []byte
	Err   error
	Done  bool
	Took  time.Duration
}

// Find has a node look an item up. What comes of it stands in the result once the world has run.
func (w *World) Find(n sim.Node, name archive.Name) *Looked {
	l := &Looked{Name: name}
	start := w.Now()
	w.Do(n, func(engine.Protocol) {
		w.Node(n).Archive.Find(name, func(b []byte, err error) {
			if l.Done {
				panic("archivetest: found twice")
			}
			l.Bytes, l.Err, l.Done, l.Took = b, err, true, w.Now()-start
		})
	})
	return l
}

// Wrong returns what is wrong with a lookup of what was inserted.
func (w *World) Wrong(l *Looked) error {
	switch {
	case !l.Done:
		return errors.New("the lookup did not end")
	case l.Err != nil:
		return l.Err
	case !bytes.Equal(l.Bytes, Item(l.Name, w.lengths[l.Name])):
		return errors.New("something else was found")
	}
	return nil
}
