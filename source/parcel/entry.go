package parcel

import (
	"fmt"

	"tidings"
	"tidings/source/feed"
)

// Entries makes a finding of a parcel that lists some items of a feed, all of them whole, and says
// nothing of the others: what of them is new or changed against the items that are known here.
func (p *Parcel) Entries(known []tidings.KnownItem, c feed.Config) (*tidings.Finding, error) {
	if p.Kind != tidings.KindFeed || len(p.Items) == 0 {
		return nil, fmt.Errorf("a parcel of a %s with %d items, for some of a feed: %w", p.Kind, len(p.Items), ErrUnfit)
	}
	for i := range p.Items {
		if !p.Items[i].Whole {
			return nil, fmt.Errorf("a parcel of some items of a feed: item %d: %w", i, feed.ErrLacking)
		}
	}
	items, err := feed.MatchCarried(known, p.Items, c)
	if err != nil {
		return nil, fmt.Errorf("a parcel of some items of a feed: %w", err)
	}
	f := &tidings.Finding{Kind: tidings.KindFeed, Title: p.Title, Site: p.Site, Items: items, Partial: true}
	for i := range known {
		f.KnownUpTo = max(f.KnownUpTo, known[i].Row)
	}
	return f, nil
}
