//go:build unix

package store

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
)

// measure runs f as the benchmark and reports its CPU time by operation.
func measure(b *testing.B, f func()) {
	b.Helper()
	runtime.GC()
	before := cpuTime(b)
	b.ResetTimer()
	f()
	b.StopTimer()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N)/1e3, "cpu-µs/op")
}

// fill subscribes the owner to n channels, each with items stories where items > 0.
func fill(b *testing.B, s *Store, n, items int) {
	b.Helper()
	var all []Subscription
	for i := range n {
		all = append(all, Subscription{URL: channelURL(i), Privacy: tidings.Public,
			Folder: fmt.Sprintf("folder %d", i%50)})
	}
	if _, err := s.SubscribeAll(b.Context(), tidings.Owner, all); err != nil {
		b.Fatal(err)
	}
	if items == 0 {
		return
	}
	var stories []story
	for i := range items {
		stories = append(stories, story{fmt.Sprint("item", i), words(i, 300)})
	}
	var wg sync.WaitGroup
	limit := make(chan struct{}, 64)
	for i := range n {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			if _, err := apply(context.Background(), s,
				&Record{Record: content.Record{URL: channelURL(i), Poll: poll(), Memory: heldMemory,
					Health: tidings.HealthGood, Change: changeOf(nil, stories...)}}); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
}

var heldMemory = []byte(`{"etag":"\"5f3c-abcdef0123456789\"","modified":"Sun, 01 Mar 2026 12:00:00 GMT","fresh":"2026-03-01T12:30:00Z","full":"2026-03-01T12:00:00Z"}`)

func poll() tidings.Poll {
	return tidings.Poll{At: time.Now(), Why: "its interval of 30 minutes was over", Outcome: tidings.OutcomeNotModified,
		Status: 304, Bytes: 180, Took: time.Millisecond, Next: time.Now().Add(30 * time.Minute),
		NextWhy: "in 30 minutes, the default interval"}
}

// BenchmarkTouch is a node that gets 304s from 10,000 channels in turn.
func BenchmarkTouch(b *testing.B) {
	s := newStore(b, func(c *Config) { c.Now = time.Now })
	fill(b, s, 10_000, 0)
	measure(b, func() {
		for i := range b.N {
			s.Content.RecordUnchanged(content.Record{URL: channelURL(i % 10_000), Poll: poll(),
				Health: tidings.HealthGood, Memory: heldMemory})
		}
		for s.Content.Waiting() {
			runtime.Gosched()
			time.Sleep(time.Millisecond)
		}
	})
}

// BenchmarkRecord is a changed feed, one item of a window of 20 is new, at many channels at once.
func BenchmarkRecord(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			const channels = 500
			s := newStore(b, func(c *Config) { c.Now = time.Now })
			fill(b, s, channels, 20)
			var next atomic.Int64
			measure(b, func() {
				var wg sync.WaitGroup
				for range callers {
					wg.Go(func() {
						for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
							recordOneNew(b, s, channelURL(int(n)%channels), int(n)/channels)
						}
					})
				}
				wg.Wait()
			})
		})
	}
}

// BenchmarkRecordThirty is a feed of which all 30 items are new.
func BenchmarkRecordThirty(b *testing.B) {
	const channels = 100
	s := newStore(b, func(c *Config) { c.Now = time.Now })
	fill(b, s, channels, 0)
	measure(b, func() {
		for n := range b.N {
			stories := make([]story, 30)
			for i := range stories {
				stories[i] = story{fmt.Sprint(n, " ", i), words(i, 300)}
			}
			if _, err := apply(context.Background(), s,
				&Record{Record: content.Record{URL: channelURL(n % channels), Poll: poll(),
					Health: tidings.HealthGood, Change: changeOf(nil, stories...)}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkManyStores is BenchmarkRecord with as many stores in one process, as experiments with whole nodes have them.
func BenchmarkManyStores(b *testing.B) {
	const stores, channels = 48, 20
	all := make([]*Store, stores)
	for i := range all {
		all[i] = newStore(b, func(c *Config) { c.Now = time.Now })
		fill(b, all[i], channels, 20)
	}
	var next atomic.Int64
	measure(b, func() {
		var wg sync.WaitGroup
		for i := range stores * 4 {
			wg.Go(func() {
				for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
					recordOneNew(b, all[i%stores], channelURL(int(n)%channels), int(n)/channels)
				}
			})
		}
		wg.Wait()
	})
}

// recordOneNew does the store's share of a poll that found one new item.
func recordOneNew(b *testing.B, s *Store, url string, round int) {
	known, err := s.Content.KnownItems(context.Background(), url)
	if err != nil {
		b.Error(err)
		return
	}
	f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: everything, Title: "A feed", Found: time.Now()}
	id := fmt.Sprintf("new%d", round)
	text := words(round, 300)
	f.Items = append(f.Items,
		tidings.FoundItem{Item: tidings.Item{ID: id, URL: "https://example.org/" + id, Title: "Story " + id,
			Content: "<p>" + text + "</p>", Change: tidings.New}, Mark: markOf(id, id), Raw: "<p class=x>" + text +
			"</p>"})
	for _, k := range known[max(0, len(known)-19):] {
		f.Items = append(f.Items, tidings.FoundItem{Row: k.Row, Mark: k.ItemIdentity})
	}
	if _, err := apply(context.Background(), s,
		&Record{Record: content.Record{URL: url, Poll: poll(), Health: tidings.HealthGood, Memory: heldMemory,
			Change: f}}); err != nil {
		b.Error(err)
	}
}

func BenchmarkKnownItems(b *testing.B) {
	for _, items := range []int{20, 200, 2000} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			s := newStore(b)
			fill(b, s, 1, items)
			measure(b, func() {
				for range b.N {
					if _, err := s.Content.KnownItems(b.Context(), channelURL(0)); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

func BenchmarkChannels(b *testing.B) {
	s := newStore(b)
	fill(b, s, 10_000, 1)
	measure(b, func() {
		for range b.N {
			if all, err := s.Channels(b.Context(), tidings.Owner); err != nil || len(all) != 10_000 {
				b.Fatal(len(all), err)
			}
		}
	})
}

// BenchmarkEntries reads a page of 50 entries among 100,000 of 5,000 channels.
func BenchmarkEntries(b *testing.B) {
	s := newStore(b)
	fill(b, s, 5_000, 20)
	for name, q := range map[string]tidings.EntryQuery{
		"river":   {},
		"deep":    {Before: 30_000},
		"unread":  {Unread: true},
		"channel": {Channel: channelURL(7)},
		"folder":  {Folder: "folder 3"},
		"search":  {Search: "kernel w12*"},
		"starred": {Starred: true},

		"river by date":   {ByDate: true},
		"unread by date":  {ByDate: true, Unread: true},
		"channel by date": {ByDate: true, Channel: channelURL(7)},
	} {
		b.Run(name, func(b *testing.B) {
			measure(b, func() {
				for range b.N {
					if _, err := s.Entries(b.Context(), tidings.Owner, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkReading marks 20,000 items of 1,000 channels read at once, and lists what is unread where that is one old
// item.
func BenchmarkReading(b *testing.B) {
	s := newStore(b)
	fill(b, s, 1_000, 20)
	var items []int64
	last := int64(0)
	for before := int64(0); ; before = last {
		entries, err := s.Entries(b.Context(), tidings.Owner, tidings.EntryQuery{Before: before, Limit: 500})
		if err != nil {
			b.Fatal(err)
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			items, last = append(items, e.Item), e.ID
		}
	}
	markRead := func(items []int64, read bool) {
		if err := s.Reader.MarkRead(b.Context(), tidings.Owner, items, read); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("all", func(b *testing.B) {
		measure(b, func() {
			for range b.N {
				if n, err := s.MarkAllRead(b.Context(), tidings.Owner, tidings.EntryQuery{}, 1<<40); err != nil ||
					n != len(items) {
					b.Fatal(n, err)
				}
				b.StopTimer()
				markRead(items, false)
				b.StartTimer()
			}
		})
	})
	markRead(items, true)
	markRead(items[len(items)-1:], false)
	b.Run("one", func(b *testing.B) {
		measure(b, func() {
			for range b.N {
				if all, err := s.Entries(b.Context(), tidings.Owner, tidings.EntryQuery{Unread: true}); err != nil ||
					len(all) != 1 {
					b.Fatal(len(all), err)
				}
			}
		})
	})
}

// BenchmarkMemory is what 10,000 channels with an item each cost a process that holds the store open.
func BenchmarkMemory(b *testing.B) {
	s := newStore(b, func(c *Config) { c.Now = time.Now })
	fill(b, s, 10_000, 1)
	for range b.N {
		for i := range 10_000 {
			s.Content.RecordUnchanged(content.Record{URL: channelURL(i), Poll: poll(), Health: tidings.HealthGood,
				Memory: heldMemory})
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")
	b.ReportMetric(float64(residentBytes())/(1<<20), "resident-MiB")
}

// BenchmarkWriteDuringPrune compares, in one run, the duration of a record alone with its duration while retention
// removes 100,000 old entries. That is hostile 53 at a hundredth of its 10^7 rows; -scale runs the whole. The cost of
// one step of retention does not depend on how many entries there are.
func BenchmarkWriteDuringPrune(b *testing.B) {
	const versions, items = 20, 100
	channels := 50 * *scale
	at := time.Now().Add(-400 * day)
	var old atomic.Bool
	old.Store(true)
	s := newStore(b, func(c *Config) {
		c.Now = func() time.Time {
			if old.Load() {
				return at
			}
			return time.Now()
		}
	})
	fill(b, s, channels, 0)
	for v := range versions {
		for c := range channels {
			var stories []story
			for i := range items {
				stories = append(stories, story{fmt.Sprint(v, "-", i), words(v*i, 50)})
			}
			if _, err :=
				apply(b.Context(), s,
					&Record{Record: content.Record{URL: channelURL(c),
						Change: changeOf(nil, stories...)}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	old.Store(false)
	round := 0
	latencies := func(n int, more func() bool) (all []time.Duration) {
		for i := 0; i < n && more(); i++ {
			f := changeOf(nil, story{fmt.Sprint("now", round), words(round, 300)})
			round++
			began := time.Now()
			if _, err :=
				apply(b.Context(), s,
					&Record{Record: content.Record{URL: channelURL(round % channels), Change: f}}); err != nil {
				b.Fatal(err)
			}
			all = append(all, time.Since(began))
			time.Sleep(time.Millisecond) // writes come now and then, not one behind the other
		}
		slices.Sort(all)
		return all
	}
	alone := latencies(500, func() bool { return true })
	var done atomic.Bool
	var wg sync.WaitGroup
	b.ResetTimer()
	wg.Go(func() {
		for !done.Load() {
			finished, err := s.Prune(context.Background(), time.Now(), time.Second)
			if err != nil {
				b.Error(err)
			}
			done.Store(finished || err != nil)
		}
	})
	during := latencies(1<<30, func() bool { return !done.Load() })
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(during)), "records")
	for name, share := range map[string]int{"p50": 50, "p99": 99} {
		x, y := alone[len(alone)*share/100], during[len(during)*share/100]
		b.ReportMetric(float64(x)/1e3, "alone-"+name+"-µs")
		b.ReportMetric(float64(y)/1e3, "during-"+name+"-µs")
		b.ReportMetric(float64(y)/float64(x), name+"-ratio")
	}
}
