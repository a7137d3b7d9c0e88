package experiments

import (
	"encoding/json"
	"fmt"

	"tidings"
	"tidings/lab/plot"
	"tidings/source/feed"
	"tidings/source/parcel"
)

// tally counts what each reader has stored: everything once, and signed.
func (t *pushTown) tally() error {
	due, lost, twice, unsigned := 0, 0, 0, 0
	for i, r := range t.readers {
		for _, s := range t.sites(i) {
			tellings, bare, err := r.stored(t.ctx, s.url)
			if err != nil {
				return err
			}
			unsigned += bare
			items := t.itemsOf(s)
			due += len(items)
			for _, item := range items {
				switch n := tellings[item]; {
				case n == 0:
					lost++
				case n > 1:
					twice += n - 1
				}
			}
		}
	}
	t.run.Figure("due", float64(due))
	t.run.Figure("lost", float64(lost))
	t.run.Figure("twice", float64(twice))
	t.run.Figure("unsigned", float64(unsigned))
	return nil
}

// itemsOf names all items that readers of a site are to have.
func (t *pushTown) itemsOf(s *pushSite) (all []string) {
	for i := 1 - oldStories; i <= s.edits; i++ {
		all = append(all, s.story(i))
	}
	if s == t.entries {
		all = append(all, t.results.published...)
	}
	return all
}

// entryLength returns how many bytes an entry has as it travels, before it is numbered and signed.
func (t *pushTown) entryLength() (int, error) {
	e := t.entry(t.results.published[0], newChance(t.run.Seed()))
	b, err := json.Marshal(map[string]any{
		"version": "https://jsonfeed.org/version/1.1",
		"items":   []any{map[string]any{"id": e.ID, "title": e.Title, "content_html": e.HTML}},
	})
	if err != nil {
		return 0, err
	}
	doc, err := feed.Parse(b, "application/feed+json", t.entries.url, feed.Default())
	if err != nil {
		return 0, fmt.Errorf("reading an entry: %w", err)
	}
	p := parcel.Parcel{Kind: tidings.KindFeed, Items: []feed.Carried{{FoundItem: feed.Match(nil, doc)[0], Whole: true}}}
	packed, err := p.Encode()
	return len(packed), err
}

// plot plots how long items take.
func (t *pushTown) plot() {
	s := t.sizes
	t.run.Plot(plot.Plot{
		Name: "push-delays", Title: "From the publisher to its readers", OfMachine: true,
		Caption: fmt.Sprintf("%s nodes over libp2p in one process. Edits of a watched file: %d, to %d readers, since the publisher's node has signed. "+
			"Entries: %d a second for %s, to %d readers, since they were ordered. Up to the listener at each reader's door, after storing.",
			count(s.Nodes), s.Edits, s.Readers, s.Rate, s.Steady, s.Nodes-1),
		X: plot.Axis{Label: "time", Unit: "s", Log: true}, Y: plot.Axis{Label: "share", Share: true},
		Series: []plot.Series{
			plot.CDF("edits, each reader", t.results.edits), plot.CDF("edits, the last reader", t.results.last),
			plot.CDF("entries", t.results.steady),
		},
	})
}
