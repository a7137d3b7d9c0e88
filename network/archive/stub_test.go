package archive

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// stub is the node of a part. It owns all keys, knows the nodes that are its peers, and judges bytes by their first.
type stub struct {
	env     *enginetest.Env
	config  Config
	peers   []engine.Peer // the owners of every key
	sure    bool          // it knows that
	queries inquiries
	routed  int
	puts    []func(ok bool)
	ended   []Name // by stored or failed
}

func newStub() *stub {
	s := &stub{env: enginetest.NewEnv(enginetest.NewPeer("80")), config: Default()}
	for i := range s.config.Replicas {
		s.peers = append(s.peers, enginetest.NewPeer(fmt.Sprintf("%02x", 0x81+i)))
	}
	s.queries = inquiries{env: s.env, config: &s.config, ring: s, node: s, open: make(map[Name][]*inquiry)}
	return s
}

func (s *stub) Active() bool                             { return true }
func (s *stub) Nodes() int                               { return len(s.peers) + 1 }
func (s *stub) Route(engine.ID, engine.Message)          { s.routed++ }
func (s *stub) LeafSet() (below, above []engine.Peer)    { return nil, s.peers }
func (s *stub) Known() []engine.Peer                     { return s.peers }
func (s *stub) OnNeighbours(func())                      {}
func (s *stub) Has(Name) bool                            { return false }
func (s *stub) penalized() []engine.ID                   { return nil }
func (s *stub) lied(Name, engine.Peer, []byte)           {}
func (s *stub) penalize(engine.ID, time.Duration)        {}
func (s *stub) owns(engine.ID) bool                      { return true }
func (s *stub) stored(e *entry)                          { s.ended = append(s.ended, e.Name) }
func (s *stub) failed(name Name)                         { s.ended = append(s.ended, name) }
func (s *stub) Put(_ Held, _ []byte, kept func(ok bool)) { s.puts = append(s.puts, kept) }
func (s *stub) Get(Name, func([]byte))                   {}
func (s *stub) Drop([]Name)                              {}
func (s *stub) List(*engine.ID, int, func([]Held))       {}

func (s *stub) Owners(_ engine.ID, k int) ([]engine.Peer, bool) {
	return s.peers[:min(k, len(s.peers))], s.sure
}

func (s *stub) owners(key engine.ID) ([]engine.Peer, bool) { return s.Owners(key, s.config.Replicas) }

func (s *stub) inquire(name Name, owners bool, news func()) *inquiry {
	return s.queries.begin(name, owners, news)
}

func (s *stub) examine(_ Name, bytes []byte, then func(uint64, bool)) bool {
	return s.env.Work(func() {}, func() { then(PrintOf(bytes), bytes[0] == 1) })
}

func (s *stub) accept(_ engine.Peer, _ Name, _ []byte, done func(Refusal)) { done(Unowned) }

// finish writes what is to be written, well or not.
func (s *stub) finish(ok bool) {
	puts := s.puts
	s.puts = nil
	for _, kept := range puts {
		kept(ok)
	}
}

func (s *stub) peer(t *rapid.T) engine.Peer { return rapid.SampledFrom(s.peers).Draw(t, "peer") }

func drawName(t *rapid.T) Name { return Name{Number: uint64(rapid.IntRange(0, 5).Draw(t, "number"))} }

// genuine and forged are bytes.
func genuine(length int) []byte { return append([]byte{1}, make([]byte, length-1)...) }

var forged = []byte{0}

func (s *stub) shared(int) []Part     { return []Part{{}} }
func (s *stub) have(a keyRange) *Have { return &Have{From: a.from, To: a.to} }
