package main

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
)

type updatesCmd struct {
	Follow  bool   `short:"f" help:"Go on with updates as they come. Alone, it begins now."`
	Since   moment `help:"Begin with what was received since then: 2h or 2d ago, a date, or a time as in RFC 3339." placeholder:"TIME"`
	SinceID *int64 `name:"since-id" help:"Begin after the update of this ID: the cursor of a program that returns." placeholder:"N"`
	Limit   int    `help:"At most so many; default 50 without a beginning, else all. With --follow it ends after so many." placeholder:"N"`
	JSON    bool   `name:"json" help:"Print JSON, one update a line."`
}

// updatesPage is how many updates are asked for at a time, and newestUpdates how many are
// printed when nobody says from where.
const (
	updatesPage   = 100
	newestUpdates = 50
)

// errEnough ends a stream that has told as much as was asked for.
var errEnough = errors.New("enough")

func (c *updatesCmd) Run(p *program) error {
	printed := 0
	show := func(u tidings.Update) error {
		if err := c.print(p.out, u); err != nil {
			return err
		}
		if printed++; printed == c.Limit {
			return errEnough
		}
		return nil
	}
	err := c.run(p, show)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (c *updatesCmd) run(p *program, show func(tidings.Update) error) error {
	after := api.FromNow
	if c.SinceID != nil {
		after = *c.SinceID
	}
	switch {
	case c.Follow:
		p.client.Away = func(error) { p.complain("the node is away", "waiting for it to come back") }
		return p.client.Follow(p.ctx, after, c.Since.Time, show)
	case c.SinceID == nil && c.Since.IsZero():
		return c.newest(p, show)
	}
	return c.all(p, max(after, 0), show)
}

// newest prints the latest updates, in the order in which they came.
func (c *updatesCmd) newest(p *program, show func(tidings.Update) error) error {
	limit := c.Limit
	if limit == 0 {
		limit = newestUpdates
	}
	all, err := p.client.Updates(p.ctx, tidings.UpdateQuery{Newest: true, Limit: min(limit, tidings.MaxLimit)})
	if err != nil {
		return err
	}
	if len(all) == 0 && !c.JSON {
		p.out.Printf("There are no updates yet.\n")
	}
	return each(all, show)
}

// all prints everything after the cursor, or since the time.
func (c *updatesCmd) all(p *program, after int64, show func(tidings.Update) error) error {
	for {
		batch, err := p.client.Updates(p.ctx, tidings.UpdateQuery{After: after, Since: c.Since.Time, Limit: updatesPage})
		if err != nil {
			return err
		}
		if err := each(batch, show); err != nil || len(batch) < updatesPage {
			return err
		}
		after = batch[len(batch)-1].ID
	}
}

func each(all []tidings.Update, show func(tidings.Update) error) error {
	for _, u := range all {
		if err := show(u); err != nil {
			return err
		}
	}
	return nil
}

func (c *updatesCmd) print(out *console.Console, u tidings.Update) error {
	if c.JSON {
		return out.JSON(u)
	}
	printUpdate(out, u)
	return nil
}

// maxDeltaShown is how many lines of a page's change are printed among updates.
const maxDeltaShown = 40

// printUpdate prints a block for every item, and for a page's change.
func printUpdate(out *console.Console, u tidings.Update) {
	v := vouchingOf(u)
	for _, item := range u.Items { // a page has one when it ends
		printItem(out, item, v, console.Neutral(fromWhere(u, item)), strings.Join(nonEmpty(out.Relative(received(u)), v.whence()), " · "))
	}
	if u.Kind == tidings.KindPage && (u.Delta != "" || len(u.Items) == 0) {
		printPageChange(out, u)
	}
}

// fromWhere names the channel of an item, and the one that a query has it from.
func fromWhere(u tidings.Update, item tidings.Item) string {
	if item.Source == nil {
		return u.Title
	}
	return u.Title + ", from " + cmp.Or(item.Source.Title, item.Source.URL)
}

func printPageChange(out *console.Console, u tidings.Update) {
	v, sign := vouchingOf(u), out.Paint(console.Yellow, "≠")
	if u.Withdrawn != nil {
		sign = out.Paint(console.Red, withdrawnSign)
	}
	out.Printf("%s %s\n", sign, out.Paint(console.Bold, pageTitle(u)))
	out.Printf("  %s\n", out.Paint(console.Dim, strings.Join(nonEmpty("page, version "+console.Count(int64(u.Version)), out.Relative(received(u)), v.whence()), " · ")))
	printFalse(out, v)
	out.Printf("  %s\n", out.Paint(console.Blue, console.Neutral(u.Channel)))
	if u.Version == 1 {
		out.Printf("    %s\n\n", out.Paint(console.Dim, "watched from now on"))
		return
	}
	shown, rest := firstLines(u.Delta, maxDeltaShown)
	printDelta(out, shown, indented)
	if rest > 0 {
		out.Printf("    %s\n", out.Paint(console.Dim, "… "+console.Of(rest, "more line")+", see: tidings diff"))
	}
	out.Printf("\n")
}

// firstLines cuts a text after so many lines and tells how many are left out.
func firstLines(text string, most int) (first string, rest int) {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) <= most {
		return text, 0
	}
	return strings.Join(lines[:most], ""), len(lines) - most
}

// indented is a line of a change as it stands among updates.
func indented(_ *console.Console, line string) string { return "    " + console.NeutralLine(line) }

func received(u tidings.Update) time.Time {
	if u.Received.IsZero() {
		return u.Time
	}
	return u.Received
}

func pageTitle(u tidings.Update) string {
	if title := console.Neutral(u.Title); title != "" {
		return title
	}
	return console.Neutral(u.Channel)
}

// withdrawnSign stands before what turned out to be false.
const withdrawnSign = "×"

// printItem prints an item's title, where it comes from, and its link.
func printItem(out *console.Console, item tidings.Item, v vouching, from, when string) {
	sign, about := out.Paint(console.Green, "•"), from+" · "+when
	switch item.Change {
	case tidings.Changed:
		sign, about = out.Paint(console.Yellow, "≠"), from+" · changed · "+when
	case api.Gone:
		sign, about = out.Paint(console.Red, "-"), from+" · gone"
	}
	if v.withdrawn != nil {
		sign = out.Paint(console.Red, withdrawnSign)
	}
	title := console.Neutral(item.Title)
	if title == "" {
		title = console.Cut(htmlText(item.Summary+" "+item.Content), 80)
	}
	if title == "" {
		title = "(no title)"
	}
	out.Printf("%s %s\n  %s\n", sign, out.Paint(console.Bold, title), out.Paint(console.Dim, about))
	printFalse(out, v)
	if link := console.Neutral(item.URL); link != "" {
		out.Printf("  %s\n", out.Paint(console.Blue, link))
	}
	out.Printf("\n")
}
