package experiments

import (
	"slices"
	"time"

	"tidings/lab"
)

// pushing is what was measured of publishers in one network.
type pushing struct {
	day    float64 // bytes that all publishers' nodes send in a day
	delays []float64
}

// restFor is how long publishers are watched at rest: in that time each says one word, as it is half of the silence that
// it promises.
const restFor = 5 * time.Minute

// push has publishers publish some items of the feeds each, in a network of so many nodes.
func push(run *lab.Run, nodes, items int, feeds []recorded) (p pushing, err error) {
	f := newForest(run, len(feeds))
	if err := f.grow(nodes); err != nil {
		return p, err
	}
	if err := f.begin(2 * restFor); err != nil {
		return p, err
	}
	run.Stage("resting", 0.2)
	before := f.publishersBytes()
	if err := run.Advance(f.world, restFor); err != nil {
		return p, err
	}
	rest := float64(f.publishersBytes()-before) / restFor.Seconds() // of all publishers
	run.Figure(sized(pushRest, nodes), rest/float64(len(feeds)))
	p.day = rest * (24 * time.Hour).Seconds()
	run.Stage("publishing", 0.2)
	published, sent := 0, 0.
	for i, feed := range feeds {
		length, bytes, err := f.publishSome(i, feed, items)
		if err != nil {
			return p, err
		}
		published += length
		sent += bytes
		p.day += bytes / float64(items) * feed.perDay
	}
	run.Figure(sized(pushFactor, nodes), sent/float64(published))
	run.Figure(sized(itemsLacking, nodes), float64(len(feeds)*items*(nodes-1)-f.taken))
	slices.Sort(f.delays)
	p.delays = f.delays
	run.Figure(sized(delayMedian, nodes), quantile(f.delays, 0.5))
	run.Figure(sized(delay99, nodes), quantile(f.delays, 0.99))
	run.Ran(f.world)
	return p, nil
}

// publishSome has the i-th publisher publish the latest items of a feed, and returns their length and the bytes that its node
// has sent for them.
func (f *forest) publishSome(i int, feed recorded, items int) (length int, bytes float64, err error) {
	p := f.feeds[i]
	before := f.publishedBytes(p.at.number)
	for k := range items {
		entry := feed.items[max(0, len(feed.items)-items)+k%min(items, len(feed.items))]
		f.publish(p, entry)
		length += entry
		if err := f.run.Pass(f.world, 3*time.Second); err != nil {
			return 0, 0, err
		}
	}
	if err := f.run.Pass(f.world, 15*time.Second); err != nil {
		return 0, 0, err
	}
	f.run.Part(i+1, len(f.feeds))
	return length, float64(f.publishedBytes(p.at.number) - before), nil
}

// publishersBytes returns what the publishers' nodes have sent so far.
func (f *forest) publishersBytes() (bytes uint64) {
	for _, p := range f.feeds {
		bytes += f.world.NodeCount(p.at.number).SentBytes
	}
	return bytes
}
