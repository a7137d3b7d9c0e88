package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// All of 1,000 nodes that are 10 to 150 ms apart subscribe. An update reaches the last one within seconds of the poll
// that found the change: the longest of five changes is stated.
func TestTimeToTheLastSubscriber(t *testing.T) {
	nodes := 1000
	if testing.Short() {
		nodes = 150
	}
	simtest.Run(t, 1, func(t *simtest.T) {
		c := coronatest.SimConfig()
		c.Wire = false
		c.Latency = sim.Uniform{Min: 10 * time.Millisecond, Max: 150 * time.Millisecond}
		s := coronatest.Default(nodes)
		calm(&s)
		s.Corona.AggregateEvery = 20 * time.Minute
		w := coronatest.New(t.World(c), s)
		news := w.Origin.Add("http://example.org/news")
		for n := range sim.Node(nodes) {
			w.Subscribe(n, news, 1)
		}
		w.Run(70 * time.Minute)
		var found, numbered time.Duration
		var delays []time.Duration
		perSecond := make(map[time.Duration]int)
		w.Observe(func(at time.Duration, n sim.Node, event any) {
			switch e := event.(type) {
			case corona.Found:
				if found == 0 {
					found = at
				}
			case corona.Numbered:
				numbered = at
			case corona.Delivered:
				if e.News {
					delays = append(delays, at-found)
					perSecond[at/time.Second]++
				}
			}
		})
		for i := range 5 {
			found, delays = 0, nil
			w.Origin.Change(news.ID, fmt.Sprint("change ", i))
			w.Run(10 * time.Minute)
			slices.Sort(delays)
			if len(delays) != nodes {
				t.Fatalf("%d of %d nodes have the update", len(delays), nodes)
			}
			last := delays[len(delays)-1]
			t.Logf("from the poll that found it: a version after %v, half have it after %v, the last after %v",
				numbered-found, delays[len(delays)/2], last)
			if last > 5*time.Second {
				t.Errorf("the last subscriber has it after %v", last)
			}
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}

// A subscriber that never acknowledges is sent an update a bounded number of times. At no moment are there more than a
// bounded number of messages from one primary (hostile 37).
func TestFanOutIsBounded(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm, direct, func(s *coronatest.Settings) { s.Unsigned = true })
		// Many absent subscribers, with addresses of nodes that have gone.
		primary := v.Owners(v.news.ID, 1)[0]
		const ghosts = 2000
		for i := range ghosts {
			peer := engine.Peer{ID: engine.IDOf(fmt.Append(nil, "ghost ", i)), Address: "nobody"}
			v.Do(primary, func(engine.Protocol) {
				v.Node(primary).Corona.Receive(peer, &corona.Subscribe{Node: peer,
					Wanted: []roster.Wanted{{Channel: v.news.ID, URL: v.news.URL, Count: 1, Stamp: 1}}})
			})
		}
		v.Run(10 * time.Second)
		sent := make(map[time.Duration]int)
		total := 0
		v.Tap(func(p sim.Delivery) {
			if _, ok := p.Message.(*corona.Update); ok && p.From == primary && p.Fate == sim.Sent {
				sent[p.At/(20*time.Millisecond)]++
				total++
			}
		})
		v.Origin.Change(v.news.ID, "something new")
		v.verify(v.finders(1)...)
		v.Run(2 * time.Minute)
		for tick, count := range sent {
			if count > 2*256 { // two ticks of the node can touch one of ours
				t.Errorf("%d updates were sent at %v", count, tick*20*time.Millisecond)
			}
		}
		if want := 4 * ghosts; total < want || total > want+100 {
			t.Errorf("%d updates were sent, want %d and a few", total, want)
		}
		if unsent := v.events["Unsent"]; unsent != ghosts {
			t.Errorf("%d subscribers were dropped, want %d", unsent, ghosts)
		}
		v.all("something new")
		v.ends()
	})
}
