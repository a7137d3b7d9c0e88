package live

import (
	"errors"
	"testing"
	"time"
)

// hostile 42: a peer that a protocol has proved to lie is cut off at once, and neither side's dial brings it back
// before its time is over. Others do not notice.
func TestARefusedPeerIsCutOff(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, bad, good := w.host(1), w.host(2), w.host(3)
		w.connect(bad, a)
		w.connect(good, a)
		bad.send(a.Host.Self(), aWord(1))
		time.Sleep(time.Second)
		a.Refuse(bad.Host.Self().ID, time.Hour, "it lied")
		bad.send(a.Host.Self(), aWord(2))
		good.send(a.Host.Self(), aWord(3))
		time.Sleep(time.Minute)
		bad.send(a.Host.Self(), aWord(4))
		a.send(bad.Host.Self(), aWord(5))
		time.Sleep(time.Minute)
		if got := a.numbers(); !sameNumbers(got, []uint64{1, 3}) {
			t.Errorf("heard %v", got)
		}
		if got := bad.numbers(); len(got) != 0 {
			t.Errorf("the other side has heard %v", got)
		}
		if n := len(a.net.Network().ConnsToPeer(bad.pid)); n != 0 {
			t.Errorf("%d connections are left", n)
		}
		if down := a.downs(); len(down) != 1 || down[0].ID != bad.Host.Self().ID || len(good.downs()) != 0 {
			t.Errorf("reported down: %v here, %v there", down, good.downs())
		}
		if _, err := a.Connect(t.Context(), bad.Addresses()[0]); !errors.Is(err, ErrBanned) {
			t.Errorf("connecting to it says: %v", err)
		}
		if _, err := bad.Connect(t.Context(), a.Addresses()[0]); err == nil {
			t.Error("it came in")
		}
		if events := eventsOf[Refused](a.recorder); len(events) != 1 || events[0].For != time.Hour ||
			len(eventsOf[Struck](a.recorder)) != 0 {
			t.Errorf("observed %+v", events)
		}
		time.Sleep(time.Hour)
		if _, err := bad.Connect(t.Context(), a.Addresses()[0]); err != nil {
			t.Errorf("after the hour: %v", err)
		}
		bad.send(a.Host.Self(), aWord(6))
		time.Sleep(time.Second)
		if got := a.numbers(); !sameNumbers(got, []uint64{1, 3, 6}) {
			t.Errorf("after the hour was heard %v", got)
		}
	})
}

// A refusal before a peer was ever met holds as well; a shorter one does not end a longer one.
func TestARefusalBeforeThePeerComes(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, bad := w.host(1), w.host(2)
		a.Refuse(bad.Host.Self().ID, time.Hour, "it lied")
		a.Refuse(bad.Host.Self().ID, time.Second, "it lied")
		a.Refuse(a.Host.Self().ID, time.Hour, "that is absurd")
		time.Sleep(time.Minute)
		if _, err := bad.Connect(t.Context(), a.Addresses()[0]); err == nil {
			t.Error("it came in")
		}
		if n := len(eventsOf[Refused](a.recorder)); n != 2 {
			t.Errorf("%d refusals", n)
		}
	})
}
