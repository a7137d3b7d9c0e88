package opml

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// madeOutline is an outline of a generated list.
type madeOutline struct {
	label, url, site string        // a folder has no url
	inside           []madeOutline // of a folder
}

// outlines makes n outlines. A part of them are folders of others.
func outlines(r *rand.Rand, words []string, n, depth int) (out []madeOutline) {
	for range n {
		o := madeOutline{label: words[r.IntN(len(words))] + fmt.Sprint(" ", r.IntN(1000))}
		if depth > 0 && r.IntN(3) == 0 {
			o.inside = outlines(r, words, r.IntN(4), depth-1)
		} else {
			o.url = fmt.Sprintf("https://h%d.example/feed?a=%d&b=2", r.IntN(1_000_000), r.IntN(9))
			o.site = fmt.Sprintf("https://h%d.example/", r.IntN(1_000_000))
		}
		out = append(out, o)
	}
	return out
}

// entries returns what is to be read of outlines in a folder.
func entries(list []madeOutline, folder string) (out []Entry) {
	for _, o := range list {
		if o.url == "" {
			out = append(out, entries(o.inside, strings.TrimPrefix(folder+"/"+o.label, "/"))...)
		} else {
			out = append(out, Entry{URL: o.url, Title: o.label, Name: o.label, Site: o.site, Folder: folder})
		}
	}
	return out
}

// style is how a program writes outlines, or what befell its list.
type style struct {
	name    string
	outline string // of a feed, for its label, address and page, which are escaped
	folder  string // start of a folder, for its label
	text    func(s string) string
	told    bool // the list has problems
}

const (
	usual       = `<outline text="%s" type="rss" xmlUrl="%s" htmlUrl="%s"/>`
	usualFolder = `<outline text="%s">`
)

// listStyles are those of real programs, and the damages of real lists.
var listStyles = []style{
	{name: "plain"},
	{name: "attributes in upper case", outline: `<OUTLINE TEXT="%s" TYPE="rss" XMLURL="%s" HTMLURL="%s"/>`},
	{name: "attributes in another case", outline: `<Outline Title="%s" xmlurl='%s' HtmlUrl='%s'></Outline>`,
		folder: `<outline title="%s" text="">`, text: func(s string) string {
			return strings.ReplaceAll(s, "</Outline>", "</Outline>\r\n")
		}},
	{name: "further attributes",
		outline: `<outline description="x &amp; y" text="%s" title="" version="RSS2" xmlUrl="%s" unknown="1" htmlUrl="%s" language="en"></outline>`},
	{name: "feedURL", outline: `<outline text="%s" feedURL="%s" htmlUrl="%s"/>`},
	{name: "url of type rss", outline: `<outline text="%s" type="RSS" url="%s" htmlUrl="%s"/>`},
	{name: "indented", text: func(s string) string { return strings.ReplaceAll(s, "<outline", "\r\n\t\t<outline") }},
	{name: "no head", text: func(s string) string {
		return strings.Replace(s, "<head><title>mine</title></head>", "", 1)
	}},
	{name: "no end", text: func(s string) string { return strings.TrimSuffix(s, "</body></opml>") }},
	{name: "text around it", text: func(s string) string { return "\n \n" + s + "<!-- the end -->\n" }},
	{name: "bare ampersands", text: func(s string) string { return strings.ReplaceAll(s, "&amp;", "&") }},
	{name: "comments", text: func(s string) string {
		return strings.ReplaceAll(s, "<outline", "<!-- <outline text='no'/> --><outline")
	}},
	{name: "every feed twice", outline: usual + `<outline text="%[1]s again" xmlUrl="%[2]s" htmlUrl="%[3]s"/>`,
		told: true},
	{name: "outlines that cannot be used",
		outline: `<outline text="lost" type="rss"/><outline text="x" type="rss" xmlUrl="javascript:alert(1)"/>` + usual,
		told:    true},
	{name: "broken outlines", outline: `<outline text="1 < 2" xmlUrl="https://no.example/"/>` + usual, told: true},
}

// listCharsets are how the lists are encoded.
var listCharsets = []struct {
	name, mark, declared string
	codec                encoding.Encoding
	words                string
}{
	{"UTF-8", "", "UTF-8", nil, "Grüße новости 日本語 R&D"},
	{"UTF-8 with a mark", "\xef\xbb\xbf", "utf-8", nil, "Grüße новости 日本語 R&D"},
	{"UTF-16LE", "\xff\xfe", "utf-16", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "Grüße новости 日本語 R&D"},
	{"UTF-16BE without a mark", "", "utf-16", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		"Grüße новости 日本語 R&D"},
	{"ISO-8859-1", "", "ISO-8859-1", charmap.ISO8859_1, "Grüße élève R&D"},
	{"windows-1251", "", "windows-1251", charmap.Windows1251, "новости мир R&D"},
	{"Shift_JIS", "", "shift_jis", japanese.ShiftJIS, "日本語 ソフト R&D"},
}

// Every generated list gives just the subscriptions that were put into it, in their order and folders.
func TestGeneratedLists(t *testing.T) {
	for i, st := range listStyles {
		for j, cs := range listCharsets {
			list := outlines(rand.New(rand.NewPCG(uint64(i), uint64(j))), strings.Fields(cs.words), 12, 5)
			doc := fmt.Sprintf(`<?xml version="1.0" encoding="%s"?>`, cs.declared) + st.write(list)
			if cs.codec != nil {
				var err error
				if doc, err = cs.codec.NewEncoder().String(doc); err != nil {
					t.Fatal(err)
				}
			}
			l, err := Parse(bytes.NewReader([]byte(cs.mark+doc)), Limits{Problems: 1000})
			if want := entries(list, ""); err != nil || !reflect.DeepEqual(l.Entries, want) {
				t.Errorf("%s, %s: %v\ngot  %+v\nwant %+v\n%.600q", st.name, cs.name, err, l.Entries, want, doc)
			}
			if told := len(l.Problems) > 0; told != st.told {
				t.Errorf("%s, %s: problems %v", st.name, cs.name, l.Problems)
			}
		}
	}
}

// write writes a list.
func (st style) write(list []madeOutline) string {
	if st.outline == "" {
		st.outline = usual
	}
	if st.folder == "" {
		st.folder = usualFolder
	}
	text := body(st.outlines(list))
	if st.text != nil {
		text = st.text(text)
	}
	return text
}

func (st style) outlines(list []madeOutline) string {
	var b strings.Builder
	amp := strings.NewReplacer("&", "&amp;")
	for _, o := range list {
		if o.url == "" {
			b.WriteString(fmt.Sprintf(st.folder, amp.Replace(o.label)) + st.outlines(o.inside) + "</outline>")
		} else {
			fmt.Fprintf(&b, st.outline, amp.Replace(o.label), amp.Replace(o.url), amp.Replace(o.site))
		}
	}
	return b.String()
}
