package newswire_test

import (
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// queued makes a node that sends one item at a time get items for its zone, of publishers by turns of so many. It
// returns in which order one member gets them.
func queued(t *testing.T, queue int, of ...sim.Node) (order []uint64, dropped int) {
	t.Helper()
	p := newPlan(64, 8)
	p.config.Window, p.config.Queue = 1, queue
	l := newLone(p, 0)
	at := make(map[sim.Node]uint64)
	var waits []*newswire.Deliver
	deliver := func(m any) {
		if d, ok := m.(*newswire.Deliver); ok {
			waits = append(waits, d)
		}
	}
	for i, publisher := range of {
		at[publisher]++
		number := uint64(publisher)*100 + at[publisher]
		for _, s := range l.from(9, &newswire.Forward{Number: uint32(i), Zone: l.paths[0],
			Item: l.item(publisher, number)}) {
			if s.To == l.Peer(1) {
				deliver(s.Message)
			}
		}
	}
	dropped = l.limits("Queue") / 7 // other members
	for len(waits) > 0 {
		d := waits[0]
		waits = waits[1:]
		order = append(order, d.Item.(*newswire.Item).ID)
		for _, s := range l.from(1, &newswire.Done{Number: d.Number}) {
			deliver(s.Message)
		}
	}
	return order, dropped
}

// Publishers with waiting items alternate (NewsWire, section 9: "weighted round-robin strategies").
func TestTurns(t *testing.T) {
	order, _ := queued(t, 256, 20, 20, 20, 20, 20, 20, 30, 30, 40)
	if want := []uint64{2001, 2002, 3001, 4001, 2003, 3002, 2004, 2005, 2006}; !slices.Equal(order, want) {
		t.Errorf("%v, not %v", order, want)
	}
}

// Where too much waits, the publisher with the most waiting items loses its oldest.
func TestQueueIsFull(t *testing.T) {
	order, dropped := queued(t, 5, 20, 20, 20, 20, 20, 20, 30, 30, 40)
	if want := []uint64{2001, 2005, 3001, 4001, 2006, 3002}; !slices.Equal(order, want) || dropped != 3 {
		t.Errorf("%v, not %v; %d were dropped", order, want, dropped)
	}
	if order, dropped := queued(t, 5, 20, 20, 20, 20, 20, 20); len(order) != 6 || dropped != 0 {
		t.Errorf("at the bound %d come and %d are dropped", len(order), dropped)
	}
}

// Every forwarder accepts Burst items of a publisher at once and Rate a second. Items beyond that are answered by Busy,
// and come later.
func TestRate(t *testing.T) {
	p := newPlan(40, 10)
	p.config.Rate, p.config.Burst, p.config.Window = 5, 10, 64
	w := newTown(p)
	busy, accepted := 0, make(map[sim.Node]int)
	w.Tap(func(m sim.Delivery) {
		if _, ok := m.Message.(*newswire.Busy); ok {
			busy++
		}
	})
	began := w.Now()
	for range 40 {
		w.publish(t, 0, zone.Root, 0, "")
	}
	for w.Now()-began < 15*time.Second {
		w.Run(250 * time.Millisecond)
		clear(accepted)
		for _, got := range w.got {
			for n := range got {
				accepted[n]++
			}
		}
		for n := sim.Node(10); n < 40; n++ {
			// each of three representatives
			if most := 3*10 + 3*5*int((w.Now()-began)/time.Second+1); accepted[n] > most {
				t.Fatalf("node %d has %d items after %v", n, accepted[n], w.Now()-began)
			}
		}
	}
	for number := range w.last {
		w.expect(t, number+1, everybody)
	}
	if busy == 0 {
		t.Error("nobody was busy")
	}
	w.idle(t)
}

// One forwarder accepts no more than its rate, to the item.
func TestRateOfOne(t *testing.T) {
	p := newPlan(40, 10)
	p.config.Rate, p.config.Burst = 5, 10
	l := newLone(p, 0)
	l.env.Advance(time.Second)
	number := uint64(0)
	flood := func(publisher sim.Node) (accepted int) {
		for range 50 {
			number++
			answer := l.from(9, &newswire.Forward{Number: uint32(number), Zone: l.paths[0],
				Item: l.item(publisher, number)})
			switch accepted += count[*newswire.Taken](answer); {
			case count[*newswire.Taken](answer)+count[*newswire.Busy](answer) != 1:
				t.Fatalf("the answer is %v", answer)
			case answer[0].Message.Kind() == new(newswire.Busy).Kind() && answer[0].Message.(*newswire.Busy).Wait == 0:
				t.Fatal("busy without a time to wait")
			}
		}
		return accepted
	}
	if n := flood(20); n != 10 {
		t.Errorf("%d were accepted at once", n)
	}
	if n := flood(21); n != 10 {
		t.Errorf("%d were accepted of another", n)
	}
	l.env.Advance(time.Second)
	l.sent()
	if n := flood(20); n != 5 {
		t.Errorf("%d were accepted after a second", n)
	}
	again := l.item(20, 1) // for another zone: it has been counted
	if answer := l.from(9,
		&newswire.Forward{Number: 1, Zone: zone.Root, Item: again}); count[*newswire.Taken](answer) != 1 {
		t.Errorf("the answer is %v", answer)
	}
}

// A publisher of a hundred times the rate hardly delays the items of others (NewsWire, section 8: forwarders "protect
// the system from flooding by publishers").
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	delay := func(flood bool) time.Duration {
		p := newPlan(60, 10)
		p.config.Rate = 5
		p.world = func(c *sim.Config) {
			c.Latency = sim.Uniform{Min: 20 * time.Millisecond,
				Max: 150 * time.Millisecond}
		}
		w := newTown(p)
		at := make(map[uint64]time.Duration)
		for i := range 100 {
			at[w.publish(t, sim.Node(i%30), zone.Root, 0, "")] = w.Now()
			for range 10 {
				if flood {
					for range 5 {
						w.publish(t, 59, zone.Root, 0, "")
					}
				}
				w.Run(10 * time.Millisecond)
			}
		}
		w.Run(30 * time.Second)
		var delays []time.Duration
		for number, began := range at {
			w.expect(t, number, everybody)
			for _, got := range w.got[number] {
				delays = append(delays, got[0]-began)
			}
		}
		slices.Sort(delays)
		return delays[len(delays)*99/100]
	}
	with, without := delay(true), delay(false)
	if with > without*3/2 {
		t.Errorf("%v with the flood, %v without", with, without)
	}
}
