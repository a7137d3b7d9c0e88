package engine

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"

	"tidings/network/engine"
	"tidings/network/sim"
)

// ping asks for an answer: a pong at once.
type ping struct{}

// pong answers a ping. The receiver sends its next ping.
type pong struct{}

func (*ping) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }
func (*pong) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 2) }

var pingVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(ping), Class: engine.Update}, {Message: new(pong), Class: engine.Update}},
}

// pinger is the least protocol that keeps messages flowing: one at a time, to one peer. It takes
// one cache line and makes no messages, so that what is measured is the world.
type pinger struct {
	env  engine.Env
	peer engine.Peer
}

var (
	onlyPing = new(ping)
	onlyPong = new(pong)
)

// pingerBytes is what the protocol itself takes at a node.
const pingerBytes = unsafe.Sizeof(pinger{})

func (p *pinger) ping() { p.env.Send(p.peer, onlyPing) }

// Receive answers pings, and goes on after pongs.
func (p *pinger) Receive(from engine.Peer, m engine.Message) {
	switch m.(type) {
	case *ping:
		p.env.Send(from, onlyPong)
	case *pong:
		p.ping()
	}
}

// PeerDown is not called: nobody goes down.
func (p *pinger) PeerDown(engine.Peer) {}

// Stop does nothing.
func (p *pinger) Stop() {}

// pingWorld returns a world of n nodes that each ping one other, drawn by chance, and begin within mostLatency.
func pingWorld(seed uint64, n int, latency sim.Latency) *sim.World {
	c := sim.Default(engine.NewCodec(pingVocabulary))
	c.Seed, c.Latency = seed, latency
	w := sim.New(c)
	for i := range n {
		w.Add(engine.IDOf(fmt.Append(nil, "engine node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol { return &pinger{env: env} })
	}
	for i := range sim.Node(n) {
		w.Boot(i)
		p := w.Protocol(i).(*pinger)
		other := 1 + w.Rand().IntN(n-1)
		p.peer = w.Peer((i + sim.Node(other)) % sim.Node(n))
		w.After(time.Duration(w.Rand().Int64N(int64(mostLatency))), p.ping)
	}
	return w
}

// Bounds of the latencies, and their mean.
const (
	leastLatency = 10 * time.Millisecond
	mostLatency  = 100 * time.Millisecond
	meanLatency  = (leastLatency + mostLatency) / 2
)

// byPair is a latency for each pair of nodes, the same each time.
type byPair struct{}

// Between spreads pairs evenly.
func (byPair) Between(_ *rand.Rand, from, to sim.Node) time.Duration {
	spread := (uint64(from)<<32 | uint64(to)) * 0x9e3779b97f4a7c15 >> 44
	return leastLatency + time.Duration(spread)*(mostLatency-leastLatency)>>20
}

// Steady is true.
func (byPair) Steady() bool { return true }
