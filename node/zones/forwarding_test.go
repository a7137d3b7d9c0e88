package zones

import (
	"context"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/store"
	"tidings/store/shared"
)

// logHost has the loop and the workers that the log of what is forwarded needs, and no more.
type logHost struct {
	Host
	loop    sync.Mutex // held in the loop
	workers sync.WaitGroup
}

func (h *logHost) Do(_ context.Context, f func()) error {
	h.loop.Lock()
	defer h.loop.Unlock()
	f()
	return nil
}

func (h *logHost) Work(job func(context.Context)) { h.workers.Go(func() { job(context.Background()) }) }

// When the protocol learns that a forwarding is kept, it is in the store. It is there for the next run unless it has
// ended. What has been damaged keeps no node from starting, and neither that nor what is too old is left.
func TestForwardingGoesOn(t *testing.T) {
	ctx := t.Context()
	s, err := store.Open(ctx, store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := new(logHost)
	c := Config{Shared: s.Shared, Settings: s.DB, Codec: engine.NewCodec(engine.TransportVocabulary, corona.Vocabulary,
		newswire.Vocabulary), Log: slog.New(slog.DiscardHandler)}
	// logged returns what the store has when all work is done.
	logged := func() []shared.Forwarding {
		t.Helper()
		h.workers.Wait()
		all, err := s.Shared.Forwarding(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	at := time.Now().Truncate(time.Microsecond)
	entry := func(id uint64, age time.Duration) newswire.Entry {
		return newswire.Entry{Zone: "/eu", Published: at.Add(-age), Item: &newswire.Item{
			ID: id, Bits: []uint16{1, 2}, Zone: zone.Root,
			Event: &corona.Update{URL: "https://example.org/feed", Payload: make([]byte, 100_000)},
		}}
	}
	log := recallForwarding(ctx, h, c)
	kept := make(chan int, 10)
	_ = h.Do(ctx, func() {
		for i, e := range []newswire.Entry{entry(1, 0), entry(2, time.Minute), entry(3, time.Hour), entry(4, 0),
			entry(5, 0)} {
			log.Write(e, func() { kept <- i })
		}
	})
	for i := range 5 {
		if got := <-kept; got != i {
			t.Fatalf("entry %d is kept before %d", got, i)
		}
	}
	if got := logged(); len(got) != 5 {
		t.Fatalf("the store has %d entries", len(got))
	}
	_ = h.Do(ctx, func() {
		log.Strike(entry(1, 0).Item.Name(), "/eu")
		// An entry that ends before it is written is reported to the protocol as kept, and is not there.
		log.Write(entry(6, 0), func() { kept <- 5 })
		log.Strike(entry(6, 0).Item.Name(), "/eu")
		log.Write(entry(6, 0), func() { kept <- 6 })
		log.Strike(entry(6, 0).Item.Name(), "/eu")
	})
	if got := logged(); len(got) != 4 || len(kept) != 2 {
		t.Errorf("the store has %d entries, and %d of 2 are kept", len(got), len(kept))
	}
	broken := shared.Forwarding{Item: entry(4, 0).Item.Name(), Zone: "/eu", Published: at, Message: []byte("no item")}
	another, err := c.Codec.Append(nil, entry(9, 0).Item)
	if err != nil {
		t.Fatal(err)
	}
	former, err := c.Codec.Append(nil, entry(8, 0).Item)
	if err != nil {
		t.Fatal(err)
	}
	// by its event's ID, as versions from before kept items
	fromBefore := shared.Forwarding{Item: 8, Zone: "/eu", Published: at, Message: former}
	if err := s.Shared.LogForwarding(ctx,
		[]shared.Forwarding{broken, fromBefore, {Item: entry(5, 0).Item.Name(), Zone: "/eu", Published: at,
			Message: another}}, nil); err != nil {
		t.Fatal(err)
	}
	left := recallForwarding(ctx, h, c).Left()
	if got := logged(); len(got) != 1 {
		t.Errorf("of what is damaged or too old %d entries are there", len(got))
	}
	want := entry(2, time.Minute)
	if len(left) != 2 || left[1].Item.ID != 8 || !reflect.DeepEqual(left[0].Item, want.Item) ||
		left[0].Zone != want.Zone || !left[0].Published.Equal(want.Published) {
		t.Errorf("%+v is left", left)
	}
}
