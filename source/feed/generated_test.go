package feed

import (
	"errors"
	"fmt"
	"html"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings/source/feed/feedtest"
)

// generated are documents of which is known what must be read of them.
var generated = sync.OnceValue(func() []feedtest.Document { return feedtest.Documents(1) })

// Every format, in every character set and with every kind of damage, gives just what was
// put into it.
func TestGeneratedDocumentsReadAsTheyWereMeant(t *testing.T) {
	docs := generated()
	if len(docs) < 3000 {
		t.Errorf("only %d documents", len(docs))
	}
	t.Logf("%d documents", len(docs))
	for i, g := range docs {
		if testing.Short() && i%4 != 0 {
			continue
		}
		d, err := Parse(g.Body, g.ContentType, g.Base, Default())
		switch {
		case g.Format == "":
			if !errors.Is(err, ErrNotFeed) && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: read as %+v, %v", g.Name, d, err)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v\n%.600s", g.Name, err, g.Body)
			continue
		}
		if faults := differsFrom(d, g); len(faults) > 0 {
			t.Errorf("%s:\n\t%s\n%.1500q", g.Name, strings.Join(faults, "\n\t"), g.Body)
		}
	}
}

// differsFrom returns how a document was read otherwise than it was meant.
func differsFrom(d *Document, g feedtest.Document) (faults []string) {
	fault := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			faults = append(faults, strings.TrimSpace(what)+": "+quote(got)+", want "+quote(want))
		}
	}
	fault("format", string(d.Format), g.Format)
	if !g.Garbled {
		fault("title", d.Title, g.Title)
	}
	if fault("items", len(d.Items), len(g.Items)); len(faults) > 0 {
		return faults
	}
	for i := range d.Items {
		got, want := readBack(&d.Items[i]), g.Items[i]
		fault("id", got.ID, want.ID)
		fault("link", got.URL, want.URL)
		fault("published", got.Published.UTC(), want.Published.UTC())
		fault("updated", got.Updated.UTC(), want.Updated.UTC())
		fault("files", got.Files, want.Files)
		if g.Garbled {
			continue
		}
		fault("title of an item", got.Title, want.Title)
		fault("author", got.Author, want.Author)
		fault("categories", got.Categories, want.Categories)
		if want.Text != feedtest.Unsaid {
			fault("text", got.Text, want.Text)
			fault("links in the text", got.Links, want.Links)
		}
	}
	return faults
}

func quote(v any) string {
	switch v := v.(type) {
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case string:
		return `"` + cutText(v, 300) + `"`
	}
	return fmt.Sprintf("%+v", v)
}

var anyLink = regexp.MustCompile(`<a [^>]*href="([^"]*)"`)

// readBack returns what was read of an item in the generator's terms.
func readBack(it *Item) feedtest.Item {
	it.Render()
	out := feedtest.Item{ID: it.ID, URL: it.URL, Title: it.Title, Author: it.Author, Published: it.Published,
		Updated: it.Updated, Categories: it.Categories}
	for _, e := range it.Enclosures {
		out.Files = append(out.Files, feedtest.File{URL: e.URL, Type: e.Type, Length: e.Length})
	}
	text := it.Content
	if text == "" {
		text = it.Summary
	}
	out.Text = dumbVisible(dumbTag.ReplaceAllString(text, ""))
	for _, m := range anyLink.FindAllStringSubmatch(text, -1) {
		out.Links = append(out.Links, html.UnescapeString(m[1]))
	}
	return out
}
