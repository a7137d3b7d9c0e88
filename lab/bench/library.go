package bench

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/lab/origin"
)

// library is what a person with many subscriptions follows: made-up feeds in folders, whose items have titles, authors
// and texts as long as those of common feeds. The dates of all items spread over the days before it was made.
type library struct {
	feeds int
	items int // of each feed
	bytes int // of an item's text
	made  time.Time
}

const (
	libraryFolders = 40                   // as many feeds in each
	librarySpan    = 100 * 24 * time.Hour // from the oldest item to the newest
)

// name returns the name of a feed's document, from 0 up.
func (l library) name(feed int) string { return fmt.Sprintf("library-%d", feed) }

// folder returns the folder of a feed.
func (l library) folder(feed int) string { return fmt.Sprintf("Folder %02d", feed%libraryFolders) }

// document makes a feed.
func (l library) document(feed int) []byte {
	chance := rand.New(rand.NewPCG(uint64(feed), 1))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>%s %d</title><link>https://feed-%d.example/</link><description>Made up</description>
`, heading(chance, 2), feed, feed)
	for i := range l.items {
		age := librarySpan * time.Duration(i*l.feeds+feed) / time.Duration(l.items*l.feeds)
		fmt.Fprintf(&b, `<item><title>%s</title><link>https://feed-%d.example/item/%d</link><guid>feed-%d-item-%d</guid><dc:creator>%s</dc:creator><pubDate>%s</pubDate><description>%s</description><content:encoded><![CDATA[%s]]></content:encoded></item>
`, heading(chance, 4+chance.IntN(5)), feed, i, feed, i, heading(chance, 2), l.made.Add(-age).Format(time.RFC1123Z), sentence(chance, 160), articleText(chance, l.bytes))
	}
	b.WriteString("</channel></rss>\n")
	return b.Bytes()
}

// articleText makes the text of one item.
func articleText(chance *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, `<p>%s <a href="https://other.example/%d">%s</a> %s</p>`, sentence(chance, 200),
			chance.IntN(1000), heading(chance, 2), sentence(chance, 120))
	}
	return b.String()
}

// parts are the syllables of made-up words.
var parts = strings.Fields("ar bel cor dun el far gil hor in jas kel lo mar nen or pal quen ros sil tir un ven wes yl")

// word makes one of the 13,824 words of three syllables. One text of 1,200 bytes in 100 has a given word.
func word(chance *rand.Rand) string {
	return parts[chance.IntN(len(parts))] + parts[chance.IntN(len(parts))] + parts[chance.IntN(len(parts))]
}

// heading makes a title of so many words.
func heading(chance *rand.Rand, count int) string {
	words := make([]string, count)
	for i := range words {
		words[i] = word(chance)
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// sentence makes a sentence of about so many bytes.
func sentence(chance *rand.Rand, size int) string { return heading(chance, size/8) + "." }

// offer has an origin serve all feeds.
func (l library) offer(o *origin.Origin) error {
	for i := range l.feeds {
		made := l.document(i)
		if err := o.AddStatic(l.name(i), "application/rss+xml", made, origin.Options{}); err != nil {
			return err
		}
	}
	return nil
}

// withdraw has an origin forget what it offered, and its memory with it. Nobody polls the feeds any more.
func (l library) withdraw(o *origin.Origin) error {
	for i := range l.feeds {
		if err := o.AddStatic(l.name(i), "text/plain", nil, origin.Options{}); err != nil {
			return err
		}
	}
	return nil
}

// followedAtOnce is how many feeds are subscribed to at a time: more would wait for the store, and be given up in the
// end.
const followedAtOnce = 8

// follow has a node follow all feeds. It returns when each was polled.
func (l library) follow(ctx context.Context, b *bed) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(followedAtOnce)
	for i := range l.feeds {
		group.Go(func() error {
			_, err := b.node.Subscribe(ctx, tidings.Owner,
				tidings.SubscribeRequest{URL: b.base + l.name(i), Folder: l.folder(i)})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("following the library: %w", err)
	}
	return nil
}

// opml lists all feeds at the addresses that an origin at base has them.
func (l library) opml(base string) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><body>`)
	for f := range libraryFolders {
		fmt.Fprintf(&b, `<outline text="%s">`, l.folder(f))
		for i := f; i < l.feeds; i += libraryFolders {
			fmt.Fprintf(&b, `<outline type="rss" text="%s" xmlUrl="%s%s"/>`, l.name(i), base, l.name(i))
		}
		b.WriteString(`</outline>`)
	}
	b.WriteString(`</body></opml>`)
	return b.Bytes()
}
