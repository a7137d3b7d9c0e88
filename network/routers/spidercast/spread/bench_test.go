package spread_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
)

// void is an Env with traces and messages that go nowhere, but for announcements, which wait to be acknowledged.
type void struct {
	*enginetest.Env
	sent  int
	names int
	acks  []func()
	s     *spread.Spread
}

func (v *void) Trace(any) {}

func (v *void) Send(to engine.Peer, m engine.Message) {
	v.sent++
	if a, ok := m.(*spread.Announce); ok {
		for _, of := range a.Topics {
			v.names += len(of.Names)
		}
		v.acks = append(v.acks, func() { v.s.Receive(to, &spread.Acknowledge{Number: a.Number}) })
	}
}

// pass lets half a second pass, with all announcements acknowledged.
func (v *void) pass() {
	for v.Advance(500 * time.Millisecond); len(v.acks) > 0; v.Advance(time.Millisecond) {
		acks := v.acks
		v.acks = nil
		for _, ack := range acks {
			ack()
		}
	}
}

// One node forwards events of 100 topics. Each comes over one link and goes at once over two others of its topic's
// tree. Its name goes over the fourth. The acknowledgements of ten links are measured too, signatures are not.
func BenchmarkOneNode(b *testing.B) {
	const links, topics, peers = 10, 100, 4
	c := spread.Default()
	c.Intake, c.IntakeBurst = 1<<20, 1<<24
	v := &void{Env: enginetest.NewEnv(enginetest.NewPeer("aa"))}
	s := spread.New(v, c, member{})
	v.s = s
	shared := make([][]engine.ID, links)
	for i := range topics {
		s.Join(topicOf(i))
		for k := range peers {
			shared[(i+k)%links] = append(shared[(i+k)%links], topicOf(i))
		}
	}
	var neighbours []engine.Peer
	for i := range links {
		neighbours = append(neighbours, enginetest.NewPeer(fmt.Sprintf("b%d", i)))
		s.LinkUp(neighbours[i], shared[i])
	}
	for i := range topics { // the fourth is pruned
		s.Receive(neighbours[i%links], &spread.Event{Topic: topicOf(i), Event: &note{Number: uint64(1<<40 + i)},
			Hops: 1})
		s.Receive(neighbours[(i+3)%links], &spread.Prune{Topic: topicOf(i)})
	}
	v.pass()
	v.sent, v.names = 0, 0
	number := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		i := int(number % topics)
		number++
		s.Receive(neighbours[i%links], &spread.Event{Topic: topicOf(i), Event: &note{Number: number}, Hops: 1})
		if number%1000 == 0 {
			v.pass()
		}
	}
	b.ReportMetric(float64(v.sent)/float64(number), "sent/event")
	b.ReportMetric(float64(v.names)/float64(number), "names/event")
	b.ReportMetric(float64(number)/b.Elapsed().Seconds(), "events/s")
}

// Three hundred nodes of 50 topics, 10 each, several publishers each: what an event costs for each delivery, when trees
// have grown.
func BenchmarkThreeHundredNodes(b *testing.B) {
	for b.Loop() {
		c := wire()
		c.Wire = false
		w := newWorld(c, sim.New, settings{nodes: 300, topics: 50, follows: 10, degree: 10, config: spread.Default()})
		w.Run(time.Second)
		w.publishSome(300, 50*time.Millisecond)
		w.Run(10 * time.Second)
		came, repeated, sent := w.traced["Came"], w.traced["Repeated"], w.sent()
		w.publishSome(500, 50*time.Millisecond)
		w.Run(10 * time.Second)
		came = w.traced["Came"] - came
		b.ReportMetric(float64(w.traced["Repeated"]-repeated)/float64(came), "repeated/delivery")
		b.ReportMetric(float64(w.sent()-sent)/float64(came), "messages/delivery")
		if err := w.watch.Finish(); err != nil {
			b.Error(err)
		}
	}
}

// A node that follows 1,000 topics over ten links, of which each shares 300, at rest: what it keeps of a topic and of a
// link.
func BenchmarkState(b *testing.B) {
	heap := func() int {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return int(memory.HeapAlloc)
	}
	const topics, links = 1000, 10
	v := &void{Env: enginetest.NewEnv(enginetest.NewPeer("aa"))}
	for b.Loop() {
		var ids []engine.ID
		for i := range topics {
			ids = append(ids, topicOf(i))
		}
		slices.SortFunc(ids, engine.ID.Compare)
		v.s = nil
		before := heap()
		s := spread.New(v, spread.Default(), member{})
		v.s = s
		for _, id := range ids {
			s.Join(id)
		}
		joined := heap()
		for i := range links {
			s.LinkUp(enginetest.NewPeer(fmt.Sprintf("b%d", i)), ids[i*70:i*70+300])
		}
		linked := heap()
		b.ReportMetric(float64(joined-before)/topics, "B/topic")
		b.ReportMetric(float64(linked-joined)/links, "B/link")
		runtime.KeepAlive(s)
	}
}
