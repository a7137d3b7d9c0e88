package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tidings/lab"
	"tidings/lab/plot"
	"tidings/network/astrolabe/attr"
	"tidings/network/engine"
	"tidings/network/newswire"
)

// newswireShapes are the filters whose false claims are counted.
var newswireShapes = []newswire.Shape{
	{Bits: 256, Hashes: 1}, {Bits: 512, Hashes: 1}, {Bits: 1024, Hashes: 1}, {Bits: 2048, Hashes: 1}, {Bits: 4096, Hashes: 1}, {Bits: 1024, Hashes: 3},
}

// newswireFilter is how often filters claim what they do not hold.
type newswireFilter struct {
	claims, formula float64 // share of topics that are claimed, of those that a member does not subscribe to
}

// filterNodes is how many members are asked for each topic.
const filterNodes = 400

// measureFilter counts the false claims of members' filters of some shape, over all topics. By the formula a filter of m bits and k hashes with s topics
// claims another one with a chance of (1-(1-1/m)^(ks))^k.
func measureFilter(run *lab.Run, s newswire.Shape, follows int) (f newswireFilter) {
	w := drawInterests(rand.New(rand.NewPCG(run.Seed(), 0x40)), filterNodes, newswireTopics, follows, follows, rssTopics)
	claimed, asked := 0, 0
	for _, mine := range w.follows {
		follows := make(map[int32]bool)
		var topics []engine.ID
		for _, t := range mine {
			follows[t] = true
			topics = append(topics, topicID(int(t)))
		}
		filter := s.Filter(topics)
		for t := range int32(newswireTopics) {
			if follows[t] {
				continue
			}
			if asked++; s.Has(filter, topicID(int(t))) {
				claimed++
			}
		}
	}
	f.claims = share(float64(claimed), float64(asked))
	f.formula = math.Pow(1-math.Pow(1-1/float64(s.Bits), float64(s.Hashes*follows)), float64(s.Hashes))
	return f
}

func filterKey(s newswire.Shape, follows int) string {
	return fmt.Sprintf("filter.b%d.k%d.s%d", s.Bits, s.Hashes, follows)
}

// The numbers of subscriptions of which filters are made.
var filterFollows = []int{10, 100}

// expectFilters adds what is expected of filters: false claims as by the formula. Topics hash as they hash: the same 1,000 for all members, so that which of
// them collide is one draw.
func expectFilters(all []lab.Expected) []lab.Expected {
	for _, s := range newswireShapes {
		for _, follows := range filterFollows {
			over := lab.Expected{Name: filterKey(s, follows) + ".over_formula", Within: lab.Between(0.8, 1.25)}
			if s.Hashes > 1 && follows <= 10 { // a claim or two of 400,000
				over = lab.Expected{Name: over.Name, Aside: true}
			}
			all = append(all, lab.Expected{Name: filterKey(s, follows) + ".false_forwarding", Unit: "of what is not wanted", Aside: true}, over)
		}
	}
	for _, name := range []string{"", "_by_formula"} { // of what ships
		all = append(all, lab.Expected{Name: "filter.false_forwarding" + name, Unit: "of what is not wanted", Aside: true})
	}
	for _, follows := range filterFollows {
		for _, name := range []string{".filter_bytes", ".attribute_bytes"} {
			all = append(all, lab.Expected{Name: rowKey(follows) + name, Unit: "bytes of a zone's row", Aside: true})
		}
	}
	return all
}

func rowKey(follows int) string { return fmt.Sprintf("row.s%d", follows) }

// measureRows returns how many bytes say in the row of a zone of newswireMembers members what they subscribe to: in a filter as it ships, and with one attribute for
// each topic that somebody subscribes to, named as topics are.
func measureRows(run *lab.Run, follows int) (filter, attributes int) {
	w := drawInterests(rand.New(rand.NewPCG(run.Seed(), 0x41)), newswireMembers, newswireTopics, follows, follows, rssTopics)
	var row attr.Row
	wanted := make(map[int32]bool)
	for _, mine := range w.follows {
		for _, t := range mine {
			if !wanted[t] {
				wanted[t] = true
				row = append(row, attr.Attribute{Name: topicID(int(t)).String(), Value: attr.Int(1)})
			}
		}
	}
	set := attr.Of(attr.Attribute{Name: newswire.AttrFilter, Value: attr.Bytes(make([]byte, newswire.Default().Shape.Bits/8))})
	return set.Size(), row.Size()
}

func runFilters(run *lab.Run) {
	lines := make([]plot.Series, 2*len(filterFollows))
	for i, follows := range filterFollows {
		lines[2*i].Label = fmt.Sprintf("%d subscriptions", follows)
		lines[2*i+1].Label = fmt.Sprintf("%d subscriptions, by the formula", follows)
	}
	for _, s := range newswireShapes {
		for i, follows := range filterFollows {
			f := measureFilter(run, s, follows)
			run.Figure(filterKey(s, follows)+".false_forwarding", f.claims)
			run.Figure(filterKey(s, follows)+".over_formula", share(f.claims, f.formula))
			if s == newswire.Default().Shape && follows == newswireFollows {
				run.Figure("filter.false_forwarding", f.claims)
				run.Figure("filter.false_forwarding_by_formula", f.formula)
			}
			if s.Hashes == 1 {
				lines[2*i].Points = append(lines[2*i].Points, plot.Point{X: float64(s.Bits), Y: 100 * f.claims})
				lines[2*i+1].Points = append(lines[2*i+1].Points, plot.Point{X: float64(s.Bits), Y: 100 * f.formula})
			}
		}
	}
	for _, follows := range filterFollows {
		filter, attributes := measureRows(run, follows)
		run.Figure(rowKey(follows)+".filter_bytes", float64(filter))
		run.Figure(rowKey(follows)+".attribute_bytes", float64(attributes))
	}
	run.Plot(plot.Plot{
		Name: "filter", Title: "Items that come to a member for nothing, of those that it does not want",
		Caption: "1,000 topics, one hash; 400 members.",
		X:       plot.Axis{Label: "bits of a filter", Log: true}, Y: plot.Axis{Label: "false forwarding", Unit: "%", Log: true}, Series: lines,
	})
}
