package feedtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// History is what a feed was over time.
type History struct {
	Name   string // of letters, digits and dashes
	Ext    string // xml or json
	Format string // of all states, as in Document; "" if it, or the character set, changes
	States []State
}

// State is a feed as it was fetched once.
type State struct {
	Body  []byte
	Items []Told // the stories in it, in its order, each once
}

// Told is a story of a state, and the change that a reader has to be notified of.
type Told struct {
	Serial int // the same in all states
	Title  string
	Change Change
}

// Change is what is new about a story since it was last in the feed.
type Change string

// What is new about a story: nothing is, if only what no person sees differs.
const (
	Same    Change = ""
	New     Change = "new"
	Changed Change = "changed"
)

// Bodies returns the documents of the states.
func (h History) Bodies() [][]byte {
	var out [][]byte
	for _, s := range h.States {
		out = append(out, s.Body)
	}
	return out
}

// scheme is how a publisher names and stamps its items, and what else differs from fetch to
// fetch without being news.
type scheme struct {
	name       string
	formats    []string
	untitled   bool // titles are never edited: items are known by them
	unshuffled bool // a story that was dropped does not come back

	// surface changes how the nth state is written; the channel is a copy.
	surface func(r *rand.Rand, c *channel, n int)
	// state changes what is in the nth state.
	state func(r *rand.Rand, c *channel, n int)
	text  func(f *format, n int, s string) string
	// format and charset are the table's rows of the nth state, if they differ.
	format  func(n int) string
	charset func(n int) string
}

var (
	everyFormat = []string{"RSS 2.0", "Atom 1.0", "JSON Feed 1.1", "RSS 1.0", "RSS 0.93"}
	withIDs     = []string{"RSS 2.0", "Atom 1.0", "JSON Feed 1.1"}
	linksOnly   = []string{"RSS 2.0", "RSS 0.92"}
)

// all changes every story of a state.
func all(change func(r *rand.Rand, s *story, n int)) func(*rand.Rand, *channel, int) {
	return func(r *rand.Rand, c *channel, n int) {
		for i := range c.stories {
			change(r, &c.stories[i], n)
		}
	}
}

func dropIDs(_ *rand.Rand, s *story, _ int) { s.ID = "" }

// midway is the state from which on a publisher does it another way.
const (
	states  = 16
	midway  = states / 2
	newFeed = 6  // stories in the first state
	window  = 12 // stories that a state lists at most
)

// schemes are those of the recorded feeds, and what else is known of publishers.
var schemes = []scheme{
	{name: "plain", formats: everyFormat},
	{name: "guid is the link", formats: withIDs, surface: all(func(_ *rand.Rand, s *story, _ int) { s.ID = s.URL })},
	{name: "links alone", formats: linksOnly, surface: all(dropIDs)},
	{name: "titles and dates alone", formats: []string{"RSS 2.0", "RSS 0.93"}, untitled: true,
		surface: all(func(_ *rand.Rand, s *story, _ int) {
			s.ID, s.URL, s.unlinked = "", "", true
		})},
	{name: "one guid for all", formats: withIDs[:2], surface: all(func(_ *rand.Rand, s *story, _ int) {
		s.ID = "https://origin.example/"
	})},
	{name: "guids of each fetch", formats: withIDs, untitled: true, surface: all(func(r *rand.Rand, s *story, _ int) {
		s.ID = fmt.Sprint("urn:x:", r.Uint64())
	})},
	{name: "guids rewritten at once", formats: withIDs, untitled: true, unshuffled: true,
		surface: all(func(_ *rand.Rand, s *story, n int) {
			if n >= midway {
				s.ID = fmt.Sprint("https://origin.example/?p=", s.serial)
			}
		})},
	{name: "links rewritten at once", formats: withIDs, surface: all(func(_ *rand.Rand, s *story, n int) {
		if n >= midway {
			s.URL = fmt.Sprintf("https://new.example/%d/", s.serial)
		}
	})},
	{name: "http becomes https", formats: linksOnly, surface: all(func(_ *rand.Rand, s *story, n int) {
		if s.ID = ""; n < midway {
			s.URL = strings.Replace(s.URL, "https:", "http:", 1)
		}
	})},
	{name: "tracked links", formats: append([]string{"RSS 2.0"}, linksOnly...)[:2],
		surface: all(func(r *rand.Rand, s *story, n int) {
			s.ID = ""
			s.URL += fmt.Sprintf("?utm_source=feed&utm_campaign=%d", r.IntN(1000))
		})},
	{name: "stamp of each fetch", formats: everyFormat[:2], surface: func(_ *rand.Rand, c *channel, n int) {
		now := epoch.Add(time.Duration(n) * time.Hour)
		c.lead = element("lastBuildDate", "", now.Format(time.RFC1123Z)) + "<!-- generated in 0." + fmt.Sprint(n) +
			" s --><generator>x " + fmt.Sprint(n) + "</generator><ttl>60</ttl>"
	}},
	{name: "items restamped at each fetch", formats: everyFormat, surface: all(func(_ *rand.Rand, s *story, n int) {
		s.Published = epoch.Add(time.Duration(n) * time.Hour)
		s.Updated = s.Published
	})},
	{name: "items restamped, links alone", formats: linksOnly[:1], surface: all(func(_ *rand.Rand, s *story, n int) {
		s.ID, s.Published = "", epoch.Add(time.Duration(n)*time.Hour)
	})},
	{name: "an order of chance", formats: everyFormat, surface: func(r *rand.Rand, c *channel, _ int) {
		r.Shuffle(len(c.stories), func(i, j int) { c.stories[i], c.stories[j] = c.stories[j], c.stories[i] })
	}},
	{name: "oldest first", formats: withIDs, surface: func(_ *rand.Rand, c *channel, _ int) {
		slices.Reverse(c.stories)
	}},
	{name: "markup written in another way", formats: everyFormat, surface: func(r *rand.Rand, c *channel, n int) {
		c.cdata = n%2 == 1
		all(func(r *rand.Rand, s *story, n int) {
			if n%3 == 1 {
				s.html = strings.NewReplacer("<p>", "\n<P class='c"+fmt.Sprint(n)+"'>\n", "</p>", "</P>", "<b>",
					"<strong>", "</b>", "</strong>").Replace(s.html)
			}
		})(r, c, n)
	}},
	{name: "counters", formats: withIDs, surface: all(func(r *rand.Rand, s *story, _ int) {
		s.html += fmt.Sprintf("<p>%d comments</p>", r.IntN(1000))
	})},
	{name: "times that pass", formats: withIDs, surface: all(func(r *rand.Rand, s *story, _ int) {
		s.html += fmt.Sprintf("<p>posted %d hours ago</p>", 2+r.IntN(1000))
	})},
	{name: "files with tokens", formats: withIDs, surface: all(func(r *rand.Rand, s *story, _ int) {
		s.Files = []File{{fmt.Sprintf("%s?token=%d", s.Files[0].URL, r.Uint64()), "audio/mpeg", s.Files[0].Length}}
	})},
	{name: "RSS becomes Atom", formats: []string{"RSS 2.0"}, format: func(n int) string {
		return []string{"RSS 2.0", "Atom 1.0"}[n/midway]
	}},
	{name: "a character set becomes another", formats: []string{"RSS 2.0", "Atom 1.0"}, charset: func(n int) string {
		return []string{"ISO-8859-1", "UTF-16LE with a mark", "UTF-8"}[n%3]
	}},
	{name: "items twice", formats: everyFormat, surface: func(_ *rand.Rand, c *channel, _ int) {
		c.stories = append(c.stories, c.stories...)
	}},
	{name: "cut off now and then", formats: []string{"RSS 2.0", "RSS 1.0", "Atom 1.0"},
		text: func(f *format, n int, s string) string {
			if n%3 == 2 {
				return s[:lastItem(f, s)+40]
			}
			return s
		}, state: func(_ *rand.Rand, c *channel, n int) {
			if n%3 == 2 {
				c.stories = c.stories[:len(c.stories)-1]
			}
		}},
	{name: "empty now and then", formats: everyFormat, state: func(_ *rand.Rand, c *channel, n int) {
		if n%4 == 3 {
			c.stories = nil
		}
	}},
	{name: "only the latest story", formats: everyFormat, state: func(_ *rand.Rand, c *channel, _ int) {
		c.stories = c.stories[:1]
	}},
}

// Histories makes feeds of every scheme in all formats that can have it.
func Histories(seed uint64) []History {
	var out []History
	for i := range schemes {
		for _, name := range schemes[i].formats {
			h := newHistory(newRand(seed, 1000+len(out)), &schemes[i], name)
			h.Name = strings.ToLower(strings.NewReplacer(" ", "-", ".", "", ",", "").Replace(schemes[i].name + "-" +
				name))
			out = append(out, h)
		}
	}
	return out
}

func newHistory(r *rand.Rand, sc *scheme, formatName string) History {
	h := History{Ext: "xml"}
	if sc.format == nil && sc.charset == nil {
		h.Format = named(formats, formatName, func(f *format) string { return f.name }).kind
	}
	b := blog{r: r, scheme: sc, channel: newChannel(r, western, 0), told: map[int]string{}}
	b.publish(newFeed)
	for n := range states {
		if n > 0 {
			b.step()
		}
		name, cs := formatName, &charsets[0]
		if sc.format != nil {
			name = sc.format(n)
		}
		if sc.charset != nil {
			cs = named(charsets, sc.charset(n), func(c *charset) string { return c.name })
		}
		f := named(formats, name, func(f *format) string { return f.name })
		if !f.isXML() {
			h.Ext = "json"
		}
		h.States = append(h.States, b.state(f, cs, n))
	}
	return h
}

// Large makes two states of a feed of so many stories, in a format of the table: between them
// something was published and something edited.
func Large(seed uint64, formatName string, stories int) (before, after []byte) {
	r := newRand(seed, stories)
	f := named(formats, formatName, func(f *format) string { return f.name })
	b := blog{r: r, scheme: &schemes[0], channel: newChannel(r, western, 0), told: map[int]string{}}
	b.publish(stories)
	before = b.state(f, &charsets[0], 0).Body
	b.channel.stories[stories/2].write(r, western)
	b.publish(1)
	return before, b.state(f, &charsets[0], 1).Body
}

// named returns the row of a table. It panics if there is none.
func named[T any](table []T, name string, of func(*T) string) *T {
	return &table[slices.IndexFunc(table, func(row T) bool { return of(&row) == name })]
}

// blog is a publisher at work.
type blog struct {
	r       *rand.Rand
	scheme  *scheme
	channel *channel // the stories listed, the latest first
	dropped []story
	serial  int
	told    map[int]string // by serial: what the story said when it was last in the feed
}

// publish adds stories on top.
func (b *blog) publish(n int) {
	for range n {
		b.serial++
		s := newStory(b.r, western, b.serial)
		s.Published = epoch.Add(time.Duration(b.serial) * time.Hour)
		s.Updated = s.Published
		b.channel.stories = slices.Insert(b.channel.stories, 0, s)
	}
}

// step is what happens between two fetches.
func (b *blog) step() {
	c := b.channel
	if b.r.IntN(2) == 0 {
		b.publish(1 + b.r.IntN(2))
	}
	for range b.r.IntN(3) {
		s := &c.stories[b.r.IntN(len(c.stories))]
		if b.r.IntN(3) == 0 && !b.scheme.untitled {
			s.Title = fmt.Sprintf("%s, corrected %d", s.Title, b.r.IntN(1000))
		} else {
			s.write(b.r, western)
		}
		s.Updated = s.Updated.Add(time.Hour)
	}
	switch b.r.IntN(6) {
	case 0: // one is withdrawn
		if i := b.r.IntN(len(c.stories)); len(c.stories) > 3 {
			b.dropped = append(b.dropped, c.stories[i])
			c.stories = slices.Delete(c.stories, i, i+1)
		}
	case 1: // and comes back, as it was
		if n := len(b.dropped); n > 0 && !b.scheme.unshuffled {
			c.stories = append(c.stories, b.dropped[n-1])
			b.dropped = b.dropped[:n-1]
		}
	}
	c.stories = c.stories[:min(len(c.stories), window)]
}

// state writes the feed as it is now, and says what is new about it.
func (b *blog) state(f *format, cs *charset, n int) State {
	c := *b.channel
	c.stories = slices.Clone(c.stories)
	whole := slices.Clone(c.stories)
	if b.scheme.surface != nil {
		b.scheme.surface(b.r, &c, n)
		whole = slices.Clone(c.stories)
	}
	if b.scheme.state != nil {
		b.scheme.state(b.r, &c, n)
	}
	var st State
	seen := map[int]bool{}
	for _, s := range c.stories {
		if seen[s.serial] {
			continue
		}
		seen[s.serial] = true
		says := s.Title + "\n"
		if f.can(hasText) {
			says += s.Text
		}
		t := Told{Serial: s.serial, Title: s.Title}
		if before, known := b.told[s.serial]; !known {
			t.Change = New
		} else if before != says {
			t.Change = Changed
		}
		b.told[s.serial] = says
		st.Items = append(st.Items, t)
	}
	if b.scheme.text != nil {
		c.stories = whole // of which the text is cut
	}
	text := f.write(f, &c)
	if f.isXML() {
		text = cs.declaration() + text
	}
	if b.scheme.text != nil {
		text = b.scheme.text(f, n, text)
	}
	st.Body = cs.encode(text)
	return st
}
