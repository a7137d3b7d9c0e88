package coop

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"tidings"
	"tidings/lab/cpu"
	"tidings/network/corona"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// BenchmarkShared measures what a node does with a version of a feed of 30 items that another node has found. One new
// item has a kilobyte that cannot be packed well. It reports processor time: waiting for the disk is left out. The
// store's later work for the version is a part of it.
func BenchmarkShared(b *testing.B) {
	const window = 30
	chance := rand.New(rand.NewPCG(1, 2))
	k := newTaker(b)
	doc := ""
	for i := range window + b.N {
		text := make([]byte, 800)
		for at := range text {
			text[at] = byte(chance.Uint32())
		}
		doc += item(fmt.Sprint("story-", i), "<![CDATA[<p>"+base64.StdEncoding.EncodeToString(text)+"</p>]]>")
	}
	k.follow(rss(item("first", "the first")))
	c := feed.Default()
	c.MaxItems, c.MaxBytes = window+b.N, max(c.MaxBytes, 2*len(doc))
	d, err := feed.Parse([]byte(rss(doc)), "", k.url, c)
	if err != nil {
		b.Fatal(err)
	}
	items := feed.Match(nil, d)
	updates := make([]*corona.Update, b.N+1)
	for i := range updates {
		p := &changeset.Set{Kind: tidings.KindFeed, Title: "T"}
		var marks []tidings.ItemIdentity
		for j := window - 1; j >= 0; j-- { // the newest first
			now := items[i+j]
			marks = append(marks, now.Mark)
			if i == 0 || j == window-1 {
				p.Items = append(p.Items, feed.Carried{FoundItem: now, Whole: true})
			} else {
				p.Items = append(p.Items, feed.Carried{FoundItem: tidings.FoundItem{Mark: now.Mark}})
			}
		}
		u := k.read(rss(""))
		if u.Payload, err = p.Encode(); err != nil {
			b.Fatal(err)
		}
		u.Hash = tidings.ContentHash(marks)
		updates[i] = u
	}
	k.mustReceive(updates[0])
	b.ReportAllocs()
	runtime.GC()
	before := cpu.Time()
	b.ResetTimer()
	for _, u := range updates[1:] {
		k.mustReceive(u)
	}
	// it waits for the index
	if _, err := k.store.Entries(b.Context(), tidings.Owner, tidings.EntryQuery{Search: "story"}); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64((cpu.Time()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}
