package corona

import (
	"reflect"
	"testing"
	"time"

	"tidings/network/honeycomb"
)

// Parameters that are invalid, or that this node does not adopt, leave it as it is, and the error says why.
func TestParamsThatCannotBe(t *testing.T) {
	d := Default()
	lite := Agreement{Interval: 30 * time.Minute, Maintenance: time.Hour}
	with := func(change func(*Agreement)) Agreement { a := lite; change(&a); return a }
	for name, a := range map[string]Agreement{
		"an interval too short": with(func(a *Agreement) {
			a.Interval, a.Maintenance = 9*time.Second,
				18*time.Second
		}),
		"an interval too long":     with(func(a *Agreement) { a.Interval = 31 * 24 * time.Hour }),
		"no such goal":             with(func(a *Agreement) { a.Policy.Goal = 77 }),
		"no target":                with(func(a *Agreement) { a.Policy.Goal = honeycomb.Fast }),
		"no cooperation":           with(func(a *Agreement) { a.Policy.Goal = honeycomb.Legacy }),
		"maintenance all the time": with(func(a *Agreement) { a.Maintenance = time.Minute }),
		"a ceiling too high":       with(func(a *Agreement) { a.HostCeiling = 1<<30 + 1 }),
		"maintenance never":        with(func(a *Agreement) { a.Maintenance = 1000 * time.Hour }),
	} {
		if c, err := d.withParams(a); err == nil {
			t.Errorf("%s: adopted as %+v", name, c)
		}
	}
	for _, interval := range []time.Duration{10 * time.Second, time.Minute, 30 * time.Minute, 7 * 24 * time.Hour} {
		p := d.Paced(interval)
		if c, err := d.withParams(p.agreement()); err != nil || !reflect.DeepEqual(c, p) {
			t.Errorf("%v: %+v, %v", interval, c, err)
		}
	}
	if p := d.Paced(d.Interval); !reflect.DeepEqual(p, d) {
		t.Errorf("by the default interval: %+v", p)
	}
}
