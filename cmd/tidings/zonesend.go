package main

import (
	"cmp"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

type zoneSendCmd struct {
	Path  zoneArg `arg:"" help:"Zone whose members the items are for: /eu, /eu/de." placeholder:"ZONE"`
	File  string  `arg:"" help:"File or URL of news in NITF, NewsML-G2 or ninjs, or of a feed; - for the standard input." placeholder:"FILE"`
	Where string  `help:"Send them only to zones and members whose rows meet a condition, such as: load < 0.5." placeholder:"CONDITION"`
	JSON  bool    `name:"json" help:"Print JSON."`
}

func (c *zoneSendCmd) Run(p *program) error {
	o := view.ZoneSending{Zone: string(c.Path.Path), Where: c.Where}
	var err error
	if o.Source, o.Document, err = sourceOf(p, c.File, true); err != nil {
		return err
	}
	sent, err := p.client.SendToZone(p.ctx, o)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(sent)
	}
	p.out.Printf("Sent %s to %s\n", console.Of(len(sent.Items), "item"), p.out.Paint(console.Bold, sent.Zone))
	for _, item := range sent.Items {
		p.out.Printf("  %s\n", console.Neutral(cmp.Or(item.Title, item.ID)))
	}
	if sent.Members > 0 {
		p.out.Printf("  %s in that zone; those that follow %s get them\n", console.Of(int(sent.Members), "node"),
			tidings.ZoneURL(sent.Zone))
	}
	return nil
}
