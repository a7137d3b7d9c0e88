package live

import (
	"testing"
	"time"

	"tidings/network/engine"
)

func TestOutagesAreBoundedAndBackOff(t *testing.T) {
	limits := DefaultLimits()
	limits.Outages = 10
	o := newOutages(limits)
	p := contactOf(t, 1, "/ip4/192.0.2.1/tcp/1")
	now := time.Duration(0)
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		news, wait := o.begin(p, now, true)
		if news != (i == 0) || wait != want*time.Second {
			t.Errorf("failure %d: news %v, wait %v", i+1, news, wait)
		}
		if !o.resting(p, now+wait-1) || o.resting(p, now+wait) {
			t.Errorf("failure %d: the rest has another length", i+1)
		}
		now += wait
	}
	o.end(p.ID)
	if news, wait := o.begin(p, now, true); !news || wait != time.Second {
		t.Errorf("after the outage: news %v, wait %v", news, wait)
	}
	if news, _ := o.begin(p, now+limits.OutageFor+1, true); !news {
		t.Error("an outage is remembered for ever")
	}
	for i := range 100 {
		o.begin(engine.Peer{ID: engine.IDOf([]byte{byte(i)})}, now, true)
	}
	if len(o.of) != 10 || len(o.order) != 10 {
		t.Errorf("%d outages are kept", len(o.of))
	}
}
