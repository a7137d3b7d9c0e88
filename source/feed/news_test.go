package feed

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
)

// An item says what it says of itself as a news item in every format of feeds; what cannot be read is passed over with
// a note.
func TestNewsInFeeds(t *testing.T) {
	const good = `{"guid":"urn:a","version":3,"publisher":"Agency","status":"usable","urgency":1,"subjects":[{"code":"15000000","scheme":"medtop"}]}`
	want := &tidings.News{GUID: "urn:a", Version: 3, Publisher: "Agency", Status: tidings.Usable, Urgency: 1,
		Subjects: []tidings.Subject{{Code: "15000000", Scheme: "medtop"}}}
	element := func(text string) string {
		return `<n:item xmlns:n="` + NewsSpace + `"><![CDATA[` + text + `]]></n:item>`
	}
	formats := map[string]func(string) string{
		"RSS": func(n string) string {
			return `<rss version="2.0"><channel><title>T</title><item><guid>1</guid><title>H</title>` + element(n) +
				`</item></channel></rss>`
		},
		"Atom": func(n string) string {
			return `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><id>1</id><title>H</title>` +
				element(n) + `</entry></feed>`
		},
		"JSON Feed": func(n string) string {
			return `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"H","` + NewsField + `":` +
				n + `}]}`
		},
	}
	for format, document := range formats {
		for text, want := range map[string]*tidings.News{
			good: want, `{}`: nil, `[]`: nil, `"x"`: nil, `{"guid":"` + strings.Repeat("x", 2049) + `"}`: nil,
			`{"guid":"x","embargo":"soon"}`: nil, `{"guid":" x\u0007 ","status":"odd","signal":"odd","urgency":99,"version":-1,"language":"<b>","subjects":[{}]}`: {GUID: "x", Status: tidings.Usable, Urgency: 5, Version: 1},
		} {
			d, err := Parse([]byte(document(text)), "", "", Default())
			if err != nil || len(d.Items) != 1 || d.Items[0].ID != "1" || d.Items[0].Title != "H" {
				t.Fatalf("%s: %s: %+v, %v", format, text, d, err)
			}
			if got := d.Items[0].News; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: read as %+v", format, text, got)
			}
			if noted := strings.Contains(strings.Join(d.Notes, " "), "as a news item: it cannot be read"); noted != (want == nil) {
				t.Errorf("%s: %s: notes %q", format, text, d.Notes)
			}
		}
	}
}

// What a feed says outside of its items, and what an item says twice, is passed over.
func TestNewsStandsInItemsOnce(t *testing.T) {
	n := `<n:item xmlns:n="` + NewsSpace + `">{"guid":"`
	d, err := Parse([]byte(`<rss version="2.0"><channel><title>T</title>`+n+
		`urn:channel"}</n:item><item><guid>1</guid>`+n+`urn:first"}</n:item>`+
		n+`urn:second"}</n:item></item><item><guid>2</guid></item></channel></rss>`), "", "", Default())
	if err != nil || len(d.Items) != 2 || d.Items[0].News == nil || d.Items[0].News.GUID != "urn:first" ||
		d.Items[1].News != nil {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestSettledNewsStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string { return rapid.String().Draw(t, label) }
		n := &tidings.News{
			GUID: text("guid"), Version: rapid.Int().Draw(t, "version"), Publisher: text("publisher"),
			Urgency: rapid.Int().Draw(t, "urgency"),
			Status: rapid.SampledFrom([]tidings.NewsStatus{"", "odd", tidings.Usable, tidings.Withheld,
				tidings.Canceled}).Draw(t, "status"),
			Signal: tidings.NewsSignal(text("signal")), Language: text("language"), Note: text("note"),
			Headline: text("headline"),
			Subjects: []tidings.Subject{{Code: text("code"), Scheme: text("scheme"), Name: text("name")}},
			Embargo:  time.Unix(rapid.Int64().Draw(t, "embargo"), 0),
		}
		once := settledNews(n, Default())
		if once == nil {
			return
		}
		again, err := DecodeNews(string(EncodeNews(once)))
		if err != nil {
			t.Fatal(err)
		}
		if twice := settledNews(again, Default()); !reflect.DeepEqual(twice, once) {
			t.Errorf("settled again it is\n%+v, not\n%+v", twice, once)
		}
	})
}
