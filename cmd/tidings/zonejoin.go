package main

import (
	"fmt"

	"tidings/cmd/console"
	"tidings/network/feedtree"
	"tidings/view"
)

type zoneJoinCmd struct {
	Path        zoneArg `arg:"" help:"Zone that the node is to be in from now on, or in one below that makes itself." placeholder:"ZONE"`
	Certificate string  `help:"File with the node's certificate." placeholder:"FILE"`
	Authority   string  `help:"Authority that certifies nodes and installs functions: its file, or its fingerprint where a certificate names it." placeholder:"FINGERPRINT|FILE"`
	Closed      bool    `help:"Exchange zones only with nodes that have a certificate by that authority."`
	Open        bool    `help:"Speak of them to all, and forget certificate and authority."`
	JSON        bool    `name:"json" help:"Print JSON."`
}

func (c *zoneJoinCmd) Run(p *program) error {
	o := view.ZoneOrder{Path: string(c.Path.Path), Authority: c.Authority, Closed: c.Closed, Open: c.Open}
	var err error
	if c.Certificate != "" {
		if o.Certificate, err = readZoneText(c.Certificate); err != nil {
			return err
		}
	}
	if _, err := feedtree.ParseFingerprint(c.Authority); c.Authority != "" && err != nil {
		if o.Authority, err = readZoneText(c.Authority); err != nil {
			return err
		}
	}
	m, err := p.client.JoinZone(p.ctx, o)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(m)
	}
	p.out.Printf("The node goes to %s, now and after every start.\n", m.Home)
	printMembership(p.out, m)
	return nil
}

// printMembership prints the authority and the certificate by which a node is in its zone.
func printMembership(out *console.Console, m view.ZoneMembership) {
	if a := m.Authority; a != nil {
		out.Printf("  authority over %s: %s\n", a.Zone, a.Fingerprint)
	}
	if c := m.Certificate; c != nil {
		rights := ""
		if c.Publish {
			rights = ", with the right to publish to it"
		}
		out.Printf("  certificate for %s until %s%s\n", c.Zone, c.Until.Local().Format("2006-01-02 15:04"), rights)
	}
	if m.Closed {
		out.Printf("  closed: nodes without a certificate are told nothing of the zones\n")
	}
	if len(m.Attributes) > 0 {
		out.Printf("  says %s\n", console.Neutral(attributeWords(m.Attributes)))
	}
	if m.Problem != "" {
		out.Printf("%s (%s)\n", out.Paint(console.Red, console.Neutral(m.Problem)), console.Neutral(m.Hint))
	}
}

// zoneWords says in which zone a node is, in a line of its status.
func zoneWords(z view.ZoneMembership) string {
	words := z.Own
	switch {
	case z.Problem != "":
		return z.Problem + " See: tidings doctor"
	case z.Own == "":
		words = "looking for a place in " + z.Home
	}
	if z.Closed {
		words += ", closed"
	}
	return words
}

type zoneSetCmd struct {
	Name  string `arg:"" help:"Name of the attribute: small letters, digits and _."`
	Value string `arg:"" help:"Its value: a number, or a text of at most 128 bytes."`
}

func (c *zoneSetCmd) Run(p *program) error {
	if c.Value == "" {
		return usage("an empty value says nothing", "to take it back: tidings zone unset "+console.Neutral(c.Name))
	}
	if err := p.client.SetZoneAttribute(p.ctx, c.Name, c.Value); err != nil {
		return err
	}
	p.out.Printf("The node says %s in its zone, now and after every start.\n",
		console.Neutral(fmt.Sprintf("%s=%s", c.Name, c.Value)))
	return nil
}

type zoneUnsetCmd struct {
	Name string `arg:"" help:"Name of the attribute."`
}

func (c *zoneUnsetCmd) Run(p *program) error {
	if err := p.client.SetZoneAttribute(p.ctx, c.Name, ""); err != nil {
		return err
	}
	p.out.Printf("The node says nothing of %s any more.\n", console.Neutral(c.Name))
	return nil
}
