package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
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
func (p *program) refuseQuery(check tidings.QueryCheck) error {
	if check.Error == nil {
		return nil
	}
	printPlace(p.errors, check.Error.Context)
	r := check.Error
	return usage(fmt.Sprintf("that is no query: line %d, column %d: %s", r.Line, r.Column, r.Message), r.Hint)
}

// printPlace prints a line of a query, with the caret below it.
func printPlace(out *console.Console, context string) {
	for line := range strings.Lines(context) {
		out.Printf("    %s\n", console.NeutralLine(strings.TrimRight(line, "\n")))
	}
}

// printRemarks prints what is to be considered before one follows a query.
func printRemarks(out *console.Console, check tidings.QueryCheck) {
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
		out.Printf("  %s\n", out.Paint(console.Yellow, "Nothing narrows it down to a publisher, subject or the like: this node is sent every item of the network, and looks at each."))
	case !check.Network:
		out.Printf("  %s\n", out.Paint(console.Dim, "It selects from the channels that this node has: others come only where the network's router is newswire."))
	}
}

func printQuery(out *console.Console, check tidings.QueryCheck) {
	out.Printf("%s\n", out.Paint(console.Bold, console.Neutral(check.Query)))
	printRemarks(out, check)
	searched := console.Of(check.Searched, "item")
	if check.Searched == tidings.MaxQuerySearch {
		searched = "the newest " + searched
	}
	out.Printf("  %d of %s of the last %s match\n", check.Matching, searched, days(tidings.QueryCheckSpan))
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
		return usage("a query is no page, and always unlisted", "leave out --select, --ignore, --keep, --page and --privacy")
	}
	check, err := p.client.CheckQuery(p.ctx, c.Query)
	if err != nil {
		return err
	}
	if err := p.refuseQuery(check); err != nil {
		return err
	}
	f, err := p.client.Subscribe(p.ctx, tidings.SubscribeRequest{Query: c.Query, Name: c.Name, Folder: c.Folder})
	if err != nil {
		return err
	}
	p.out.Printf("Following %s\n  %s\n", p.out.Paint(console.Bold, console.Neutral(f.Label())), console.Neutral(check.Query))
	p.out.Printf("  query; items come as they are found, %d of the last %s would have\n", check.Matching, days(tidings.QueryCheckSpan))
	if f.FolderBefore != nil {
		p.out.Printf("  moved from %s to %s\n", inFolder(*f.FolderBefore), inFolder(f.Folder))
	}
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
