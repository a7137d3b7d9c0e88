package main

import (
	"strings"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

// vouching is the nodes that stand for an update, and the result of that.
type vouching struct {
	foundBy, signedBy string
	confirmedBy       []string
	thirdParty        bool // signedBy is a third party's
	withdrawn         *tidings.Withdrawal
}

func vouchingOf(u tidings.Update) vouching {
	return vouching{u.FoundBy, u.SignedBy, u.ConfirmedBy, u.ThirdParty, u.Withdrawn}
}

// whence says where an update comes from: its publisher, or its finder and the nodes that have seen it as well.
func (v vouching) whence() string {
	switch {
	case v.thirdParty:
		return "published by a third party, signed by " + shortFingerprint(v.signedBy)
	case v.signedBy != "":
		return "published, signed by " + shortFingerprint(v.signedBy)
	case v.foundBy == "":
		return ""
	case len(v.confirmedBy) == 0:
		return "found by " + shortID(v.foundBy) + " alone"
	}
	return "found by " + shortID(v.foundBy) + ", confirmed by " + nodeNames(v.confirmedBy)
}

// lone returns the node's ID if it works alone: that it has found something goes without saying. Else, or if the node
// does not say, it returns "".
func (p *program) lone() string {
	if s, err := p.client.Status(p.ctx); err == nil && s.Off {
		return s.ID
	}
	return ""
}

// falseness says why an update is withdrawn, and by the word of which nodes it was shown; "": it is not withdrawn.
func (v vouching) falseness(out *console.Console) string {
	w := v.withdrawn
	if w == nil {
		return ""
	}
	words := "withdrawn " + out.Relative(w.Time) + ": " + console.Neutral(w.Reason)
	if len(w.VouchedBy) > 0 {
		words += "; shown here by the word of " + nodeNames(w.VouchedBy)
	}
	return words
}

// maxNodesNamed is how many nodes are named in a line; others are counted.
const maxNodesNamed = 4

// nodeNames lists nodes by their short IDs.
func nodeNames(ids []string) string {
	var names []string
	for _, id := range ids[:min(len(ids), maxNodesNamed)] {
		names = append(names, shortID(id))
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, console.Count(more)+" more")
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// printFalse says of an update that is withdrawn that it is.
func printFalse(out *console.Console, v vouching) {
	words := v.falseness(out)
	if words == "" {
		return
	}
	for _, line := range console.Wrap(words, min(max(out.Width-2, 0), 100)) {
		out.Printf("  %s\n", out.Paint(console.Red, line))
	}
}

// printPenalties lists what this node has against others.
func printPenalties(p *program, asJSON bool) error {
	s, err := p.client.Status(p.ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printLines(p.out, s.Coop.Penalties)
	}
	if len(s.Coop.Penalties) == 0 {
		p.out.Printf("No node has a penalty: whatever others vouched for within the last %s, this node has found "+
			"at its origin where it has checked.\n", days(view.PenaltyAge))
		return nil
	}
	p.out.Table([]console.Column{{Title: "NODE"}, {Title: "TIMES", Right: true}, {Title: "WHEN"},
		{Title: "WHY", Least: 24}, {Title: "CHANNEL", Least: 16, Spare: true}},
		penaltyRows(p.out, s.Coop.Penalties))
	p.out.Printf("\nWhat follows is for you to say. To show what such a node finds only once your own node has " +
		"seen it: tidings distrust --node ID\n")
	return nil
}

// penaltyRows has a row for each reason; of a node the first names it.
func penaltyRows(out *console.Console, all []view.Penalty) (rows [][]console.Cell) {
	for _, n := range all {
		node, times := console.Cell{Text: shortID(n.Node), Style: console.Bold},
			console.Cell{Text: console.Count(n.Times)}
		for _, r := range n.Reasons {
			rows = append(rows, []console.Cell{node, times, {Text: out.Relative(r.Time)},
				{Text: console.Neutral(r.Reason)}, {Text: console.Neutral(r.Channel), Style: console.Blue}})
			node, times = console.Cell{}, console.Cell{}
		}
	}
	return rows
}
