package feedtree

import (
	"slices"
	"time"

	"tidings/lab"
)

// pushing is what was measured of publishers in one network.
type pushing struct {
	day     float64 // bytes that all publishers' nodes send in a day
	rest    float64 // bytes that one of them sends a second at rest
	factor  float64 // bytes sent for each that was published
	delays  []float64
	lacking int
}

// restFor is how long publishers are watched at rest: in that time each says one word, as it is half of the silence that it promises.
const restFor = 5 * time.Minute

// push has publishers publish some items of the feeds each, in a network of so many nodes.
func push(run *lab.Run, nodes, items int, feeds []recorded) *pushing {
	f, p := newForest(run, len(feeds)), new(pushing)
	f.grow(nodes)
	f.begin(2 * restFor)
	run.Stage("resting", 0.2)
	before := f.publishersBytes()
	run.Advance(f.World, restFor)
	rest := float64(f.publishersBytes()-before) / restFor.Seconds() // of all publishers
	p.rest = rest / float64(len(feeds))
	p.day = rest * (24 * time.Hour).Seconds()
	run.Stage("publishing", 0.2)
	published, sent := 0, 0.
	for i, feed := range feeds {
		length, bytes := f.publishSome(i, feed, items)
		published += length
		sent += bytes
		p.day += bytes / float64(items) * feed.perDay
	}
	slices.Sort(f.delays)
	p.factor, p.delays, p.lacking = sent/float64(published), f.delays, len(feeds)*items*(nodes-1)-len(f.delays)
	run.Ran(f.World)
	return p
}

// publishSome has the i-th publisher publish the latest items of a feed, and returns their length and the bytes that its node has sent for them.
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
