package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
	"tidings/view"
)

type queryCmd struct {
	Query string `arg:"" help:"A condition on items, such as: publisher = 'example.org' AND subject LIKE 'sport%'."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

func (c *queryCmd) Run(p *program) error {
	check, err := p.client.CheckQuery(p.ctx, c.Query)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(check)
	}
	if err := p.refuseQuery(check); err != nil {
		return err
	}
	printQuery(p.out, check)
	return nil
}

// refuseQuery returns an error if a text is no query, after it has shown where.
func (p *program) refuseQuery(check view.QueryCheck) error {
	if check.Error == nil {
		return nil
	}
	printPlace(p.errors, check.Error.Context)
	r := check.Error
	return usage(fmt.Sprintf("syntax error: line %d, column %d: %s", r.Line, r.Column, r.Message), r.Hint)
}

// printPlace prints a line of a query, with the caret below it.
func printPlace(out *console.Console, context string) {
	for line := range strings.Lines(context) {
		out.Printf("    %s\n", console.NeutralLine(strings.TrimRight(line, "\n")))
	}
}

// printRemarks prints what is to be considered before one follows a query.
func printRemarks(out *console.Console, check view.QueryCheck) {
	for _, r := range check.Warnings {
		text := r.Message
		if r.Line > 0 {
			text = fmt.Sprintf("line %d, column %d: %s", r.Line, r.Column, r.Message)
		}
		out.Printf("  %s\n", out.Paint(console.Yellow, console.Neutral(text)))
		if r.Context != "" {
			printPlace(out, r.Context)
		}
		if r.Hint != "" {
			out.Printf("    %s\n", console.Neutral(r.Hint))
		}
	}
	switch {
	case check.Wide && check.Network:
		out.Printf("  %s\n",
			out.Paint(console.Yellow,
				"Nothing narrows it down to a publisher, subject or the like: this node is sent every item of the "+
					"network, and checks each."))
	case !check.Network:
		out.Printf("  %s\n",
			out.Paint(console.Dim,
				"It selects from the channels that this node has: others come only where the network's router is "+
					"newswire."))
	}
}

func printQuery(out *console.Console, check view.QueryCheck) {
	out.Printf("%s\n", out.Paint(console.Bold, console.Neutral(check.Query)))
	printRemarks(out, check)
	searched := console.Of(check.Searched, "item")
	if check.Searched == view.MaxQuerySearch {
		searched = "the newest " + searched
	}
	out.Printf("  %d of %s of the last %s match\n", check.Matching, searched, days(view.QueryCheckSpan))
	for _, m := range check.Matches {
		title := cmp.Or(strings.TrimSpace(m.Item.Title), m.Item.URL)
		out.Printf("• %s\n", console.Neutral(title))
		from := cmp.Or(m.Title, m.Channel)
		out.Printf("  %s\n", out.Paint(console.Dim, out.Relative(m.Received)+", from "+console.Neutral(from)))
	}
	if rest := check.Matching - len(check.Matches); rest > 0 {
		out.Printf("… and %s\n", console.Of(rest, "older one"))
	}
}

func days(d time.Duration) string { return console.Of(int(d/(24*time.Hour)), "day") }

// follow follows a query.
func (c *subscribeCmd) follow(p *program) error {
	if !c.isBare() {
		return usage("a query is no page, and always unlisted",
			"leave out --select, --ignore, --keep, --page and --privacy")
	}
	check, err := p.client.CheckQuery(p.ctx, c.Query)
	if err != nil {
		return err
	}
	if err := p.refuseQuery(check); err != nil {
		return err
	}
	f, err := p.client.Subscribe(p.ctx, tidings.SubscribeRequest{Query: c.Query, Name: c.Name, Folder: c.Folder,
		Tags: c.Tag, EditsAsItems: c.Edits})
	if err == nil {
		f, err = c.untag(p, f)
	}
	if err != nil {
		return err
	}
	p.out.Printf("Following %s\n  %s\n", p.out.Paint(console.Bold, console.Neutral(f.Label())),
		console.Neutral(check.Query))
	p.out.Printf("  query; items come as they are found, %d of the last %s would have\n", check.Matching,
		days(view.QueryCheckSpan))
	if f.FolderBefore != nil {
		p.out.Printf("  moved from %s to %s\n", inFolder(*f.FolderBefore), inFolder(f.Folder))
	}
	printTags(p.out, f)
	printRemarks(p.out, check)
	return nil
}

// isBare reports whether nothing is said that concerns addresses alone.
func (c *subscribeCmd) isBare() bool {
	return len(c.Select)+len(c.Ignore)+len(c.Keep) == 0 && !c.Page && c.Privacy == ""
}

// queryOr is the address of a channel, or the query that it is for.
type queryOr struct {
	URL   address `arg:"" optional:"" help:"Address of the channel, or of the page that it belongs to."`
	Query string  `help:"In the place of an address: the query that is followed." placeholder:"CONDITION"`
}

// channel returns the address under which the node finds the channel.
func (c queryOr) channel() (string, error) {
	if err := oneOf(c.URL, c.Query); err != nil {
		return "", err
	}
	if c.Query != "" {
		return tidings.QueryURL(c.Query), nil
	}
	return string(c.URL), nil
}

// oneOf refuses a command that names both an address and a query, or neither.
func oneOf(url address, query string) error {
	switch {
	case url == "" && query == "":
		return usage("no address is given", "give one, or --query with a condition")
	case url != "" && query != "":
		return usage("both an address and --query are given", "leave one of them out")
	}
	return nil
}

// addressText returns a channel's address as people read it: of a query, its text.
func addressText(channel string) string {
	if text, is := tidings.QueryText(channel); is {
		return "query: " + text
	}
	return channel
}

type filterCmd struct {
	List   filterListCmd   `cmd:"" help:"List your filters in the order in which they are applied."`
	Test   filterTestCmd   `cmd:"" help:"Check a condition, and list those of your last 500 articles of which it is true."`
	Add    filterAddCmd    `cmd:"" help:"Add a filter: what it does to new articles of which a condition is true."`
	Move   filterMoveCmd   `cmd:"" help:"Give a filter another place among your filters."`
	Show   filterShowCmd   `cmd:"" help:"Show again, as read, what a filter has dropped."`
	Remove filterRemoveCmd `cmd:"" help:"Remove a filter; what it has dropped is shown again, as read."`
}

type filterTestCmd struct {
	Condition string `arg:"" help:"A condition on articles, such as: headline LIKE '%advertisement%' AND channel = 'https://example.org/feed'."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

func (c *filterTestCmd) Run(p *program) error {
	check, err := p.client.Filters().Check(p.ctx, c.Condition)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(check)
	}
	if err := p.refuseFilter(check); err != nil {
		return err
	}
	p.out.Printf("%s\n", p.out.Paint(console.Bold, console.Neutral(check.Condition)))
	printFilterCheck(p.out, check)
	for _, m := range check.Matches {
		p.out.Printf("• %s\n", console.Neutral(m.Title))
		p.out.Printf("  %s\n", p.out.Paint(console.Dim, p.out.Relative(m.Received)+", from "+
			console.Neutral(cmp.Or(m.Label, m.Channel))))
	}
	if rest := check.Matching - len(check.Matches); rest > 0 {
		p.out.Printf("… and %s\n", console.Of(rest, "older one"))
	}
	return nil
}

// refuseFilter returns an error if a text is no condition, after it has shown where.
func (p *program) refuseFilter(check view.FilterCheck) error {
	return p.refuseQuery(view.QueryCheck{Error: check.Error})
}

// printFilterCheck prints what is to be considered, and of how many articles a condition is true.
func printFilterCheck(out *console.Console, check view.FilterCheck) {
	printRemarks(out, view.QueryCheck{Warnings: check.Warnings, Network: true})
	out.Printf("  %d of your last %s match\n", check.Matching, console.Of(check.Searched, "article"))
}

type filterAddCmd struct {
	Condition string   `arg:"" help:"A condition on articles, as of: tidings filter test."`
	Name      string   `help:"What you call it." placeholder:"NAME"`
	Drop      bool     `help:"Do not show them; no later filter is applied to them."`
	Read      bool     `help:"Mark them as read."`
	Star      bool     `help:"Star them: what is starred is kept."`
	Label     []string `help:"Add this label; may be repeated." sep:"none" placeholder:"LABEL"`
	Notify    bool     `help:"Send them to all your targets, also those that are for other channels."`
	MuteUntil *day     `help:"Until this day or time, mark them as read and send them to no target." placeholder:"DATE"`
	Stop      bool     `help:"Apply no later filter to them."`
	JSON      bool     `name:"json" help:"Print JSON: the filter."`
}

// day is a date, midnight of this machine's zone, or a time with its zone.
type day struct{ time.Time }

// UnmarshalText reads it.
func (d *day) UnmarshalText(text []byte) (err error) {
	if d.Time, err = time.ParseInLocation(time.DateOnly, string(text), time.Local); err != nil {
		d.Time, err = time.Parse(time.RFC3339, string(text))
	}
	if err != nil {
		return usage("this is no date: "+tidings.Quote(string(text)),
			"write one like 2026-12-24 or 2026-12-24T18:00:00+01:00")
	}
	return nil
}

func (c *filterAddCmd) Run(p *program) error {
	a := tidings.FilterActions{Drop: c.Drop, Read: c.Read, Star: c.Star, Labels: c.Label, Notify: c.Notify,
		Stop: c.Stop}
	if c.MuteUntil != nil {
		a.Mute = c.MuteUntil.Time
	}
	if a.IsNone() {
		return usage("the filter would do nothing",
			"say what it does: --drop, --read, --star, --label, --notify or --mute-until")
	}
	check, err := p.client.Filters().Check(p.ctx, c.Condition)
	if err != nil {
		return err
	}
	if err := p.refuseFilter(check); err != nil {
		return err
	}
	added, err := p.client.Filters().Add(p.ctx, tidings.FilterSettings{Name: c.Name, Condition: c.Condition,
		Actions: a})
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(added)
	}
	p.out.Printf("Filter %d: %s\n  %s\n", added.ID, p.out.Paint(console.Bold, console.Neutral(added.Condition)),
		console.Neutral(actionsText(added.Actions)))
	printFilterCheck(p.out, check)
	p.out.Printf("  %s\n", p.out.Paint(console.Dim, "It acts on what arrives from now on."))
	return nil
}

// actionsText says what a filter does.
func actionsText(a tidings.FilterActions) string {
	var parts []string
	add := func(set bool, text string) {
		if set {
			parts = append(parts, text)
		}
	}
	add(a.Drop, "drop")
	add(a.Read, "mark as read")
	add(a.Star, "star")
	for _, label := range a.Labels {
		parts = append(parts, "label "+label)
	}
	add(a.Notify, "notify")
	if !a.Mute.IsZero() {
		parts = append(parts, "mute until "+a.Mute.Local().Format("2006-01-02 15:04"))
	}
	add(a.Stop, "stop")
	return strings.Join(parts, ", ")
}

type filterListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one filter a line."`
}

func (c *filterListCmd) Run(p *program) error {
	all, err := p.client.Filters().List(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	rows := make([][]console.Cell, len(all))
	for i, f := range all {
		state := "never matched"
		switch {
		case f.Problem != "":
			state = "does nothing: " + f.Problem
		case f.Matched > 0:
			state = console.Of(int(f.Matched), "article") + ", the last " + p.out.Relative(f.MatchedAt)
		}
		if f.Skipped > 0 {
			state += "; not compared with " + console.Of(int(f.Skipped), "article") +
				", which would have taken too long"
		}
		rows[i] = []console.Cell{{Text: strconv.FormatInt(f.ID, 10)},
			{Text: console.Neutral(cmp.Or(f.Name, f.Condition)), Style: console.Bold},
			{Text: console.Neutral(actionsText(f.Actions))}, {Text: console.Neutral(state)}}
	}
	p.out.Table([]console.Column{{Title: "ID", Right: true}, {Title: "FILTER", Least: 20}, {Title: "DOES", Least: 8},
		{Title: "MATCHED", Least: 12}}, rows)
	return nil
}

type filterMoveCmd struct {
	ID    int64 `arg:"" help:"Its number in tidings filter list."`
	Place int   `arg:"" help:"Its place from then on; 1 is applied first."`
}

func (c *filterMoveCmd) Run(p *program) error {
	if _, err := p.client.Filters().Change(p.ctx, c.ID, api.FilterChange{Place: &c.Place}); err != nil {
		return err
	}
	p.out.Printf("Filter %d has place %d.\n", c.ID, c.Place)
	return nil
}

type filterShowCmd struct {
	ID int64 `arg:"" help:"Its number in tidings filter list."`
}

func (c *filterShowCmd) Run(p *program) error {
	n, err := p.client.Filters().Show(p.ctx, c.ID)
	if err != nil {
		return err
	}
	p.out.Printf("Shown again: %s, as read.\n", console.Of(n, "article"))
	return nil
}

type filterRemoveCmd struct {
	ID int64 `arg:"" help:"Its number in tidings filter list."`
}

func (c *filterRemoveCmd) Run(p *program) error {
	if err := p.client.Filters().Remove(p.ctx, c.ID); err != nil {
		return err
	}
	p.out.Printf("Filter %d is removed. What it has dropped is shown again, as read.\n", c.ID)
	return nil
}
