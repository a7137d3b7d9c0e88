package source

import (
	"context"
	"net/http"
	"time"

	"tidings"
	"tidings/source/condition"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/microformats"
	"tidings/source/page"
)

const (
	maxChoices  = 3   // feeds of a page that are tried before it is watched as a page
	previewMost = 100 // items of a preview
)

// First is the first poll of an address: what a person is shown before following it,
// and what makes the first version if they do.
type First struct {
	Preview tidings.Preview
	Watched Job // what would be watched; its memory as the poll left it
	Result  Result
}

// Preview polls the address of an order for the first time. A page that offers a feed
// leads to that feed, unless the order says how to read the page itself. Nothing is
// stored, and no address is fetched twice. What is for the origin of the order's address alone is sent nowhere else.
//
// With an error the preview says how far the poll came, and what was fetched.
func (l *Poller) Preview(ctx context.Context, o tidings.SubscribeRequest, access tidings.Access) (*First, error) {
	asked, err := feed.Canonical(o.URL)
	if err != nil {
		return &First{}, tidings.Invalidf("%w", err)
	}
	if err := ValidateOptions(o.Options); err != nil {
		return &First{}, err
	}
	p := &preview{Poller: l, order: o, access: access, asked: asked, tried: make(map[string]bool)}
	p.first.Preview.Asked = asked
	err = p.run(ctx)
	return &p.first, err
}

// ValidateOptions reports what is wrong with options, in one line of plain words. The error is tidings.ErrInvalid.
func ValidateOptions(o tidings.PageOptions) error {
	if err := page.Validate(o); err != nil {
		return err
	}
	_, err := condition.ParseAll(o.NotifyIf)
	return err
}

// Try reads the document of a channel's latest version by other options, and fails if that finds nothing. So options
// that find nothing never replace others. Without such a document it cannot know, and returns nil.
func (l *Poller) Try(ctx context.Context, c tidings.Channel, o tidings.PageOptions) error {
	raw, contentType, err := l.Library.Document(ctx, c.URL)
	if err != nil || raw == nil {
		return err
	}
	if o.Entries {
		_, err = entriesOf(&fetch.Response{URL: c.Origin(), Body: raw,
			Header: http.Header{"Content-Type": {contentType}}}, l.Feed)
	} else {
		_, err = page.Extract(raw, contentType, c.Origin(), o, page.Noise{}, l.Page)
	}
	return err
}

// preview is a first poll while it is made.
type preview struct {
	*Poller
	order  tidings.SubscribeRequest
	access tidings.Access
	asked  string          // canonical
	tried  map[string]bool // what was fetched, or is about to be
	cost   fetch.Cost
	first  First
}

func (p *preview) run(ctx context.Context) error {
	kind := p.order.Options.Kind()
	if p.order.AsPage && kind == tidings.KindUnknown {
		kind = tidings.KindPage
	}
	k := p.poll(p.asked, kind)
	p.tried[p.asked] = true
	for _, known := range feed.WellKnown(p.asked) {
		// A site whose feeds lie at known places need not be asked for them.
		if kind == tidings.KindUnknown && p.try(ctx, known) {
			return nil
		}
	}
	res, err := p.fetch(ctx, k)
	if err != nil {
		return p.failed(k, err)
	}
	if choices := offered(res); kind == tidings.KindUnknown && len(choices) > 0 {
		p.first.Preview.Choices = choices
		for _, choice := range choices[:min(maxChoices, len(choices))] {
			if p.try(ctx, choice) {
				return nil
			}
		}
	}
	if kind == tidings.KindUnknown && p.marksEntries(res) {
		k.Options.Entries, k.Kind = true, tidings.KindFeed
	}
	return p.read(ctx, k, res)
}

// marksEntries reports whether a page is a feed by the entries that it marks up. It is then among the choices.
func (p *preview) marksEntries(res *fetch.Response) bool {
	doc, err := entriesOf(res, p.Feed)
	if err != nil || len(doc.Items) < microformats.LeastEntries {
		return false
	}
	p.first.Preview.Choices = append(p.first.Preview.Choices,
		tidings.Choice{URL: p.asked, Title: doc.Title, Type: string(microformats.Format)})
	return true
}

// offered returns the feeds that a document offers that is none itself: a page in its text and its header, any other in
// its header alone.
func offered(res *fetch.Response) []tidings.Choice {
	contentType := res.Header.Get("Content-Type")
	var header []feed.Link
	for _, l := range res.Links() {
		header = append(header, feed.Link(l))
	}
	switch feed.Sniff(res.Body, contentType) {
	case feed.HTML:
		return feed.Discover(res.Body, contentType, res.URL, header...)
	case feed.Unknown:
		return feed.Discover(nil, "", res.URL, header...)
	}
	return nil
}

func (p *preview) poll(url string, kind tidings.Kind) *poll {
	w := Job{Channel: tidings.Channel{URL: url, Kind: kind, Options: p.order.Options}}
	w.Access = fetch.AccessAt(p.access, p.asked, url) // a page must not have the password sent elsewhere
	k := p.begin(w, "it was asked for")
	k.cost = &p.cost
	return k
}

// try reads a feed that a page offers, unless it was tried before, and reports whether
// it is one.
func (p *preview) try(ctx context.Context, choice tidings.Choice) bool {
	url, err := feed.Canonical(choice.URL)
	if err != nil || p.tried[url] {
		return false
	}
	p.tried[url] = true
	k := p.poll(url, tidings.KindFeed)
	res, err := p.fetch(ctx, k)
	return err == nil && p.read(ctx, k, res) == nil
}

func (p *preview) fetch(ctx context.Context, k *poll) (*fetch.Response, error) {
	res, err := k.fetch(ctx, k.request())
	told := tidings.Fetched{URL: k.URL}
	if err != nil {
		told.Error = err.Error()
	} else {
		told.URL, told.Status, told.Type = res.URL, res.Status, res.Header.Get("Content-Type")
		told.Bytes, told.Size, told.Took = res.Wire, int64(len(res.Body)), res.Took
	}
	p.first.Preview.Fetched = append(p.first.Preview.Fetched, told)
	return res, err
}

// read makes k the first poll, if its document can be read.
func (p *preview) read(ctx context.Context, k *poll, res *fetch.Response) error {
	res, err := k.read(ctx, res)
	if err != nil {
		return err
	}
	r := k.end(res, nil)
	k.statesPrices = k.page != nil && page.StatesPrices(res.Body, res.Header.Get("Content-Type"))
	p.fill(k, r)
	if unreadable := k.reading.Unreadable; unreadable != nil {
		return unreadable
	}
	k.Kind, k.Memory, k.Noise, k.Next, k.Last = k.reading.Kind, r.Memory, r.Noise, r.Poll.Next, r.Poll
	p.first.Watched, p.first.Result = k.Job, r
	return nil
}

// shown returns the first items of a feed that may be shown now, and notes that there are others.
func (k *poll) shown(notes []string) (items []tidings.Item, _ []string) {
	var due time.Time // the first end of an embargo
	for i := range k.feed.Items {
		item := &k.feed.Items[i]
		if item.News.Embargoed(k.at) {
			if due.IsZero() || item.News.Embargo.Before(due) {
				due = item.News.Embargo
			}
		} else if len(items) < previewMost {
			item.Render()
			items = append(items, item.Item)
		}
	}
	if !due.IsZero() {
		notes = append(notes, "has items under embargo, the first until "+due.Format(time.RFC3339))
	}
	return items, notes
}

func (p *preview) failed(k *poll, err error) error {
	p.fill(k, k.end(nil, err))
	return err
}

// fill fills the preview with what the poll found.
func (p *preview) fill(k *poll, r Result) {
	v := &p.first.Preview
	v.Channel, v.Kind, v.Poll = k.URL, k.reading.Kind, r.Poll
	v.Items, v.Lines, v.Notes = nil, nil, nil
	switch {
	case k.feed != nil:
		v.Title, v.Site, v.Icon, v.Notes = k.feed.Title, k.feed.Site, k.feed.Icon, k.feed.Notes
		v.Count = len(k.feed.Items)
		v.Items, v.Notes = k.shown(v.Notes)
	case k.page != nil:
		v.Title, v.Lines, v.Notes = k.page.Title, k.page.Lines, k.page.Notes
		v.Count = len(v.Lines)
		if !k.Options.Prices && k.statesPrices {
			v.Notes = append(v.Notes, "states prices for programs: --prices watches these alone")
		}
	}
	if (k.feed != nil || k.page != nil) && len(v.Notes) == 0 {
		v.Notes = []string{"read without repairs"}
	}
}
