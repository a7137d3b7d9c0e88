package feedtree

import (
	"time"

	"tidings/lab"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// The paper's feed: 4 KB an hour, here in four items.
const (
	interiorItem  = 1 << 10
	interiorEvery = 15 * time.Minute
)

// interior is what the member sends that has the most children, in bytes a second, reckoned for 16.
type interior struct {
	items, all float64
	children   int
}

// watchInterior measures it.
func watchInterior(run *lab.Run, s sizes) interior {
	f := newForest(run, 1)
	f.grow(s.Interior)
	f.begin(time.Hour)
	p := f.feeds[0]
	member, children := f.busiest(p)
	items, all := f.itemBytes(member), f.treeBytes(member)
	run.Stage("publishing", 0.4)
	steps := int(s.InteriorFor / interiorEvery)
	for i := range steps {
		f.publish(p, interiorItem)
		run.AdvancePart(f.World, interiorEvery, i, steps)
	}
	of16 := 16 / float64(children) / s.InteriorFor.Seconds()
	run.Ran(f.World)
	return interior{float64(f.itemBytes(member)-items) * of16, float64(f.treeBytes(member)-all) * of16, children}
}

// busiest returns the member with the most children, which is not the publisher's node.
func (f *forest) busiest(p *pushedFeed) (member sim.Node, children int) {
	for _, n := range f.nodes {
		place, _ := n.scribe.Place(scribe.Group{Topic: p.topic, Key: p.topic})
		if n != p.at && len(place.Children) > children {
			member, children = n.number, len(place.Children)
		}
	}
	return member, children
}
