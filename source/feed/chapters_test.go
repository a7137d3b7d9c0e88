package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tidings"
)

func TestChaptersOfItems(t *testing.T) {
	doc := func(inner string) string {
		return `<rss xmlns:psc="http://podlove.org/simple-chapters" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>T</title><item><title>x</title><link>https://example.org/x</link>` +
			inner + `</item></channel></rss>`
	}
	for name, c := range map[string]struct {
		inner string
		want  *tidings.Chapters
	}{
		"none": {``, nil},
		"Simple Chapters": {`<psc:chapters version="1.2"><psc:chapter start="00:01:02.5" title="Two &amp; more" href="https://example.org/two"/><psc:chapter start="0" title="One" href="javascript:x"/><psc:chapter start="70" title="Three"/></psc:chapters>`,
			&tidings.Chapters{List: []tidings.Chapter{{At: 0, Title: "One"},
				{At: 62500 * time.Millisecond, Title: "Two & more", URL: "https://example.org/two"},
				{At: 70 * time.Second, Title: "Three"}}}},
		"without a title or a time": {`<psc:chapters><psc:chapter start="1" title=" "/><psc:chapter title="x"/><psc:chapter start="-1" title="x"/><psc:chapter start="1:2:3:4" title="x"/><psc:chapter start="NaN" title="x"/><psc:chapter start="99:00:00" title="x"/></psc:chapters>`, nil},
		"nowhere":                   {`<podcast:chapters type="application/json+chapters"/>`, nil},
		"elsewhere":                 {`<podcast:chapters url="/c.json" type="application/json+chapters"/><podcast:chapters url="/d.json"/>`, &tidings.Chapters{Address: "https://example.org/c.json"}},
		"of what another item says": {`<source><psc:chapter start="1" title="x"/></source>`, nil},
	} {
		d, err := Parse([]byte(doc(c.inner)), "", "https://example.org/feed", Default())
		if err != nil || len(d.Items) != 1 || !reflect.DeepEqual(d.Items[0].Chapters, c.want) {
			t.Errorf("%s: %+v, %v", name, d.Items, err)
		}
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `<psc:chapter start="%d" title="%d"/>`, 5000-i, i)
	}
	d, err := Parse([]byte(doc(`<psc:chapters>`+many.String()+`</psc:chapters>`)), "", "https://example.org/feed",
		Default())
	if err != nil || len(d.Items[0].Chapters.List) != tidings.MaxChapters {
		t.Errorf("of 5,000 chapters there are %+v, %v", d.Items[0].Chapters, err)
	}
}

func TestParseChapters(t *testing.T) {
	list, err :=
		ParseChapters(
			[]byte(`{"version":"1.2.0","chapters":[{"startTime":90.25,"title":"Two","url":"https://example.org/two","img":"x"},{"startTime":"0","title":"One"},
		{"startTime":100,"title":"Hidden","toc":false},{"startTime":90.25,"title":"Twice"},{"startTime":5},{"title":"Never"},{"startTime":-4,"title":"x"},{"startTime":1e300,"title":"x"},{"startTime":[1],"title":"x"}]}`))
	want := []tidings.Chapter{{Title: "One"},
		{At: 90250 * time.Millisecond, Title: "Two", URL: "https://example.org/two"}}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range []string{"", "null", "[]", "{}", "<html>", `{"chapters":3}`, `{"chapters":[`} {
		if _, err := ParseChapters([]byte(text)); !errors.Is(err, ErrNotChapters) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err :=
		ParseChapters([]byte(`{"chapters":[],"x":"` + strings.Repeat("x", MaxChapterBytes) + `"}`)); !errors.Is(err,
		ErrLimit) {
		t.Errorf("a large document: %v", err)
	}
}

// Whatever a document says, its chapters are within their bounds, and written again they are the same.
func FuzzParseChapters(f *testing.F) {
	for _, seed := range []string{`{"chapters":[{"startTime":90.25,"title":"Two","url":"https://example.org/two"},{"startTime":"1:02","title":"One"}]}`, `{"chapters":[{"startTime":0,"title":"\u202ex"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		list, err := ParseChapters(doc)
		if err != nil {
			return
		}
		if len(list) > tidings.MaxChapters {
			t.Fatalf("%d chapters", len(list))
		}
		type written struct {
			Start float64 `json:"startTime"`
			Title string  `json:"title"`
			URL   string  `json:"url,omitempty"`
		}
		again := []written{}
		for i, c := range list {
			if c.At < 0 || c.At > maxChapterAt || i > 0 && c.At <= list[i-1].At || c.Title == "" ||
				len([]rune(c.Title)) > maxChapterTitle+1 ||
				c.URL != "" && !strings.HasPrefix(c.URL, "http") {
				t.Fatalf("chapter %d is %+v", i, c)
			}
			again = append(again, written{c.At.Seconds(), c.Title, c.URL})
		}
		text, err := json.Marshal(map[string]any{"chapters": again})
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ParseChapters(text); err != nil && len(text) <= MaxChapterBytes ||
			len(back) != len(list) && err == nil {
			t.Errorf("%+v became %+v, %v", list, back, err)
		}
	})
}
