package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// speak has a node speak for a publisher that speaks elsewhere too, as a copy of that node's directory would.
func (v *town) speak(n sim.Node, p *feedtreetest.Publisher, last uint64) {
	v.t.Helper()
	v.Do(n, func(engine.Protocol) {
		err := v.Node(n).Feed.Author(feedtree.Authoring{
			Topic: p.Topic(), Last: last, Silence: p.Silence, Beat: func() engine.Message {
				return v.beat(n, p, last, p.Silence)
			},
		})
		if err != nil {
			v.t.Error(err)
		}
	})
}

func (v *town) beat(n sim.Node, p *feedtreetest.Publisher, last uint64, silence time.Duration) engine.Message {
	h := &feedtree.Heartbeat{Number: last, Time: v.Node(n).Env.Wall().UnixMilli(),
		Silence: uint32(silence / time.Second)}
	h.Sign(p.Topic(), p.Private)
	return h
}

// say has a node publish, and returns what becomes of that.
func (v *town) say(n sim.Node, p *feedtreetest.Publisher, event engine.Message) (err error) {
	v.Do(n, func(engine.Protocol) { err = v.Node(n).Feed.Publish(p.Topic(), event) })
	return err
}

func (v *town) contested() map[sim.Node]int {
	all := make(map[sim.Node]int)
	each(v, func(n sim.Node, _ feedtree.Contested) { all[n]++ })
	return all
}

// Two nodes that give one number at the same moment both find out (hostile 33).
func TestANumberGivenAtTwoNodes(t *testing.T) {
	run(t, 6, func(t *simtest.T) {
		v, p := newReaders(t, 30, 10, 5)
		v.speak(3, p, 5)
		v.Run(20 * time.Second) // its numbers are checked, and no word is due
		for _, n := range []sim.Node{0, 3} {
			item := p.Sign(6, v.Node(n).Env.Wall().UnixMilli(), "news of "+string(rune('A'+n)))
			v.Node(n).Library.Put(p.Topic(), item)
			if err := v.say(n, p, item); err != nil {
				t.Errorf("node %d: %v", n, err)
			}
		}
		v.Run(10 * time.Second)
		if got := v.contested(); got[0] != 1 || got[3] != 1 {
			t.Errorf("the nodes 0 and 3 have noticed each other so often: %v", got)
		}
	})
}

// A publisher's node does not stop for words of its own earlier life. That holds even if the clock was ahead then, and
// if they come late (hostile 33).
func TestAnEarlierLifeIsNoOtherNode(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v, p := newReaders(t, 30, 10, 5)
		ahead := &feedtree.Heartbeat{Number: 5, Time: v.Node(0).Env.Wall().Add(5 * time.Minute).UnixMilli(),
			Silence: 60}
		ahead.Sign(p.Topic(), p.Private)
		if err := v.say(0, p, ahead); err != nil {
			t.Fatal(err)
		}
		v.Run(time.Second)
		v.Crash(0)
		v.Run(time.Second)
		v.Boot(0)
		v.Run(30 * time.Second)
		late := &feedtree.Heartbeat{Number: 5, Time: ahead.Time - 1, Silence: 60}
		late.Sign(p.Topic(), p.Private)
		v.Do(4, func(engine.Protocol) { v.Node(4).Scribe.Publish(p.Topic(), late) })
		v.publish(p, 3, time.Second)
		v.Run(10 * time.Minute)
		if got := v.contested(); len(got) > 0 {
			t.Errorf("it takes itself for another: %v", got)
		}
		v.complete(p, 1, 8)
	})
}

// A publisher's node is restored from an old copy, and uses a number again before it meets nodes with the earlier item.
// The proof does not stop it: one item is its own, and the other is from an earlier life (hostile 33).
func TestAProofAgainstAnEarlierLifeStopsNobody(t *testing.T) {
	run(t, 4, func(t *simtest.T) {
		v, p := newReaders(t, 30, 10, 5)
		former := p.Sign(6, v.Node(0).Env.Wall().UnixMilli(), "news of the earlier life")
		v.Run(time.Second)
		v.Crash(0)
		v.Run(time.Second)
		v.Boot(0)
		v.Run(30 * time.Second) // its numbers are checked
		six := p.Sign(6, v.Node(0).Env.Wall().UnixMilli(), "news of this life")
		v.Node(0).Library.Put(p.Topic(), six)
		if err := v.say(0, p, six); err != nil {
			t.Fatal(err)
		}
		v.Run(time.Second)
		proof := &feedtree.Equivocation{Topic: p.Topic(), First: *former.Head(), Second: *six.Head()}
		v.Do(4, func(engine.Protocol) { v.Node(4).Env.Send(v.Node(0).Env.Self(), proof) })
		v.Run(time.Minute)
		if got := v.contested(); len(got) > 0 {
			t.Errorf("it takes itself for another: %v", got)
		}
	})
}

// A publisher's node compares each item of another node with its own. A number that it has withdrawn itself proves
// nothing, and the next item is compared as well.
func TestEachItemOfAnotherNodeIsCompared(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic, Last: 7}); err != nil {
		t.Fatal(err)
	}
	l.Advance(10 * time.Minute) // its numbers are checked
	compared := func(number uint64, with *feedtree.Item) (contested bool) {
		t.Helper()
		if _, ok := l.deliver(signedItem(number, l.Wall().UnixMilli(), "of another node")); !ok || len(l.lends) != 1 {
			t.Fatalf("item %d: admitted %v; the library is asked %d times", number, ok, len(l.lends))
		}
		found := l.lends[0]
		l.lends = nil
		l.Traced()
		found([]*feedtree.Item{with})
		for _, e := range l.Traced() {
			_, is := e.(feedtree.Contested)
			contested = contested || is
		}
		return contested
	}
	if compared(5, signedItem(7, loneTime, string(feedtree.Withdrawing([]uint64{5, 6}, nil)))) {
		t.Error("it stops for an item that it has withdrawn")
	}
	if !compared(4, signedItem(4, loneTime, "its own")) {
		t.Error("it does not notice the other node")
	}
}

// A heartbeat that comes back to its publisher late, down the tree, is known to be its own, however much the publisher
// has sent since: trees pass on heartbeats that are up to ten minutes old.
func TestAnOwnHeartbeatComesBackLate(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic}); err != nil {
		t.Fatal(err)
	}
	l.Advance(time.Minute) // its numbers are checked
	h := &feedtree.Heartbeat{Time: l.Wall().UnixMilli(), Silence: 60}
	h.Sign(loneTopic, lonePrivate)
	if err := l.Publish(loneTopic, h); err != nil {
		t.Fatal(err)
	}
	for number := range uint64(300) {
		l.Advance(time.Second)
		if err := l.Publish(loneTopic, signedItem(number+1, l.Wall().UnixMilli(), "news")); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, ok := l.Admit(loneTopic, h, loneParent); !ok {
		t.Fatal("it is too old to be passed on")
	}
	l.Deliver(loneTopic, h, loneParent)
	if traces[feedtree.Contested](l) > 0 {
		t.Error("the publisher mistakes itself for another node")
	}
}
