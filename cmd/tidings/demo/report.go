package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"tidings"
)

// change is one change of a document, and how it spreads.
type change struct {
	document *document
	said     string
	at       time.Time
	found    time.Time // when somebody first saw it; zero: nobody has
	finder   string    // name
	received map[int]time.Time
	reported bool
}

// received is an update that came to a node.
type received struct {
	node   int
	update tidings.Update
}

// reporter follows all changes and reports them. It belongs to one goroutine.
type reporter struct {
	*demo
	open     map[string]*change // the latest, by document
	byURL    map[string]*document
	changes  int
	waited   time.Duration // until the first poll that saw a change, over all reported changes
	foundFor int           // changes that others found for the newcomer
	yours    int           // changes of what the newcomer reads
	requests int64         // at the origin, up to the latest summary
	summed   time.Time
}

// patience is after how many intervals a change is reported as far as it has come.
const patience = 3

// show changes documents, and reports that, until ctx ends.
func (d *demo) show(ctx context.Context) error {
	d.greet()
	if d.config.Open {
		if err := open(d.members[0].Node().URL()); err != nil {
			fmt.Fprintf(d.config.Out, "No browser could be opened (%v): please open the address yourself.\n\n", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	news, failed := make(chan received), make(chan error, len(d.clients))
	for i, client := range d.clients {
		listening.Go(func() {
			failed <- client.Follow(ctx, 0, time.Time{}, func(u tidings.Update) error {
				select {
				case news <- received{i, u}:
				case <-ctx.Done():
				}
				return ctx.Err()
			})
		})
	}
	d.began = time.Now()
	t := &reporter{demo: d, open: make(map[string]*change), byURL: make(map[string]*document), summed: d.began,
		requests: d.asked.Load()}
	for _, doc := range d.all {
		t.byURL[d.base+doc.name] = doc
	}
	return t.run(ctx, news, failed)
}

// summaryEvery is how many intervals pass between two summaries.
const summaryEvery = 3

func (t *reporter) run(ctx context.Context, news <-chan received, failed <-chan error) error {
	next := time.NewTimer(t.config.Every)
	defer next.Stop()
	sums := time.NewTicker(summaryEvery * t.config.Interval)
	defer sums.Stop()
	for {
		select {
		case <-ctx.Done():
			fmt.Fprintln(t.config.Out, "\nPutting everything away …")
			return nil
		case err := <-failed:
			return fmt.Errorf("listening to a node: %w", err)
		case h := <-news:
			t.receive(h)
		case <-sums.C:
			t.sum()
		case <-next.C:
			t.change()
			next.Reset(t.config.Every/2 + rand.N(t.config.Every))
		}
	}
}

// change changes a document once its latest change has reached all its readers.
func (t *reporter) change() {
	var free []*document
	for _, doc := range t.all {
		c := t.open[doc.name]
		switch {
		case c == nil || c.reported:
			free = append(free, doc)
		case time.Since(c.at) > patience*t.config.Interval:
			t.report(c)
			free = append(free, doc)
		}
	}
	if len(free) == 0 {
		return
	}
	doc := free[rand.IntN(len(free))]
	at := time.Now()
	t.open[doc.name] = &change{document: doc, said: doc.change(at), at: at, received: make(map[int]time.Time)}
}

// receive notes an update. The first version of a channel is no news.
func (t *reporter) receive(h received) {
	doc := t.byURL[h.update.Channel]
	if doc == nil {
		return
	}
	c := t.open[doc.name]
	if c == nil || h.update.Version == 1 || h.update.Received.Before(c.at) {
		return
	}
	c.received[h.node] = h.update.Received
	if c.found.IsZero() || h.update.Time.Before(c.found) {
		c.found, c.finder = h.update.Time, t.ids[h.update.FoundBy]
	}
	if len(c.received) == len(t.readers[doc.name]) && !c.reported {
		t.report(c)
	}
}

// report reports a change.
func (t *reporter) report(c *change) {
	c.reported = true
	readers := t.readers[c.document.name]
	if len(c.received) == 0 {
		return // no poll saw it so far, and the next change of the document will be reported
	}
	last := c.found
	for _, at := range c.received {
		if at.After(last) {
			last = at
		}
	}
	t.changes++
	t.waited += max(c.found.Sub(c.at), 0)
	if _, mine := c.received[0]; mine {
		t.yours++
		if c.finder != names[0] {
			t.foundFor++
		}
	}
	fmt.Fprintf(t.config.Out, "%s  %s: %s\n       %s saw it %s after it was published; %s had it after %s\n",
		clock(time.Since(t.began)), c.document.title, cut(c.said, 60), finder(c.finder), seconds(c.found.Sub(c.at)),
		audience(len(c.received), len(readers)), seconds(last.Sub(c.at)))
}

func finder(name string) string {
	if name == names[0] {
		return "Your node"
	}
	return name + "'s node"
}

func audience(received, readers int) string {
	if received == readers {
		return fmt.Sprintf("all its %d readers", readers)
	}
	return fmt.Sprintf("%d of its %d readers", received, readers)
}

// greet says what there is to see.
func (d *demo) greet() {
	mine, subscriptions := 0, 0
	for _, doc := range d.all {
		subscriptions += len(d.readers[doc.name])
		if d.readers[doc.name][0] == 0 {
			mine++
		}
	}
	fmt.Fprintf(d.config.Out, `
%d nodes are up and have formed a ring. One is yours: %s

The others belong to %s.
You follow %d feeds and pages of a small town, %d subscriptions are shared by all. A node that checked alone
would check each of its channels every %s, and learn of a change %s after it, on average.
Within some %s the nodes agree on who checks when. Now watch; end with Ctrl-C.

`, len(names), d.members[0].Node().URL(), strings.Join(names[1:len(names)-1], ", ")+" and "+names[len(names)-1],
		mine, subscriptions, seconds(d.config.Interval), seconds(d.config.Interval/2),
		seconds(agreed*d.config.Interval))
}

// agreed is after how many intervals most channels are polled together.
const agreed = 2

// sum prints how it went so far.
func (t *reporter) sum() {
	asked, since := t.asked.Load(), time.Since(t.summed)
	rate := float64(asked-t.requests) / since.Seconds()
	t.requests, t.summed = asked, time.Now()
	subscriptions := 0
	for _, readers := range t.readers {
		subscriptions += len(readers)
	}
	if t.changes == 0 {
		return
	}
	fmt.Fprintf(t.config.Out,
		"\n  So far: %d changes, seen %s after they were published, on average; alone it would be %s.\n"+
			"  Of %d that you follow, others found %d for you. The origin got %.1f requests a second; if "+
			"everybody checked alone, %.1f.\n\n",
		t.changes, seconds(t.waited/time.Duration(t.changes)), seconds(t.config.Interval/2), t.yours, t.foundFor,
		rate, float64(subscriptions)/t.config.Interval.Seconds())
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%2d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

func seconds(d time.Duration) string {
	text := fmt.Sprintf("%.1f", max(d, 0).Seconds())
	return strings.TrimSuffix(text, ".0") + " s"
}

// cut shortens a text to at most n characters.
func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
