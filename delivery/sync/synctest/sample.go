package synctest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"tidings"
	"tidings/delivery/sync"
)

// People of a sample, and their app passwords. Both follow the same feeds.
var (
	Ann = sync.Person{ID: tidings.Owner, Name: "ann", Admin: true}
	Ben = sync.Person{ID: 2, Name: "ben"}
)

// App passwords of a sample.
const (
	AnnPassword = "apple-7f3a9c"
	BenPassword = "berry-0d52e1"
)

// SampleTime is when the last item of a sample arrived.
var SampleTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sampleItems is how many items a sample has.
const sampleItems = 1200

// Sample returns a library of two people that follow three feeds and have two folders, with 1,200 items, and its gate.
//
// Feed 1 is in folder 2 ("News"), feed 2 in folder 3 ("Q&A / C++"), feed 3 in none. Items arrive a minute apart, by
// turns in the three feeds. Of Ann's, the first 1,000 are read, and of each hundred one is starred; the last star is on
// an unread one. Ben has read nothing.
func Sample() (*Library, *Gate) { return Small(sampleItems) }

// Small returns a sample with so many items. As in the larger one, all but the last 200 are read, or none of
// fewer.
func Small(items int) (*Library, *Gate) {
	l := New(Begin(items))
	Fill(l, items)
	l.SetIcon(1, sync.Icon{Type: "image/png", Bytes: []byte("\x89PNG\r\n\x1a\n")})
	return l, SampleGate()
}

// SampleGate returns the gate of a sample.
func SampleGate() *Gate {
	g := NewGate()
	g.Add(Ann, AnnPassword)
	g.Add(Ben, BenPassword)
	return g
}

// Begin returns when the first item of a small sample arrives.
func Begin(items int) time.Time { return SampleTime.Add(-time.Duration(items-1) * time.Minute) }

// Node is a library in which a test can have things happen.
type Node interface {
	sync.Library
	Now() time.Time
	Pass(time.Duration)
	Arrive(sync.Item) int64
	Edit(number int64, title string) (edit int64)
	SetEdits(p sync.Person, feed int64, wanted bool)
}

// Fill puts a small sample into an empty library. The library's time must be Begin.
func Fill(l Node, items int) {
	ctx := context.Background()
	for _, p := range []sync.Person{Ann, Ben} {
		for n, name := range []string{"News", "Q&A / C++", ""} {
			folder := sync.Folder{ID: sync.NoFolder}
			if name != "" {
				folder = must(l.AddFolder(ctx, p, name))
			}
			address := fmt.Sprintf("https://feed%d.example/rss", n+1)
			_, _, err := l.Subscribe(ctx, p, address, sync.Naming{Folder: &folder.ID})
			must(0, err)
		}
	}
	var read, starred []int64
	for n := range items {
		i := sync.Item{Feed: int64(n%3 + 1), Title: fmt.Sprintf("Item %d", n+1), Author: "Eve",
			URL:       fmt.Sprintf("https://feed%d.example/%d", n%3+1, n+1),
			HTML:      fmt.Sprintf("<p>Text of <b>item</b> %d.</p>", n+1),
			Published: l.Now().Add(-time.Hour)}
		if n%10 == 0 {
			i.Enclosures = []tidings.Enclosure{{URL: i.URL + ".mp3", Type: "audio/mpeg", Length: 1234}}
			i.Tags = []string{"user/-/state/com.google/read", "sound"}
		}
		number := l.Arrive(i)
		if n < items-200 {
			read = append(read, number)
		}
		if n%100 == 99 {
			starred = append(starred, number)
		}
		l.Pass(time.Minute)
	}
	l.Pass(-time.Minute)
	yes := true
	must(0, l.Mark(ctx, Ann, read, sync.Change{Read: &yes}))
	must(0, l.Mark(ctx, Ann, starred, sync.Change{Starred: &yes}))
	l.Pass(time.Hour)
}

// Log returns a log that nobody reads.
func Log() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the sample is wrong
	}
	return v
}
