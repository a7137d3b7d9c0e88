package corona_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/version/believe"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// hostsWorld is a world with some hosts, which counts what befalls certificates.
type hostsWorld struct {
	*coronatest.World
	t      *simtest.T
	config corona.Config
	events map[string]int
}

func newHostsWorld(t *simtest.T, nodes int, change ...func(*coronatest.Settings)) *hostsWorld {
	v := &hostsWorld{t: t, events: make(map[string]int)}
	s := coronatest.Default(nodes)
	for _, f := range change {
		f(&s)
	}
	v.config = s.Corona
	v.World = coronatest.New(t.World(coronatest.SimConfig()), s)
	v.Observe(func(_ time.Duration, _ sim.Node, event any) {
		_, name, _ := strings.Cut(fmt.Sprintf("%T", event), ".")
		if e, ok := event.(corona.LimitHit); ok {
			name += " " + e.What
		}
		v.events[name]++
	})
	return v
}

// busiest returns the most requests that a host got in any polling interval between two times.
func (v *hostsWorld) busiest(host string, from, to time.Duration) (most int) {
	all := v.Origin.HostRequests(host, from, to)
	first := 0
	for i := range all {
		for all[i].At-all[first].At >= v.config.Interval {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// A host of one channel gets at most as many requests as it has readers, over several intervals, or a quarter more if
// each has a change. It gets about as many if all its pollers are of use. If its few readers' nodes see each change for
// themselves, it gets as many again for a change.
func TestNoMoreRequestsThanReaders(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newHostsWorld(t, 60)
		host := func(i int) string { return fmt.Sprintf("host-%d.example", i) }
		readers := []int{1, 2, 3, 8, 20, 50}
		for i, q := range readers {
			c := v.Origin.Add("https://" + host(i) + "/feed")
			for n := range q {
				v.Subscribe(sim.Node((7*i+n)%60), c, 1)
			}
		}
		for _, c := range v.Origin.Channels() { // a new subscriber polls the channel
			for n := range sim.Node(60) {
				if v.Node(n).Corona.Subscribed(c.ID) {
					v.Do(n, func(engine.Protocol) { v.Node(n).Poller.Verify(c) })
				}
			}
		}
		v.Run(time.Second)
		began := v.Now()
		v.Run(90 * time.Minute)
		from := v.Now()
		for range 4 {
			for _, c := range v.Origin.Channels() {
				v.Origin.Change(c.ID, fmt.Sprint("changed at ", v.Now()))
			}
			v.Run(v.config.Interval)
		}
		for i, q := range readers {
			pollers := len(v.Pollers(v.Origin.Channels()[i].ID))
			before, then := v.busiest(host(i), began, from), v.busiest(host(i), from, v.Now())
			t.Logf("%d readers: %d pollers, %d requests in the busiest interval, %d at the start", q, pollers, then,
				before)
			// Those that a change costs can come twice in an interval. As many turns are skipped afterwards, drawn
			// about evenly.
			mean, most := float64(q)*1.25, q+2*(1+v.config.Witnesses+believe.Spare)
			if q <= v.config.Witnesses {
				mean, most = float64(2*q+1), 3*q
			}
			if all := len(v.Origin.HostRequests(host(i), from, v.Now())); float64(all) > 4*mean {
				t.Errorf("%d requests in four intervals for %d readers", all, q)
			}
			if then > most || before > most {
				t.Errorf("%d and %d requests for %d readers", before, then, q)
			}
			if pollers < q/3 {
				t.Errorf("%d pollers for %d readers", pollers, q)
			}
		}
	})
}

// A host that refuses two of its channels with Retry-After is not polled for any of them: not by the nodes of other
// primaries within a minute or two. One refused document affects no other (hostile 10).
func TestHostIsLeftInPeace(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newHostsWorld(t, 40)
		for i := range 8 {
			for _, host := range []string{"tired.example", "fresh.example"} {
				c := v.Origin.Add(fmt.Sprintf("https://%s/%d", host, i))
				for n := range 10 {
					v.Subscribe(sim.Node((i+4*n)%40), c, 2)
				}
			}
		}
		v.Run(3 * time.Hour)
		all := v.Origin.Channels()
		refuse := coronatest.Behaviour{Wait: 20 * time.Minute}
		v.Origin.Behave(all[0].ID, refuse)
		v.Origin.Behave(all[1].ID, refuse) // of the other host, alone
		v.Origin.Behave(all[2].ID, refuse)
		v.Run(v.config.Interval)
		rest := func(host string, from, to time.Duration) (count int) {
			for _, r := range v.Origin.HostRequests(host, from, to) {
				if r.Channel != all[0] && r.Channel != all[1] && r.Channel != all[2] {
					count++
				}
			}
			return count
		}
		before, now := v.Now()-2*v.config.Interval, v.Now()-v.config.Interval
		was, fresh := rest("tired.example", before, now), rest("fresh.example", before, now)
		tired, still := rest("tired.example", now, v.Now()), rest("fresh.example", now, v.Now())
		t.Logf("in an interval %d and %d requests, then %d and %d; %v", was, fresh, tired, still, v.events)
		if was < 6 || tired > was*2/3 {
			t.Errorf("%d requests after %d", tired, was)
		}
		if still < fresh*8/10 {
			t.Errorf("the other host got %d requests after %d", still, fresh)
		}
		for i := range 3 {
			v.Origin.Behave(all[i].ID, coronatest.Behaviour{})
		}
		v.Run(2 * v.config.Interval)
		from := v.Now()
		v.Run(v.config.Interval)
		if again := rest("tired.example", from, v.Now()); again < was*8/10 {
			t.Errorf("%d requests when it is over", again)
		}
	})
}
