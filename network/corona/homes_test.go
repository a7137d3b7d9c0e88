package corona_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/forward/forwardtest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// If seven of ten nodes are private, all subscribers get all versions, in order and once. That also holds if the owners
// and the pollers of a channel are private.
func TestUpdatesAmongPrivateNodes(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		const nodes = 48
		c := coronatest.SimConfig()
		forwardtest.Configure(&c)
		c.Latency = sim.Uniform{Min: 10 * time.Millisecond, Max: 150 * time.Millisecond}
		s := coronatest.Default(nodes)
		s.Homes, s.Trees = true, true
		w := coronatest.New(t.World(c), s)
		var channels []corona.Channel
		for i := range 6 {
			channel := w.Origin.Add(fmt.Sprint("http://example.org/", i))
			channels = append(channels, channel)
			for n := range sim.Node(nodes) {
				if (int(n)+i)%3 == 0 {
					w.Subscribe(n, channel, 1)
				}
			}
		}
		w.Run(time.Hour)
		for change := range 3 {
			for _, c := range channels {
				w.Origin.Change(c.ID, fmt.Sprint("change ", change))
			}
			w.Run(time.Hour)
		}
		if err := w.Watch.Finish(); err != nil {
			t.Error(err)
		}
	})
}
