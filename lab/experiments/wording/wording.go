// Package wording has the words of all experiments: what their figures are called by people, which question each answers, and
// the sentences that reports begin with. Package lab says what it makes of them.
package wording

import (
	"slices"

	"tidings/lab"
)

// Questions that several experiments ask.
const (
	nothingLost = "Does everybody get every update, once?"
	howSoon     = "How soon do updates arrive?"
	whatItCosts = "What does it cost?"
	inTrouble   = "What happens in trouble?"
)

// liveMeasures are what all live networks count.
var liveMeasures = []lab.Measure{
	{Name: "due", Label: "deliveries that were due"},
	{Name: "lost", Label: "deliveries lost"},
	{Name: "twice", Label: "deliveries made twice"},
	{Name: "noise", Label: "updates at nodes that had not asked for them"},
	{Name: "node_errors", Label: "errors that nodes logged"},
}

// oncePerReader are the sentences that go with liveMeasures.
var oncePerReader = []lab.Finding{
	{Figure: "live.due", Says: "{} deliveries were due"},
	{Figure: "live.lost", Says: "{} of them were lost"},
	{Figure: "live.twice", Says: "{} of them were made twice"},
}

// without returns the measures but for one.
func without(all []lab.Measure, name string) []lab.Measure {
	return slices.DeleteFunc(slices.Clone(all), func(m lab.Measure) bool { return m.Name == name })
}
