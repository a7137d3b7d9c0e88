package main

import (
	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

type preferCmd struct {
	Node string `arg:"" optional:"" help:"Its ID, as tidings updates and peers print it. Without one, the nodes that you prefer and distrust are listed."`
	JSON bool   `name:"json" help:"Print JSON: the node, or one node a line."`
}

func (c *preferCmd) Run(p *program) error {
	if c.Node != "" {
		return believe(p, c.Node, tidings.Preferred, c.JSON)
	}
	all, err := p.client.Republishers(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	if len(all) == 0 {
		p.out.Printf("All nodes are believed alike. Prefer one that finds changes for you: tidings prefer ID; " +
			"distrust one: tidings distrust --node ID\n")
		return nil
	}
	p.out.Table(republisherColumns, republisherRows(p.out, all))
	return nil
}

// onlyNode reports that a command has both a channel and a node, or neither.
func onlyNode(command string, url address, node string) error {
	switch {
	case node != "" && url != "":
		return usage("a channel and --node are two things", "see: tidings "+command+" --help")
	case node == "" && url == "":
		return usage("name a channel, or a node by --node", "see: tidings "+command+" --help")
	}
	return nil
}

// believe sets the node's trust in another, and prints that.
func believe(p *program, node string, standing tidings.TrustLevel, asJSON bool) error {
	r, err := p.client.SetRepublisher(p.ctx, node, standing)
	if err != nil {
		return err
	}
	if asJSON {
		return p.out.JSON(r)
	}
	p.out.Printf("%s\n", believingWords(r))
	return nil
}

// believingWords says how a node is trusted from now on.
func believingWords(r view.Republisher) string {
	name := "the node " + shortID(r.Node)
	if r.Node == view.AllNodes {
		name = "all nodes that are not preferred"
	}
	switch r.Trust {
	case tidings.Preferred:
		return "Preferring " + name + ": what it finds is always believed"
	case tidings.Distrusted:
		return "Distrusting " + name + ": what is found there is shown once a check of your own node has seen it"
	}
	return "Believing " + name + " like any other"
}

var republisherColumns = []console.Column{{Title: "NODE"}, {Title: "STANDING"}, {Title: "SINCE"},
	{Title: "WAITED", Right: true}, {Title: "SEEN", Right: true}}

func republisherRows(out *console.Console, all []view.Republisher) [][]console.Cell {
	rows := make([][]console.Cell, len(all))
	for i, r := range all {
		rows[i] = []console.Cell{{Text: shortID(r.Node), Style: console.Bold}, {Text: string(r.Trust)},
			{Text: out.Relative(r.Since)},
			{Text: console.Count(r.Waited)}, {Text: console.Count(r.Seen)}}
	}
	return rows
}

// republishingWords counts the nodes that people here prefer and distrust.
func republishingWords(r view.RepublisherCounts) string {
	return console.Of(r.Preferred, "node") + " preferred, " + console.Count(r.Distrusted) + " distrusted; " +
		console.Of(r.Waited, "change") +
		" waited for a check of this node, which has seen " + console.Count(r.Seen)
}
