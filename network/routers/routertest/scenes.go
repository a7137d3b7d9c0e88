package routertest

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/sim"
	"tidings/network/sim/churn"
	"tidings/network/sim/simtest"
)

// scene is what happens in a run, after all are at rest and before it is looked at.
type scene[R network.Router] struct {
	name  string
	seeds int
	cuts  bool // the network falls in parts
	play  func(c *trial[R])
}

func scenes[R network.Router]() []scene[R] {
	return []scene[R]{
		{"Everybody", 4, false, (*trial[R]).everybody},
		{"Leave", 4, false, (*trial[R]).leave},
		{"JoinDuringPublication", 4, false, (*trial[R]).joinDuringPublication},
		{"Loss", 8, false, (*trial[R]).loss},
		{"Partition", 8, true, (*trial[R]).partition},
		{"RootCrashes", 8, false, (*trial[R]).rootCrashes},
		{"Churn", 8, false, (*trial[R]).churn},
		{"Swarm", 24, false, (*trial[R]).swarm},
	}
}

// everybody lets subscribers, others and the roots publish. A part of the subscribers have joined twice.
func (c *trial[R]) everybody() {
	for i := range c.notes() {
		topic := c.topics[i%len(c.topics)]
		n := c.Any()
		if i%4 == 3 {
			n = c.Root(topic)
		}
		if c.promises.MembersOnly && !c.Wants(n, topic) {
			n = member
		}
		if m := c.Any(); c.Wants(m, topic) {
			c.Join(m, topic)
		}
		c.Publish(n, topic, noteBytes)
		c.pause(300 * time.Millisecond)
	}
}

// leave makes nodes leave, a part of which had joined twice. Half of them come back later.
func (c *trial[R]) leave() {
	topic := c.topics[0]
	leavers := slices.DeleteFunc(c.Subscribers(topic),
		func(n sim.Node) bool { return n == member || c.Rand().IntN(2) == 0 })
	for i, n := range leavers {
		if i%2 == 0 {
			c.Join(n, topic)
		}
		c.Leave(n, topic)
		c.busy = true
	}
	back := leavers[:len(leavers)/2]
	for i := range c.notes() {
		c.Publish(member, topic, noteBytes)
		c.Run(time.Second)
		if i == c.notes()/2 {
			for _, n := range back {
				c.Join(n, topic)
			}
		}
	}
}

// joinDuringPublication has nodes join, and new ones come, while notes are published.
func (c *trial[R]) joinDuringPublication() {
	c.busy = true
	for i := range c.notes() {
		n := c.Any()
		if i%5 == 0 {
			n = c.Grow(c.ID())
			c.Boot(n)
		}
		if n != stranger {
			c.Join(n, c.topics[c.Rand().IntN(len(c.topics))])
		}
		c.publish()
		c.pause(500 * time.Millisecond)
	}
}

// loss has 1 to 10 % of the messages lost, or doubled or overtaken, or all of that.
func (c *trial[R]) loss() {
	f := sim.Faults{Loss: float64(1+c.Seed()%10) / 100, Duplicate: 0.05, Reorder: 0.1,
		ReorderBy: 500 * time.Millisecond}
	if what := c.Rand().IntN(4); what == 1 {
		f.Loss = 0
	} else if what == 2 {
		f.Duplicate, f.Reorder, f.ReorderBy = 0, 0, 0
	}
	c.SetFaults(f)
	for range c.notes() {
		c.publish()
		c.pause(2 * time.Second)
	}
	c.Run(time.Minute)
	c.SetFaults(sim.Faults{})
}

// partition has the network fall in two, with a publisher on each side or both on one, and heal.
func (c *trial[R]) partition() {
	for range 2 {
		var side []sim.Node
		for n := range sim.Node(c.Len()) {
			if c.Rand().IntN(2) == 0 {
				side = append(side, n)
			}
		}
		cut := c.Partition(side)
		for range c.notes() / 2 {
			c.publish()
			c.Run(c.promises.Recovery / time.Duration(c.notes()/2))
		}
		cut.Heal()
		c.pause(time.Minute)
	}
}

// rootCrashes has a root crash just before each note, or just after. It comes back later.
func (c *trial[R]) rootCrashes() {
	for i := range c.notes() {
		topic := c.topics[i%len(c.topics)]
		n := member
		if !c.promises.MembersOnly && c.Rand().IntN(2) == 0 {
			n = stranger
		}
		publish := func() { c.Publish(n, topic, noteBytes) }
		early := c.Rand().IntN(2) == 0
		if !early {
			publish()
			c.pause(500 * time.Millisecond)
		}
		if root := c.Root(topic); root >= publishers {
			c.CrashFor(root, time.Duration(1+c.Rand().IntN(60))*time.Second)
		}
		if early {
			publish()
		}
		c.pause(time.Minute)
	}
	c.Run(time.Minute)
}

// churn has subscribers and others come and go.
func (c *trial[R]) churn() {
	var restless []sim.Node
	for n := sim.Node(publishers); n < trialNodes; n++ {
		if n%4 != 0 {
			restless = append(restless, n)
		}
	}
	const lasts = 4 * time.Minute
	churn.Exponential{Up: 2 * time.Minute, Down: 30 * time.Second, For: lasts,
		Leaving: churn.Leaving{InOrder: 0.5, Gone: func(n sim.Node) {
			if c.Rand().IntN(4) == 0 {
				c.Restore(n, nil)
			}
		}}}.Drive(c.World.World, restless)
	for range c.notes() {
		c.publish()
		c.Run(lasts / time.Duration(c.notes()))
	}
	c.BootAll(0)
}

// swarm has everything go wrong that the seed has switched on.
func (c *trial[R]) swarm() {
	const lasts = 5 * time.Minute
	c.plan = simtest.Swarm(c.Seed())
	c.plan.Spare = publishers
	if c.promises.Recovery < c.plan.Outage {
		c.plan.Partition, c.plan.OneWay = 0, 0
	}
	if c.promises.Survives != nil {
		c.promises.Survives(&c.plan)
	}
	for i := range c.notes() {
		c.After(time.Duration(i)*lasts/time.Duration(c.notes()), c.publish)
	}
	c.plan.Run(c.World.World, lasts)
}
