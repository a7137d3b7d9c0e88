package feed

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A file that is offered in several renditions is one file.
func TestRenditions(t *testing.T) {
	content := func(name, attributes string) string {
		return `<media:content url="https://m.example/` + name + `" ` + attributes + `/>`
	}
	four := content("4", `type="video/mp4" isDefault="false"`) + content("3",
		`type="video/mp4" fileSize="7" isDefault="true"`) + content("2", "")
	for _, c := range []struct{ item, want string }{
		{`<media:group>` + four + `</media:group>`, "3:7"},
		{`<media:group>` + strings.ReplaceAll(four, "isDefault", "x") + `</media:group>`, "4:0"},
		{`<media:group>` + content("p", `type="image/jpeg"`) + content("q", `medium="image"`) + content("a",
			`type="audio/mpeg"`) + `</media:group>`, "a:0"},
		{`<media:group>` + content("p", `type="image/jpeg"`) + content("q", `medium="image"`) + `</media:group>`,
			"p:0"},
		{`<media:group><media:content isDefault="true" url="javascript:alert(1)"/>` + content("2", "") +
			`</media:group>`, "2:0"},
		{`<media:group>` + four + `</media:group><media:group>` + content("5", "") + content("6", "") +
			`</media:group>`, "3:7 5:0"},
		{`<media:group>` + four + `</media:group><enclosure url="https://m.example/2" length="9"/>`, "2:9"},
		{`<enclosure url="https://m.example/e"/><media:group>` + four + `</media:group>`, "e:0 3:7"},
		{four, "4:0 3:7 2:0"}, // in no group each is one of its own
		{`<enclosure url="https://m.example/e" length="0"/><enclosure url="https://m.example/e" length="5000" type="audio/mpeg"/><enclosure url="https://m.example/f"/>`, "e:5000 f:0"},
	} {
		it := mustParse(t,
			rssDoc(`<item><title>t</title>`+c.item+
				`<media:group><media:description>d</media:description></media:group></item>`)).Items[0]
		var got []string
		for _, f := range it.Enclosures {
			got = append(got, fmt.Sprint(strings.TrimPrefix(f.URL, "https://m.example/"), ":", f.Length))
		}
		if strings.Join(got, " ") != c.want || it.Raw != "d" {
			t.Errorf("%s: got %v and %q, want %s", c.item, got, it.Raw, c.want)
		}
	}
	d := mustParse(t, `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","attachments":[{"url":"https://m.example/1","title":"A"},
		{"url":"https://m.example/2","title":"A"},{"url":"https://m.example/3","title":"B"},{"url":"https://m.example/4"},{"url":"https://m.example/5"}]}]}`)
	if got := fmt.Sprint(d.Items[0].Enclosures); strings.Contains(got, "/2") || len(d.Items[0].Enclosures) != 4 {
		t.Errorf("JSON Feed: %s", got)
	}
}

// Fields of JSON are read whichever type programs write them in.
func TestJSONOfOtherTypes(t *testing.T) {
	const version = `{"version":"https://jsonfeed.org/version/1.1","home_page_url":{"href":"https://h.example/"},"title":{"text":"Harbour"},"authors":{"name":"Ann"},"items":[`
	for _, c := range []struct{ item, want string }{
		{`{"id":4711,"title":"One","attachments":[{"url":"https://h.example/1.mp3","size_in_bytes":31204.0}]}`,
			"4711|One|Ann|[]||[{https://h.example/1.mp3  31204 <nil>}]"},
		{`{"id":"b","title":null,"url":null,"content_html":"<p>Two</p>","tags":"one, two"}`,
			"b||Ann|[one two]|<p>Two</p>|[]"},
		{`{"id":"c","title":12.5,"author":{"name":"Ben"},"authors":[]}`, "c|12.5|Ben|[]||[]"},
		{`{"id":{"$oid":"5f"},"title":{"rendered":"T"},"content_html":{"rendered":"<p>c</p>"},"author":"Cy","tags":[{"name":"x"},3,null]}`, "5f|T|Cy|[x 3]|<p>c</p>|[]"},
		{`{"id":["d"],"title":[{"value":"T"}],"authors":["Dee",{"name":"Eve"},{"url":"https://e.example/"}],"attachments":{"url":"https://h.example/a"}}`, "d|T|Dee, Eve|[]||[{https://h.example/a  0 <nil>}]"},
		{`{"id":true,"title":[],"author":[{"name":"Flo"}],"tags":{},"attachments":["https://h.example/b"],"date_published":1600000000}`, "true||Flo|[]||[{https://h.example/b  0 <nil>}]"},
	} {
		d := mustParse(t, version+c.item+`],"expired":"false","hubs":{"url":"https://hub.example/"}}`)
		it := &d.Items[0]
		it.Render()
		got := fmt.Sprintf("%s|%s|%s|%v|%s|%v", it.ID, it.Title, it.Author, it.Categories, it.Content, it.Enclosures)
		if got != c.want || d.Title != "Harbour" || d.Site != "https://h.example/" || d.Hints.Expired ||
			len(d.Hubs) != 1 {
			t.Errorf("%s:\ngot  %s\nwant %s\n%+v", c.item, got, c.want, d)
		}
	}
}

// A JSON Feed that is nearly JSON is read, and of one that is further from it the place is named that is wrong.
func TestNearlyJSON(t *testing.T) {
	const head, tail = `{"version":"https://jsonfeed.org/version/1","items":[`, `{"id":"2","title":"Two"}]}`
	for _, c := range []struct{ item, want string }{
		{"{\"id\":\"1\",\"content_html\":\"<p>First\nsecond\tthird</p>\n\"},", "<p>First\nsecond\tthird</p>"},
		{`{"id":"1","content_html":"it\'s"},`, "it&#39;s"},
		{`{"id":"1","content_html":"c","tags":["a",],},,`, "c"},
	} {
		d := mustParse(t, head+c.item+tail)
		d.Items[0].Render()
		if len(d.Items) != 2 || d.Items[0].Content != c.want || len(d.Notes) != 1 || d.Format != JSONFeed {
			t.Errorf("%q gives %q, %+v", c.item, d.Notes, d.Items)
		}
	}
	for item, want := range map[string]string{
		"\n {\"id\":\"say \"hi\" now\"},": "line 2, column 14: ",
		`{"id":1} `:                       "line 1, column 63: ",
		`{"id":"1},`:                      "line 1, column ",
	} {
		d, err := Parse([]byte(head+item+tail), "application/json", testBase, Default())
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", item, d, err, want)
		}
	}
}
