package queries

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tidings"
)

func TestCheckShowsWhereATextIsWrong(t *testing.T) {
	d := newDesk(t)
	for text, want := range map[string]tidings.QueryRemark{
		"publisher = reuters": {Line: 1, Column: 13, Context: "publisher = reuters\n            ^"},
		"TRUE AND\nnope = 1":  {Line: 2, Column: 1, Context: "nope = 1\n^"},
		"":                    {Line: 1, Column: 1},
	} {
		c, err := d.q.CheckQuery(t.Context(), text)
		if err != nil || c.Error == nil || c.Query != "" || c.Error.Line != want.Line || c.Error.Column != want.Column || c.Error.Message == "" ||
			want.Context != "" && c.Error.Context != want.Context {
			t.Errorf("%q gives %+v, %v", text, c.Error, err)
		}
	}
}

// A check counts the items of the last week, each once in its latest state, of public feeds alone, and lists the newest.
func TestCheckCounts(t *testing.T) {
	d := newDesk(t)
	d.channel(paper, tidings.Public)
	d.channel(other, tidings.Unlisted)
	d.found(other, story{"1", "Goal of nobody's business", "t"})
	d.found(paper, story{"1", "Goal", "t"}, story{"2", "Weather", "t"}, story{"3", "Goal, at first", "t"})
	d.found(paper, story{"3", "Corrected", "t"}, story{"4", "Another goal", "t"})
	selected := d.follow("headline LIKE '%weather%'")
	d.found(paper, story{"5", "Weather, again", "t"})
	d.work()
	if len(d.told(selected)) != 1 {
		t.Fatalf("the query has %q", d.told(selected))
	}
	c, err := d.q.CheckQuery(t.Context(), "headline  like '%goal%' and publisher = 'paper.example'")
	if err != nil || c.Error != nil || c.Query != "headline LIKE '%goal%' AND publisher = 'paper.example'" || c.Channel != tidings.QueryURL(c.Query) || c.Wide ||
		c.Searched != 5 || c.Matching != 2 || len(c.Matches) != 2 || c.Matches[0].Item.Title != "Another goal" || c.Matches[1].Item.Title != "Goal" ||
		c.Matches[0].Channel != paper || c.Matches[0].Title != "The Paper" || c.Matches[0].Item.Content+c.Matches[0].Item.Summary != "" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := d.q.CheckQuery(t.Context(), "headline IS NOT NULL"); err != nil || !c.Wide || c.Matching != 5 {
		t.Errorf("what matches all: %+v, %v", c, err)
	}
	if c, err := d.q.CheckQuery(t.Context(), "urgency = 11"); err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Context, "^") || c.Matches == nil {
		t.Errorf("what never matches: %+v, %v", c, err)
	}
	d.q.most = 3
	if c, err := d.q.CheckQuery(t.Context(), "headline IS NOT NULL"); err != nil || c.Searched != 3 || c.Matching != 3 || c.Matches[0].Item.Title != "Weather, again" {
		t.Errorf("of more than are looked through: %+v, %v", c, err)
	}
	d.q.most = tidings.MaxQuerySearch
	var many []story
	for i := range 3 * tidings.MaxQueryMatches {
		many = append(many, story{fmt.Sprint("m", i), "Mass", "t"})
	}
	d.found(paper, many...)
	if c, err := d.q.CheckQuery(t.Context(), "headline = 'Mass'"); err != nil || c.Matching != len(many) || len(c.Matches) != tidings.MaxQueryMatches {
		t.Errorf("%d match, %d are listed, %v", c.Matching, len(c.Matches), err)
	}
}

// One check goes through the store at a time; who waits in vain is told so.
func TestChecksTakeTurns(t *testing.T) {
	d := newDesk(t)
	d.q.checking <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.q.CheckQuery(ctx, "TRUE"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-d.q.checking
	if _, err := d.q.CheckQuery(t.Context(), "TRUE"); err != nil {
		t.Error(err)
	}
}
