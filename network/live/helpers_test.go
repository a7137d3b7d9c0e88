package live

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
)

// The messages of the tests: one of each class.
type (
	word struct {
		Number uint64 `cbor:"1,keyasint"`
	}
	news struct {
		Number uint64 `cbor:"1,keyasint"`
		Filler []byte `cbor:"2,keyasint" max:"1000000"`
	}
	block struct {
		Number uint64 `cbor:"1,keyasint"`
		Filler []byte `cbor:"2,keyasint" max:"1000000"`
	}
	newer struct { // known to some nodes only
		Number uint64 `cbor:"1,keyasint"`
	}
)

func (*word) Kind() engine.Kind  { return engine.KindOf(engine.Experiment, 0x20) }
func (*news) Kind() engine.Kind  { return engine.KindOf(engine.Experiment, 0x21) }
func (*block) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 0x22) }
func (*newer) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 0x23) }

func testVocabulary(more ...engine.MessageType) engine.Vocabulary {
	return engine.Vocabulary{Protocol: engine.Experiment, Name: "test", Messages: append([]engine.MessageType{
		{Message: new(word), Class: engine.Control},
		{Message: new(news), Class: engine.Update},
		{Message: new(block), Class: engine.Bulk},
	}, more...)}
}

func testCodec(more ...engine.MessageType) *engine.Codec {
	return engine.NewCodec(engine.TransportVocabulary, Vocabulary, testVocabulary(more...))
}

// testKey returns the n-th key of the tests.
func testKey(n int) ed25519.PrivateKey {
	var seed [ed25519.SeedSize]byte
	binary.BigEndian.PutUint64(seed[:], uint64(n)+1)
	return ed25519.NewKeyFromSeed(seed[:])
}

// recorder is a protocol that writes down what happens to it.
type recorder struct {
	mu       sync.Mutex
	env      engine.Env
	got      []received
	lost     []engine.Peer
	events   []any
	stopped  bool
	onGet    func(from engine.Peer, m engine.Message)
	onDown   func(engine.Peer)
	farewell func()
}

// maxGot bounds what is written down in benchmarks.
const maxGot = 1000

type received struct {
	from engine.Peer
	m    engine.Message
}

func (r *recorder) Receive(from engine.Peer, m engine.Message) {
	r.mu.Lock()
	if r.onGet == nil || len(r.got) < maxGot {
		r.got = append(r.got, received{from, m})
	}
	onGet := r.onGet
	r.mu.Unlock()
	if onGet != nil {
		onGet(from, m)
	}
}

func (r *recorder) PeerDown(p engine.Peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = append(r.lost, p)
	if r.onDown != nil {
		r.onDown(p)
	}
}

func (r *recorder) Stop() {
	if r.farewell != nil {
		r.farewell()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

func (r *recorder) observe(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
}

// numbers returns the numbers of all messages of the tests that came, in order.
func (r *recorder) numbers() []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []uint64
	for _, g := range r.got {
		all = append(all, numberOf(g.m))
	}
	return all
}

func numberOf(m engine.Message) uint64 {
	switch m := m.(type) {
	case *word:
		return m.Number
	case *news:
		return m.Number
	case *block:
		return m.Number
	case *newer:
		return m.Number
	}
	return 0
}

// gotten returns all that came.
func (r *recorder) gotten() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// downs returns the peers that were reported down.
func (r *recorder) downs() []engine.Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lost)
}

func (r *recorder) downCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.lost)
}

// eventsOf returns the events of a type that were observed.
func eventsOf[E any](r *recorder) []E {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []E
	for _, e := range r.events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// failures returns, for people, the events that say why links failed.
func (r *recorder) failures() []any {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []any
	for _, e := range r.events {
		switch e.(type) {
		case DialFailed, Disconnected, Struck, Lied, Incompatible:
			all = append(all, fmt.Sprintf("%+v", e))
		}
	}
	return all
}

// running is a host with a recorder on it.
type running struct {
	*Host
	*recorder
	t    testing.TB
	stop func()
}

// startHost runs a host until the end of the test, or stop.
func startHost(t testing.TB, c Config) *running {
	t.Helper()
	return startBelow(t, c, func(_ *running, env engine.Env, r *recorder) (engine.Env,
		engine.Protocol) {
		return env, r
	})
}

// startBelow is startHost with something between the recorder and the host.
func startBelow(t testing.TB, c Config, between func(*running, engine.Env, *recorder) (engine.Env,
	engine.Protocol)) *running {
	t.Helper()
	r := &running{recorder: &recorder{}, t: t}
	c.Observe = r.observe
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = h
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- h.Run(ctx, func(env engine.Env) engine.Protocol {
			var p engine.Protocol
			r.env, p = between(r, env, r.recorder)
			return p
		})
	}()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(r.stop)
	select {
	case <-h.Ready():
	case err := <-ended:
		ended <- err
		t.Fatalf("Run: %v", err)
	}
	return r
}

// do runs f in the loop.
func (r *running) do(f func()) {
	r.t.Helper()
	if err := r.Do(context.Background(), f); err != nil {
		r.t.Fatal(err)
	}
}

// send sends messages in the loop.
func (r *running) send(to engine.Peer, all ...engine.Message) {
	r.t.Helper()
	r.do(func() {
		for _, m := range all {
			r.env.Send(to, m)
		}
	})
}

func aWord(n uint64) *word                { return &word{Number: n} }
func someNews(n uint64, filler int) *news { return &news{n, make([]byte, filler)} }
func aBlock(n uint64, filler int) *block  { return &block{n, make([]byte, filler)} }
func upTo(n uint64) (all []uint64) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// loopback is a configuration that leaves the machine alone.
func loopback(n int) Config {
	c := Default()
	c.Key, c.Codec, c.MDNS = testKey(n), testCodec(), false
	c.Agent = fmt.Sprint("test ", n)
	c.Listen = []string{"/ip4/127.0.0.1/udp/0/quic-v1"}
	return c
}

// eventually waits until the condition is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for i := 0; !is(); i++ {
		if i == 120_000 { // ten minutes
			t.Fatalf("this never came to be: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func sameNumbers(got, want []uint64) bool { return slices.Equal(got, want) }

// setOnGet has f called, in the loop, for each message.
func (r *recorder) setOnGet(f func(engine.Peer, engine.Message)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onGet = f
}

// multiaddrs parses some.
func multiaddrs(t *testing.T, texts ...string) (all []ma.Multiaddr) {
	t.Helper()
	for _, text := range texts {
		a, err := ma.NewMultiaddr(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}
