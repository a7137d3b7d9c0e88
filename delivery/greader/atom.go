package greader

import (
	"encoding/xml"
	"net/http"
	"time"

	"tidings/delivery/sync"
)

// streamID is what the identifier of a stream begins with.
const streamID = "tag:google.com,2005:reader/"

// readerScheme is the scheme of categories that say in which states an item is.
const readerScheme = "http://www.google.com/reader/"

// atomEntry is an item in an Atom feed.
type atomEntry struct {
	XMLName   xml.Name       `xml:"entry"`
	ID        string         `xml:"id"`
	Title     string         `xml:"title"`
	Published string         `xml:"published"`
	Updated   string         `xml:"updated"`
	Author    string         `xml:"author>name"`
	Links     []atomLink     `xml:"link"`
	States    []atomCategory `xml:"category"`
	Content   atomText       `xml:"content"`
}

type atomLink struct {
	Rel    string `xml:"rel,attr"`
	Href   string `xml:"href,attr"`
	Type   string `xml:"type,attr,omitempty"`
	Length int64  `xml:"length,attr,omitempty"`
}

type atomCategory struct {
	Term   string `xml:"term,attr"`
	Scheme string `xml:"scheme,attr"`
	Label  string `xml:"label,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// streamAtom answers with the stream that the path names, as an Atom feed.
func streamAtom(c *call) error {
	f, err := c.filter(c.rest)
	if err != nil {
		return err
	}
	numbers, _, err := c.page(f, min(c.count(fewItems), maxItems))
	if err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	title := c.rest
	if s, _ := parseStream(c.rest); v.feed(s.feed) != nil {
		title = v.feed(s.feed).Title
	}
	p := sync.NewReply(c.w, c.r)
	e := xml.NewEncoder(p)
	p.Print(xml.Header, `<feed xmlns="http://www.w3.org/2005/Atom">`)
	for _, part := range [][2]string{{"id", streamID + c.rest}, {"title", title}, {"updated", stamp(time.Now())}} {
		if err := e.EncodeElement(part[1], xml.StartElement{Name: xml.Name{Local: part[0]}}); err != nil {
			return err
		}
	}
	err = sync.EachItem(c.r.Context(), c.library, c.person, numbers, func(i sync.Item) (bool, error) {
		return true, e.Encode(v.entry(i))
	})
	if err != nil {
		return err
	}
	p.Print("</feed>")
	return p.Send(http.StatusOK, "application/atom+xml; charset=UTF-8")
}

// entry returns an item as the entry of a feed.
func (v *view) entry(i sync.Item) atomEntry {
	from := v.item(i)
	out := atomEntry{
		ID: from.ID, Title: from.Title, Author: from.Author, Published: stamp(i.Published), Updated: stamp(i.Published),
		Links:   []atomLink{{Rel: "alternate", Href: from.Alternate[0].Href, Type: "text/html"}},
		Content: atomText{"html", from.Summary.Content},
	}
	for _, e := range from.Enclosure {
		out.Links = append(out.Links, atomLink{"enclosure", e.Href, e.Type, e.Length})
	}
	for _, name := range from.Categories {
		s, _ := parseStream(name)
		out.States = append(out.States, atomCategory{name, readerScheme, s.state + s.label})
	}
	return out
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
