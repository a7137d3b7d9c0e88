package queries

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store"
	"tidings/store/shared"
)

const agency = "https://agency.example/sport.json"

// wire stores a news item as a poll of an agency's document has found it.
func (d *desk) wire(version int, status, headline string) {
	d.t.Helper()
	doc := fmt.Sprintf(`{"uri": "urn:agency:1", "version": "%d", "pubstatus": %q, "type": "text", "headline": %q, "body_text": "The %s body.", "versioncreated": "2026-11-24T12:0%d:00Z"}`,
		version, status, headline, headline, version)
	read, err := source.Parse([]byte(doc), "application/json", agency, feed.Default())
	if err != nil {
		d.t.Fatal(err)
	}
	known, upTo, err := d.store.Content.KnownLike(context.Background(), agency, read.Marks())
	if err != nil {
		d.t.Fatal(err)
	}
	f := &tidings.Change{Kind: tidings.KindFeed, Items: feed.Match(known, read), KnownUpTo: upTo, Found: time.Now(),
		FoundBy: "other"}
	if _, err := d.store.Apply(context.Background(),
		store.Remote{Version: shared.Version{URL: agency}, Change: f}); err != nil {
		d.t.Fatal(err)
	}
	d.ring()
}

// A reader that was shown an item of a query is shown its correction, though the query does not select that. After a
// withdrawal nothing of it is left. Another reader is shown neither.
func TestRevisionsFollowWhatWasShown(t *testing.T) {
	d := newDesk(t)
	d.channel(agency, tidings.Public)
	goals, weather := d.follow("headline LIKE '%goal%'"), d.follow("headline LIKE '%weather%'")
	d.wire(1, "usable", "Goal")
	d.work()
	d.expect(goals, agency+" urn:agency:1 new Goal")
	d.wire(2, "usable", "No ball in the net")
	d.work()
	d.expect(goals, agency+" urn:agency:1 new Goal", agency+" urn:agency:1 changed No ball in the net")
	d.wire(3, "canceled", "")
	d.work()
	if told := d.shown(goals); len(told) != 3 || strings.Contains(strings.Join(told, "\n"), "Goal") ||
		strings.Contains(strings.Join(told, "\n"), "ball") {
		t.Errorf("after it was withdrawn, this is told: %q", told)
	}
	entries, err := d.store.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Search: "body"})
	if err != nil || len(entries) > 0 {
		t.Errorf("its text is still found: %v, %v", entries, err)
	}
	d.expect(weather)
}
