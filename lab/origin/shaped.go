package origin

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"tidings/lab/dataset"
)

// MakeHistory makes up a history in the shape of a noted feed. Its recent states come at the same times, are about as
// long, and have as many items, of which as many are new. A state that has changed without an item's coming or going
// revises one. One that has not changed has another lastBuildDate. All are RSS 2.0, and the same feed gives the same
// bytes for ever.
func MakeHistory(noted dataset.Feed) dataset.History {
	updates := noted.Updates[len(noted.Updates)-noted.Recent:]
	m := newShaped(noted.Name)
	h := dataset.History{Name: noted.Name}
	for i, u := range updates {
		if i == 0 {
			m.begin(updates)
		} else {
			m.change(u)
		}
		h.Snapshots = append(h.Snapshots, dataset.Snapshot{Run: "dense", N: i + 1, Time: u.Time, Ext: "xml",
			Body: m.document(u.Time)})
	}
	return h
}

// leastItem is how many bytes an item has at least, not counting a few: its title, link, name and date.
const leastItem = 300

// shaped is a made-up feed on its way from state to state.
type shaped struct {
	feed   Feed
	chance *rand.Rand
	items  []shapedItem // newest first
	made   int
}

type shapedItem struct {
	number, revision int
	text             []byte
}

func newShaped(name string) *shaped {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // it never fails
	seed := hash.Sum64()
	return &shaped{feed: Feed{Seed: seed}, chance: rand.New(rand.NewPCG(seed, 0x5a))}
}

// begin makes the first state. Of the first that was noted at all nobody counted the items: then it has as many as
// the second.
func (m *shaped) begin(updates []dataset.Update) {
	items := updates[0].Items
	if items == 0 && len(updates) > 1 {
		items = updates[1].Items
	}
	m.add(items, updates[0])
}

// change makes the next state.
func (m *shaped) change(u dataset.Update) {
	before := len(m.items)
	gone := max(before+u.NewItems-u.Items, 0)
	m.items = m.items[:max(before-gone, 0)]
	switch {
	case u.NewItems > 0:
		m.add(u.NewItems, u)
	case u.Changed && gone == 0 && before > 0:
		m.revise(u)
	}
}

// add puts new items on top, so long that the document comes to the length that was noted.
func (m *shaped) add(items int, u dataset.Update) {
	for left := items; left > 0; left-- {
		it := shapedItem{number: m.made, text: m.feed.item(m.made, 0, max((u.Bytes-m.length(u.Time))/left, leastItem))}
		m.made++
		m.items = append([]shapedItem{it}, m.items...)
	}
}

// revise gives one item, whichever, another text.
func (m *shaped) revise(u dataset.Update) {
	it := &m.items[m.chance.IntN(len(m.items))]
	it.revision++
	it.text = m.feed.item(it.number, it.revision, max(len(it.text)+u.Bytes-m.length(u.Time), leastItem))
}

func (m *shaped) head(at time.Time) []byte {
	return fmt.Appendf(m.feed.head(), "<lastBuildDate>%s</lastBuildDate>\n", at.Format(time.RFC1123Z))
}

// length returns how long the document is.
func (m *shaped) length(at time.Time) int {
	sum := len(m.head(at)) + len(feedTail)
	for _, it := range m.items {
		sum += len(it.text)
	}
	return sum
}

func (m *shaped) document(at time.Time) []byte {
	var b bytes.Buffer
	b.Grow(m.length(at))
	b.Write(m.head(at))
	for _, it := range m.items {
		b.Write(it.text)
	}
	b.WriteString(feedTail)
	return b.Bytes()
}
