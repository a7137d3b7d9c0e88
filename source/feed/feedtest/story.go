package feedtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// channel is a feed as its publisher means it.
type channel struct {
	title, site string
	stories     []story
	attrs       string // of the root element
	lead        string // markup before the channel's title
	last        string // markup behind the last item
	cdata       bool   // texts stand in CDATA sections
}

// story is an item as its publisher means it, and how it is written where that differs.
type story struct {
	Item
	serial int

	html  string // the content, of which Item.Text is what a person sees
	body  string // the content as it stands in the document; "": html, escaped
	typ   string // its type in Atom; "": html
	head  string // the title as it stands in the document; "": the title, escaped
	htyp  string // its type in Atom
	href  string // the link as it stands in the document; "": the link
	date  string // the date of publication as it stands in the document; "": as the format has it
	attrs string // of the item's element
	lead  string // markup before the title
	extra string // markup at the end

	unlinked bool // it has no link
	restated bool // an element of another vocabulary than the format's says when it was updated
}

var epoch = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

// newChannel makes a feed of n items with words that its character set has.
func newChannel(r *rand.Rand, words []string, n int) *channel {
	c := &channel{title: phrase(r, words, 2), site: "https://origin.example/"}
	for i := range n {
		c.stories = append(c.stories, newStory(r, words, r.IntN(10_000)*10+i))
	}
	return c
}

// newStory makes an item. Its serial number distinguishes it from all others.
func newStory(r *rand.Rand, words []string, serial int) story {
	published := epoch.Add(-time.Duration(serial)*time.Hour - time.Duration(r.IntN(3600))*time.Second)
	s := story{serial: serial, Item: Item{
		ID:         fmt.Sprintf("tag:origin.example,2024:%d", serial),
		URL:        fmt.Sprintf("https://origin.example/story/%d", serial),
		Title:      fmt.Sprintf("%s & %s no. %d", phrase(r, words, 2), phrase(r, words, 1), serial),
		Author:     phrase(r, words, 2),
		Published:  published,
		Updated:    published.Add(time.Duration(1+r.IntN(100)) * time.Minute),
		Categories: []string{fmt.Sprintf("%s %d", phrase(r, words, 1), serial), "c" + phrase(r, words, 1)},
		Files:      []File{{fmt.Sprintf("https://files.example/%d.mp3", serial), "audio/mpeg", int64(1000 + serial)}},
	}}
	s.write(r, words)
	return s
}

// write gives the story a content.
func (s *story) write(r *rand.Rand, words []string) {
	a, b, c, d := phrase(r, words, 5), phrase(r, words, 1), phrase(r, words, 3), phrase(r, words, 2)
	link := fmt.Sprintf("https://other.example/%d?a=1", s.serial)
	s.html = fmt.Sprintf(`<p>%s <b>%s</b> &amp; %s.</p><p>See <a href="%s">%s</a>, text %d.</p>`, a, b, c, link, d,
		r.IntN(1_000_000))
	s.Links = []string{link}
	s.Text = visible(s.html)
}

func phrase(r *rand.Rand, words []string, n int) string {
	var out []string
	for range n {
		out = append(out, words[r.IntN(len(words))])
	}
	return strings.Join(out, " ")
}

// visible returns what a person sees of markup that this package has written, without
// white space: it has no hidden elements and no references but those of unescapes.
func visible(html string) string {
	var b strings.Builder
	for html != "" {
		before, tag, _ := strings.Cut(html, "<")
		b.WriteString(before)
		_, html, _ = strings.Cut(tag, ">")
	}
	return strings.Join(strings.Fields(unescapes.Replace(b.String())), "")
}

var (
	escapes   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	unescapes = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`)
)

func escape(s string) string { return escapes.Replace(s) }
