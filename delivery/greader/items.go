package greader

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"tidings/delivery/sync"
)

const (
	// manyIDs is from which n on a list of unread or starred items has all of them. A client that asks for so
	// many wants all. Two clients mark as read, or remove the star of, what is missing.
	manyIDs = 2500
	// fewItems is how many items a stream has in an answer if the client does not say.
	fewItems = 20
	// maxItems bounds that.
	maxItems = 10_000
	// leastItems are in each page but the last, if the client asks for so many. One client, which asks for
	// 1,000, reads on only behind a full page; one, which asks for 2,500, never does. Behind them a page
	// ends when it holds maxHeld bytes.
	leastItems = 2500
	maxHeld    = 8 << 20
)

// itemIDs lists numbers of items.
func itemIDs(c *call) error {
	f, err := c.filter(c.form.Get("s"))
	if err != nil {
		return err
	}
	n := min(c.count(sync.MaxNumbers), sync.MaxNumbers)
	if n >= manyIDs && (f.Read == sync.Without || f.Starred == sync.Only) {
		n = sync.MaxNumbers
	}
	numbers, next, err := c.page(f, n)
	if err != nil {
		return err
	}
	p := sync.NewReply(c.w, c.r)
	p.Print(`{"itemRefs":[`)
	buf := make([]byte, 0, 32<<10)
	for i, number := range numbers {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"id":"`...) // as text: two clients read nothing from a number
		buf = strconv.AppendInt(buf, number, 10)
		if buf = append(buf, `"}`...); len(buf) > 32<<10-64 {
			_, _ = p.Write(buf) // Send knows of the failure
			buf = buf[:0]
		}
	}
	_, _ = p.Write(buf)
	p.Print("]")
	end(p, next)
	return p.Send(http.StatusOK, sync.JSON)
}

// end ends an answer with the continuation, if there is one.
func end(p *sync.Reply, next string) {
	if next != "" {
		p.Print(`,"continuation":"`, next, `"`)
	}
	p.Print("}")
}

// link is an address in an item.
type link struct {
	Href   string `json:"href"`
	Type   string `json:"type,omitempty"`
	Length int64  `json:"length,omitempty"`
}

// text is the article.
type text struct {
	Direction string `json:"direction"`
	Content   string `json:"content"`
}

// origin is the feed of an item.
type origin struct {
	StreamID string `json:"streamId"`
	Title    string `json:"title"`
	HTMLURL  string `json:"htmlUrl"`
}

// item is an item with its text. Clients read a part of its fields without checking whether they are there.
type item struct {
	ID         string   `json:"id"`
	Crawled    string   `json:"crawlTimeMsec"`
	Timestamp  string   `json:"timestampUsec"`
	Published  int64    `json:"published"`
	Updated    int64    `json:"updated"`
	Title      string   `json:"title"`
	Author     string   `json:"author"`
	Summary    text     `json:"summary"`
	Canonical  []link   `json:"canonical"`
	Alternate  []link   `json:"alternate"`
	Categories []string `json:"categories"`
	// starred: Liferea reads it here alone, and removes stars that are missing
	Marked    bool   `json:"marked,omitempty"`
	Origin    origin `json:"origin"`
	Enclosure []link `json:"enclosure,omitempty"`
}

func (v *view) item(i sync.Item) item {
	var feed sync.Feed
	if f := v.byID[i.Feed]; f != nil {
		feed = *f
	}
	href := sync.LinkOf(i, feed)
	out := item{
		ID: formatID(i.Number), Title: i.Title, Author: i.Author,
		Crawled: strconv.FormatInt(i.Arrived.UnixMilli(), 10), Timestamp: micros(i.Arrived),
		Published: i.Published.Unix(), Updated: i.Published.Unix(),
		Summary:   text{"ltr", i.HTML},
		Canonical: []link{{Href: href}}, Alternate: []link{{Href: href, Type: "text/html"}},
		Origin:     origin{feedName(i.Feed), feed.Title, feed.SiteLink()},
		Categories: []string{statePrefix + "reading-list"}, Marked: i.Starred,
	}
	if i.Read {
		out.Categories = append(out.Categories, statePrefix+"read")
	}
	if i.Starred {
		out.Categories = append(out.Categories, statePrefix+"starred")
	}
	for _, folder := range v.categories(feed) {
		out.Categories = append(out.Categories, folder.ID)
	}
	for _, name := range i.Labels {
		out.Categories = append(out.Categories, labelPrefix+name)
	}
	for _, e := range i.Enclosures {
		if href := sync.Link(e.URL); href != "" {
			out.Enclosure = append(out.Enclosure, link{href, e.Type, e.Length})
		}
	}
	return out
}

// itemContents lists items by their numbers. Those that do not exist are left out.
func itemContents(c *call) error {
	return c.sendItems("reading-list", c.numbers(), "", sync.MaxNumbers)
}

// streamContents lists the items of a stream, which the path or the parameter s names.
func streamContents(c *call) error {
	name := c.rest
	if name == "" {
		name = c.form.Get("s")
	}
	f, err := c.filter(name)
	if err != nil {
		return err
	}
	numbers, next, err := c.page(f, min(c.count(fewItems), maxItems))
	if err != nil {
		return err
	}
	if name == "" {
		name = "reading-list"
	}
	return c.sendItems(name, numbers, next, leastItems)
}

// sendItems answers with items, and the continuation behind the last of them. Behind the first least of them
// it may end early.
func (c *call) sendItems(name string, numbers []int64, next string, least int) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	if s, _ := parseStream(name); s.state != "" {
		name = statePrefix + s.state
	}
	id, err := json.Marshal(name)
	if err != nil {
		return err
	}
	p := sync.NewReply(c.w, c.r)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	p.Print(`{"direction":"ltr","id":`, string(id), `,"updated":`, now, `,"items":[`)
	sent := 0
	err = sync.EachItem(c.r.Context(), c.library, c.person, numbers, func(i sync.Item) (bool, error) {
		if sent > 0 {
			p.Print(",")
		}
		if sent++; sent < least || p.Held() < maxHeld {
			return true, p.JSON(v.item(i))
		}
		if i.Number != numbers[len(numbers)-1] {
			next = strconv.FormatInt(i.Number, 10)
		}
		return false, p.JSON(v.item(i))
	})
	if err != nil {
		return err
	}
	p.Print("]")
	if sent == 0 { // one client goes on for ever after an empty page that says that there are more
		next = ""
	}
	end(p, next)
	return p.Send(http.StatusOK, sync.JSON)
}
