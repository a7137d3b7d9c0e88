package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tidings/cmd/console"
	"tidings/view"
)

type zoneCmd struct {
	Show zoneShowCmd `cmd:"" default:"withargs" help:"Show the table of a zone: its members, its zones, and what its rows say."`
	List zoneListCmd `cmd:"" help:"List the zones that the node is in, from the root down, and how many nodes each has."`

	Join  zoneJoinCmd  `cmd:"" help:"Join a zone, with a certificate where the network is closed."`
	Set   zoneSetCmd   `cmd:"" help:"Publish an attribute of the node in its zone."`
	Unset zoneUnsetCmd `cmd:"" help:"Remove an attribute that zone set has published."`

	Send zoneSendCmd `cmd:"" help:"Send the items of a document to the nodes that follow a zone, or whose queries select them there."`

	Create    zoneCreateCmd    `cmd:"" help:"Make the key of an authority over a zone."`
	Authority zoneAuthorityCmd `cmd:"" help:"Print the public part of an authority's key, for nodes to trust."`
	Certify   zoneCertifyCmd   `cmd:"" help:"Certify a node for a zone, a publisher, or the key of a zone below."`

	InstallFunction zoneInstallCmd `cmd:"" help:"Install an SQL function that all zones below one compute over their members; an authority signs it."`
	RevokeFunction  zoneRevokeCmd  `cmd:"" help:"Remove a function from a zone."`
}

type zoneShowCmd struct {
	Path string `arg:"" optional:"" help:"Zone that the node is in, such as / or /eu; without it the lowest." placeholder:"ZONE"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c *zoneShowCmd) Run(p *program) error {
	z, err := p.client.Zone(p.ctx, c.Path)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(z)
	}
	if z.Own == "" {
		p.out.Printf("%s", noZone)
		return nil
	}
	p.out.Printf("%s  %s\n", z.Path, console.Of(int(membersOf(z)), "node"))
	rows := make([][]console.Cell, len(z.Rows))
	for i, r := range z.Rows {
		name := r.Label
		if r.Kind == view.ZoneMember {
			name = shortID(r.Issuer)
		}
		if r.Kind == view.ZoneFunction {
			rows[i] = []console.Cell{{Text: console.Neutral(strings.TrimPrefix(name, "&")), Style: console.Bold},
				{Text: string(r.Kind)}, {}, {Text: p.out.Relative(r.Installed)},
				{Text: console.Neutral(functionWords(r))}}
			continue
		}
		rows[i] = []console.Cell{{Text: console.Neutral(name), Style: console.Bold}, {Text: kindWords(r)},
			{Text: console.Count(r.Members)},
			{Text: p.out.Relative(r.Written)}, {Text: console.Neutral(attributeWords(r.Attributes))}}
	}
	p.out.Table([]console.Column{{Title: "NAME"}, {Title: "KIND"}, {Title: "NODES", Right: true},
		{Title: "WRITTEN", Spare: true},
		{Title: "ATTRIBUTES", Least: 24}}, rows)
	return nil
}

const noZone = "This node is in no zone: it is in one where the network's router is newswire and many nodes " +
	"follow a channel, or once it was told to: tidings zone join ZONE\n"

// functionWords says what a function computes.
func functionWords(r view.ZoneRow) string {
	if r.Failure != "" {
		return "fails: " + r.Failure
	}
	return "computes " + strings.Join(r.Computes, ", ")
}

// kindWords says what a row is about.
func kindWords(r view.ZoneRow) string {
	if r.Within {
		return string(r.Kind) + ", with this node"
	}
	return string(r.Kind)
}

// attributeWords lists attributes by name.
func attributeWords(attributes map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		words = append(words, fmt.Sprintf("%s=%s", name, attributes[name]))
	}
	return strings.Join(words, " ")
}

func membersOf(z view.Zone) (n int64) {
	for _, r := range z.Rows {
		n += r.Members
	}
	return n
}

type zoneListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one zone a line, with its table."`
}

func (c *zoneListCmd) Run(p *program) error {
	own, err := p.client.Zone(p.ctx, "")
	if err != nil {
		return err
	}
	if own.Own == "" && !c.JSON {
		p.out.Printf("%s", noZone)
		return nil
	}
	zones := []view.Zone{own}
	for path := own.Own; path != "/" && path != ""; {
		path = cmp.Or(path[:strings.LastIndexByte(path, '/')], "/")
		z, err := p.client.Zone(p.ctx, path)
		if err != nil {
			return err
		}
		zones = append(zones, z)
	}
	slices.Reverse(zones)
	if c.JSON {
		return printLines(p.out, zones)
	}
	rows := make([][]console.Cell, len(zones))
	for i, z := range zones {
		rows[i] = []console.Cell{{Text: z.Path, Style: console.Bold}, {Text: console.Count(membersOf(z))},
			{Text: console.Count(int64(len(z.Rows)))}}
	}
	p.out.Table([]console.Column{{Title: "ZONE", Least: 12}, {Title: "NODES", Right: true},
		{Title: "ROWS", Right: true}}, rows)
	return nil
}
