package experiments

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

// watchInterior measures what the member sends that has the most children.
func watchInterior(run *lab.Run, s feedtreeSizes) error {
	f := newForest(run, 1)
	if err := f.grow(s.Interior); err != nil {
		return err
	}
	if err := f.begin(time.Hour); err != nil {
		return err
	}
	p := f.feeds[0]
	member, children := f.busiest(p)
	items, all := f.itemBytes(member), f.treeBytes(member)
	run.Stage("publishing", 0.4)
	steps := int(s.InteriorFor / interiorEvery)
	for i := range steps {
		f.publish(p, interiorItem)
		if err := run.AdvancePart(f.world, interiorEvery, i, steps); err != nil {
			return err
		}
	}
	of16 := 16 / float64(children) / s.InteriorFor.Seconds()
	run.Figure(interiorItems, float64(f.itemBytes(member)-items)*of16)
	run.Figure(interiorAll, float64(f.treeBytes(member)-all)*of16)
	run.Figure(interiorChildren, float64(children))
	run.Ran(f.world)
	return nil
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
