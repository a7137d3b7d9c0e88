package member

import (
	"testing"
	"testing/synctest"
	"time"

	"tidings/network/engine"
	"tidings/view"
)

// Another node with the same key is shown while it is met repeatedly, and for a time after. Then it counts as gone.
// When it comes back, that is news (hostile 33).
func TestANodeWithTheSameKeyIsGoneWhenItIsNotMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d duplicateKeys
		shown := func() (network view.Network) {
			d.addTo(&network, time.Now())
			return network
		}
		if shown().DuplicateKey {
			t.Error("a node that nobody met")
		}
		if !d.meetOwn("/ip4/192.0.2.9/tcp/1", time.Now()) {
			t.Error("the first meeting is no news")
		}
		for range 5 {
			time.Sleep(view.DuplicateKeyGone - time.Second)
			if v := shown(); !v.DuplicateKey || v.DuplicateKeyAt != "/ip4/192.0.2.9/tcp/1" {
				t.Errorf("shown as %+v", v)
			}
			if d.meetOwn("", time.Now()) {
				t.Error("a further meeting is news")
			}
			if met := shown().DuplicateKeyMet; !met.Equal(time.Now()) {
				t.Errorf("last met at %v", met)
			}
		}
		time.Sleep(view.DuplicateKeyGone)
		if v := shown(); v.DuplicateKey || v.DuplicateKeyAt != "" || !v.DuplicateKeyMet.IsZero() {
			t.Errorf("not gone: %+v", v)
		}
		if !d.meetOwn("", time.Now()) {
			t.Error("its return is no news")
		}
		if v := shown(); !v.DuplicateKey || v.DuplicateKeyAt != "" {
			t.Errorf("after its return: %+v", v)
		}
	})
}

func TestOthersDuplicateKeysAreWarnedOfOnce(t *testing.T) {
	var d duplicateKeys
	id := func(i int) engine.ID { return engine.IDOf([]byte{byte(i), byte(i >> 8)}) }
	if !d.meetOthers(id(0)) || d.meetOthers(id(0)) {
		t.Error("not once")
	}
	for i := range 3 * maxWarned {
		d.meetOthers(id(i))
	}
	if len(d.warned) > maxWarned {
		t.Errorf("%d are remembered", len(d.warned))
	}
}
