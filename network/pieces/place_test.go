package pieces_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

var codec = engine.NewCodec(pastry.Vocabulary, pieces.Vocabulary)

// disk is what a node's store holds, through crashes.
type disk struct {
	manifests map[pieces.Ref][]byte
	pieces    map[pieces.Ref]map[int][]byte
	full      bool
}

func newDisk() *disk {
	return &disk{manifests: make(map[pieces.Ref][]byte), pieces: make(map[pieces.Ref]map[int][]byte)}
}

// put puts some pieces of a content on the disk.
func (d *disk) put(t testing.TB, content []byte, has func(index int) bool) pieces.Ref {
	t.Helper()
	all := make(map[int][]byte)
	m, err := pieces.Make(bytes.NewReader(content), int64(len(content)), func(i int, piece []byte) error {
		if has(i) {
			all[i] = bytes.Clone(piece)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.manifests[m.Ref()] = m.Bytes()
	d.pieces[m.Ref()] = all
	return m.Ref()
}

func everything(int) bool { return true }

// content puts together what is on the disk.
func (d *disk) content(ref pieces.Ref) (content []byte) {
	for i := range len(d.pieces[ref]) {
		content = append(content, d.pieces[ref][i]...)
	}
	return content
}

// blocks is a pieces.BlockStore that takes some time.
type blocks struct {
	env  engine.Env
	disk *disk
}

const access = 2 * time.Millisecond

func (s *blocks) Open(ref pieces.Ref, opened func(manifest []byte, bits pieces.Bits)) {
	s.env.After(access, func() {
		b := s.disk.manifests[ref]
		if b == nil {
			opened(nil, nil)
			return
		}
		m, err := pieces.ParseManifest(b)
		if err != nil {
			panic(err)
		}
		bits := pieces.NewBits(m.Count())
		for i := range m.Count() {
			if s.disk.pieces[ref][i] != nil {
				bits.Set(i)
			}
		}
		opened(b, bits)
	})
}

func (s *blocks) Begin(ref pieces.Ref, manifest []byte, begun func(ok bool)) {
	s.env.After(access, func() {
		if !s.disk.full {
			s.disk.manifests[ref] = bytes.Clone(manifest)
			s.disk.pieces[ref] = make(map[int][]byte)
		}
		begun(!s.disk.full)
	})
}

func (s *blocks) Put(ref pieces.Ref, index int, piece []byte, kept func(ok bool)) {
	s.env.After(access, func() {
		if !s.disk.full {
			s.disk.pieces[ref][index] = bytes.Clone(piece)
		}
		kept(!s.disk.full)
	})
}

func (s *blocks) Get(ref pieces.Ref, index int, got func(piece []byte)) {
	s.env.After(access, func() { got(s.disk.pieces[ref][index]) })
}

// place is a world of nodes that have pieces.
type place struct {
	*sim.World
	t      *simtest.T
	disks  []*disk
	counts map[string]int
	came   map[sim.Node]int // pieces, by who has sent them
}

// member is a node of a place.
type member struct {
	*engine.Stack
	ring   *pastry.Node // nil: those who fetch are told who has something
	pieces *pieces.Node
}

// newPlace makes a world of nodes that keep nothing so far, and know each other as far as they are told. env, if it is
// not nil, makes liars.
func newPlace(t *simtest.T, nodes int, c pieces.Config, env func(n sim.Node, env engine.Env) engine.Env) *place {
	v := emptyPlace(t)
	for range nodes {
		v.add(c, env, false)
	}
	return v
}

// newRing is newPlace with nodes that form a ring.
func newRing(t *simtest.T, nodes int, c pieces.Config, env func(n sim.Node, env engine.Env) engine.Env) *place {
	v := emptyPlace(t)
	for range nodes {
		v.add(c, env, true)
		v.Run(100 * time.Millisecond)
	}
	v.Run(2 * time.Minute)
	return v
}

func emptyPlace(t *simtest.T) *place {
	config := sim.Default(codec)
	config.Wire = true
	v := &place{World: t.World(config), t: t, counts: make(map[string]int), came: make(map[sim.Node]int)}
	v.Observe(func(_ time.Duration, _ sim.Node, event any) {
		v.counts[fmt.Sprintf("%T", event)]++
		if e, ok := event.(pieces.Came); ok {
			from, _ := v.NodeAt(e.From)
			v.came[from]++
		}
	})
	return v
}

// add adds a node and starts it.
func (v *place) add(c pieces.Config, env func(n sim.Node, env engine.Env) engine.Env, onRing bool) {
	n := sim.Node(v.Len())
	v.disks = append(v.disks, newDisk())
	v.Add(engine.IDOf([]byte{byte(n), 1}), func(e engine.Env, _ *sim.Disk) engine.Protocol {
		if env != nil {
			e = env(n, e)
		}
		m := &member{Stack: engine.NewStack(e)}
		if onRing {
			m.joins(e, v, n)
			m.pieces = pieces.New(e, m.ring, &blocks{e, v.disks[n]}, c)
			m.ring.Handle(engine.Pieces, m.pieces.Routed())
		} else {
			m.pieces = pieces.New(e, nil, &blocks{e, v.disks[n]}, c)
		}
		m.Add(engine.Pieces, m.pieces)
		return m
	})
	v.Boot(n)
}

// joins has a node take part in the ring, which the first one opens.
func (m *member) joins(e engine.Env, v *place, n sim.Node) {
	m.ring = pastry.New(e, pastry.Default())
	m.Add(engine.Pastry, m.ring)
	if n == 0 {
		m.ring.Create()
	} else {
		m.ring.Join(v.Peer(0))
	}
}

func (v *place) node(n sim.Node) *pieces.Node { return v.Protocol(n).(*member).pieces }

// peers returns some nodes as others know them.
func (v *place) peers(nodes ...sim.Node) (peers []engine.Peer) {
	for _, n := range nodes {
		peers = append(peers, v.Peer(n))
	}
	return peers
}

// outcome is what has come of a fetch.
type outcome struct {
	done bool
	err  error
	took time.Duration
}

func (v *place) fetch(n sim.Node, ref pieces.Ref, sources ...sim.Node) *outcome {
	o := &outcome{}
	start := v.Now()
	v.Do(n, func(engine.Protocol) {
		v.node(n).Fetch(ref, v.peers(sources...), func(err error) {
			if o.done {
				panic("a fetch has ended twice")
			}
			o.done, o.err, o.took = true, err, v.Now()-start
		})
	})
	return o
}

// wait runs the world until a fetch has ended.
func (v *place) wait(o *outcome, most time.Duration) {
	for start := v.Now(); !o.done && v.Now()-start < most; {
		v.Run(time.Second)
	}
}

// has fails the test unless a node has the content, and nothing else of that name.
func (v *place) has(n sim.Node, o *outcome, ref pieces.Ref, content []byte) {
	v.t.Helper()
	switch {
	case !o.done:
		v.t.Error("the fetch has not ended")
	case o.err != nil:
		v.t.Error(o.err)
	case !bytes.Equal(v.disks[n].content(ref), content):
		v.t.Error("something else was fetched")
	}
}
