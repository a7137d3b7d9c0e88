package pieces_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"testing"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	c := pieces.Default()
	short, poor := c, c
	short.MaxLength = 3 * pieces.MinPiece
	poor.ServeRate, poor.ServeBurst = pieces.MinPiece/10, pieces.MinPiece
	disks := make(map[*sim.Disk]*disk)
	role := func(c pieces.Config, bend func(engine.Env) engine.Env) sim.Start {
		return func(env engine.Env, on *sim.Disk) engine.Protocol {
			if disks[on] == nil {
				disks[on] = newDisk()
			}
			return newActor(bend(brief{env}), disks[on], c)
		}
	}
	honest := func(env engine.Env) engine.Env { return env }
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary, pieces.Vocabulary},
		Start:        role(c, honest),
		Roles: map[string]sim.Start{
			"short":   role(short, honest),
			"poor":    role(poor, honest),
			"boaster": role(c, func(env engine.Env) engine.Env { return boast{env} }),
			"forger": role(c, func(env engine.Env) engine.Env {
				return forger{env, func(*pieces.Piece) bool { return true }}
			}),
			"impostor":  role(c, func(env engine.Env) engine.Env { return falseManifest{env} }),
			"misleader": role(c, func(env engine.Env) engine.Env { return misleader{env} }),
		},
		Commands: map[string]scene.Command{
			"create": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).ring.Create() },
			"join": func(c *scene.Call) {
				for _, n := range c.Nodes() {
					scene.On[*actor](c, n).ring.Join(c.NodeOf("via").Peer())
				}
			},
			"hold":        holdCommand,
			"fill":        func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).disk.full = true },
			"fetch":       fetchCommand,
			"cancel":      func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).pieces.Cancel(refOf(c)) },
			"lend":        func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).pieces.Announce(refOf(c)) },
			"show owners": showOwners,
			"show pieces": showPieces,
		},
	})
}

// actor is a node of a scene. Until it creates or joins a ring, it knows no other sources than a script names.
type actor struct {
	*member
	disk *disk
}

func newActor(env engine.Env, d *disk, c pieces.Config) *actor {
	m := &member{Stack: engine.NewStack(env), ring: pastry.New(env, pastry.Default())}
	m.pieces = pieces.New(env, m.ring, &blocks{env, d}, c)
	m.ring.Handle(engine.Pieces, m.pieces.Routed())
	m.Add(engine.Pastry, m.ring)
	m.Add(engine.Pieces, m.pieces)
	return &actor{m, d}
}

// brief is an Env that also traces what is sent and traced about a content, without the 64 digits of its name.
type brief struct{ engine.Env }

// The brief events. Each is named by what its node does or notices. A piece is a text, as scenes leave out zeros.
type (
	asks struct {
		Piece string
		Of    engine.Peer
	}
	declines struct {
		Piece string
		To    engine.Peer
		Busy  bool
	}
	opens     struct{ At engine.Peer }
	announces struct {
		To    engine.Peer
		Lends bool
	}
	names struct {
		To      engine.Peer
		Lenders []engine.Peer
	}
	came struct {
		From     engine.Peer
		Have, Of int
	}
	ended struct{ Well, Nowhere, TooLong, Unstored, Stopped bool }
	lied  struct {
		From   engine.Peer
		Proven bool
	}
	silent struct{ From engine.Peer }
)

// Send implements engine.Env.
func (b brief) Send(to engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *pieces.Ask:
		b.Env.Trace(asks{strconv.Itoa(int(m.Index)), to})
	case *pieces.Sorry:
		b.Env.Trace(declines{strconv.Itoa(int(m.Index)), to, m.Busy})
	case *pieces.Open:
		b.Env.Trace(opens{to})
	case *pieces.Announce:
		b.Env.Trace(announces{to, m.Lends})
	case *pieces.Providers:
		b.Env.Trace(names{to, m.Peers})
	}
	b.Env.Send(to, m)
}

// Trace implements engine.Env.
func (b brief) Trace(event any) {
	switch e := event.(type) {
	case pieces.Came:
		b.Env.Trace(came{e.From, e.Have, e.Of})
	case pieces.Ended:
		b.Env.Trace(ended{
			e.Err == nil, e.Err == pieces.ErrNowhere, e.Err == pieces.ErrTooLong, e.Err == pieces.ErrStore,
			e.Err == pieces.ErrStopped,
		})
	case pieces.Lied:
		b.Env.Trace(lied{e.From, e.Proven})
	case pieces.Silent:
		b.Env.Trace(silent{e.From})
	}
	b.Env.Trace(event)
}

// content makes what a scene is about, of so many pieces: of=12. Without it there are four.
func content(c *scene.Call) (m *pieces.Manifest, all map[int][]byte) {
	b := random(1, c.Int("of", 4)*pieces.MinPiece)
	all = make(map[int][]byte)
	m, err := pieces.Make(bytes.NewReader(b), int64(len(b)), func(i int, piece []byte) error {
		all[i] = bytes.Clone(piece)
		return nil
	})
	if err != nil {
		c.Fatalf("%v", err)
	}
	return m, all
}

// refOf returns the name of the content.
func refOf(c *scene.Call) pieces.Ref {
	m, _ := content(c)
	return m.Ref()
}

// holdCommand puts the content on nodes' disks, or some pieces of it: hold a1 b2 pieces=(0, 1).
func holdCommand(c *scene.Call) {
	some := c.Values("pieces")
	for _, n := range c.Nodes() {
		d := scene.On[*actor](c, n).disk
		m, held := content(c)
		maps.DeleteFunc(held, func(i int, _ []byte) bool {
			return some != nil && !slices.Contains(some, strconv.Itoa(i))
		})
		d.manifests[m.Ref()], d.pieces[m.Ref()] = m.Bytes(), held
	}
}

// fetchCommand has a node fetch the content: fetch d4 from=(a1, b2). Without from= it knows no sources.
func fetchCommand(c *scene.Call) {
	var from []engine.Peer
	for _, name := range c.Values("from") {
		from = append(from, c.Named(name).Peer())
	}
	scene.On[*actor](c, c.Node(0)).pieces.Fetch(refOf(c), from, func(error) {})
}

// showOwners prints the nodes that own the content, closest first, as the named node knows them: show owners a1.
func showOwners(c *scene.Call) {
	owners, _ := scene.On[*actor](c, c.Node(0)).ring.Owners(pieces.KeyOf(refOf(c)), pieces.Default().Owners)
	c.Printf("owners %s\n", c.Format(owners))
}

// showPieces prints which pieces are on nodes' disks, and whether each is as it should be: show pieces a1 b2.
func showPieces(c *scene.Call) {
	for _, n := range c.Nodes() {
		m, all := content(c)
		held := scene.On[*actor](c, n).disk.pieces[m.Ref()]
		indices := slices.Sorted(maps.Keys(held))
		c.Printf("%s has %s", n.Name(), c.Format(indices))
		for _, i := range indices {
			if !bytes.Equal(held[i], all[i]) {
				c.Printf(", %d is false", i)
			}
		}
		c.Printf("\n")
	}
}
