package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/view"
)

// fakeArchive has one entry for each of its years, the newest first.
type fakeArchive struct {
	years   []int
	missing int
	err     error // after these
	asked   view.ArchiveQuery
}

func (f *fakeArchive) Older(_ context.Context, url string, q view.ArchiveQuery,
	tell func(view.Archived) error) (int, error) {
	f.asked = q
	for _, year := range f.years {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if at.Before(q.Since) {
			break
		}
		a := view.Archived{Number: uint64(year), Time: at, SignedBy: "1a2b",
			Items: []tidings.Item{{ID: url, Title: fmt.Sprint("In ", year)}}}
		if err := tell(a); err != nil {
			return f.missing, err
		}
	}
	return f.missing, f.err
}

func TestArchiveRoute(t *testing.T) {
	c := configOf(filled())
	h := func(a Archive) string {
		c.Archive = a
		w := ask(as(tidings.Owner, New(c)), "GET", "archive?since=2020-01-01T00:00:00Z&url="+news, "")
		return fmt.Sprint(w.Code, " ", w.Body.String())
	}
	for want, a := range map[string]Archive{
		`503 {"error":"this node reads no archives"}`: nil,
		`{"entry":{"number":2021,"time":"2021-01-01T00:00:00Z","signed_by":"1a2b","items":[{"id":"` + news +
			`","title":"In 2021"}]}}
{"finished":true,"missing":3}
`: &fakeArchive{years: []int{2021, 2019}, missing: 3},
		`400 {"error":"it is not pushed"}`: &fakeArchive{err: tidings.Invalidf("it is not pushed")},
		`502 {"error":"no route"`:          &fakeArchive{err: errors.New("no route")},
		`{"error":"no route"}`:             &fakeArchive{years: []int{2022}, err: errors.New("no route")},
	} {
		if got := h(a); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	c.Archive = &fakeArchive{}
	for target, status := range map[string]int{"archive": 400, "archive?url=http://nobody.example/": 404,
		"archive?since=x&url=" + news: 400} {
		if w := ask(as(tidings.Owner, New(c)), "GET", target, ""); w.Code != status {
			t.Errorf("%s is answered %d %s", target, w.Code, w.Body)
		}
	}
}

func TestOlderEntriesReachAClient(t *testing.T) {
	c := configOf(filled())
	a := &fakeArchive{years: []int{2022, 2021, 2019}, missing: 2}
	c.Archive = a
	client := Dial(serve(t, as(tidings.Owner, New(c))))
	defer client.Close()
	read := func(since int, enough error) (all string, missing int, err error) {
		missing, err = client.Older(t.Context(), news,
			view.ArchiveQuery{Since: time.Date(since, 1, 1, 0, 0, 0, 0, time.UTC)}, func(a view.Archived) error {
				all += a.Items[0].Title + "; "
				return enough
			})
		return all, missing, err
	}
	if all, missing, err := read(2020, nil); all != "In 2022; In 2021; " || missing != 2 || err != nil {
		t.Errorf("%s, %d are missing: %v", all, missing, err)
	}
	enough := errors.New("enough")
	if all, _, err := read(2020, enough); all != "In 2022; " || !errors.Is(err, enough) {
		t.Errorf("%s: %v", all, err)
	}
	all := view.ArchiveQuery{Since: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Before: 7, Document: news + "?a=b&c",
		Places: 3, Lacking: true}
	if _, err := client.Older(t.Context(), news, all, func(view.Archived) error { return nil }); err != nil ||
		a.asked != all {
		t.Errorf("asked for %+v: %v", a.asked, err)
	}
	a.err = errors.New("the network is gone")
	if all, _, err := read(1990, nil); !strings.HasSuffix(all, "In 2019; ") || err == nil ||
		!strings.Contains(err.Error(), "the network is gone") {
		t.Errorf("%s: %v", all, err)
	}
	a.years, a.err = nil, tidings.Invalidf("not pushed")
	if _, _, err := read(1990, nil); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("%v", err)
	}
}
