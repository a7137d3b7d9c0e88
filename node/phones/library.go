// Package phones is a node as readers on phones see it. It is [sync.Library], which package tidings/delivery/sync
// needs, made of the store and of what is followed.
//
// The number of an item is 1,000,000,000 and its number in the store, which is never used twice. A feed has the number
// of its channel, so that it is the same for all people. A folder has a number of its own. After a backup was restored
// all of them go on about a million further up.
//
// Where a channel has moved to an address that was known before, it becomes another feed. An item that both have keeps
// the number that it has there.
//
// Where a person has edits of a channel as items ([tidings.Subscription].EditsAsItems), an edit has the next number
// when it comes. No other person sees that item, and its number is given to nothing else.
//
// Numbers rise as items become known here. An item may become known before readers see it: one under embargo, or of a
// channel that others here follow. It has the number of that moment.
package phones

import (
	"cmp"
	"context"
	"time"

	"tidings"
	"tidings/delivery/proxy"
	"tidings/delivery/sync"
	"tidings/markup"
	"tidings/store"
	"tidings/store/reader"
)

// base is below the numbers of all items.
const base = sync.FirstNumber - 1

// Channels is what the node does for people with what they follow.
type Channels interface {
	Subscribe(ctx context.Context, account tidings.AccountID,
		order tidings.SubscribeRequest) (tidings.Subscription, error)
	SubscribeLater(ctx context.Context, account tidings.AccountID, orders []tidings.SubscribeRequest) ([]error, error)
	Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error
	Change(ctx context.Context, account tidings.AccountID, url string, change tidings.ChannelChange) error
	// PollSoon has a channel polled as soon as its origin allows, and does not wait for that.
	PollSoon(url string)
}

// FullTexts reads the pages that items link to.
type FullTexts interface {
	// Ask has the full text of an item read for an account, unless it is there or again is set. It returns when that
	// has ended, or with the error of ctx.
	Ask(ctx context.Context, account tidings.AccountID, item int64, again bool) error
}

// patience is how long a program waits for a page, which is stored whenever it comes.
const patience = 20 * time.Second

// Library implements [sync.Library].
type Library struct {
	articles store.Articles
	channels Channels
	texts    FullTexts
	now      func() time.Time
	icons    Icons // nil: no feed has one
	chosen   Chosen
}

// Icons has the icons of channels, where they are kept.
type Icons interface {
	// Icon returns the path at the node from which any client can load a channel's icon. Each icon has another path; ""
	// if there is none so far. It does not wait.
	Icon(c tidings.Channel) string
	// IconBytes returns the PNG at such a path, of at most 64 KiB.
	IconBytes(path string) ([]byte, error)
}

// Chosen is what people have chosen.
type Chosen interface {
	Preferences(ctx context.Context, account tidings.AccountID) (tidings.Preferences, error)
}

// ShowIcons gives feeds icons, for people that have chosen to see pictures of them. It is called before anything else.
func (l *Library) ShowIcons(icons Icons, chosen Chosen) { l.icons, l.chosen = icons, chosen }

var _ sync.Library = (*Library)(nil)

// New returns the library of a node.
func New(articles store.Articles, channels Channels, texts FullTexts, now func() time.Time) *Library {
	return &Library{articles: articles, channels: channels, texts: texts, now: now}
}

// Numbers implements [sync.Articles].
func (l *Library) Numbers(ctx context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	asked, err := queryOf(q)
	if err != nil {
		return nil, err
	}
	numbers, err := l.articles.Numbers(ctx, p.ID, asked)
	for i := range numbers {
		numbers[i] += base
	}
	return numbers, err
}

// Count implements [sync.Articles].
func (l *Library) Count(ctx context.Context, p sync.Person, q sync.Query) (int, error) {
	asked, err := queryOf(q)
	if err != nil {
		return 0, err
	}
	return l.articles.Count(ctx, p.ID, asked)
}

// queryOf returns a query as the store has it.
func queryOf(q sync.Query) (reader.ArticleQuery, error) {
	if q.Limit < 0 || q.Limit > sync.MaxNumbers+1 || q.Offset < 0 {
		return reader.ArticleQuery{}, tidings.Invalidf("limit %d and offset %d are out of bounds", q.Limit, q.Offset)
	}
	if q.Feeds != nil && len(q.Feeds) == 0 {
		return reader.ArticleQuery{}, tidings.Invalidf("items of no feed are asked for")
	}
	asked := reader.ArticleQuery{
		Channels: q.Feeds, Label: q.Label, NotLabel: q.NotLabel, Search: q.Search,
		Read: reader.Which(q.Read), Starred: reader.Which(q.Starred), After: max(q.After-base, 0),
		Arrived:   reader.Span{From: q.ArrivedFrom, Before: q.ArrivedBefore},
		Published: reader.Span{From: q.PublishedFrom, Before: q.PublishedBefore},
		Changed:   reader.Span{From: q.ChangedFrom, Before: q.ChangedBefore},
		Order:     reader.Order(q.Order), Ascending: q.Ascending, Limit: q.Limit, Offset: q.Offset,
	}
	if q.Before != 0 {
		asked.Before = max(q.Before-base, 1) // there is none below
	}
	if asked.Limit == 0 {
		asked.Limit = sync.MaxNumbers + 1
	}
	return asked, nil
}

// ItemsOf implements [sync.Articles].
func (l *Library) ItemsOf(ctx context.Context, p sync.Person, numbers []int64) ([]sync.Item, error) {
	found, err := l.articles.Of(ctx, p.ID, idsOf(numbers))
	if err != nil {
		return nil, err
	}
	items := make([]sync.Item, len(found))
	for i := range found {
		items[i] = itemOf(&found[i])
	}
	return items, nil
}

// FullText implements [sync.Articles].
func (l *Library) FullText(ctx context.Context, p sync.Person, number int64) (string, error) {
	found, err := l.articles.Of(ctx, p.ID, idsOf([]int64{number}))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", tidings.ErrNotFound
	}
	a := &found[0]
	if a.Kind == tidings.KindPage || a.Withdrawn != nil || a.Content.News.Withdrawn() || a.Content.URL == "" {
		return "", nil
	}
	item := cmp.Or(a.Edited, a.Number)
	text, err := l.articles.FullText(ctx, p.ID, item)
	if err != nil {
		return "", err
	}
	if text == nil || text.Content == "" {
		waiting, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if err := l.texts.Ask(waiting, p.ID, item, false); err != nil && waiting.Err() == nil {
			return "", err
		}
		if text, err = l.articles.FullText(ctx, p.ID, item); err != nil || text == nil {
			return "", err
		}
	}
	return markup.Sanitize(text.Content), nil
}

func idsOf(numbers []int64) []int64 {
	ids := make([]int64, 0, len(numbers))
	for _, n := range numbers {
		if sync.IsNumber(n) {
			ids = append(ids, n-base)
		}
	}
	return ids
}

func itemOf(a *reader.Article) sync.Item {
	title, link, html := proxy.Shown(a.Of, tidings.Entry{
		Item: a.Number, Kind: a.Kind, Version: a.Version, Received: a.Changed, Delta: a.Delta, Content: a.Content,
		FullText: a.FullText, Withdrawn: a.Withdrawn,
	})
	i := sync.Item{
		Number: base + a.Number, Feed: a.Channel, Title: title, Author: a.Content.Author, URL: link,
		HTML:      markup.Sanitize(html),
		Published: sync.DateOf(a.Content.Claimed(), a.Arrived), Arrived: a.Arrived, Changed: a.Changed,
		Read: a.Read, Starred: a.Starred, Enclosures: a.Content.Enclosures, Tags: a.Content.Categories,
		Labels: a.Labels,
	}
	if a.Edited != 0 {
		i.URL, i.Published = sync.EditLink(i.URL, i.Number), a.Arrived // beside what is new, not where the item was
	}
	return i
}

// Tallies implements [sync.Articles].
func (l *Library) Tallies(ctx context.Context, p sync.Person) (map[int64]sync.Tally, error) {
	counted, err := l.articles.Tallies(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	all := make(map[int64]sync.Tally, len(counted))
	for feed, t := range counted {
		all[feed] = sync.Tally(t)
	}
	return all, nil
}

// Mark implements [sync.Articles].
func (l *Library) Mark(ctx context.Context, p sync.Person, numbers []int64, c sync.Change) error {
	if len(numbers) > sync.MaxNumbers {
		return tidings.Invalidf("at most %d items are changed at once", sync.MaxNumbers)
	}
	return l.articles.Change(ctx, p.ID, idsOf(numbers), reader.ArticleChange(c))
}

// MarkAll implements [sync.Articles].
func (l *Library) MarkAll(ctx context.Context, p sync.Person, q sync.Query, c sync.Change) error {
	q.Limit, q.Offset = 0, 0
	if c.Read != nil && c.Starred == nil && len(c.AddLabels)+len(c.RemoveLabels) == 0 { // no others change
		wanted := sync.Only
		if *c.Read {
			wanted = sync.Without
		}
		both, possible := q.Read.And(wanted)
		if !possible {
			return nil
		}
		q.Read = both
	}
	asked, err := queryOf(q)
	if err != nil {
		return err
	}
	return l.articles.ChangeAll(ctx, p.ID, asked, reader.ArticleChange(c))
}

// Labels implements [sync.Articles].
func (l *Library) Labels(ctx context.Context, p sync.Person) ([]string, error) {
	return l.articles.Labels(ctx, p.ID)
}

// RenameLabel implements [sync.Articles].
func (l *Library) RenameLabel(ctx context.Context, p sync.Person, name, to string) error {
	if to == "" {
		return tidings.Invalidf("a label needs a name")
	}
	return l.articles.RenameLabel(ctx, p.ID, name, to)
}

// RemoveLabel implements [sync.Articles].
func (l *Library) RemoveLabel(ctx context.Context, p sync.Person, name string) error {
	return l.articles.RenameLabel(ctx, p.ID, name, "")
}
