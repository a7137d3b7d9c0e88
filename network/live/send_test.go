package live

import (
	"testing"
	"time"
)

// Sizes of frames are those of their messages.
func TestUnframed(t *testing.T) {
	codec := testCodec()
	for _, n := range []int{0, 90, 116, 117, 118, 119, 120, 130, 16370, 16371, 16372, 16373, 16374, 16375, 16380,
		100_000} {
		m := someNews(1, n)
		framed, err := codec.AppendFrame(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := unframed(len(framed)), codec.Size(m); got != want {
			t.Errorf("a frame of %d bytes is said to hold %d, not %d", len(framed), got, want)
		}
	}
}

// A message to this node's own ID at another address, where it was before it moved. It is lost, the protocols are
// notified once, and no node counts as another with its key.
func TestMessageToOneselfElsewhere(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		former := contactOf(t, 1, listenAt(9, 8000))
		for i := range uint64(5) {
			a.send(former, aWord(i))
			time.Sleep(30 * time.Second)
		}
		if got := a.numbers(); len(got) != 0 {
			t.Errorf("it heard %v", got)
		}
		if down := a.downs(); len(down) != 1 || down[0] != former {
			t.Errorf("reported down: %v", down)
		}
		if seen := eventsOf[DuplicateKeyFound](a.recorder); len(seen) != 0 {
			t.Errorf("a second node with its key was seen: %+v", seen)
		}
		if tried := eventsOf[DialFailed](a.recorder); len(tried) != 0 {
			t.Errorf("it dialled itself: %+v", tried)
		}
		dropped := uint64(0)
		for _, x := range a.Traffic() {
			dropped += x.Dropped
		}
		if dropped != 5 {
			t.Errorf("%d messages are counted as dropped", dropped)
		}
	})
}
