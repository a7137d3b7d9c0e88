package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
	"tidings/delivery/diffview"
)

type updatesCmd struct {
	Follow  bool   `short:"f" help:"Go on with updates as they come. Alone, it begins now."`
	Since   moment `help:"Begin with what was received since then: 2h or 2d ago, a date, or a time as in RFC 3339." placeholder:"TIME"`
	SinceID *int64 `name:"since-id" help:"Begin after the update of this ID: the cursor of a program that returns." placeholder:"N"`
	Limit   int    `help:"End after so many items or changes of pages; default 50 of the newest, else all. With --json and --exec the last update is given whole." placeholder:"N"`
	JSON    bool   `name:"json" help:"Print JSON, one update a line."`
	Exec    string `help:"Run this command for each update as it comes, with the update as JSON on its standard input; for 30 s at most. After a restart it goes on where it was." placeholder:"COMMAND"`
	Cursor  string `help:"File that remembers how far --exec is. Default: one for the command, in the data directory." placeholder:"FILE"`
}

// updatesPage is how many updates are requested at a time. newestItems is how many items are printed where the command
// does not say with which to begin.
const (
	updatesPage = 100
	newestItems = 50
)

// errEnough ends a stream that has given as much as was asked for.
var errEnough = errors.New("enough")

func (c *updatesCmd) Run(p *program) error {
	print := func(u tidings.Update) error { return p.out.JSON(u) }
	if !c.JSON && c.Exec == "" {
		lone := p.lone()
		print = func(u tidings.Update) error {
			if u.FoundBy == lone {
				u.FoundBy = ""
			}
			printUpdate(p.out, u)
			return nil
		}
	}
	if c.Exec != "" {
		e, err := newExecutor(p, c.Exec, c.Cursor)
		if err != nil {
			return err
		}
		if c.SinceID == nil && c.Since.IsZero() {
			after, err := e.after()
			if err != nil {
				return err
			}
			c.SinceID = &after
		}
		c.Follow, print = true, e.run
	} else if c.Cursor != "" {
		return usage("--cursor goes with --exec", "a program that reads --json keeps its own: --since-id")
	}
	left := quota{limit: c.Limit, whole: c.JSON || c.Exec != ""}
	show := func(u tidings.Update) error {
		u.Items = left.cut(u.Items)
		if err := print(u); err != nil {
			return err
		}
		return left.count(itemsIn(u))
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

// quota is how many items a command prints.
type quota struct {
	limit   int  // 0: all
	whole   bool // none is cut off what it comes with: a program goes on behind that, and would never see it
	printed int
}

// cut returns the first of items: so many as may still be printed.
func (q *quota) cut(items []tidings.Item) []tidings.Item {
	if left := q.limit - q.printed; q.limit > 0 && !q.whole && len(items) > left {
		return items[:left]
	}
	return items
}

// count notes that items were printed, and returns errEnough when those were the last.
func (q *quota) count(items int) error {
	if q.printed += items; q.limit > 0 && q.printed >= q.limit {
		return errEnough
	}
	return nil
}

// itemsIn is how many items an update counts as: a change of a page is one.
func itemsIn(u tidings.Update) int { return max(1, len(u.Items)) }

// newest prints the latest items, in the order in which they came.
func (c *updatesCmd) newest(p *program, show func(tidings.Update) error) error {
	limit := cmp.Or(c.Limit, newestItems)
	all, err := p.client.Updates(p.ctx, tidings.UpdateQuery{Newest: true, Limit: min(limit, tidings.MaxLimit)})
	if err != nil {
		return err
	}
	if len(all) == 0 && !c.JSON {
		p.out.Printf("There are no updates yet.\n")
	}
	return each(lastItems(all, limit, c.JSON), show)
}

// lastItems returns the updates with the last so many items. Of the first of them it returns the later items, or with
// whole all.
func lastItems(all []tidings.Update, most int, whole bool) []tidings.Update {
	for i := len(all) - 1; i >= 0; i-- {
		n := itemsIn(all[i])
		if n < most {
			most -= n
			continue
		}
		last := slices.Clone(all[i:])
		if !whole && n > most {
			last[0].Items = last[0].Items[n-most:]
		}
		return last
	}
	return all
}

// all prints everything after the cursor, or since the time.
func (c *updatesCmd) all(p *program, after int64, show func(tidings.Update) error) error {
	for {
		batch, err := p.client.Updates(p.ctx, tidings.UpdateQuery{After: after, Since: c.Since.Time,
			Limit: updatesPage})
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

// maxDeltaShown is how many lines of a page's change are printed among updates.
const maxDeltaShown = 40

// printUpdate prints a block for every item, and for a page's change.
func printUpdate(out *console.Console, u tidings.Update) {
	v := vouchingOf(u)
	for _, item := range u.Items { // a page has one when it ends
		printItem(out, item, v, console.Neutral(fromWhere(u, item)),
			strings.Join(nonEmpty(out.Relative(received(u)), v.whence()), " · "))
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
	out.Printf("  %s\n",
		out.Paint(console.Dim, strings.Join(nonEmpty("page, version "+console.Count(int64(u.Version)),
			out.Relative(received(u)), v.whence()), " · ")))
	printFalse(out, v)
	out.Printf("  %s\n", out.Paint(console.Blue, console.Neutral(u.Channel)))
	if u.Version == 1 {
		out.Printf("    %s\n\n", out.Paint(console.Dim, "watched from now on"))
		return
	}
	shown, rest := diffview.Cut(diffview.View(u.Delta), maxDeltaShown)
	printHunks(out, "    ", shown)
	if rest > 0 {
		out.Printf("    %s\n", out.Paint(console.Dim, "… "+console.Of(rest, "more line")+", see: tidings diff"))
	}
	out.Printf("\n")
}

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
