package feedtree

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/routers/scribe"
	"tidings/network/sim"
)

// pushing is what was measured of publishers in one network.
type pushing struct {
	day     float64 // bytes that all publishers' nodes send in a day
	own     float64 // of these: what they send because they publish
	rest    float64 // bytes that one of them sends a second at rest
	others  float64 // bytes that a node that publishes nothing sends a second at rest
	factor  float64 // bytes sent for each that was published
	delays  []float64
	lacking int
}

// restFor is how long publishers are watched at rest. In that time each sends one word, as it is half of the silence
// that it promises.
const restFor = 5 * time.Minute

// push has publishers publish some items of the feeds each, in a network of so many nodes.
func (f *forest) push(nodes, items int, feeds []recorded) *pushing {
	run, p := f.Run, new(pushing)
	f.grow(nodes)
	f.begin(2 * restFor)
	run.Stage("resting", 0.2)
	all, publishers, own := f.sentBytes(), f.publishersBytes(), f.ownBytes()
	run.Advance(f.World, restFor)
	perSecond := func(now, before uint64) float64 { return float64(now-before) / restFor.Seconds() }
	rest := perSecond(f.publishersBytes(), publishers) // of all publishers
	p.rest = rest / float64(len(feeds))
	p.others = (perSecond(f.sentBytes(), all) - rest) / float64(nodes-len(feeds))
	p.day = rest * (24 * time.Hour).Seconds()
	p.own = perSecond(f.ownBytes(), own) * (24 * time.Hour).Seconds()
	run.Stage("publishing", 0.2)
	published, sent := 0, 0.
	for i, feed := range feeds {
		own := f.ownBytes()
		length, bytes := f.publishSome(i, feed, items)
		published += length
		sent += bytes
		p.day += bytes / float64(items) * feed.perDay
		p.own += float64(f.ownBytes()-own) / float64(items) * feed.perDay
	}
	slices.Sort(f.delays)
	p.factor, p.delays, p.lacking = sent/float64(published), f.delays, len(feeds)*items*(nodes-1)-len(f.delays)
	run.Ran(f.World)
	return p
}

// publishSome publishes the latest items of a feed at the i-th publisher. It returns their length, and the bytes that
// its node has sent for them.
func (f *forest) publishSome(i int, feed recorded, items int) (length int, bytes float64) {
	p := f.feeds[i]
	before := f.publishedBytes(p.at.number)
	for k := range items {
		entry := feed.items[max(0, len(feed.items)-items)+k%min(items, len(feed.items))]
		f.publish(p, entry)
		length += entry
		f.Run.Pass(f.World, 3*time.Second)
	}
	f.Run.Pass(f.World, 15*time.Second)
	f.Run.Part(i+1, len(f.feeds))
	return length, float64(f.publishedBytes(p.at.number) - before)
}

// publishersBytes returns what the publishers' nodes have sent so far.
func (f *forest) publishersBytes() (bytes uint64) {
	for _, p := range f.feeds {
		bytes += f.NodeCount(p.at.number).SentBytes
	}
	return bytes
}

// sentBytes returns what all nodes have sent so far.
func (f *forest) sentBytes() (bytes uint64) {
	for _, n := range f.nodes {
		bytes += f.NodeCount(n.number).SentBytes
	}
	return bytes
}

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
