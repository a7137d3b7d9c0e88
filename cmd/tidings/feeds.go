package main

import (
	"cmp"
	"strconv"
	"strings"

	"tidings"
	"tidings/cmd/console"
)

type feedCmd struct {
	New    feedNewCmd    `cmd:"" help:"Make an address for one feed and print it; it is shown only this once. Anyone with it can read that feed."`
	List   feedListCmd   `cmd:"" help:"List your feeds, and when they were read last."`
	Remove feedRemoveCmd `cmd:"" help:"Remove a feed. Its addresses stop working at once."`
}

type feedNewCmd struct {
	Folder  *string `xor:"of" help:"Only what is in this folder, and in those within it." placeholder:"NAME"`
	Search  *string `xor:"of" help:"Only what a search for these words finds." placeholder:"WORDS"`
	Starred bool    `xor:"of" help:"Only starred items."`
	Unread  bool    `xor:"of" help:"Only unread items."`
	Channel *string `xor:"of" help:"Only this channel that you follow: a feed, a page, a query or a zone." placeholder:"URL"`
	Name    string  `help:"Its title in feed readers, in your words." placeholder:"NAME"`
}

// feed returns what the flags ask for; without any that is all that is followed.
func (c *feedNewCmd) feed() tidings.FeedAddress {
	f := tidings.FeedAddress{Name: c.Name, Selection: tidings.SelectRiver}
	switch {
	case c.Folder != nil:
		f.Selection, f.Of = tidings.SelectFolder, *c.Folder
	case c.Search != nil:
		f.Selection, f.Of = tidings.SelectSearch, *c.Search
	case c.Starred:
		f.Selection = tidings.SelectStarred
	case c.Unread:
		f.Selection = tidings.SelectUnread
	case c.Channel != nil:
		f.Selection, f.Of = tidings.SelectChannel, *c.Channel
	}
	return f
}

func (c *feedNewCmd) Run(p *program) error {
	added, err := p.client.Feeds().Add(p.ctx, c.feed())
	if err != nil {
		return err
	}
	page := p.pageAddress()
	p.out.Printf("%s\n%s\n", page+added.Atom, page+added.JSON)
	p.errors.Printf(feedHelp, added.ID)
	return nil
}

// What to do with the addresses. It goes to standard error, so that they can be used in a script.
const feedHelp = `
Add one of them to a feed reader: the first is Atom, the second JSON Feed.
They hold a secret and are not shown again. Anyone with one of them can read this feed, until: tidings feed remove %d
From another machine the address is that of the proxy with TLS before the node. See docs/feeds.md.
`

type feedListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one feed a line."`
}

func (c *feedListCmd) Run(p *program) error {
	all, err := p.client.Feeds().List(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	rows := make([][]console.Cell, len(all))
	for i, f := range all {
		used := "never"
		if !f.Used.IsZero() {
			used = f.Used.UTC().Format("2006-01-02")
		}
		rows[i] = []console.Cell{{Text: strconv.FormatInt(f.ID, 10)},
			{Text: console.Neutral(f.Name), Style: console.Bold},
			{Text: console.Neutral(f.What())}, {Text: p.out.Relative(f.Created)}, {Text: used}}
	}
	p.out.Table([]console.Column{{Title: "ID", Right: true}, {Title: "NAME", Least: 8}, {Title: "OF", Least: 16},
		{Title: "MADE"},
		{Title: "LAST USED"}}, rows)
	return nil
}

type feedRemoveCmd struct {
	ID int64 `arg:"" help:"Its number in tidings feed list."`
}

func (c *feedRemoveCmd) Run(p *program) error {
	if err := p.client.Feeds().Remove(p.ctx, c.ID); err != nil {
		return err
	}
	p.out.Printf("Feed %d removed. Its addresses no longer work.\n", c.ID)
	return nil
}

// pageAddress returns the address of the node's page, without a slash at its end. Where that is not known it is the
// usual one.
func (p *program) pageAddress() string {
	return strings.TrimSuffix(cmp.Or(p.page(), "http://127.0.0.1:7600"), "/")
}
