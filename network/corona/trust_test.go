package corona_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A primary with a key made for the channel invents contents, and sends them to all its readers. No node shows them,
// in rings with witnesses and in smaller ones. The nodes that have polled know the liar, and the origin's next change
// reaches all (hostile 67).
func TestOnePrimaryDeceivesNobody(t *testing.T) {
	for _, nodes := range []int{6, 12, 20, 60} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			simtest.Run(t, 4, func(t *simtest.T) {
				beside := engine.IDOf([]byte("http://example.org/news"))
				beside[19]++
				readers := nodes * 2 / 3
				v := newWorld(t, nodes, readers, lies, func(s *coronatest.Settings) {
					s.IDs = []engine.ID{beside}
					s.Polls = 2*nodes + 6*readers
				})
				v.Unsubscribe(0, v.news.ID)
				v.Run(10 * time.Second)
				if v.Owners(v.news.ID, 1)[0] != 0 {
					t.Fatal("the liar is not the primary")
				}
				blamed := make(map[engine.ID]bool)
				v.Observe(func(_ time.Duration, _ sim.Node, event any) {
					if e, ok := event.(corona.Contradicted); ok {
						blamed[e.Giver] = true
					}
				})
				for lie := range 3 {
					content := fmt.Sprint("invented ", lie)
					u := v.next(content)
					u.Version += uint64(lie) << 24
					sealed := corona.SealAs(&u, v.Keys(0), v.Peer(0))
					for n := range sim.Node(nodes) {
						v.Do(n, func(engine.Protocol) { v.Node(n).Receive(v.Peer(0), sealed) })
					}
					v.Run(10 * time.Minute)
					if v.show(content) > 0 {
						t.Errorf("%d nodes show what the primary alone has invented", v.show(content))
					}
				}
				if !blamed[beside] || len(blamed) > 1 {
					t.Errorf("%d are blamed, the liar among them: %v", len(blamed), blamed[beside])
				}
				v.Run(v.interval())
				v.Origin.Change(v.news.ID, "something new")
				v.Run(v.interval() + 5*time.Minute)
				v.all("something new")
				v.away()
			})
		})
	}
}

// An origin shows one node something else. No other node shows it, whether that node is the primary, a poller or a mere
// reader.
func TestWhatOneNodeIsShownStaysThere(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		v := newWorld(t, 40, 30, lies, func(s *coronatest.Settings) { s.Polls = 200 })
		v.Run(v.interval())
		odd := v.Owners(v.news.ID, 1)[0]
		switch t.Seed() % 3 {
		case 1:
			odd = v.finders(1)[0]
		case 2:
			odd = 29
		}
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{See: func(n sim.Node, content string) string {
			if n == odd {
				return content + ", shown to one"
			}
			return content
		}})
		others := func() (deceived []sim.Node) {
			for n := range sim.Node(v.Len()) {
				if n != odd && v.Node(n).Corona.Subscribed(v.news.ID) &&
					v.Shows(n, v.news.ID) == v.Origin.Content(v.news.ID)+", shown to one" {
					deceived = append(deceived, n)
				}
			}
			return deceived
		}
		for change := range 3 {
			v.Origin.Change(v.news.ID, fmt.Sprint("change ", change))
			v.verify(odd)
			for range 4 {
				v.Run(v.interval() / 4)
				if list := others(); len(list) > 0 {
					t.Errorf("nodes %v show what node %d alone was shown", list, odd)
				}
			}
			missing := 0
			for n := range sim.Node(v.Len()) {
				if n != odd && v.Node(n).Corona.Subscribed(v.news.ID) &&
					v.Shows(n, v.news.ID) != v.Origin.Content(v.news.ID) {
					missing++
				}
			}
			if missing > 0 {
				t.Errorf("%d nodes do not show change %d after an interval", missing, change)
			}
		}
	})
}

// Each reply of an origin differs. No node shows what another polled. A node that reads the channel polls once for each
// version, of which there is one an interval, besides its turns if it is one of the pollers.
func TestReadersOfWhatVariesSeeTheirOwn(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		const nodes, readers, intervals = 60, 30, 12
		const byWitnesses, byCheckers, byPrimary = 6, 4, 5 // polls for a version at most
		v := newWorld(t, nodes, readers, lies, func(s *coronatest.Settings) { s.Polls = 1 << 20 })
		v.Run(v.interval())
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{Noisy: true})
		v.Run(2 * v.interval()) // until the readers' nodes have noticed
		began, most := v.Now(), 0
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if e, ok := event.(corona.Delivered); ok && e.FoundBy != v.Peer(n).ID {
				t.Errorf("node %d shows version %d, which another was shown", n, e.Version)
			}
		})
		for range intervals {
			most += byWitnesses + byCheckers + byPrimary + len(v.Pollers(v.news.ID)) + readers
			v.Run(v.interval())
		}
		if requests := len(v.Origin.Requests(v.news.ID, began, v.Now())); requests > most {
			t.Errorf("%d requests, where %d are enough", requests, most)
		}
	})
}
