package queries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/source/news"
	"tidings/source/query"
	"tidings/store/content"
	"tidings/view"
)

// checkWithin bounds how long the store is looked through for a query.
const checkWithin = 20 * time.Second

// CheckQuery describes a text that may be a query, and what it selects of the public items that the store got lately. A
// text that is none is no error.
func (q *Queries) CheckQuery(ctx context.Context, text string) (view.QueryCheck, error) {
	c := view.QueryCheck{Matches: []view.QueryMatch{}, Network: q.host.Routed()}
	parsed, err := query.Parse(text)
	var wrong *query.SyntaxError
	switch {
	case errors.As(err, &wrong):
		c.Error = new(remarkOf(&wrong.Remark))
		return c, nil
	case err != nil:
		return c, err
	}
	c.Query = parsed.String()
	c.Channel = tidings.QueryURL(c.Query)
	for _, w := range parsed.Warnings() {
		c.Warnings = append(c.Warnings, remarkOf(&w))
	}
	c.Topics = parsed.Topics()
	c.Wide = slices.Contains(c.Topics, news.TopicAny)
	c.Since = time.Now().Add(-view.QueryCheckSpan).UTC()
	within, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	err = q.lookThrough(within, parsed, &c)
	if within.Err() != nil && ctx.Err() == nil { // what was found by then counts
		err = nil
		c.Warnings = append(c.Warnings, view.QueryRemark{
			Message: fmt.Sprintf(
				"the comparison was ended after %s, before all items of the last week had been compared", checkWithin),
			Hint: "fewer comparisons with text, or fewer of LIKE, are faster",
		})
	}
	return c, err
}

// QueryOf returns the text of the query that a form asks for.
func (*Queries) QueryOf(f view.QueryForm) string { return query.Form(f).Query() }

// remarkOf returns a remark as it is shown to people.
func remarkOf(r *query.Remark) view.QueryRemark {
	return view.QueryRemark{Line: r.Line, Column: r.Column, Message: r.Message, Hint: r.Hint, Context: r.Context()}
}

// lookThrough counts what a query selects of the newest items. One goes through the store at a time.
func (q *Queries) lookThrough(ctx context.Context, parsed *query.Query, c *view.QueryCheck) error {
	select {
	case q.checking <- struct{}{}:
		defer func() { <-q.checking }()
	case <-ctx.Done():
		return fmt.Errorf("waiting for other checks of queries: %w", ctx.Err())
	}
	type name struct{ channel, item string }
	seen := make(map[name]bool)
	for before := int64(0); ; {
		updates, err := q.content.PublicUpdates(ctx, content.PublicQuery{Before: before, Since: c.Since, Newest: true,
			Limit: scanBatch})
		if err != nil || len(updates) == 0 {
			return err
		}
		for i := range updates {
			u := &updates[i]
			before = u.ID
			for _, item := range u.Items {
				n := name{u.Channel, item.ID}
				if seen[n] || item.IsNotice() { // the newest revision counts
					continue
				}
				if c.Searched == q.most {
					return nil
				}
				seen[n] = true
				c.Searched++
				selects, err := parsed.MatchesIn(ctx, itemOf(u.Channel, u.Title, item))
				if err != nil {
					return err
				}
				if !selects {
					continue
				}
				if c.Matching++; len(c.Matches) < view.MaxQueryMatches {
					item.Summary, item.Content = "", ""
					c.Matches = append(c.Matches,
						view.QueryMatch{Channel: u.Channel, Title: u.Title, Received: u.Received, Item: item})
				}
			}
		}
	}
}
