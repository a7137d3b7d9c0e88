package main

import (
	"tidings"
	"tidings/cmd/console"
)

type trustCmd struct {
	URL         address `arg:"" optional:"" help:"Address of the channel, or of the page that it belongs to."`
	Fingerprint string  `arg:"" optional:"" help:"The key's, as tidings list and show print it: all 64 hexadecimal digits. Compare it with what the publisher says elsewhere."`
	ThirdParty  bool    `help:"Trust it though the feed does not name it: the key of a third party that publishes the new items of this feed. The feed is still checked, and is believed where the two differ."`
	Node        string  `help:"Instead of a channel: believe this node like any other, neither preferred nor distrusted any more; all: all nodes." placeholder:"ID"`
	JSON        bool    `name:"json" help:"Print JSON: the channel, or the node."`
}

func (c *trustCmd) Run(p *program) error {
	if err := onlyNode("trust", c.URL, c.Node); err != nil {
		return err
	}
	if c.Node != "" {
		return believe(p, c.Node, tidings.Neutral, c.JSON)
	}
	if c.Fingerprint == "" {
		return usage("the fingerprint of the key to trust is missing", "how the channel is pushed: tidings show URL")
	}
	before, err := p.client.Channel(p.ctx, string(c.URL))
	if err != nil {
		return err
	}
	f, err := p.client.Trust(p.ctx, string(c.URL), c.Fingerprint, c.ThirdParty)
	if err != nil {
		return err
	}
	if was := before.Push; was != nil && was.State == tidings.PushDoubled && f.Push != nil &&
		f.Push.Fingerprint == was.Fingerprint {
		p.complain("this key has signed two different items for one number: if its publisher cannot say how, "+
			"somebody else has it",
			"to take no pushes: tidings distrust "+f.URL)
	}
	done := "Trusting a publisher's key for"
	if f.Push != nil && f.Push.ThirdParty {
		done = "Trusting a third party's key for"
	}
	return printDecided(p, f, done, c.JSON)
}

type distrustCmd struct {
	URL  address `arg:"" optional:"" help:"Address of the channel, or of the page that it belongs to."`
	Node string  `help:"Instead of a channel: show what this node finds only once a check of your own node has seen it; all: every node that is not preferred." placeholder:"ID"`
	JSON bool    `name:"json" help:"Print JSON: the channel, or the node."`
}

func (c *distrustCmd) Run(p *program) error {
	if err := onlyNode("distrust", c.URL, c.Node); err != nil {
		return err
	}
	if c.Node != "" {
		return believe(p, c.Node, tidings.Distrusted, c.JSON)
	}
	f, err := p.client.Distrust(p.ctx, string(c.URL))
	if err != nil {
		return err
	}
	return printDecided(p, f, "Taking no pushes for", c.JSON)
}

// printDecided prints how a channel is pushed after a person's decision about it.
func printDecided(p *program, f tidings.Subscription, done string, asJSON bool) error {
	if asJSON {
		return p.out.JSON(f)
	}
	p.out.Printf("%s %s\n", done, p.out.Paint(console.Bold, console.Neutral(f.Label())))
	if f.Push != nil {
		printPush(p.out, f)
	}
	return nil
}
