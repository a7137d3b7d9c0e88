package origin

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Feed is a made-up RSS feed for load. State k holds the items k … k+Items−1, newest first, so that each state differs
// from the one before by one new item and one that left. The same Feed gives the same bytes for ever.
type Feed struct {
	Seed  uint64
	Items int // in each state
	Bytes int // of each state, to within a few words an item
}

// MakeFeed returns a feed of the given shape; feeds of different seeds share no item.
func MakeFeed(seed uint64, items, bytes int) Feed {
	return Feed{Seed: seed, Items: max(items, 1), Bytes: bytes}
}

const feedTail = "</channel></rss>\n"

func (f Feed) head() []byte {
	return fmt.Appendf(nil,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Feed "+
			"%d</title><link>https://feed-%d.example/</link><description>Made up</description>\n", f.Seed, f.Seed)
}

// State returns the whole document as of state k.
func (f Feed) State(k int) []byte { return f.states()(k) }

// states returns State for calls with rising numbers: what is common to one state and
// the next is made once. It may be called from anywhere at any time.
func (f Feed) states() func(int) []byte {
	var mu sync.Mutex
	head := f.head()
	each := (f.Bytes - len(head) - len(feedTail)) / f.Items
	made := make(map[int][]byte, f.Items+1)
	return func(k int) []byte {
		mu.Lock()
		defer mu.Unlock()
		for n := range made {
			if n < k || n >= k+f.Items {
				delete(made, n)
			}
		}
		doc := make([]byte, 0, f.Bytes+1024)
		doc = append(doc, head...)
		for n := k + f.Items - 1; n >= k; n-- {
			if made[n] == nil {
				made[n] = f.item(n, 0, each)
			}
			doc = append(doc, made[n]...)
		}
		return append(doc, feedTail...)
	}
}

var firstDate = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// item makes item n in about size bytes. Each of its revisions, from 0 up, has another title and text.
func (f Feed) item(n, revision, size int) []byte {
	r := rand.New(rand.NewPCG(f.Seed, uint64(n)|uint64(revision)<<32))
	var b bytes.Buffer
	b.Grow(size + 256)
	b.WriteString("<item><title>Item " + strconv.Itoa(n) + ": ")
	writeWord(&b, r)
	writeWord(&b, r)
	fmt.Fprintf(&b,
		"</title><link>https://feed-%d.example/item/%d</link><guid>feed-%d-item-%d</guid><pubDate>%s</pubDate><description>",
		f.Seed, n, f.Seed, n, firstDate.Add(time.Duration(n)*time.Hour).Format(time.RFC1123Z))
	const tail = "</description></item>\n"
	for b.Len() < size-len(tail)-8 {
		writeWord(&b, r)
	}
	b.WriteString(tail)
	return b.Bytes()
}

var syllables = []string{"ar", "bel", "cor", "dun", "el", "far", "gil", "hor", "in", "jas", "kel", "lo", "mar", "nen",
	"or", "pal", "quen", "ros", "sil", "tir", "un", "ven", "wes", "yl"}

// writeWord writes a word of up to three syllables and a blank.
func writeWord(b *bytes.Buffer, r *rand.Rand) {
	for range 1 + r.IntN(3) {
		b.WriteString(syllables[r.IntN(len(syllables))])
	}
	b.WriteByte(' ')
}
