package feedtree_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
	"tidings/network/sim/churn"
	"tidings/network/sim/simtest"
)

// Ten nodes become many in a minute, while a publisher speaks every two seconds. Earlier followers have at least 99.9 %
// of it in time, and every follower has all of it in the end. What nodes send for that is bounded (hostile 36).
func TestDeliveryThroughAJoinStorm(t *testing.T) {
	many := 500
	if testing.Short() {
		many = 100
	}
	run(t, 2, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(10))
		p := v.NewPublisher("feed", 0, time.Minute)
		for n := range sim.Node(10) {
			if n > 0 {
				v.Follow(n, p)
			}
		}
		v.Run(20 * time.Second)
		stable := v.Followers(p)
		before := v.sent()
		for i := range many {
			n := v.Grow(v.ID())
			v.Boot(n)
			v.Follow(n, p)
			if i*30/many != (i+1)*30/many { // every two seconds
				p.Publish(fmt.Sprintf("news %d", i))
			}
			v.Run(time.Minute / time.Duration(many))
		}
		storm := float64(v.sent()-before) / float64(many)
		v.prompt(p, stable, len(p.Truth))
		v.Settle()
		v.publish(p, 1, time.Minute)
		v.complete(p, uint64(len(p.Truth)), uint64(len(p.Truth)))
		if storm > maxPerJoin {
			t.Errorf("%.0f messages were sent for each node that came", storm)
		}
		t.Logf("%.0f messages for each node that came", storm)
	})
}

// maxPerJoin bounds the messages that all nodes send while one joins a ring and a tree with others. Every node's probes
// of that time count.
const maxPerJoin = 250

// Sessions last ten minutes. Nodes that stay have at least 99.9 % of what is published in time, and all of it in the
// end (hostile 36).
func TestDeliveryThroughChurn(t *testing.T) {
	nodes, lasts := 120, 15*time.Minute
	if testing.Short() {
		nodes, lasts = 60, 5*time.Minute
	}
	run(t, 2, func(t *simtest.T) {
		v := newTown(t, feedtreetest.Default(nodes))
		p := v.NewPublisher("feed", 0, time.Minute)
		var restless []sim.Node
		for n := range sim.Node(nodes) {
			switch {
			case n > 0 && n%4 == 0:
				v.Follow(n, p)
			case n > 0:
				restless = append(restless, n)
				if n%4 == 1 {
					v.Follow(n, p) // nodes that come and go are in the tree too
				}
			}
		}
		var stable []sim.Node
		for _, n := range v.Followers(p) {
			if n%4 == 0 {
				stable = append(stable, n)
			}
		}
		v.Run(30 * time.Second)
		churn.Exponential{Up: 10 * time.Minute, Down: 2 * time.Minute, For: lasts}.Drive(v.World.World, restless)
		items := int(lasts / (2 * time.Second))
		v.publish(p, items, 2*time.Second)
		v.prompt(p, stable, items)
		v.Run(5 * time.Minute)
		for _, n := range stable {
			if err := p.Complete(n, 1, uint64(items)); err != nil {
				t.Error(err)
			}
		}
	})
}

// prompt fails the test if nodes received less than 99.9 % of a publisher's first items within its promised silence. By
// then a node knows what it lacks, whatever happened to its tree.
func (v *town) prompt(p *feedtreetest.Publisher, nodes []sim.Node, items int) {
	v.t.Helper()
	within := p.Silence
	v.Run(within)
	stays := make(map[sim.Node]bool)
	for _, n := range nodes {
		stays[n] = true
	}
	due, soon := len(nodes)*items, 0
	var slowest time.Duration
	for _, e := range v.traced[fmt.Sprintf("%T", feedtree.Taken{})] {
		taken := e.event.(feedtree.Taken)
		if !stays[e.node] || taken.Topic != p.Topic() {
			continue
		}
		took := e.at - time.Duration(taken.Time-v.epoch)*time.Millisecond
		slowest = max(slowest, took)
		if took <= within {
			soon++
		}
	}
	v.t.Logf("%d of %d deliveries within %v, the slowest after %v", soon, due, within, slowest)
	if soon*1000 < due*999 {
		v.t.Errorf("only %d of %d deliveries within %v", soon, due, within)
	}
}
