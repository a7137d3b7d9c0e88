package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"tidings"
	"tidings/view"
)

// fakePublisher publishes nothing.
type fakePublisher struct {
	order, document view.PublishOrder
	entry           tidings.PublishedEntry
	said            string // channel and key of the entry
}

func (f *fakePublisher) Publish(_ context.Context, o view.PublishOrder) (view.Issued, error) {
	if o.Key == "none" {
		return view.Issued{},
			fmt.Errorf("publishing: %w", tidings.WithHint(tidings.Invalidf("there is no such key"), "make one"))
	}
	if strings.HasPrefix(o.Source, "https://down") {
		return view.Issued{}, errors.New("connection refused")
	}
	if len(o.Document) > 0 {
		f.document = o
	} else {
		f.order = o
	}
	return view.Issued{Items: []view.IssuedItem{{Number: 1, ID: "a", Change: tidings.New, Nodes: 3}}}, nil
}

func (f *fakePublisher) PublishEntry(_ context.Context, channel, key string,
	e tidings.PublishedEntry) (view.Issued, error) {
	f.entry, f.said = e, channel+" "+key
	if e.ID == "again" {
		return view.Issued{Items: []view.IssuedItem{}}, nil
	}
	return view.Issued{Items: []view.IssuedItem{{Number: 2, ID: e.ID, Change: tidings.New}}}, nil
}

func (f *fakePublisher) ResumePublishing(ctx context.Context, channel string) error {
	return f.StopPublishing(ctx, channel)
}

func (f *fakePublisher) Publications(context.Context) ([]view.Publication, error) {
	return []view.Publication{{Channel: news, Key: "me", Items: 2}}, nil
}

func (f *fakePublisher) StopPublishing(_ context.Context, channel string) error {
	if channel != news {
		return fmt.Errorf("%s: %w", channel, tidings.ErrNotFound)
	}
	return nil
}

func TestPublishRoutes(t *testing.T) {
	f := newFake()
	publisher := &fakePublisher{}
	local := as(tidings.Owner, New(Config{Store: f, Node: f, Publisher: publisher, Local: true}))
	open := as(tidings.Owner, New(Config{Store: f, Node: f, Publisher: publisher}))
	none := as(tidings.Owner, New(Config{Store: f, Node: f}))
	const entry = `{"url":"` + news +
		`","key":"me","entry":{"id":"1","title":"T","html":"<p>x</p>","published":"2026-03-01T10:00:00Z"}}`
	for _, c := range []struct {
		h                    http.Handler
		method, target, body string
		status               int
		want                 string
	}{
		{open, "GET", "publications", "", 200, `[{"channel":"` + news + `","key":"me"`},
		{open, "POST", "publications", `{"source":"/a.xml"}`, 405, "possible: DELETE, GET"},
		{local, "POST", "publications", `{"source":"/a.xml","watch":true}`, 200, `"nodes":3`},
		{local, "POST", "publications", `{"watch":true}`, 400, `field \"source\" is missing`},
		{local, "POST", "publications", `{"source":"/a.xml","full_content":"site"}`, 400, "no absolute path"},
		{local, "POST", "publications", `{"source":"/a.xml","key":"none"}`, 400, `"hint":"make one"`},
		{local, "POST", "publications", `{"source":"https://down.example/"}`, 502, "connection refused"},
		{open, "POST", "publications/entries", entry, 201, `"number":2`},
		{open, "POST", "publications/entries", strings.Replace(entry, `"1"`, `"again"`, 1), 200, `"items":[]`},
		{open, "POST", "publications/entries", `{"url":"` + news + `","document":"eA==","entry":{"id":"1"}}`, 400,
			`both \"entry\" and \"document\"`},
		{open, "POST", "publications/entries", `{"url":"` + news + `","document":"eA==","key":"none"}`, 400,
			`"hint":"make one"`},
		{open, "POST", "publications/entries", `{"url":"` + news + `","document":"eA=="}`, 201, `"number":1`},
		{open, "POST", "publications/entries", `{"entry":{"id":"1"}}`, 400, `field \"url\" is missing`},
		{open, "POST", "publications/entries", `{"url":"x","entry":{"guid":"1"}}`, 400, `unknown field \"guid\"`},
		{open, "DELETE", "publications?url=" + news, "", 204, ""},
		{open, "DELETE", "publications?url=https://x.example/", "", 404, "is not published here"},
		{open, "POST", "publications/resume?url=" + news, "", 204, ""},
		{open, "POST", "publications/resume?url=https://x.example/", "", 404, "has not halted here"},
		{open, "POST", "publications/resume", "", 400, `parameter \"url\" is missing`},
		{open, "DELETE", "publications", "", 400, `parameter \"url\" is missing`},
		{none, "GET", "publications", "", 503, "does not publish"},
		{none, "POST", "publications/entries", entry, 503, "does not publish"},
	} {
		w := ask(c.h, c.method, c.target, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d %s", c.method, c.target, c.body, w.Code, w.Body)
		}
	}
	if !reflect.DeepEqual(publisher.order, view.PublishOrder{Source: "/a.xml", Watch: true}) ||
		!reflect.DeepEqual(publisher.document, view.PublishOrder{Channel: news, Document: []byte("x")}) {
		t.Errorf("ordered %+v and %+v", publisher.order, publisher.document)
	}
}

// The client sends what the API understands.
func TestPublishClient(t *testing.T) {
	f := newFake()
	publisher := &fakePublisher{}
	client := Dial(serve(t, as(tidings.Owner, New(Config{Store: f, Node: f, Publisher: publisher, Local: true}))))
	defer client.Close()
	order := view.PublishOrder{Source: "/a.xml", Channel: news, Key: "me", Passphrase: "secret", FullContent: "/site",
		MaxSilence: -1, Watch: true}
	if issued, err := client.Publish(t.Context(), order); err != nil || !reflect.DeepEqual(publisher.order, order) ||
		issued.Items[0].Nodes != 3 {
		t.Errorf("%+v, %v, %+v", issued, err, publisher.order)
	}
	entry := tidings.PublishedEntry{ID: "1", Title: "T", Tags: []string{"a"},
		Enclosures: []tidings.Enclosure{{URL: "u", Length: 1}}}
	if _, err := client.PublishEntry(t.Context(), news, "me", entry); err != nil ||
		!reflect.DeepEqual(publisher.entry, entry) || publisher.said != news+" me" {
		t.Errorf("%v, %+v, %s", err, publisher.entry, publisher.said)
	}
	if all, err := client.Publications(t.Context()); err != nil || len(all) != 1 || all[0].Items != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := client.StopPublishing(t.Context(), "https://x.example/"); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
