package opml

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tidings"
)

func TestAFollowedChannelSurvivesItsList(t *testing.T) {
	page := tidings.PageOptions{Select: []string{"#prices", "main > p"}, Ignore: []string{`/Last\s"updated"/`},
		Keep: []string{"time"}}
	for name, test := range map[string]struct {
		followed tidings.Subscription
		want     tidings.SubscribeRequest
		line     string
	}{
		"a feed": {
			tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/f", Title: "A",
				Kind: tidings.KindFeed, Privacy: tidings.Public}},
			tidings.SubscribeRequest{URL: "https://a.example/f", Title: "A", Privacy: tidings.Public},
			`<outline text="A" title="A" type="rss" xmlUrl="https://a.example/f" tidings:privacy="public"/>`,
		},
		"a feed that has moved, under a name of one's own": {
			tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/f", Moved: "https://b.example/f",
				Title: "A", Privacy: tidings.Unlisted}, Name: "Mine", Folder: "x/y"},
			tidings.SubscribeRequest{URL: "https://b.example/f", Title: "Mine", Name: "Mine", Folder: "x/y",
				Privacy: tidings.Unlisted},
			`type="rss" xmlUrl="https://b.example/f" tidings:privacy="unlisted" tidings:name="Mine"/>`,
		},
		"a page": {
			tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/", Title: "P", Kind: tidings.KindPage,
				Privacy: tidings.Credentialed, Options: page}},
			tidings.SubscribeRequest{URL: "https://a.example/", Title: "P", AsPage: true, Privacy: tidings.Credentialed,
				Options: page}, `type="page" xmlUrl="https://a.example/" htmlUrl="https://a.example/" tidings:kind="page" tidings:select="#prices&#xA;main &gt; p" tidings:ignore="/Last\s&#34;updated&#34;/" tidings:keep="time" tidings:privacy="credentialed"/>`,
		},
		"a feed with full texts and pictures": {
			tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/f", Title: "A",
				Kind: tidings.KindFeed}, FullText: true, Pictures: tidings.PicturesAlways},
			tidings.SubscribeRequest{URL: "https://a.example/f", Title: "A", FullText: new(true),
				Pictures: new(tidings.PicturesAlways)},
			`tidings:fullText="true" tidings:pictures="always"/>`,
		},
		"a feed without pictures": {
			tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/f", Title: "A",
				Kind: tidings.KindFeed}, Pictures: tidings.PicturesNever},
			tidings.SubscribeRequest{URL: "https://a.example/f", Title: "A", Pictures: new(tidings.PicturesNever)},
			`xmlUrl="https://a.example/f" tidings:pictures="never"/>`,
		},
		"a page that was never read": {
			tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/",
				Options: tidings.PageOptions{Select: []string{"p\nq"}}}},
			tidings.SubscribeRequest{URL: "https://a.example/", Title: "https://a.example/", AsPage: true,
				Options: tidings.PageOptions{Select: []string{"p q"}}},
			`type="page"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, List{Entries: []Entry{EntryOf(test.followed)}}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), test.line) {
				t.Errorf("%s\nis missing in\n%s", test.line, b.String())
			}
			l := parse(t, b.String())
			if len(l.Entries) != 1 || !reflect.DeepEqual(l.Entries[0].Order(), test.want) {
				t.Errorf("got  %+v\nwant %+v", l.Entries, test.want)
			}
		})
	}
}

// What a person calls a feed in another reader stays its name; where a program has put an address in the place of a
// name, there is none.
func TestNamesOfOtherReaders(t *testing.T) {
	for attributes, want := range map[string]string{
		`text="Mine"`:                    "Mine",
		`text="Mine" title="The feed's"`: "Mine",
		`title="Mine" text=" "`:          "Mine",
		`text=""`:                        "",
		``:                               "",
		`text="https://a.example/f"`:     "",
		`text="HTTP://me:secret@www.a.example/f/"`:      "",
		`text="a.example" htmlUrl="https://a.example/"`: "",
		`text="a.example"`:                              "a.example",
	} {
		l := parse(t, `<opml><body><outline `+attributes+` xmlUrl="https://me:secret@a.example/f"/></body></opml>`)
		if len(l.Entries) != 1 || l.Entries[0].Order().Name != want {
			t.Errorf("%s: %+v", attributes, l.Entries)
		}
	}
	page, err :=
		ParseWithPages(
			strings.NewReader(`<opml><body><outline text="Mine" htmlUrl="https://a.example/"/></body></opml>`),
			Limits{})
	if err != nil || page.Entries[0].Name != "Mine" {
		t.Errorf("a page: %+v, %v", page, err)
	}
	var b bytes.Buffer
	theirs := tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/f", Title: "The feed's"}}
	mine := tidings.Subscription{Channel: tidings.Channel{URL: "https://b.example/f", Title: "The feed's"},
		Name: "Mine"}
	for _, f := range []tidings.Subscription{theirs, mine} {
		b.Reset()
		if err := Write(&b, List{Entries: []Entry{EntryOf(f)}}); err != nil {
			t.Fatal(err)
		}
		if got := parse(t, b.String()).Entries[0].Order(); got.Name != f.Name || got.Title != f.Label() {
			t.Errorf("a list of our own: %+v", got)
		}
	}
}

// Folders within folders come out of a list as they went in, with slashes in their names too.
func TestFoldersWithinFolders(t *testing.T) {
	const doc = `<opml><body><outline text="News"><outline text="Europe"><outline text="A" xmlUrl="https://a.example/f"/>
		<outline text="North"><outline text="B" xmlUrl="https://b.example/f"/></outline></outline>
		<outline text="C" xmlUrl="https://c.example/f"/></outline><outline text="D" xmlUrl="https://d.example/f"/>
		<outline text="AC/DC"><outline text="E" xmlUrl="https://e.example/f"/><outline text="50%25 / %2F"><outline text="F" xmlUrl="https://f.example/f"/></outline></outline></body></opml>`
	l := parse(t, doc)
	var got []string
	var followed List
	for _, e := range l.Entries {
		o := e.Order()
		got = append(got, o.Name+" in "+o.Folder)
		followed.Entries = append(followed.Entries,
			EntryOf(tidings.Subscription{Channel: tidings.Channel{URL: o.URL}, Name: o.Name, Folder: o.Folder}))
	}
	if fmt.Sprint(
		got) != "[A in News/Europe B in News/Europe/North C in News D in  E in AC%2FDC F in AC%2FDC/50%2525 %2F %252F]" {
		t.Errorf("read as %q", got)
	}
	var b bytes.Buffer
	if err := Write(&b, followed); err != nil {
		t.Fatal(err)
	}
	if again := parse(t, b.String()); !reflect.DeepEqual(again.Entries, l.Entries) ||
		strings.Count(b.String(), `text="Europe"`) != 1 || !strings.Contains(b.String(), `text="AC/DC"`) {
		t.Errorf("written as\n%s", b.String())
	}
}

func TestOwnAttributes(t *testing.T) {
	doc := func(attributes string) string {
		return `<opml xmlns:t="` + Namespace + `"><body><outline text="A" xmlUrl="https://a.example/" ` + attributes +
			`/></body></opml>`
	}
	for attributes, want := range map[string]Entry{
		`t:kind="page" t:prices="true"`: {Page: true,
			Options: tidings.PageOptions{Prices: true}},
		`t:kind="page" t:notifyIf="below 3&#10;appears x"`: {Page: true,
			Options: tidings.PageOptions{NotifyIf: []string{"below 3", "appears x"}}},
		`t:kind="h-feed"`: {Options: tidings.PageOptions{Entries: true}},
		`t:kind="page" t:KEEP="a&#10; &#xA;b"`: {Page: true,
			Options: tidings.PageOptions{Keep: []string{"a", "b"}}},
		`t:name="Mine" t:title="no"`:          {Name: "Mine"},
		`kind="page" x:kind="page" name="no"`: {},
		`t:fullText="true" t:pictures="always"`: {FullText: true,
			Pictures: tidings.PicturesAlways},
		`t:fullText="yes" t:pictures="open"`: {},
		`t:privacy="open"`:                   {Privacy: tidings.Unlisted},
		`t:select="` + strings.Repeat("x", maxOptionsText+1) +
			`" t:ignore="i"`: {Options: tidings.PageOptions{Ignore: []string{"i"}}},
	} {
		want.URL, want.Title = "https://a.example/", "A"
		l := parse(t, doc(attributes))
		if len(l.Entries) != 1 || !reflect.DeepEqual(l.Entries[0], want) {
			t.Errorf("%.60s: %+v", attributes, l.Entries)
		}
		if wrong := strings.Contains(attributes, "open") ||
			len(attributes) > maxOptionsText; wrong != (len(l.Problems) == 1) {
			t.Errorf("%.60s: problems %v", attributes, l.Problems)
		}
	}
	undeclared := strings.Replace(doc(`t:kind="page"`), Namespace, "https://other.example/", 1)
	if l := parse(t, undeclared); l.Entries[0].Page {
		t.Error("another namespace is believed")
	}
}

func TestCredentialsAreNeverWritten(t *testing.T) {
	for given, want := range map[string]string{
		"https://me:secret@a.example/f?x=a@b": "https://a.example/f?x=a@b",
		"https://me:s@cret@a.example":         "https://a.example",
		"https://me:sec%zzret@[bad/f":         "https://[bad/f",
		"https://a.example/@me":               "https://a.example/@me",
		"mailto:secret@a.example":             "mailto:secret@a.example", // no address of the web
	} {
		if got := withoutCredentials(given); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	var b bytes.Buffer
	if err := Write(&b,
		List{Entries: []Entry{{URL: "https://me:secret@a.example/f",
			Site: "https://me:secret@a.example/"}}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "secret") || strings.Contains(b.String(), "me:") {
		t.Error(fmt.Sprint("credentials are written: ", b.String()))
	}
}
