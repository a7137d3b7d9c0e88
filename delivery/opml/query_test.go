package opml

import (
	"bytes"
	"strings"
	"testing"

	"tidings"
)

// A followed query or zone goes into a list and comes out of it. Other readers see that it is no feed.
func TestQueriesInLists(t *testing.T) {
	for kind, url := range map[tidings.Kind]string{
		tidings.KindQuery: tidings.QueryURL(`subject LIKE 'a//b@c%' AND urgency < 3`),
		tidings.KindZone:  tidings.ZoneURL("/eu/de"),
	} {
		f := tidings.Subscription{Channel: tidings.Channel{URL: url, Kind: kind, Privacy: tidings.Unlisted,
			Title: "text"}, Name: "Mine", Folder: "a/b"}
		var b bytes.Buffer
		if err := Write(&b, List{Entries: []Entry{EntryOf(f)}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `type="`+string(kind)+`"`) {
			t.Errorf("written was %s", b.String())
		}
		l := parse(t, b.String())
		if len(l.Entries) != 1 || len(l.Problems) > 0 {
			t.Fatalf("read was %+v", l)
		}
		want := tidings.SubscribeRequest{URL: url, Title: "Mine", Name: "Mine", Folder: "a/b",
			Privacy: tidings.Unlisted}
		if got := l.Entries[0].Order(); got.URL != want.URL || got.Name != want.Name || got.Folder != want.Folder ||
			got.Privacy != want.Privacy || got.AsPage {
			t.Errorf("the order is %+v, want %+v", got, want)
		}
	}
	for _, address := range []string{"query:%zz", "query:" + strings.Repeat("x", maxURL)} {
		if l := parse(t, `<opml><body><outline text="bad" xmlUrl="`+address+`"/></body></opml>`); len(l.Entries) > 0 ||
			len(l.Problems) != 1 {
			t.Errorf("%.20s: %+v", address, l)
		}
	}
}
