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

// While the ring is apart one side sees two changes and the other a third, later one, whose number is lower. After the
// reunion the primary asks the origin at once, so that all have the latest content before any next poll would have
// found it. That includes subscribers that the primary did not know at first (hostile 31).
func TestReunionAsksTheOrigin(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 24, 6, fewPoll)
		side := v.half()
		cut := v.Partition(side)
		v.Run(10 * time.Minute)
		for n := sim.Node(6); n < 24; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Run(time.Minute)
		seen := [2]string{v.Origin.Content(v.news.ID), v.Origin.Content(v.news.ID)}
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{See: func(n sim.Node, _ string) string {
			if slices.Contains(side, n) {
				return seen[0]
			}
			return seen[1]
		}})
		for i := range 2 {
			seen[0] = fmt.Sprint("older ", i)
			v.Run(v.interval() + 5*time.Minute)
		}
		v.Origin.Change(v.news.ID, "newest")
		seen[1] = "newest"
		v.Run(v.interval() + 5*time.Minute)
		if v.show("newest") == 0 || v.show("older 1") == 0 {
			t.Fatalf("%d show the newest, %d the older", v.show("newest"), v.show("older 1"))
		}
		seen[0] = "newest"
		polls := 0
		v.Observe(func(_ time.Duration, _ sim.Node, event any) {
			if _, ok := event.(corona.Found); ok {
				polls++
			}
		})
		cut.Heal()
		v.Settle()
		before, began := polls, v.Now()
		for v.show("newest") < 24 && v.Now()-began < 5*time.Minute {
			v.Run(time.Second)
		}
		t.Logf("all show the newest %v after the ring was one; %d were found before, %d meanwhile", v.Now()-began,
			before, polls-before)
		if v.Now()-began > 40*time.Second {
			t.Error("that is too long")
		}
		v.Run(2 * time.Minute)
		v.oneAssignment()
		v.away()
		v.ends()
	})
}

// If the owners exchange their tables slowly, the latest version is sent once more after that. Subscribers that the
// primary did not know have it within a minute (hostile 31).
func TestReunionReachesUnknownSubscribers(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		slow := make(adversaries)
		v := newWorld(t, 24, 6, slow.among, fewPoll, trusting) // the sent content cannot be polled
		side := v.half()
		cut := v.Partition(side)
		v.Run(10 * time.Minute)
		for n := sim.Node(6); n < 24; n++ {
			v.Subscribe(n, v.news, 1)
		}
		v.Origin.Change(v.news.ID, "seen by one side")
		v.verify(v.someone(side))
		v.Run(10 * time.Second)
		v.Origin.Change(v.news.ID, "newest")
		v.Run(v.interval() + 5*time.Minute)
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{Down: true}) // but for the primary's poll nobody finds it
		began := time.Duration(0)
		for n := range sim.Node(24) {
			slow[n] = func(_ engine.Peer, m engine.Message) engine.Message {
				if _, ok := m.(*roster.Entries); ok {
					if began == 0 {
						began = v.Now()
					}
					if v.Now()-began < 4*time.Second {
						return nil
					}
				}
				return m
			}
		}
		cut.Heal()
		v.Settle()
		v.Run(time.Minute)
		v.oneAssignment()
		v.away()
		v.ends()
	})
}

// half draws half of all nodes.
func (v *testWorld) half() (side []sim.Node) {
	for n := range sim.Node(v.Len()) {
		if v.Rand().IntN(2) == 0 {
			side = append(side, n)
		}
	}
	return side
}
