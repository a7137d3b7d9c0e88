package livenet

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tidings"
	"tidings/lab/origin"
)

const (
	OldStories = 3  // that a feed has before it is edited
	listed     = 20 // stories that it lists at most
)

// site is a feed that is edited, at the origin and in a file, as site generators do it. Its stories and entries are
// its facts.
type site struct {
	net  *Net
	name string
	file string
	head string // elements of the feed before its title

	awaited int // facts, from the first on, that nobody waits for any more

	mu      sync.Mutex
	edits   int
	entries int
	facts   []Fact
	index   map[string]int32 // of facts, by item
}

// newSite puts a site into a folder, and has the origin serve it.
func newSite(n *Net, channel int) (s *site, err error) {
	c := &n.work.Channels[channel]
	s = &site{net: n, name: c.Name, file: filepath.Join(n.dir, c.Name+".xml"), index: make(map[string]int32)}
	if c.Kind == Published {
		if s.head, err = n.announcement(channel); err != nil {
			return nil, err
		}
	}
	for i := range OldStories {
		s.add(s.story(i + 1 - OldStories))
	}
	return s, errors.Join(s.write(), n.origin.AddMade(c.Name, s.document, origin.Options{}))
}

// story names the story that an edit adds; edits count from 1.
func (s *site) story(edit int) string { return fmt.Sprint(s.name, "-", edit) }

// document is the feed after so many edits, the newest story first.
func (s *site) document(edits int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<rss version=\"2.0\"><channel>%s<title>%s</title><link>http://site.example/</link>\n",
		s.head, s.name)
	for i := edits; i > max(-OldStories, edits-listed); i-- {
		text := strings.Repeat(fmt.Sprint("What story ", i, " tells. "), 40)
		b.WriteString("<item><guid isPermaLink=\"false\">" + s.story(i))
		fmt.Fprintf(&b, "</guid><title>Story %d</title><description>%s</description></item>\n", i, text)
	}
	return []byte(b.String() + "</channel></rss>\n")
}

// edit adds a story to the file: a new file replaces the old one. Then the origin has it too.
func (s *site) edit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edits++
	s.add(s.story(s.edits))
	if err := s.write(); err != nil {
		return err
	}
	last := &s.facts[len(s.facts)-1]
	last.Made = s.net.Now()
	last.Seen = last.Made
	if old, ok := s.index[s.story(s.edits-listed)]; ok {
		s.facts[old].Gone = last.Made
	}
	_, err := s.net.origin.Step(s.name)
	return err
}

// publish publishes an entry, or another version of one.
func (s *site) publish(ctx context.Context, by *Node, url string, do Event) error {
	s.mu.Lock()
	e := s.entry(do)
	fact := factOf(e.ID, e.News)
	s.add(fact)
	s.mu.Unlock()
	for i, c := range s.net.work.Channels {
		if c.From == s.name {
			selects := s.net.sites[i]
			selects.mu.Lock()
			selects.add(url + " " + fact) // as package queries names an item of a channel
			selects.mu.Unlock()
		}
	}
	_, err := by.Client.PublishEntry(ctx, url, "", e)
	return err
}

// entry returns what an event publishes. The caller holds s.mu.
func (s *site) entry(do Event) tidings.PublishedEntry {
	switch do.Do {
	case Revise:
		e := Entry(s.net.work.Seed+1, do.Entry, do.Bytes)
		e.News = &tidings.News{GUID: e.ID, Version: 2, Publisher: NewsPublisher, Status: tidings.Usable}
		return e
	case Withdraw:
		e := Entry(s.net.work.Seed, do.Entry, 0)
		return tidings.PublishedEntry{ID: e.ID, News: &tidings.News{GUID: e.ID, Version: 2, Publisher: NewsPublisher,
			Status: tidings.Canceled}}
	}
	e := Entry(s.net.work.Seed, s.entries, do.Bytes)
	s.entries++
	if do.News {
		e.News = &tidings.News{GUID: e.ID, Version: 1, Publisher: NewsPublisher, Status: tidings.Usable}
	}
	return e
}

// NewsPublisher is what news items name as their publisher.
const NewsPublisher = "Lab"

// factOf names what an item says: each version of a news item is a fact of its own.
func factOf(id string, n *tidings.News) string {
	if n == nil || n.Version < 2 {
		return id
	}
	return fmt.Sprint(id, " version ", n.Version)
}

// FactOf returns which fact of a published channel a version of an entry is, if that was published.
func (n *Net) FactOf(channel, entry, version int) (fact int32, ok bool) {
	return n.sites[channel].fact(factOf(Entry(n.work.Seed, entry, 0).ID, &tidings.News{Version: version}))
}

// Entry returns the entry that the i-th Publish of a channel publishes, from 0. A parcel is packed to what was drawn,
// and has a name, a title and a mark besides.
func Entry(seed uint64, i, bytes int) tidings.PublishedEntry {
	chance := rand.New(rand.NewPCG(seed, uint64(i)))
	text := make([]byte, bytes*6/7)
	for i := range text {
		text[i] = byte(chance.Uint32())
	}
	id := fmt.Sprint("entry-", i)
	html := "<p>" + base64.URLEncoding.EncodeToString(text) + "</p>"
	return tidings.PublishedEntry{ID: id, Title: "Entry " + id, HTML: html}
}

// add notes a fact that is made now.
func (s *site) add(item string) {
	now := s.net.Now()
	s.index[item] = int32(len(s.facts))
	s.facts = append(s.facts, Fact{Made: now, Seen: now, Gone: Endless})
}

func (s *site) fact(item string) (int32, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.index[item]
	return f, ok
}

func (s *site) write() error {
	whole := s.file + ".new"
	if err := errors.Join(os.WriteFile(whole, s.document(s.edits), 0o600), os.Rename(whole, s.file)); err != nil {
		return fmt.Errorf("editing a site: %w", err)
	}
	return nil
}

// Facts returns what an edited or published channel has said so far, in the order in which it was made: OldStories
// first.
func (n *Net) Facts(channel int) []Fact {
	s := n.sites[channel]
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.facts)
}
