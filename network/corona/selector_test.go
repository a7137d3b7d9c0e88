package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// If the router selects events by their content, a channel with few subscribers, and without a tree, also reaches the
// nodes that select its versions, each once. So it does when it moves into a tree and back. Its subscribers get each
// version once as ever.
func TestVersionsReachSelectors(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		selects := []sim.Node{36, 38}
		v := newWorld(t, 40, 5, calm, func(s *coronatest.Settings) {
			s.Trees, s.Zones, s.Corona.Router, s.Corona.DirectUpTo, s.Corona.HostCeiling = false, true,
				network.NewsWire, 8, 0
			s.Selects = func(n sim.Node) bool { return slices.Contains(selects, n) }
		})
		published := 0
		publish := func(times int) {
			t.Helper()
			for range times {
				v.publish()
				published++
			}
			for _, n := range selects {
				seen := make(map[uint64]bool)
				for _, u := range v.Node(n).Selected {
					if seen[u.Version] || u.Channel != v.news.ID || u.URL != v.news.URL || len(u.Payload) == 0 {
						t.Errorf("node %d has selected version %d twice, or without its URL, or nothing in it", n,
							u.Version)
					}
					seen[u.Version] = true
				}
				if len(seen) != published {
					t.Errorf("node %d has selected %d versions of %d", n, len(seen), published)
				}
				if got := v.Node(n).Library.Content(v.news.ID); v.Node(n).Corona.Subscribed(v.news.ID) ||
					got != (corona.Hash{}) && !v.Node(n).Poller.Polls(v.news.ID) &&
						!v.Node(n).Library.Relays(v.news.ID) {
					t.Errorf("node %d keeps what it does not follow", n)
				}
			}
			v.all(fmt.Sprint("change ", v.changed))
		}
		publish(3)
		for n := sim.Node(5); n < 30; n++ {
			v.Subscribe(n, v.news, 1)
			v.Run(time.Second)
		}
		v.Run(5 * time.Minute)
		publish(2)
		for n := sim.Node(2); n < 30; n++ {
			v.Unsubscribe(n, v.news.ID)
			v.Run(time.Second)
		}
		publish(2)
		v.ends()
	})
}
