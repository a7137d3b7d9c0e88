package node

import (
	"errors"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
)

// A node that makes the versions of a channel which it neither polls nor follows keeps them and gives them to others. Its
// origin is not asked for that, but when the network wants a poll; and when others make the versions the channel is let go.
func TestAChannelIsKeptForItsVersionsAlone(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	name, url := w.ownedBy(0)
	k, s := &taker{together: w, url: url}, w.nodes[0].coop
	one := k.read(rss(`<item><guid>x</guid><title>X</title><description>hello</description></item>`))
	if err := k.take(one); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Fatalf("taking what nobody wants kept: %v", err)
	}
	c := corona.Channel{ID: one.Channel, URL: url}
	inLoop := func(f func()) { s.InLoop(t.Context(), f) }
	inLoop(func() { s.Library().Relay(c) })
	if err := k.take(one); err != nil {
		t.Fatal(err)
	}
	s.Number(one)
	if got, err := s.Lend(t.Context(), one.Channel, corona.Hash{}); err != nil || got == nil || got.Version != one.Version || len(got.Payload) == 0 {
		t.Errorf("others are given %+v, %v", got, err)
	}
	if watching := w.watching(0); watching.ForOthers != 0 || len(w.origin.Requests(name)) != 0 {
		t.Errorf("%+v, and the origin was asked %d times", watching, len(w.origin.Requests(name)))
	}
	inLoop(func() { s.Poller().Verify(c) })
	await(t, "the network has its check", func() bool { return len(w.origin.Requests(name)) == 1 })

	inLoop(func() { s.Library().Release(one.Channel) })
	await(t, "the channel is let go", func() bool { return !s.Knows(one.Channel) && !w.nodes[0].watcher.Has(url) })
	if err := k.take(k.read(rss(`<item><guid>y</guid><title>Y</title><description>hello</description></item>`))); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("taking what nobody wants kept any more: %v", err)
	}
	if _, err := w.nodes[0].store.Watch(t.Context(), url); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("the store has it checked still: %v", err)
	}
}
