package levels

import "tidings/network/honeycomb"

// Aggregate adds the clusters of channels that others own. Their wedges are w on average, as Model.Expected returns
// them. a must be valid. Indices in the Solution are not returned.
func (p *Plan) Aggregate(a *Aggregate, w *Wedges) {
	for l := range a.Levels {
		for _, bin := range a.Levels[l].Bins {
			p.bin(bin, a.Levels[l].Scale, w)
		}
	}
	p.Slack(a.Slack)
}

// Channels of a bin differ, by as much as the bin is wide. As equals they would all come to the same level, and the
// budget of a bin would jump where in truth it grows. With the bins of a network in which all channels are still at one
// level, that is 9 % of the load. So a bin is spread over its range again, evenly around its mean.
const (
	// finestParts is into how many parts a bin of scale 0 is spread: each a thirty-second
	// of a doubling of f/g wide.
	finestParts = 4

	// maxParts bounds the parts of wider bins.
	maxParts = 32
)

func (p *Plan) bin(b Bin, scale uint8, w *Wedges) {
	c := b.Cluster
	channels, parts := min(c.Channels, MaxAlike), b.parts(scale)
	if parts == 1 || p.model.Policy.Goal == honeycomb.Legacy {
		p.Cluster(c, w, 0, w.levels-1)
		return
	}
	p.allow(c.Subscribers, c.Due)
	weight, size, reach := c.weight(), c.size(), b.reach(scale)
	for i := range parts {
		middle := (2*float64(i) + 1 - float64(parts)) / float64(parts) // -1 to 1
		for l := range w.levels {
			p.costs[l] = weight * (1 + float64(middle*reach)) * w.delays[l]
			p.loads[l] = size * w.pollers[l]
		}
		p.add(channels*(i+1)/parts-channels*i/parts, 0, w.levels)
	}
}

// parts returns into how many parts a bin is spread.
func (b *Bin) parts(scale uint8) uint64 {
	return min(b.Cluster.Channels, MaxAlike, maxParts, finestParts<<scale)
}

// Parts returns as how many channels [Plan.Aggregate] counts a at most, the slack left out: for [Plan.Grow].
func (a *Aggregate) Parts() (count int) {
	for l := range a.Levels {
		for i := range a.Levels[l].Bins {
			count += int(a.Levels[l].Bins[i].parts(a.Levels[l].Scale))
		}
	}
	return count
}

// reach returns how far from the mean of f/g the channels of a bin lie both ways, as a share of the mean: as far as the
// nearer end of the bin. It is 0 if the bin's index is not that of its channels, which a peer can claim.
func (b Bin) reach(scale uint8) float64 {
	ratio := b.Cluster.ratio()
	low, high := lowest(int(b.Index)<<scale), lowest((int(b.Index)+1)<<scale)
	if !(ratio > low && ratio < high) {
		return 0
	}
	return min(ratio-low, high-ratio) / ratio
}
