package main

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/cmd/console"
)

type searchCmd struct {
	Words  []string `arg:"" help:"Words that all must occur; \"exact phrases\" and beginnings* too; tag:NAME for channels with that tag, label:NAME for items with that label."`
	Limit  int      `default:"20" help:"At most so many items; default ${default}." placeholder:"N"`
	Unread bool     `help:"Only unread items."`
	Label  string   `help:"Only what has this label, by you or by a filter." placeholder:"LABEL"`
	JSON   bool     `name:"json" help:"Print JSON: one list."`
}

func (c *searchCmd) Run(p *program) error {
	entries, err := p.client.Entries(p.ctx, tidings.EntryQuery{Search: strings.Join(c.Words, " "), Unread: c.Unread,
		Label: c.Label, Limit: c.Limit})
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(entries)
	}
	if len(entries) == 0 {
		p.out.Printf("Nothing found. All words must occur; a star stands for the end of a word: elect*\n")
	}
	for _, e := range entries {
		title, state := console.Neutral(e.Content.Title), ""
		if title == "" {
			title = console.Cut(htmlText(e.Content.Summary+" "+e.Content.Content), 80)
		}
		if e.Starred {
			state += " · starred"
		}
		if !e.Read {
			state += " · unread"
		}
		p.out.Printf("%6d  %s\n        %s\n", e.ID, p.out.Paint(console.Bold, title),
			p.out.Paint(console.Dim, console.Neutral(e.Label)+" · "+p.out.Relative(e.Dated)+state))
		if link := console.Neutral(e.Content.URL); link != "" {
			p.out.Printf("        %s\n", p.out.Paint(console.Blue, link))
		}
	}
	return nil
}

type readCmd struct {
	IDs  []int64 `arg:"" optional:"" name:"id" help:"Numbers of items, as tidings search prints them."`
	All  bool    `help:"Mark all items of all channels."`
	Undo bool    `help:"Mark them as unread again."`
}

func (c *readCmd) Run(p *program) error {
	switch {
	case c.All && c.Undo:
		return usage("what --all has marked cannot be undone", "give the numbers of items to mark them as unread")
	case c.All == (len(c.IDs) > 0):
		return usage("give numbers of items, or --all", "tidings search prints numbers")
	case c.All:
		newest, err := p.client.Entries(p.ctx, tidings.EntryQuery{Limit: 1})
		if err != nil || len(newest) == 0 {
			return err
		}
		n, err := p.client.MarkAllRead(p.ctx, tidings.EntryQuery{}, newest[0].ID)
		if err == nil {
			p.out.Printf("Marked %s as read.\n", console.Of(n, "item"))
		}
		return err
	}
	items, err := p.itemsOf(c.IDs)
	if err != nil {
		return err
	}
	return p.client.MarkRead(p.ctx, items, !c.Undo)
}

type starCmd struct {
	IDs  []int64 `arg:"" name:"id" help:"Numbers of items, as tidings search prints them."`
	Undo bool    `help:"Remove the stars."`
}

func (c *starCmd) Run(p *program) error {
	items, err := p.itemsOf(c.IDs)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := p.client.Star(p.ctx, item, !c.Undo); err != nil {
			return err
		}
	}
	return nil
}

// itemsOf returns the items of entries.
func (p *program) itemsOf(entries []int64) (items []int64, err error) {
	for _, id := range entries {
		e, err := p.client.Entry(p.ctx, id)
		if errors.Is(err, tidings.ErrNotFound) {
			return nil, failure("there is no item "+strconv.FormatInt(id, 10), "tidings search prints numbers of items")
		}
		if err != nil {
			return nil, err
		}
		items = append(items, e.Item)
	}
	return items, nil
}

type checkCmd struct {
	URLs []address `arg:"" optional:"" name:"url" help:"Addresses of channels that you follow."`
	All  bool      `help:"Check every channel that you follow."`
}

// checksAtOnce is how many channels are checked at a time: the node has its own bounds for each host.
const checksAtOnce = 8

func (c *checkCmd) Run(p *program) error {
	if c.All == (len(c.URLs) > 0) {
		return usage("give addresses of channels, or --all", "tidings list prints addresses")
	}
	var urls []string
	for _, url := range c.URLs {
		urls = append(urls, string(url))
	}
	if c.All {
		channels, err := p.client.Channels(p.ctx)
		if err != nil {
			return err
		}
		for _, f := range channels {
			if f.Kind.HasOrigin() {
				urls = append(urls, f.URL)
			}
		}
	}
	polls := make([]tidings.Poll, len(urls))
	errs := make([]error, len(urls))
	group, ctx := errgroup.WithContext(p.ctx)
	group.SetLimit(checksAtOnce)
	for i, url := range urls {
		group.Go(func() error {
			polls[i], errs[i] = p.client.Poll(ctx, url)
			return nil
		})
	}
	_ = group.Wait() // what failed is in errs
	failed := 0
	for i, url := range urls {
		words := outcomeWords(polls[i])
		if errs[i] != nil {
			words = console.Neutral(tidings.Reason(errs[i]))
		}
		if errs[i] != nil || !polls[i].Outcome.Read() {
			failed++
			words = p.out.Paint(console.Red, words)
		}
		p.out.Printf("%s\n  %s\n", console.Neutral(url), words)
	}
	if failed > 0 {
		return failure(console.Of(failed, "channel")+" could not be read",
			"tidings list says when each is checked next")
	}
	return nil
}

// outcomeWords says what a check has found.
func outcomeWords(l tidings.Poll) string {
	switch {
	case l.Error != "":
		return console.Neutral(l.Error)
	case l.Outcome == tidings.OutcomeChanged:
		return "something new"
	case l.Outcome.Read():
		return "nothing new"
	}
	return string(l.Outcome)
}
