package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"tidings"
	"tidings/lab/newsboat"
)

// need returns the path of a program, and skips the test where it is missing.
func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("needs %s: %v", program, err)
	}
	return file
}

// Python's feedparser, a reader of long standing, finds nothing to complain about.
func TestFeedparserReadsTheProxy(t *testing.T) {
	python := "/usr/bin/python3" // Debian's, which has Debian's feedparser
	if exec.Command(python, "-c", "import feedparser").Run() != nil {
		t.Skip("needs python3-feedparser")
	}
	d := open(t)
	d.item(1, "one", tidings.New)
	d.item(2, "two <3 & more", tidings.New)
	d.item(1, "one, corrected", tidings.Changed)
	d.version(1, "0a1\n> tea\n")
	d.version(2, "1c1\n< tea\n---\n> <b>tea & milk</b>\n")
	d.channels["http://hostile.example/"] =
		tidings.Subscription{Channel: tidings.Channel{URL: "http://hostile.example/", Title: hostile[2] + hostile[3]}}
	for _, text := range hostile {
		d.add(tidings.Entry{Item: int64(len(d.entries)), Channel: "http://hostile.example/", Kind: tidings.KindFeed,
			Content: tidings.Item{Title: text, Content: text, Author: text, URL: text}})
	}
	const script = `
import feedparser, json, sys
out = []
for url in sys.argv[1:]:
    f = feedparser.parse(url)
    out.append({"bozo": str(f.get("bozo_exception", "")) if f.bozo else "", "version": f.version, "title": f.feed.title, "self": [l.href for l in f.feed.links if l.rel == "self"],
        "entries": [{"id": e.id, "title": e.title, "dates": "updated_parsed" in e and e.updated_parsed is not None} for e in f.entries]})
print(json.dumps(out))`
	addresses := []string{d.url + path(feedChannel), d.url + path(pageChannel), d.url + path("http://hostile.example/")}
	answer, err := exec.Command(python, append([]string{"-c", script}, addresses...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var feeds []struct {
		Bozo, Version, Title string
		Self                 []string
		Entries              []struct {
			ID, Title string
			Dates     bool
		}
	}
	if err := json.Unmarshal(answer, &feeds); err != nil {
		t.Fatal(err)
	}
	wantTitles := [][]string{{"one, corrected", "two <3 & more"},
		{"My prices: 1 line added, 1 removed", "My prices: first version"}, nil}
	for i, f := range feeds {
		if f.Bozo != "" || f.Version != "atom10" || !slices.Equal(f.Self, addresses[i:i+1]) {
			t.Errorf("feed %d: %+v", i, f)
		}
		ids := map[string]bool{}
		var got []string
		for _, e := range f.Entries {
			ids[e.ID] = true
			got = append(got, e.Title)
			if !e.Dates {
				t.Errorf("feed %d: no date in %+v", i, e)
			}
		}
		if len(ids) != len(f.Entries) || wantTitles[i] != nil && !slices.Equal(got, wantTitles[i]) {
			t.Errorf("feed %d: %v", i, got)
		}
	}
	if n := len(feeds[2].Entries); n != len(hostile) {
		t.Errorf("%d of %d hostile entries arrive", n, len(hostile))
	}
}

func TestXmllintAcceptsTheProxy(t *testing.T) {
	xmllint := need(t, "xmllint")
	for _, text := range hostile {
		c := exec.Command(xmllint, "--noout", "--nonet", "-")
		c.Stdin = bytes.NewReader(renderAtom(documentOf(text, 1_700_000_000)))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", text, err, out)
		}
	}
}

func TestNewsboatReadsTheProxy(t *testing.T) {
	d := open(t)
	const quiet = "https://quiet.example/"
	d.channels[quiet] = tidings.Subscription{Channel: tidings.Channel{URL: quiet, Title: "Quiet"}, Since: noon}
	d.item(1, "one", tidings.New)
	d.item(2, "two & a half", tidings.New)
	d.version(1, "0a1\n> tea\n")
	b := newsboat.Launch(t, d.url+path(feedChannel), d.url+path(pageChannel), d.url+path(quiet))

	b.Command("reload")
	if got := d.took(); !slices.Equal(got, []int{200, 200, 200}) {
		t.Errorf("first reload: %v", got)
	}
	if got := b.Command("print-unread"); got != "3 unread articles" {
		t.Errorf("newsboat says %q", got)
	}
	if got := b.Titles(); !slices.Equal(got, []string{"My prices: first version", "one", "two & a half"}) {
		t.Errorf("newsboat has %q", got)
	}

	// newsboat 2.21 keeps the validators of a feed only once it has a row in its database. So it remembers them from
	// the second reload on.
	b.Command("reload")
	d.took()
	b.Command("reload")
	if got := d.took(); !slices.Equal(got, []int{304, 304, 304}) {
		t.Errorf("reload of what is known: %v", got)
	}

	d.item(3, "three", tidings.New)
	d.item(1, "one, corrected", tidings.Changed)
	d.version(2, "1c1\n< tea\n---\n> coffee\n")
	b.Command("reload")
	// newsboat asks with A-IM: feed, so that it is sent only what is new.
	got := d.took()
	slices.Sort(got)
	if fmt.Sprint(got) != "[226 226 304]" {
		t.Errorf("reload of news: %v", got)
	}
	want := []string{"My prices: 1 line added, 1 removed", "My prices: first version", "one, corrected", "three",
		"two & a half"}
	if got := b.Titles(); !slices.Equal(got, want) {
		t.Errorf("newsboat has %q", got)
	}
	if got := b.Command("print-unread"); got != "5 unread articles" {
		t.Errorf("newsboat says %q", got)
	}
}
