package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store/pushed"
	"tidings/view"
)

// absent is a host that knows of items, and has none.
type absent struct {
	Host
	sure bool
}

func (absent) InLoop(_ context.Context, f func())              { f() }
func (h absent) LastNumber(engine.ID) (last uint64, sure bool) { return 8, h.sure }
func (absent) ItemsHere(context.Context, engine.ID, uint64, uint64, int) ([]*feedtree.Item, error) {
	return nil, nil
}

// A reader of an archive with silent keepers learns that: items that were not found may exist.
func TestAnArchiveThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	key := keyFrom("publisher")
	fingerprint := feedtree.KeyOf(key).Fingerprint()
	const channel = "https://blog.example/feed"
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(channel)), fingerprint)
	const all = 40
	for name, test := range map[string]struct {
		sure   bool // the node believes that it has all there is
		silent func(number uint64, try int) bool
		gone   uint64        // an item that no node has
		since  time.Duration // of items; one a minute
		shown  int
		missed int
		whole  bool
	}{
		"all answer":  {false, func(uint64, int) bool { return false }, 0, 0, all, 0, true},
		"catching up": {true, func(uint64, int) bool { return false }, 0, 0, all, 0, true},
		"slow at first": {false, func(_ uint64, try int) bool { return try < silentTries }, 0, 0, all, 0,
			true},
		"nobody":               {false, func(uint64, int) bool { return true }, 0, 0, 0, 0, false},
		"of the last":          {false, func(n uint64, _ int) bool { return n > 16 }, 0, 0, 16, 0, false},
		"of what may be later": {false, func(n uint64, _ int) bool { return n > all }, 0, 0, all, 0, false},
		"of the first":         {false, func(n uint64, _ int) bool { return n < 8 }, 0, 0, all - 7, 0, false},
		"of one between":       {false, func(n uint64, _ int) bool { return n == 20 }, 0, 0, all - 1, 0, false},
		"nothing later, alone": {true, func(n uint64, _ int) bool { return n > 8 }, 0, 0, 8, 0, true},
		"one is gone":          {false, func(uint64, int) bool { return false }, 20, 0, all - 1, 1, true},
		"of what is not asked of": {false, func(n uint64, _ int) bool { return n < 8 }, 0, 20 * time.Minute,
			all - 20 + 1, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				published := make(map[uint64][]byte)
				for number := uint64(1); number <= all; number++ {
					item := &feedtree.Item{Number: number,
						Time: began.Add(time.Duration(number) * time.Minute).UnixMilli(), Entry: entryOf(t, number)}
					item.Sign(topic, key)
					bytes, err := item.MarshalBinary()
					if err != nil {
						t.Fatal(err)
					}
					published[number] = bytes
				}
				time.Sleep(24 * time.Hour)
				tries := make(map[uint64]int)
				var look lookups
				look.answer = func(number uint64) ([]byte, error) {
					tries[number]++
					switch bytes := published[number]; {
					case test.silent(number, tries[number]):
						return nil, archive.ErrSilent
					case bytes == nil || number == test.gone:
						return nil, archive.ErrNotFound
					default:
						return bytes, nil
					}
				}
				var shown []uint64
				p := &pushedChannel{
					question: question{
						reader:  &Reader{host: absent{sure: test.sure}, config: Config{Feed: feed.Default()}},
						channel: channel,
						tell:    func(a view.Archived) error { shown = append(shown, a.Number); return nil },
					},
					pin:    pushed.Pin{Channel: channel, Topic: topic, Fingerprint: fingerprint},
					topics: []engine.ID{topic}, look: look.up,
				}
				if test.since > 0 {
					p.query.Since = began.Add(test.since)
				}
				err := p.read(t.Context())
				if (err == nil) != test.whole || err != nil && !errors.Is(err, errSilent) {
					t.Errorf("it ends with %v", err)
				}
				if len(shown) != test.shown || p.missing != test.missed {
					t.Errorf("%d are shown, not %d, and %d are missing, not %d: %v", len(shown), test.shown, p.missing,
						test.missed, shown)
				}
				if !slices.IsSortedFunc(shown, func(a, b uint64) int { return int(b) - int(a) }) {
					t.Errorf("not the newest first: %v", shown)
				}
			})
		})
	}
}

// lookups answers one lookup at a time.
type lookups struct {
	mu     sync.Mutex
	answer func(number uint64) ([]byte, error)
}

func (l *lookups) up(_ context.Context, name archive.Name) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answer(name.Number)
}

func entryOf(t *testing.T, number uint64) []byte {
	document := fmt.Sprintf(`<rss version="2.0"><channel><title>Blog</title><item><guid>%d</guid><title>Story %[1]d</title></item></channel></rss>`, number)
	d, err := feed.Parse([]byte(document), "application/rss+xml", "https://blog.example/feed", feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	set := &changeset.Set{Kind: tidings.KindFeed, Title: d.Title}
	for _, i := range feed.Match(nil, d) {
		set.Items = append(set.Items, feed.Carried{FoundItem: i, Whole: true})
	}
	entry, err := set.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return entry
}
