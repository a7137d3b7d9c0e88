package notifications

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/storetest"
)

// noter is a protocol that accepts everything, and notes when.
type noter struct {
	mu  sync.Mutex
	all []string // "01 07:00 Item 1, Item 2"; of a digest behind "digest: "
}

func (*noter) Validate(tidings.Target) error                                       { return nil }
func (*noter) Preview(tidings.Target, outbox.Message) (s notify.Sample, err error) { return s, nil }

func (n *noter) Send(_ context.Context, _ tidings.Target, m outbox.Message) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var titles []string
	if m.Item != nil {
		titles = append(titles, m.Item.Title)
	}
	for _, p := range m.Digest {
		titles = append(titles, p.Item.Title)
	}
	text := strings.Join(titles, ", ")
	if m.Digest != nil {
		text = "digest: " + text
	}
	n.all = append(n.all, time.Now().UTC().Format("02 15:04 ")+text)
	return nil
}

// accepted returns what was accepted since it was called last.
func (n *noter) accepted() string {
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return strings.Join(all, "; ")
}

// The way is from a stored change to the message, through store and dispatcher. Quiet hours hold it and release it
// after, a digest bundles a day, and a pause holds. What was read meanwhile is not sent. The clock is that of the test,
// which begins at midnight.
func TestSchedulesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, by := storetest.New(t), new(noter)
		if _, _, err := s.Subscribe(t.Context(), tidings.Owner,
			store.Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
			t.Fatal(err)
		}
		n := New(s.Outbox, s, Protocols{tidings.Gotify: by}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { n.Run(ctx); close(ended) }()
		defer func() { cancel(); <-ended }()

		to, err := n.AddTarget(ctx, target(tidings.Gotify, "https://gotify.example", "token"))
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		publish := func() { number++; publishItem(t, s, feedURL, number) }
		schedule := func(now tidings.Schedule) {
			t.Helper()
			to.Schedule = now
			if to, err = n.ChangeTarget(ctx, to, nil); err != nil {
				t.Fatal(err)
			}
		}
		until := func(day, hour, minute int) {
			time.Sleep(time.Until(time.Date(2000, 1, day, hour, minute, 30, 0, time.UTC)))
		}
		expect := func(want string) {
			t.Helper()
			if got := by.accepted(); got != want {
				t.Errorf("at %s: accepted %q, want %q", time.Now().UTC().Format("02 15:04"), got, want)
			}
		}

		publish() // the first version causes no message
		schedule(tidings.Schedule{Quiet: &tidings.Hours{From: 22 * 60, To: 7 * 60}})
		until(1, 3, 0)
		publish()
		until(1, 6, 59)
		expect("")
		until(1, 7, 0)
		expect("01 07:00 Item 2")
		publish()
		expect("01 07:00 Item 3")
		until(1, 23, 0)
		publish()
		publish()
		until(2, 1, 0)
		entries, err := s.Entries(ctx, tidings.Owner, tidings.EntryQuery{Limit: 1})
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{entries[0].Item}, true); err != nil {
			t.Fatal(err)
		}
		until(2, 8, 0)
		expect("02 07:00 Item 4")

		digest := tidings.TimeOfDay(8 * 60)
		schedule(tidings.Schedule{Digest: &digest})
		publish()
		until(2, 20, 0)
		publish()
		until(3, 7, 59)
		expect("")
		until(3, 8, 0)
		expect("03 08:00 digest: Item 6, Item 7")
		until(4, 9, 0)
		expect("")

		schedule(tidings.Schedule{Paused: time.Date(2000, 1, 5, 12, 0, 0, 0, time.UTC)})
		publish()
		until(5, 11, 59)
		publish()
		expect("")
		until(5, 12, 0)
		expect("05 12:00 Item 8; 05 12:00 Item 9")
		publish()
		expect("05 12:00 Item 10")
	})
}

// publishItem stores an update of a channel. Its only item is named after a number, which it has for the first time.
func publishItem(t testing.TB, s *store.Store, url string, number int) {
	t.Helper()
	id, mark := fmt.Sprint(number), uint64(number)
	change := &tidings.Change{
		Kind: tidings.KindFeed, Title: "A feed", FoundBy: "n1", Found: time.Now(), KnownUpTo: math.MaxInt64,
		Partial: true,
		Items: []tidings.FoundItem{{
			Item: tidings.Item{ID: id, Title: "Item " + id, Content: "<p>Its text</p>", Change: tidings.New},
			Mark: tidings.ItemIdentity{ID: mark, Link: mark, Title: mark, Print: mark},
		}},
	}
	record := &store.Record{Record: content.Record{URL: url, Health: tidings.HealthGood, Change: change}}
	if _, err := s.Apply(t.Context(), record); err != nil {
		t.Fatal(err)
	}
}
