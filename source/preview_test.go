package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/page"
)

// at makes a web of documents by address.
func at(documents map[string]answer) web {
	w := web{}
	for url, a := range documents {
		w[url] = &origin{answers: []answer{a}}
	}
	return w
}

func (w web) poller(lib Library) *Poller {
	return &Poller{Fetch: w.fetch, Library: lib, Plan: fetch.DefaultPlan(), NodeID: "node", Feed: feed.Default(),
		Page: page.Default()}
}

// fetched lists a preview's requests in words, and checks that no address is asked twice.
func fetched(t *testing.T, p tidings.Preview) string {
	t.Helper()
	var list []string
	seen := map[string]bool{}
	for _, f := range p.Fetched {
		if seen[f.URL] {
			t.Errorf("%s is fetched twice", f.URL)
		}
		seen[f.URL] = true
		path := f.URL[strings.Index(f.URL, "//")+2:]
		list = append(list, path)
	}
	return strings.Join(list, " ")
}

// linked answers as a, with links in its header.
func linked(a answer, links ...string) answer {
	return func(r fetch.Request) (*fetch.Response, error) {
		res, err := a(r)
		res.Header["Link"] = links
		return res, err
	}
}

const (
	offers = `<title>Blog</title><link rel=alternate type="application/rss+xml" href="/feed" title="Posts">` +
		`<link rel=alternate type="application/atom+xml" href="/second"><p>The text of the page`
	plain = `<title>Prices</title><h1>Prices</h1><p>Tea 2.50<p>Coffee 3.00`
)

func TestPreview(t *testing.T) {
	for name, c := range map[string]struct {
		order   tidings.SubscribeRequest
		web     map[string]answer
		channel string
		kind    tidings.Kind
		fetched string
		choices int
	}{
		"a feed": {
			tidings.SubscribeRequest{URL: "o.example/feed"},
			map[string]answer{"https://o.example/feed": rss(item(1, "one"))},
			"https://o.example/feed", tidings.KindFeed, "o.example/feed", 0,
		},
		"a page with a feed": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(offers), "https://o.example/feed": rss(item(1, "one"))},
			"https://o.example/feed", tidings.KindFeed, "o.example/ o.example/feed", 2,
		},
		"a page whose first feed is broken": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(offers), "https://o.example/feed": html("<p>no feed"),
				"https://o.example/second": rss(item(1, "one"))},
			"https://o.example/second", tidings.KindFeed, "o.example/ o.example/feed o.example/second", 2,
		},
		"a page whose feeds are all broken": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(offers),
				"https://o.example/feed": failing(&fetch.StatusError{Status: 500})},
			"https://o.example/", tidings.KindPage, "o.example/ o.example/feed o.example/second", 2,
		},
		"a page without a feed": {
			tidings.SubscribeRequest{URL: "https://o.example/"}, map[string]answer{"https://o.example/": html(plain)},
			"https://o.example/", tidings.KindPage, "o.example/", 0,
		},
		"a page that is asked for as such": {
			tidings.SubscribeRequest{URL: "https://o.example/", AsPage: true},
			map[string]answer{"https://o.example/": html(offers)},
			"https://o.example/", tidings.KindPage, "o.example/", 0,
		},
		"a page that is to be read by rules": {
			tidings.SubscribeRequest{URL: "https://o.example/", Options: tidings.PageOptions{Select: []string{"p"}}},
			map[string]answer{"https://o.example/": html(offers)},
			"https://o.example/", tidings.KindPage, "o.example/", 0,
		},
		"a page on a site whose feeds are known": {
			tidings.SubscribeRequest{URL: "https://github.com/a/b"},
			map[string]answer{"https://github.com/a/b/releases.atom": rss(item(1, "one"))},
			"https://github.com/a/b/releases.atom", tidings.KindFeed, "github.com/a/b/releases.atom", 0,
		},
		"a page whose known feeds are not there, and which offers them again": {
			tidings.SubscribeRequest{URL: "https://github.com/a/b"},
			map[string]answer{"https://github.com/a/b": html(
				`<link rel=alternate type="application/atom+xml" href="/a/b/commits.atom"><p>readme`)},
			"https://github.com/a/b", tidings.KindPage,
			"github.com/a/b/releases.atom github.com/a/b/tags.atom github.com/a/b/commits.atom github.com/a/b", 1,
		},
		"such a page, asked for as a page": {
			tidings.SubscribeRequest{URL: "https://github.com/a/b", AsPage: true},
			map[string]answer{"https://github.com/a/b": html(plain)},
			"https://github.com/a/b", tidings.KindPage, "github.com/a/b", 0,
		},
		"a feed whose items lead to other feeds": {
			tidings.SubscribeRequest{URL: "https://o.example/atom"},
			map[string]answer{
				"https://o.example/atom": text("application/atom+xml",
					`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>
					<link rel="alternate" type="application/atom+xml" hreflang="de" href="/de"/><entry><title>one</title><id>1</id>
					<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="https://other.example/feed">another</a></div></content></entry></feed>`),
				"https://o.example/de": rss(item(1, "eins")), "https://other.example/feed": rss(item(1, "other")),
			},
			"https://o.example/atom", tidings.KindFeed, "o.example/atom", 0,
		},
		"a feed that is labelled as a page (hostile 19)": {
			tidings.SubscribeRequest{URL: "https://o.example/feed"},
			map[string]answer{"https://o.example/feed": html(rssOf(item(1, "one")))},
			"https://o.example/feed", tidings.KindFeed, "o.example/feed", 0,
		},
		"a JSON feed that is labelled as text (hostile 19)": {
			tidings.SubscribeRequest{URL: "https://o.example/feed"},
			map[string]answer{"https://o.example/feed": text("text/plain", `{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1","title":"x","content_html":"<a href=\"/other/feed\">y</a>"}]}`)},
			"https://o.example/feed", tidings.KindFeed, "o.example/feed", 0,
		},
		"a page that is labelled as a feed (hostile 19)": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": text("application/rss+xml", "<!DOCTYPE html><html>"+plain)},
			"https://o.example/", tidings.KindPage, "o.example/", 0,
		},
		"a page whose header names a feed": {
			tidings.SubscribeRequest{URL: "https://o.example/blog/"},
			map[string]answer{
				"https://o.example/blog/": linked(html(plain),
					`<feed.atom>; rel="alternate"; type="application/atom+xml", </s.css>; rel=preload`),
				"https://o.example/blog/feed.atom": rss(item(1, "one")),
			},
			"https://o.example/blog/feed.atom", tidings.KindFeed, "o.example/blog/ o.example/blog/feed.atom", 1,
		},
		"a page that names another feed than its header": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{
				"https://o.example/": linked(html(offers), `</all>; rel=alternate; type="application/rss+xml"`,
					`</feed>; rel=alternate; type="application/rss+xml"`),
				"https://o.example/feed": rss(item(1, "one")), "https://o.example/all": rss(item(2, "all")),
			},
			"https://o.example/feed", tidings.KindFeed, "o.example/ o.example/feed", 3,
		},
		"a text whose header names a feed": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{
				"https://o.example/": linked(text("text/plain", "The text of the page\nand another line"),
					`<https://o.example/feed>;rel=alternate;type=application/rss+xml`),
				"https://o.example/feed": rss(item(1, "one")),
			},
			"https://o.example/feed", tidings.KindFeed, "o.example/ o.example/feed", 1,
		},
		"a feed whose header names another": {
			tidings.SubscribeRequest{URL: "https://o.example/feed"},
			map[string]answer{"https://o.example/feed": linked(rss(item(1, "one")),
				`</other>;rel=alternate;type=application/rss+xml`)},
			"https://o.example/feed", tidings.KindFeed, "o.example/feed", 0,
		},
		"a page that offers more feeds than are tried": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(`<p>text<a href=/1.rss>1</a><a href=/2.rss>2</a><a href=/3.rss>3</a><a href=/4.rss>4</a><a href=/1.rss>1</a>`)},
			"https://o.example/", tidings.KindPage, "o.example/ o.example/1.rss o.example/2.rss o.example/3.rss", 4,
		},
		"a page that marks up entries": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(marked(2, 1))},
			"https://o.example/", tidings.KindFeed, "o.example/", 1,
		},
		"a page that is one entry": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(marked(1))},
			"https://o.example/", tidings.KindPage, "o.example/", 0,
		},
		"a page that marks up entries, and offers a feed": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(offers + marked(2, 1)),
				"https://o.example/feed": rss(item(1, "one"))},
			"https://o.example/feed", tidings.KindFeed, "o.example/ o.example/feed", 2,
		},
		"a page that marks up entries, and offers feeds that are broken": {
			tidings.SubscribeRequest{URL: "https://o.example/"},
			map[string]answer{"https://o.example/": html(offers + marked(2, 1))},
			"https://o.example/", tidings.KindFeed, "o.example/ o.example/feed o.example/second", 3,
		},
		"a page that marks up entries, and is asked for as a page": {
			tidings.SubscribeRequest{URL: "https://o.example/", AsPage: true},
			map[string]answer{"https://o.example/": html(marked(2, 1))},
			"https://o.example/", tidings.KindPage, "o.example/", 0,
		},
		"a page whose entries are asked for": {
			tidings.SubscribeRequest{URL: "https://o.example/", Options: tidings.PageOptions{Entries: true}},
			map[string]answer{"https://o.example/": html(offers + marked(1))},
			"https://o.example/", tidings.KindFeed, "o.example/", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			first, err := at(c.web).poller(&shelf{}).Preview(t.Context(), c.order, tidings.Access{})
			if err != nil {
				t.Fatal(err)
			}
			p, w := first.Preview, first.Watched
			if p.Channel != c.channel || w.URL != c.channel || p.Kind != c.kind || w.Kind != c.kind ||
				len(p.Choices) != c.choices {
				t.Errorf("it leads to %s (%s), watched as %s (%s), %d choices", p.Channel, p.Kind, w.URL, w.Kind,
					len(p.Choices))
			}
			if got := fetched(t, p); got != c.fetched {
				t.Errorf("fetched %s\nwant    %s", got, c.fetched)
			}
			if f := first.Result.Change; f == nil || f.Kind != c.kind || p.Title != f.Title {
				t.Errorf("change %+v", f)
			}
			if (c.kind == tidings.KindFeed) != (len(p.Items) > 0) ||
				(c.kind == tidings.KindPage) != (len(p.Lines) > 0) || len(p.Notes) == 0 {
				t.Errorf("%d items, %d lines, notes %q", len(p.Items), len(p.Lines), p.Notes)
			}
			if !w.Next.After(p.Poll.At) || len(w.Memory) == 0 || p.Poll.Outcome != tidings.OutcomeChanged {
				t.Errorf("watched next at %s; check %+v", w.Next, p.Poll)
			}
		})
	}
}

// What was found by a preview is where the polls go on.
func TestPollsGoOnFromThePreview(t *testing.T) {
	onStage(t, func(s *scene) {
		s.serve(tagged(`"1"`, rss(item(1, "one"))))
		first, err := s.poller.Preview(s.t.Context(), tidings.SubscribeRequest{URL: address}, tidings.Access{})
		if err != nil {
			t.Fatal(err)
		}
		s.watch.Job = first.Watched
		s.settle(first.Result)
		s.want(tidings.OutcomeNotModified, false)
		s.serve(rss(item(2, "two") + item(1, "one")))
		if got := changesOf(s.want(tidings.OutcomeChanged, true).Change); got != "+two=one" {
			t.Errorf("got %q", got)
		}
	})
}

// A password is for the origin that was asked for: no page can have it sent elsewhere.
func TestPreviewSendsThePasswordNowhereElse(t *testing.T) {
	page := `<link rel=alternate type="application/rss+xml" href="%s"><p>The text of the page`
	for feedURL, sent := range map[string]bool{
		"https://o.example/feed":       true,
		"http://o.example/feed":        false,
		"https://o.example:8443/feed":  false,
		"https://sub.o.example/feed":   false,
		"https://thief.example/a/feed": false,
	} {
		w := at(map[string]answer{"https://o.example/": html(fmt.Sprintf(page, feedURL)), feedURL: rss(item(1, "one"))})
		first, err := w.poller(&shelf{}).Preview(t.Context(), tidings.SubscribeRequest{URL: "https://o.example/"},
			tidings.Access{User: "user", Password: "secret"})
		if err != nil || first.Watched.URL != feedURL {
			t.Errorf("%s: leads to %s, %v", feedURL, first.Watched.URL, err)
			continue
		}
		if r := w["https://o.example/"].requests[0]; r.Access.User != "user" || r.Access.Password != "secret" {
			t.Errorf("%s: the page was asked as %q", feedURL, r.Access.User)
		}
		if r := w[feedURL].requests[0]; (r.Access.User == "user" && r.Access.Password == "secret") != sent ||
			!sent && r.Access.User+r.Access.Password != "" {
			t.Errorf("%s was asked as %q", feedURL, r.Access.User)
		}
		if (first.Watched.Access.Password != "") != sent {
			t.Errorf("%s is watched with a password: %v", feedURL, !sent)
		}
	}
}

// With an error the preview says how far the poll came, and nothing is made up.
func TestPreviewOfWhatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		document answer
		outcome  tidings.Outcome
		status   int
	}{
		"not found": {failing(&fetch.StatusError{Status: 404}), tidings.OutcomeMissing, 404},
		"gone":      {failing(&fetch.StatusError{Status: 410}), tidings.OutcomeGone, 410},
		"forbidden": {failing(fetch.ErrForbidden), tidings.OutcomeRefused, 0},
		"challenge": {failing(&fetch.ChallengeError{Status: 403}), tidings.OutcomeChallenged, 403},
		"a damaged feed": {text("application/json",
			`{"version":"https://jsonfeed.org/version/1","items":[{"id":"1" "title":"x"}]}`), tidings.OutcomeUnreadable,
			200},
		"no text": {text("image/png", "\x89PNG\r\n\x1a\n\x00\x00"), tidings.OutcomeUnreadable, 200},
		"login page": {html("<h1>Please log in</h1><form><input type=password></form>"), tidings.OutcomeUnreadable,
			200},
		"empty page": {html("<p> </p>"), tidings.OutcomeUnreadable, 200},
	} {
		t.Run(name, func(t *testing.T) {
			w := at(map[string]answer{address: c.document})
			first, err := w.poller(&shelf{}).Preview(t.Context(), tidings.SubscribeRequest{URL: address},
				tidings.Access{})
			if err == nil {
				t.Fatal("no error")
			}
			p := first.Preview
			if p.Poll.Outcome != c.outcome || p.Poll.Status != c.status || p.Poll.Error == "" || p.Channel != address ||
				p.Asked != address {
				t.Errorf("preview %+v", p)
			}
			if fetched(t, p) != "origin.example/doc" || (p.Fetched[0].Error == "") != (c.status == 200) {
				t.Errorf("fetched %+v", p.Fetched)
			}
			if len(p.Notes)+len(p.Items)+len(p.Lines) > 0 || first.Result.Change != nil || first.Watched.URL != "" {
				t.Errorf("something was read: %+v", first)
			}
		})
	}
}

func TestPreviewRefusesWhatCannotBeMeant(t *testing.T) {
	for name, o := range map[string]tidings.SubscribeRequest{
		"no address":    {URL: ""},
		"no web":        {URL: "ftp://o.example/"},
		"bad selector":  {URL: "https://o.example/", Options: tidings.PageOptions{Select: []string{":has("}}},
		"bad character": {URL: "http://%zz/"},
	} {
		w := web{}
		if first, err := w.poller(&shelf{}).Preview(t.Context(), o, tidings.Access{}); !errors.Is(err,
			tidings.ErrInvalid) || len(first.Preview.Fetched) != 0 {
			t.Errorf("%s: %v, fetched %v", name, err, first.Preview.Fetched)
		}
	}
}

func TestPreviewTellsThatTheStoreIsBroken(t *testing.T) {
	broken := errors.New("disk gone")
	w := at(map[string]answer{"https://o.example/": html(offers), "https://o.example/feed": rss(item(1, "one"))})
	if _, err := w.poller(&shelf{broken: broken}).Preview(t.Context(),
		tidings.SubscribeRequest{URL: "https://o.example/"}, tidings.Access{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// hostile 20: of a feed of 10^5 items the first are read, and the preview says so.
func TestHostile20TooManyItemsAreTold(t *testing.T) {
	var items strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&items, "<item><guid>%d</guid></item>", i)
	}
	w := at(map[string]answer{address: rss(items.String())})
	first, err := w.poller(&shelf{}).Preview(t.Context(), tidings.SubscribeRequest{URL: address}, tidings.Access{})
	if err != nil {
		t.Fatal(err)
	}
	most := feed.Default().MaxItems
	if n := len(first.Result.Change.Items); n != most || !strings.Contains(strings.Join(first.Preview.Notes, "\n"),
		"more items than are read") {
		t.Errorf("%d items, notes %q", n, first.Preview.Notes)
	}
}

// A preview shows the beginning of a long feed; what is stored is all of it.
func TestPreviewIsBounded(t *testing.T) {
	var items strings.Builder
	for i := range 3 * previewMost {
		items.WriteString(item(i, fmt.Sprint("item ", i)))
	}
	w := at(map[string]answer{address: rss(items.String())})
	first, err := w.poller(&shelf{}).Preview(t.Context(), tidings.SubscribeRequest{URL: address}, tidings.Access{})
	if err != nil || len(first.Preview.Items) != previewMost || len(first.Result.Change.Items) != 3*previewMost {
		t.Errorf("%d items shown, %v", len(first.Preview.Items), err)
	}
}
