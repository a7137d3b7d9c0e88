package node

import (
	"reflect"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/newswire"
	"tidings/store"
)

// inLog returns what a node's store has in the log of what is forwarded.
func (w *together) inLog(i int) []store.Forwarding {
	w.t.Helper()
	all, err := w.nodes[i].store.Forwarding(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// inLoop runs f in a node's loop.
func (w *together) inLoop(i int, f func()) {
	w.t.Helper()
	if err := w.nodes[i].member.Connections().Do(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
}

// What is forwarded is in the store when the protocol is told so, and is there for the next run unless it has ended. What has been damaged keeps no node from
// starting, and neither that nor what is too old is left.
func TestForwardingGoesOn(t *testing.T) {
	w := pollTogether(t, 1, time.Hour)
	at := time.Now().Truncate(time.Microsecond)
	entry := func(id uint64, age time.Duration) newswire.Entry {
		return newswire.Entry{Zone: "/eu", Published: at.Add(-age), Item: &newswire.Item{
			ID: id, Bits: []uint16{1, 2}, Zone: zone.Root, Event: &corona.Update{URL: "https://example.org/feed", Payload: make([]byte, 100_000)},
		}}
	}
	kept := make(chan int, 10)
	ended := entry(1, 0)
	w.inLoop(0, func() {
		log := w.nodes[0].forwarding
		for i, e := range []newswire.Entry{ended, entry(2, time.Minute), entry(3, time.Hour), entry(4, 0), entry(5, 0)} {
			log.Write(e, func() { kept <- i })
		}
	})
	for i := range 5 {
		if got := <-kept; got != i {
			t.Fatalf("entry %d is kept before %d", got, i)
		}
	}
	if got := w.inLog(0); len(got) != 5 {
		t.Fatalf("the store has %d entries", len(got))
	}
	w.inLoop(0, func() {
		log := w.nodes[0].forwarding
		log.Strike(1, "/eu")
		// What ends before it is written is kept as well, as far as the protocol need know, and is not there.
		log.Write(entry(6, 0), func() { kept <- 5 })
		log.Strike(6, "/eu")
		log.Write(entry(6, 0), func() { kept <- 6 })
		log.Strike(6, "/eu")
	})
	<-kept
	<-kept
	await(t, "what has ended is gone", func() bool { return len(w.inLog(0)) == 4 })
	broken := store.Forwarding{Item: 4, Zone: "/eu", Published: at, Message: []byte("no item")}
	another, err := Codec().Append(nil, entry(9, 0).Item)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.nodes[0].store.LogForwarding(t.Context(), []store.Forwarding{broken, {Item: 5, Zone: "/eu", Published: at, Message: another}}, nil); err != nil {
		t.Fatal(err)
	}
	w.nodes[0].stop()
	w.nodes[0].start()
	await(t, "what is damaged or too old is gone", func() bool { return len(w.inLog(0)) == 1 })
	var left []newswire.Entry
	w.inLoop(0, func() { left = w.nodes[0].forwarding.Left() })
	want := entry(2, time.Minute)
	if len(left) != 1 || !reflect.DeepEqual(left[0].Item, want.Item) || left[0].Zone != want.Zone || !left[0].Published.Equal(want.Published) {
		t.Errorf("%+v is left", left)
	}
	// Once the node takes part in NewsWire, it finds that nobody has signed that.
	w.inLoop(0, func() {
		n := w.nodes[0]
		n.forwarding.left = left
		n.network.zoned.Join(engine.ID{1})
	})
	await(t, "what nobody has signed is gone", func() bool { return len(w.inLog(0)) == 0 })
}
