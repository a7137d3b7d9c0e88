package main

import (
	"errors"

	"tidings/cmd/console"
	"tidings/view"
)

type archiveCmd struct {
	URL   string `arg:"" help:"Address of a channel that you follow."`
	Since moment `help:"Back to then: 2h or 2d ago, a date, or a time as in RFC 3339; default: to the beginning." placeholder:"TIME"`
	Limit int    `help:"At most so many items; default all. With --json the last entry is given whole." placeholder:"N"`
	JSON  bool   `name:"json" help:"Print JSON, one entry a line."`
}

func (c *archiveCmd) Run(p *program) error {
	left := quota{limit: c.Limit, whole: c.JSON}
	missing, err := p.client.Older(p.ctx, c.URL, view.ArchiveQuery{Since: c.Since.Time},
		func(a view.Archived) error {
			a.Items = left.cut(a.Items)
			if err := c.print(p.out, a); err != nil {
				return err
			}
			return left.count(max(1, len(a.Items)))
		})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil:
		return err
	case left.printed == 0 && !c.JSON:
		p.out.Printf("Nothing was published in that time.\n")
	}
	if missing > 0 {
		p.complain(console.Of(missing, "published item")+" in between could not be found",
			"nobody in the network has them now")
	}
	return nil
}

func (c *archiveCmd) print(out *console.Console, a view.Archived) error {
	if c.JSON {
		return out.JSON(a)
	}
	from := "from " + console.Neutral(a.Document)
	if a.SignedBy != "" {
		from = "published, signed by " + shortID(a.SignedBy) + "…, number " + console.Count(int64(a.Number))
	}
	when := "undated"
	if !a.Time.IsZero() {
		when = a.Time.Local().Format("2006-01-02 15:04")
	}
	for _, item := range a.Items {
		printItem(out, item, vouching{}, from, when)
	}
	return nil
}
