package node

import (
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/network/engine"
)

// A twin is told of while it is met now and then, and a while after; then it counts as gone.
// When it comes back, that is news (hostile 33).
func TestATwinIsGoneWhenItIsNotMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clones
		shown := func() (view tidings.Network) {
			c.tell(&view, time.Now())
			return view
		}
		if shown().Cloned {
			t.Error("a twin that nobody met")
		}
		if !c.meetTwin("/ip4/192.0.2.9/tcp/1", time.Now()) {
			t.Error("the first meeting is no news")
		}
		for range 5 {
			time.Sleep(tidings.CloneGone - time.Second)
			if v := shown(); !v.Cloned || v.ClonedAt != "/ip4/192.0.2.9/tcp/1" {
				t.Errorf("shown as %+v", v)
			}
			if c.meetTwin("", time.Now()) {
				t.Error("a further meeting is news")
			}
			if met := shown().ClonedMet; !met.Equal(time.Now()) {
				t.Errorf("last met at %v", met)
			}
		}
		time.Sleep(tidings.CloneGone)
		if v := shown(); v.Cloned || v.ClonedAt != "" || !v.ClonedMet.IsZero() {
			t.Errorf("not gone: %+v", v)
		}
		if !c.meetTwin("", time.Now()) {
			t.Error("its return is no news")
		}
		if v := shown(); !v.Cloned || v.ClonedAt != "" {
			t.Errorf("after its return: %+v", v)
		}
	})
}

func TestOthersClonesAreWarnedOfOnce(t *testing.T) {
	var c clones
	id := func(i int) engine.ID { return engine.IDOf([]byte{byte(i), byte(i >> 8)}) }
	if !c.meetOthers(id(0)) || c.meetOthers(id(0)) {
		t.Error("not once")
	}
	for i := range 3 * maxClones {
		c.meetOthers(id(i))
	}
	if len(c.others) > maxClones {
		t.Errorf("%d are remembered", len(c.others))
	}
}
