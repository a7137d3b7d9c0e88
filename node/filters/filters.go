package filters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/source/query"
	"tidings/store/reader"
	"tidings/view"
)

// Library is what people can read.
type Library interface {
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)
	Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error)
}

// Filters are the filters of all accounts. Their methods may be called by many goroutines at once.
type Filters struct {
	*reader.Filters
	library  Library
	checking chan struct{} // one check at a time goes through the store
}

// New returns the filters that a store keeps.
func New(stored *reader.Filters, library Library) *Filters {
	return &Filters{stored, library, make(chan struct{}, 1)}
}

const (
	// checkWithin bounds how long articles are compared for a check.
	checkWithin = 20 * time.Second
	// checkWork bounds the work of a check.
	checkWork = 1 << 32
	// batch is how many entries are read at a time, so that their texts are not all in memory.
	batch = 50
)

// TextOf returns the condition that a form stands for; "" if nothing is filled in. tidings.ErrInvalid if a form cannot
// ask that.
func (*Filters) TextOf(f tidings.FilterForm) (string, error) { return query.FilterText(f) }

// Check describes a condition before it is saved, and which of the last articles of an account it is true of. A text
// that is no condition is no error.
func (f *Filters) Check(ctx context.Context, account tidings.AccountID, text string) (view.FilterCheck, error) {
	c := view.FilterCheck{Matches: []view.FilterMatch{}}
	parsed, err := query.ParseFilter(text)
	var wrong *query.SyntaxError
	switch {
	case errors.As(err, &wrong):
		c.Error = new(remarkOf(&wrong.Remark))
		return c, nil
	case err != nil:
		return c, err
	}
	c.Condition = parsed.String()
	for _, w := range parsed.Warnings() {
		c.Warnings = append(c.Warnings, remarkOf(&w))
	}
	within, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	whole, err := f.lookThrough(within, account, parsed, &c)
	if within.Err() != nil && ctx.Err() == nil { // what was found by then counts
		whole, err = false, nil
	}
	if err == nil && !whole {
		c.Warnings = append(c.Warnings, view.QueryRemark{
			Message: "comparing articles took so long that it was ended before all of the last had been compared",
			Hint:    "comparisons with the title, and fewer regular expressions, are faster",
		})
	}
	return c, err
}

func remarkOf(r *query.Remark) view.QueryRemark {
	return view.QueryRemark{Line: r.Line, Column: r.Column, Message: r.Message, Hint: r.Hint, Context: r.Context()}
}

// lookThrough compares the last articles with a condition, each in its latest revision, and reports whether it has
// compared all.
func (f *Filters) lookThrough(ctx context.Context, account tidings.AccountID, parsed *query.Query,
	c *view.FilterCheck) (whole bool, err error) {
	select {
	case f.checking <- struct{}{}:
		defer func() { <-f.checking }()
	case <-ctx.Done():
		return false, fmt.Errorf("waiting for other checks of filters: %w", ctx.Err())
	}
	followed, err := f.library.Channels(ctx, account)
	if err != nil {
		return false, err
	}
	titles := make(map[string]string, len(followed))
	for _, channel := range followed {
		titles[channel.URL] = channel.Title
	}
	seen := make(map[int64]bool)
	work := int64(checkWork)
	for before := int64(0); ; {
		entries, err := f.library.Entries(ctx, account, tidings.EntryQuery{Before: before, Limit: batch})
		if err != nil || len(entries) == 0 {
			return err == nil, err
		}
		for i := range entries {
			e := &entries[i]
			before = e.ID
			if seen[e.Item] || e.Content.IsNotice() {
				continue
			}
			if c.Searched == view.MaxFilterSearch {
				return true, nil
			}
			article, is := Language{}.Prepare(candidate(e, titles[e.Channel])).(*query.Item)
			if !is {
				return false, errors.New("an article was not prepared")
			}
			holds, ok := parsed.MatchesFor(article, &work)
			if !ok || ctx.Err() != nil {
				return false, ctx.Err()
			}
			seen[e.Item] = true
			if c.Searched++; !holds {
				continue
			}
			if c.Matching++; len(c.Matches) < view.MaxFilterMatches {
				c.Matches = append(c.Matches, view.FilterMatch{
					Entry: e.ID, Channel: e.Channel, Label: e.Label, Received: e.Received, URL: e.Content.URL,
					Title: cmp.Or(strings.TrimSpace(e.Content.Title), e.Content.URL),
				})
			}
		}
	}
}
