package levels

import "fmt"

// Aggregate is what a node sends to others of channels that they do not know one by one: at most MaxBins clusters for
// each polling level, and the slack cluster (section 3.2). Whatever the number of channels, it needs at most 40 KiB on
// the wire, and as a rule less than a tenth of that. The zero Aggregate is of no channels.
//
// Merging is commutative and associative. It adds: merging the same channels again counts them twice.
type Aggregate struct {
	Levels []Bins `cbor:"1,keyasint" max:"32"` // by polling level, up to the greatest in use

	// Slack is the slack cluster (section 4): channels with a fixed level, such as those with no other node near them.
	// Their Load is subtracted from the budget before the rest is shared out.
	Slack Cluster `cbor:"2,keyasint"`
}

// Validate reports whether a is well formed. What comes from a peer must pass before it is used.
func (a *Aggregate) Validate() error {
	if len(a.Levels) > MaxLevels {
		return fmt.Errorf("levels: clusters of %d levels, at most %d", len(a.Levels), MaxLevels)
	}
	for l := range a.Levels {
		if err := a.Levels[l].Validate(); err != nil {
			return fmt.Errorf("level %d: %w", l, err)
		}
	}
	if a.Slack == (Cluster{}) {
		return nil
	}
	return a.Slack.Validate()
}

// Add puts in a channel, or channels with about the same f/g, polled at a level below MaxLevels.
func (a *Aggregate) Add(level int, c Cluster) { a.level(level).Add(c) }

// AddSlack adds channels with fixed levels.
func (a *Aggregate) AddSlack(c Cluster) { a.Slack.Add(c) }

// Merge puts in what is in o. Both are valid. It keeps nothing of o's memory.
func (a *Aggregate) Merge(o *Aggregate) {
	for l := range o.Levels {
		if len(o.Levels[l].Bins) > 0 {
			a.level(l).Merge(o.Levels[l])
		}
	}
	a.Slack.Add(o.Slack)
}

// Total returns all channels in one cluster.
func (a *Aggregate) Total() (total Cluster) {
	total = a.Slack
	for l := range a.Levels {
		for i := range a.Levels[l].Bins {
			total.Add(a.Levels[l].Bins[i].Cluster)
		}
	}
	return total
}

// Reset removes all channels and keeps the memory.
func (a *Aggregate) Reset() { *a = Aggregate{Levels: a.Levels[:0]} }

// Clone returns a copy that uses no more memory than it needs.
func (a *Aggregate) Clone() Aggregate {
	bins := 0
	for l := range a.Levels {
		bins += len(a.Levels[l].Bins)
	}
	all := make([]Bin, 0, bins)
	copied := Aggregate{Slack: a.Slack}
	if len(a.Levels) > 0 {
		copied.Levels = make([]Bins, len(a.Levels))
	}
	for l := range a.Levels {
		from := len(all)
		all = append(all, a.Levels[l].Bins...)
		copied.Levels[l].Scale = a.Levels[l].Scale
		if len(all) > from {
			copied.Levels[l].Bins = all[from:len(all):len(all)]
		}
	}
	return copied
}

func (a *Aggregate) level(level int) *Bins {
	for n := len(a.Levels); n <= level; n++ {
		if n == cap(a.Levels) {
			a.Levels = append(a.Levels, Bins{})
			continue
		}
		a.Levels = a.Levels[:n+1]
		a.Levels[n] = Bins{Bins: a.Levels[n].Bins[:0]} // there are some after a Reset
	}
	return &a.Levels[level]
}
