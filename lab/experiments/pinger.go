package experiments

import (
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

// pinger is the least protocol that keeps messages flowing: one at a time, to a few peers in
// turn.
type pinger struct {
	env   engine.Env
	peers [4]engine.Peer
	turn  int
}

// pingerBytes is what the protocol itself takes at a node.
const pingerBytes = unsafe.Sizeof(pinger{})

func (p *pinger) next() {
	p.turn = (p.turn + 1) % len(p.peers)
	p.env.Send(p.peers[p.turn], &ping{})
}

// Receive answers pings, and goes on after pongs.
func (p *pinger) Receive(from engine.Peer, m engine.Message) {
	switch m.(type) {
	case *ping:
		p.env.Send(from, &pong{})
	case *pong:
		p.next()
	}
}

// PeerDown is not called: nobody goes down.
func (p *pinger) PeerDown(engine.Peer) {}

// Stop does nothing.
func (p *pinger) Stop() {}

// Bounds of the latencies below.
const (
	leastLatency = 10 * time.Millisecond
	mostLatency  = 100 * time.Millisecond
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
