package astrolabe_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// world is nodes that run Astrolabe, each knowing three others as it starts.
type world struct {
	*sim.World
	homes []zone.Path
}

// newWorld returns a world of nodes that start one after the other, a step apart.
func newWorld(seed uint64, c astrolabe.Config, homes []zone.Path, step time.Duration, change func(*sim.Config)) *world {
	config := sim.Default(engine.NewCodec(astrolabe.Vocabulary))
	config.Seed, config.Wire = seed, true
	config.Latency = sim.Uniform{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond}
	if change != nil {
		change(&config)
	}
	w := &world{sim.New(config), homes}
	chance := rand.New(rand.NewPCG(seed, 7))
	for i, home := range homes {
		n := sim.Node(i)
		w.Add(engine.IDOf(fmt.Append(nil, "node ", i)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			var contacts []engine.Peer
			for range min(3, i) {
				contacts = append(contacts, w.Peer(sim.Node(chance.IntN(i))))
			}
			return astrolabe.New(env, c, astrolabe.Seams{Keys: w.Keys(n), Home: home, Contacts: contacts})
		})
	}
	w.BootAll(step)
	return w
}

func (w *world) node(n int) *astrolabe.Node {
	p, _ := w.Protocol(sim.Node(n)).(*astrolabe.Node)
	return p
}

// members returns how many members the node's copy of the root's table speaks of.
func (w *world) members(n int) (sum int64) {
	for r := range w.node(n).Table(zone.Root).Children() {
		if zone.IsMember(r.Label) {
			sum++
		} else {
			sum += r.Attributes.Get(astrolabe.AttrMembers).Integer
		}
	}
	return sum
}

func TestGrow(t *testing.T) {
	for _, size := range []int{3, 60, 300} {
		homes := make([]zone.Path, size)
		w := newWorld(1, astrolabe.Default(), homes, 200*time.Millisecond, nil)
		for range 40 {
			w.Run(30 * time.Second)
			low, high, placed, depth := int64(1<<60), int64(0), 0, 0
			zones := map[zone.Path]int{}
			for i := range size {
				if w.node(i) == nil {
					continue
				}
				p, ok := w.node(i).Path()
				if !ok {
					continue
				}
				placed++
				zones[p]++
				depth = max(depth, p.Depth())
				low, high = min(low, w.members(i)), max(high, w.members(i))
			}
			c := w.Counters()
			t.Log(size, w.Now(), "placed", placed, "members", low, high, "zones", len(zones), "depth", depth, "events", c.Events)
		}
	}
}
