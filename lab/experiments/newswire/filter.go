package newswire

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/astrolabe/attr"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/spidercast/graph"
)

// newswireShapes are the filters with counted false claims.
var newswireShapes = []newswire.Shape{
	{Bits: 256, Hashes: 1}, {Bits: 512, Hashes: 1}, {Bits: 1024, Hashes: 1}, {Bits: 2048, Hashes: 1},
	{Bits: 4096, Hashes: 1}, {Bits: 1024, Hashes: 3},
}

// newswireFilter is how often filters claim what they do not hold.
type newswireFilter struct {
	claims, formula    float64 // share of topics that are claimed, of those that a member does not subscribe to
	filter, attributes int     // bytes in the row of a zone; of one filter that ships, and in its place
}

// filterNodes is how many members are asked for each topic.
const filterNodes = 400

// measureFilter counts the false claims of members' filters of some shape, over all topics. By the formula, a filter of
// m bits and k hashes with s topics claims another one with a chance of (1-(1-1/m)^(ks))^k.
func measureFilter(run *lab.Run, s newswire.Shape, follows int) (f newswireFilter) {
	w := graph.DrawInterests(rand.New(rand.NewPCG(run.Seed(), 0x40)), filterNodes, newswireTopics, follows, follows,
		graph.RSS)
	claimed, asked := 0, 0
	for _, mine := range w.Follows {
		follows := make(map[int32]bool)
		var topics []engine.ID
		for _, t := range mine {
			follows[t] = true
			topics = append(topics, testnet.TopicID(int(t)))
		}
		filter := s.Filter(topics)
		for t := range int32(newswireTopics) {
			if follows[t] {
				continue
			}
			if asked++; s.Has(filter, testnet.TopicID(int(t))) {
				claimed++
			}
		}
	}
	f.claims = stats.Share(float64(claimed), float64(asked))
	f.formula = math.Pow(1-math.Pow(1-1/float64(s.Bits), float64(s.Hashes*follows)), float64(s.Hashes))
	return f
}

func filterKey(s newswire.Shape, follows int) string {
	return fmt.Sprintf("filter.b%d.k%d.s%d", s.Bits, s.Hashes, follows)
}

// The numbers of subscriptions of which filters are made.
var filterFollows = []int{10, 100}

// addFilterFigures adds what is expected of filters: false claims as by the formula. Topics hash as they hash: the same
// 1,000 for all members, so that which of them collide is one draw.
func addFilterFigures(f *lab.Figures[*newswireResults]) {
	const unwanted = "of what is not wanted"
	for _, s := range newswireShapes {
		for _, follows := range filterFollows {
			key := filterKey(s, follows)
			f.Report(key+".false_forwarding", unwanted,
				func(r *newswireResults) float64 { return r.filters[key].claims })
			over := f.Report(key+".over_formula", "",
				func(r *newswireResults) float64 { return stats.Share(r.filters[key].claims, r.filters[key].formula) })
			if s.Hashes == 1 || follows > 10 { // else it is a claim or two of 400,000
				over.Bound(lab.Between(0.8, 1.25))
			}
		}
	}
	ships := filterKey(newswire.Default().Shape, newswireFollows)
	f.Report("filter.false_forwarding", unwanted, func(r *newswireResults) float64 { return r.filters[ships].claims })
	f.Report("filter.false_forwarding_by_formula", unwanted,
		func(r *newswireResults) float64 { return r.filters[ships].formula })
	for _, follows := range filterFollows {
		key := rowKey(follows)
		f.Report(key+".filter_bytes", "bytes of a zone's row",
			func(r *newswireResults) float64 { return float64(r.filters[key].filter) })
		f.Report(key+".attribute_bytes", "bytes of a zone's row",
			func(r *newswireResults) float64 { return float64(r.filters[key].attributes) })
	}
}

func rowKey(follows int) string { return fmt.Sprintf("row.s%d", follows) }

// measureRows returns how many bytes the row of a zone needs to say what its members subscribe to: in the default
// filter, and with one attribute for each topic with subscribers, named as topics are.
func measureRows(run *lab.Run, follows int) (f newswireFilter) {
	w := graph.DrawInterests(rand.New(rand.NewPCG(run.Seed(), 0x41)), testnet.ZoneMembers, newswireTopics, follows,
		follows,
		graph.RSS)
	var row attr.Row
	wanted := make(map[int32]bool)
	for _, mine := range w.Follows {
		for _, t := range mine {
			if !wanted[t] {
				wanted[t] = true
				row = append(row, attr.Attribute{Name: testnet.TopicID(int(t)).String(), Value: attr.Int(1)})
			}
		}
	}
	set := attr.Of(attr.Attribute{Name: newswire.AttrFilter,
		Value: attr.Bytes(make([]byte, newswire.Default().Shape.Bits/8))})
	f.filter, f.attributes = set.Size(), row.Size()
	return f
}

func measureFilters(run *lab.Run) map[string]newswireFilter {
	all := make(map[string]newswireFilter)
	for _, follows := range filterFollows {
		for _, s := range newswireShapes {
			all[filterKey(s, follows)] = measureFilter(run, s, follows)
		}
		all[rowKey(follows)] = measureRows(run, follows)
	}
	return all
}

func (r *newswireResults) filterLines() (lines []plot.Series) {
	var bits []int
	for _, s := range newswireShapes {
		if s.Hashes == 1 {
			bits = append(bits, s.Bits)
		}
	}
	for _, follows := range filterFollows {
		at := func(i int) newswireFilter {
			return r.filters[filterKey(newswire.Shape{Bits: bits[i], Hashes: 1}, follows)]
		}
		lines = append(lines,
			plot.Over(fmt.Sprintf("%d subscriptions", follows), bits,
				func(i int) float64 { return 100 * at(i).claims }),
			plot.Over(fmt.Sprintf("%d subscriptions, by the formula", follows), bits,
				func(i int) float64 { return 100 * at(i).formula }))
	}
	return lines
}
