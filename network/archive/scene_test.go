package archive_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/archive/archivetest"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	c := archive.Default()
	c.Replicas = 3
	small := c
	small.MaxItem, small.MaxBytes, small.MaxTopicBytes = 400, 1000, 600
	disks := make(map[*sim.Disk]*sceneDisk)
	role := func(c archive.Config, lie archivetest.Lie) sim.Start {
		return func(env engine.Env, on *sim.Disk) engine.Protocol {
			if disks[on] == nil {
				disks[on] = &sceneDisk{items: make(map[archive.Name]sceneItem), broken: lie == archivetest.Pretending}
			}
			if lie != archivetest.Honest {
				env = archivetest.NewLiar(env, func() archivetest.Lie { return lie }, new(int))
			}
			return newActor(env, disks[on], c)
		}
	}
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary, archive.Vocabulary},
		Start:        role(c, archivetest.Honest),
		Roles: map[string]sim.Start{
			"small":      role(small, archivetest.Honest),
			"denying":    role(c, archivetest.Denying),
			"forging":    role(c, archivetest.Forging),
			"pretending": role(c, archivetest.Pretending),
			"misleading": role(c, archivetest.Misleading),
		},
		Commands: map[string]scene.Command{
			"create": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).pastry.Create() },
			"join": func(c *scene.Call) {
				for _, n := range c.Nodes() {
					scene.On[*actor](c, n).pastry.Join(c.NodeOf("via").Peer())
				}
			},
			"insert":    insertCommand,
			"give":      giveCommand,
			"push":      pushCommand,
			"find":      findCommand,
			"damage":    damageCommand,
			"break":     func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).disk.broken = true },
			"mend":      func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).disk.broken = false },
			"show item": showItem,
			"show disk": showDisk,
		},
	})
}

// actor is a node of a scene.
type actor struct {
	*engine.Stack
	env     engine.Env
	pastry  *pastry.Node
	archive *archive.Node
	disk    *sceneDisk
	pushed  map[archive.Name][]byte // what it has for a purpose of its own
}

func newActor(env engine.Env, d *sceneDisk, c archive.Config) *actor {
	ring := pastry.Default()
	ring.LeafSet = 6 // so that a node may be no neighbour of an item's owners
	a := &actor{
		Stack: engine.NewStack(env), env: env, pastry: pastry.New(env, ring), disk: d,
		pushed: make(map[archive.Name][]byte),
	}
	a.archive = archive.New(env, a.pastry, archivetest.Judge{}, sceneStore{env, d}, c)
	a.archive.Use(a)
	a.pastry.Handle(engine.Archive, a.archive)
	a.Add(engine.Pastry, a.pastry)
	a.Add(engine.Archive, a.archive)
	return a
}

// Local implements archive.LocalSource.
func (a *actor) Local(name archive.Name) []byte { return a.pushed[name] }

// sceneDisk is what a node's store holds, through crashes. If it is broken, every Put fails.
type sceneDisk struct {
	items  map[archive.Name]sceneItem
	broken bool
}

type sceneItem struct {
	archive.Held
	bytes []byte
}

// sceneStore is an archive.Store that needs two milliseconds for everything.
type sceneStore struct {
	env  engine.Env
	disk *sceneDisk
}

func (s sceneStore) soon(f func()) { s.env.After(2*time.Millisecond, f) }

func (s sceneStore) Put(item archive.Held, content []byte, kept func(ok bool)) {
	s.soon(func() {
		if !s.disk.broken {
			s.disk.items[item.Name] = sceneItem{item, bytes.Clone(content)}
		}
		kept(!s.disk.broken)
	})
}

func (s sceneStore) Get(name archive.Name, got func(bytes []byte)) {
	s.soon(func() { got(s.disk.items[name].bytes) })
}

func (s sceneStore) Drop(names []archive.Name) {
	names = slices.Clone(names)
	s.soon(func() {
		for _, name := range names {
			delete(s.disk.items, name)
		}
	})
}

func (s sceneStore) List(after *engine.ID, most int, listed func(items []archive.Held)) {
	s.soon(func() {
		var items []archive.Held
		for _, i := range s.disk.items {
			if key := i.Name.Key(); after == nil || key.Compare(*after) > 0 {
				items = append(items, i.Held)
			}
		}
		slices.SortFunc(items, func(a, b archive.Held) int { return a.Name.Key().Compare(b.Name.Key()) })
		listed(items[:min(len(items), most)])
	})
}

// itemOf returns the name of an item and its bytes: number=2 topic=e2 length=200. With variant=1 they are
// those of another item of that name, with as=void those of a withdrawal, and with as=forged no publisher's.
func itemOf(c *scene.Call) (archive.Name, []byte) {
	name := archive.Name{Topic: engine.PrefixID(c.Text("topic", "e1")), Number: uint64(c.Int("number", 1))}
	length := c.Int("length", 200)
	b := archivetest.Variant(name, length, byte(c.Int("variant", 0)))
	if length == 0 {
		b = nil
	}
	switch as := c.Text("as", ""); as {
	case "":
	case "void":
		b = archivetest.Void(name)
	case "forged":
		b[0] ^= 1
	default:
		c.Fatalf("as=void or as=forged?")
	}
	return name, b
}

// insertCommand has a node insert an item: insert 10 number=2.
func insertCommand(c *scene.Call) {
	name, b := itemOf(c)
	scene.On[*actor](c, c.Node(0)).archive.Insert(name, b, func(int, archive.Refusal) {})
}

// giveCommand has a node give an item to another unasked: give 10 to=b0 as=forged.
func giveCommand(c *scene.Call) {
	name, b := itemOf(c)
	scene.On[*actor](c, c.Node(0)).env.Send(c.NodeOf("to").Peer(), &archive.Give{Name: name, Bytes: b})
}

// pushCommand gives nodes an item for a purpose of their own: push 10 30.
func pushCommand(c *scene.Call) {
	name, b := itemOf(c)
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).pushed[name] = b
	}
}

// Sought is what has come of a lookup: the item, the void in its place, or why there is neither.
type Sought struct {
	Number                        uint64
	Item, Void, NotFound, Silence bool
}

// findCommand has a node look an item up: find 10 number=2.
func findCommand(c *scene.Call) {
	name, _ := itemOf(c)
	a := scene.On[*actor](c, c.Node(0))
	a.archive.Find(name, func(b []byte, err error) {
		a.env.Trace(Sought{
			name.Number, err == nil && !archive.IsVoid(b), archive.IsVoid(b), err == archive.ErrNotFound,
			err == archive.ErrSilent,
		})
	})
}

// damageCommand spoils an item on a node's disk: damage 10 number=2.
func damageCommand(c *scene.Call) {
	name, _ := itemOf(c)
	d := scene.On[*actor](c, c.Node(0)).disk
	i := d.items[name]
	i.bytes = bytes.Clone(i.bytes)
	i.bytes[0] ^= 1
	d.items[name] = i
}

// showItem prints the owners of an item, and which nodes keep it, nearest to its key first, of those that are up:
//
//	show item number=2
//
// An = shows what a node keeps in its place: its void, another one that the publisher has signed, or a damaged one.
func showItem(c *scene.Call) {
	name, _ := itemOf(c)
	var up []*scene.Node
	for _, n := range c.Cast() {
		if n.Up() && scene.On[*actor](c, n).pastry.Active() {
			up = append(up, n)
		}
	}
	slices.SortFunc(up, func(a, b *scene.Node) int {
		if engine.Closer(name.Key(), a.ID(), b.ID()) {
			return -1
		}
		return 1
	})
	var keepers []string
	for _, n := range up {
		i, here := scene.On[*actor](c, n).disk.items[name]
		switch {
		case !here:
		case !archivetest.Judge{}.Genuine(name, i.bytes):
			keepers = append(keepers, n.Name()+"=damaged")
		case archive.IsVoid(i.bytes):
			keepers = append(keepers, n.Name()+"=void")
		case i.bytes[0] > 0:
			keepers = append(keepers, n.Name()+"=other")
		default:
			keepers = append(keepers, n.Name())
		}
	}
	c.Printf("item %d: owners %s, kept by %s\n", name.Number, c.Format(up[:min(len(up), 3)]), c.Format(keepers))
}

// showDisk prints the topics and numbers of what nodes keep, nearest to the node first: show disk 10 30.
func showDisk(c *scene.Call) {
	for _, n := range c.Nodes() {
		names := slices.SortedFunc(maps.Keys(scene.On[*actor](c, n).disk.items), func(a, b archive.Name) int {
			return n.ID().Distance(a.Key()).Compare(n.ID().Distance(b.Key()))
		})
		var kept []string
		for _, name := range names {
			kept = append(kept, c.Format(name.Topic)+"/"+c.Format(int(name.Number)))
		}
		c.Printf("%s keeps %s\n", n.Name(), c.Format(kept))
	}
}
