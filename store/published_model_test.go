package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/large"
	"tidings/store/published"
	"tidings/store/shared"
)

// modelPublication is what a publication is to have and to say.
type modelPublication struct {
	next    uint64
	last    int64 // milliseconds
	stopped bool
	topic   byte
	items   map[uint64]*modelPublished
	marks   []*modelPublishedMark
}

type modelPublished struct {
	topic          byte
	text           string
	sent, archived bool
	by             uint64 // the item that has withdrawn it; 0: none
}

type modelPublishedMark struct {
	row     int64
	id      uint64
	content byte
	listed  bool
	files   map[large.Ref]bool
}

// publishedName names a publication.
type publishedName struct{ channel, key string }

type publishedRun struct {
	t      *testing.T
	config Config
	clk    *clock
	s      *Store
	all    map[publishedName]*modelPublication
	order  []publishedName // in which they were begun
}

var (
	anyPublication = rapid.SampledFrom([]publishedName{{"https://a.example/", "me"}, {"https://a.example/", "other"},
		{"https://b.example/", "me"}})
	anyNumber = rapid.Uint64Range(0, 12)
	anyTopic  = rapid.ByteRange(1, 3)
)

// TestPublicationsAgainstModel publishes under several keys, and signs and numbers items anew. Items are sent and
// archived in any order and again, and withdraw earlier ones. Publication stops and resumes, and the store is opened
// anew. What is refused changes nothing.
func TestPublicationsAgainstModel(t *testing.T) {
	registerDisk()
	checkSome(t, 25, func(rt *rapid.T) {
		theDisk.reset()
		clk := newClock()
		w := &publishedRun{t: t, config: Config{Dir: t.TempDir(), Now: clk.now}, clk: clk,
			all: make(map[publishedName]*modelPublication)}
		w.s = openQuick(t, w.config)
		defer func() {
			if err := w.s.Close(); err != nil {
				t.Error(err)
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"publish":  w.publish,
			"stop":     w.stop,
			"issue":    w.issue,
			"sent":     w.sent,
			"resign":   w.resign,
			"renumber": w.renumber,
			"archive":  w.archive,
			"reopen": func(rt *rapid.T) {
				if err := w.s.Close(); err != nil {
					rt.Fatal(err)
				}
				w.s = openQuick(t, w.config)
			},
			"": w.compare,
		})
	})
}

func (w *publishedRun) publish(rt *rapid.T) {
	name, topic := anyPublication.Draw(rt, "publication"), anyTopic.Draw(rt, "topic")
	p := w.all[name]
	if p == nil {
		p = &modelPublication{next: 1, items: make(map[uint64]*modelPublished)}
		w.all[name], w.order = p, append(w.order, name)
	}
	p.topic, p.stopped = topic, false
	got, err := w.s.Published.Publish(w.t.Context(), published.Publication{Channel: name.channel, Key: name.key,
		Topic: shared.Point{topic}})
	if err != nil || got.Next != p.next || !got.Stopped.IsZero() {
		rt.Fatalf("published: %+v, %v", got, err)
	}
}

func (w *publishedRun) stop(rt *rapid.T) {
	name := anyPublication.Draw(rt, "publication")
	going := false
	for other, p := range w.all {
		if other.channel == name.channel {
			going = going || !p.stopped
			p.stopped = true
		}
	}
	if err := w.s.Published.StopPublishing(w.t.Context(), name.channel); errors.Is(err, tidings.ErrNotFound) == going ||
		going && err != nil {
		rt.Fatalf("stopped: %v", err)
	}
}

// items makes up items with numbers from one on.
func (w *publishedRun) items(rt *rapid.T, from uint64, topic byte) (items []published.Item) {
	for i := range rapid.Uint64Range(0, 3).Draw(rt, "items") {
		items = append(items, published.Item{Number: from + i, Topic: shared.Point{topic},
			Signed:    fmt.Append(nil, rapid.IntRange(0, 1<<20).Draw(rt, "text")),
			Withdraws: rapid.SliceOfN(anyNumber, 0, 2).Draw(rt, "takes back")})
	}
	return items
}

// mayIssue says what is to come of items at a time, and adds them if nothing speaks against it.
func (p *modelPublication) mayIssue(items []published.Item, at time.Time) error {
	if p == nil || p.stopped {
		return tidings.ErrNotFound
	}
	for i, item := range items {
		if item.Number != p.next+uint64(i) || at.UnixMilli() < p.last {
			return tidings.ErrStale
		}
	}
	for _, item := range items {
		p.items[item.Number] = &modelPublished{topic: item.Topic[0], text: string(item.Signed)}
		p.next, p.last = item.Number+1, at.UnixMilli()
		for _, n := range item.Withdraws {
			if old := p.items[n]; old != nil && n < item.Number && old.by == 0 {
				p.items[n] = &modelPublished{topic: old.topic, sent: true, archived: true, by: item.Number}
			}
		}
	}
	return nil
}

func (w *publishedRun) issue(rt *rapid.T) {
	name := anyPublication.Draw(rt, "publication")
	p := w.all[name]
	i := published.Issue{Channel: name.channel, Key: name.key, Files: make(map[int][]large.Ref)}
	if p != nil {
		i.Items = w.items(rt, p.next+rapid.SampledFrom([]uint64{0, 0, 0, 1}).Draw(rt, "gap"), p.topic)
		i.Time = time.UnixMilli(p.last + rapid.SampledFrom([]int64{0, 1, 7, -1}).Draw(rt, "later"))
		if rapid.Bool().Draw(rt, "a document") {
			i.Listed = []int64{}
		}
		for _, m := range p.marks {
			switch rapid.IntRange(0, 3).Draw(rt, "mark") {
			case 0:
				i.Marks = append(i.Marks,
					published.Mark{KnownItem: tidings.KnownItem{Row: m.row,
						ItemIdentity: tidings.ItemIdentity{ID: m.id + 100}}, Content: hashed(m.content + 1)})
			case 1:
				if i.Listed != nil {
					i.Listed = append(i.Listed, m.row)
				}
			}
		}
		for range rapid.IntRange(0, 2).Draw(rt, "new marks") {
			i.Marks = append(i.Marks,
				published.Mark{KnownItem: tidings.KnownItem{ItemIdentity: tidings.ItemIdentity{ID: 1}},
					Content: hashed(1)})
		}
		for at := range i.Marks {
			if rapid.Bool().Draw(rt, "files") {
				i.Files[at] = []large.Ref{{rapid.ByteRange(1, 3).Draw(rt, "file")}}
			}
		}
		// What another publication is known by is not this one's to change.
		if other := w.all[anyPublication.Draw(rt, "another")]; other != nil && other != p && len(other.marks) > 0 {
			i.Marks = append(i.Marks,
				published.Mark{KnownItem: tidings.KnownItem{Row: other.marks[0].row,
					ItemIdentity: tidings.ItemIdentity{ID: 9}}})
			if i.Listed != nil {
				i.Listed = append(i.Listed, other.marks[0].row)
			}
		}
	}
	err := w.s.Published.Issue(w.t.Context(), i)
	if want := p.mayIssue(i.Items, i.Time); !errors.Is(err, want) {
		rt.Fatalf("issued: %v, want %v", err, want)
	}
	if err != nil {
		return
	}
	if i.Listed != nil {
		for _, m := range p.marks {
			m.listed = slices.Contains(i.Listed, m.row)
		}
	}
	for at, mark := range i.Marks {
		m := &modelPublishedMark{}
		if mark.Row == 0 {
			p.marks = append(p.marks, m)
		} else if k := slices.IndexFunc(p.marks, func(m *modelPublishedMark) bool {
			return m.row == mark.Row
		}); k >= 0 {
			m = p.marks[k]
		}
		m.id, m.content, m.listed = mark.ID, mark.Content[0], true
		if files, ok := i.Files[at]; ok {
			m.files = make(map[large.Ref]bool)
			for _, ref := range files {
				m.files[ref] = true
			}
		}
	}
	kept, err := w.s.Published.Marks(w.t.Context(), name.channel, name.key)
	if err != nil || len(kept) != len(p.marks) {
		rt.Fatalf("%d marks, want %d: %v", len(kept), len(p.marks), err)
	}
	for k, m := range p.marks {
		if m.row == 0 {
			m.row = kept[k].Row
		}
	}
}

func (w *publishedRun) sent(rt *rapid.T) {
	name := anyPublication.Draw(rt, "publication")
	numbers := rapid.SliceOfN(anyNumber, 1, 4).Draw(rt, "numbers")
	if err := along(w.t.Context(), w.s, func() error {
		return w.s.Published.Sent(w.t.Context(), name.channel, name.key, numbers...)
	}); err != nil {
		rt.Fatal(err)
	}
	for _, n := range numbers {
		if p := w.all[name]; p != nil && p.items[n] != nil {
			p.items[n].sent = true
		}
	}
}

func (w *publishedRun) resign(rt *rapid.T) {
	name, topic := anyPublication.Draw(rt, "publication"), anyTopic.Draw(rt, "topic")
	items := w.items(rt, anyNumber.Draw(rt, "from"), topic)
	if err := w.s.Published.Resign(w.t.Context(), name.channel, name.key, items); err != nil {
		rt.Fatal(err)
	}
	for _, item := range items {
		if p := w.all[name]; p != nil && p.items[item.Number] != nil && !p.items[item.Number].sent {
			p.items[item.Number].topic, p.items[item.Number].text = topic, string(item.Signed)
		}
	}
}

func (w *publishedRun) renumber(rt *rapid.T) {
	name := anyPublication.Draw(rt, "publication")
	p := w.all[name]
	if p == nil {
		return
	}
	r := published.Renumbering{Channel: name.channel, Key: name.key,
		Next: p.next + rapid.SampledFrom([]uint64{0, 3, ^uint64(0)}).Draw(rt, "skip"), Time: time.UnixMilli(p.last)}
	for _, n := range slices.Sorted(maps.Keys(p.items)) {
		if !p.items[n].sent && rapid.Bool().Draw(rt, "gone") || rapid.IntRange(0, 9).Draw(rt, "known to others") == 0 {
			r.Gone = append(r.Gone, n)
		}
	}
	r.Items = w.items(rt, r.Next, p.topic)
	after := *p
	after.items = maps.Clone(p.items)
	want := error(nil)
	for _, n := range r.Gone {
		if after.items[n].sent {
			want = tidings.ErrStale
		}
		delete(after.items, n)
	}
	if r.Next < p.next {
		want = tidings.ErrStale
	}
	if after.next = r.Next; want == nil {
		want = after.mayIssue(r.Items, r.Time)
	}
	if err := w.s.Published.Renumber(w.t.Context(), r); !errors.Is(err, want) {
		rt.Fatalf("renumbered: %v, want %v", err, want)
	}
	if want == nil {
		*p = after
	}
}

// unarchived lists what is to be archived, two at a time, and the publications of the items.
func (w *publishedRun) unarchived(rt *rapid.T) (all []published.Unarchived) {
	var after published.Unarchived
	for {
		page, err := w.s.Published.Unarchived(w.t.Context(), after, 2)
		if err != nil {
			rt.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
		after = page[len(page)-1]
	}
}

func (w *publishedRun) archive(rt *rapid.T) {
	all := w.unarchived(rt)
	if len(all) == 0 {
		rt.Skip("nothing to archive")
	}
	i := rapid.SampledFrom(all).Draw(rt, "item")
	if err := along(w.t.Context(), w.s, func() error {
		return w.s.Published.NoteArchived(w.t.Context(), []published.Unarchived{i})
	}); err != nil {
		rt.Fatal(err)
	}
	w.all[w.order[i.Publication-1]].items[i.Number].archived = true // publications are counted from 1
}

func (w *publishedRun) compare(rt *rapid.T) {
	ctx := w.t.Context()
	var unarchived []string
	files := make(map[large.Ref]bool) // whether it is current
	byTopic := make(map[byte][]string)
	takers := make(map[uint64]bool) // numbers of items that have withdrawn others
	begun, err := w.s.Published.Publications(ctx)
	if err != nil || len(begun) != len(w.order) {
		rt.Fatalf("%d publications, want %d: %v", len(begun), len(w.order), err)
	}
	for at, name := range w.order {
		p := w.all[name]
		var unsent []string
		for _, n := range slices.Sorted(maps.Keys(p.items)) {
			item := p.items[n]
			text := fmt.Sprint(n, " ", item.text)
			takers[item.by] = true
			switch given := p.items[item.by]; {
			case item.by == 0:
				byTopic[item.topic] = append(byTopic[item.topic], text)
			case given != nil && given.by == 0 && given.topic == item.topic:
				byTopic[item.topic] = append(byTopic[item.topic], fmt.Sprint(item.by, " ", given.text))
			}
			if !item.sent {
				unsent = append(unsent, text)
			} else if !item.archived {
				unarchived = append(unarchived, text)
			}
		}
		one, err := w.s.Published.Publication(ctx, name.channel, name.key)
		if err != nil || one != begun[at] || one.Next != p.next || one.Unsent != len(unsent) ||
			one.Stopped.IsZero() == p.stopped || one.Topic[0] != p.topic ||
			one.Last.IsZero() != (p.last == 0) || p.last != 0 && one.Last.UnixMilli() != p.last {
			rt.Fatalf("%v is %+v, listed as %+v, want %+v (%v)", name, one, begun[at], p, err)
		}
		var of []string
		for _, n := range slices.Sorted(maps.Keys(p.items)) {
			if p.items[n].by == 0 {
				of = append(of, fmt.Sprint(n, " ", p.items[n].text))
			}
		}
		all, err := w.s.Published.ItemsOf(ctx, name.channel, name.key, 0, 1000)
		mustBeItems(rt, "not taken back", all, err, of)
		limit := rapid.IntRange(1, 4).Draw(rt, "limit")
		items, err := w.s.Published.Unsent(ctx, name.channel, name.key, limit)
		mustBeItems(rt, "unsent", items, err, unsent[:min(limit, len(unsent))])
		marks, err := w.s.Published.Marks(ctx, name.channel, name.key)
		if err != nil || len(marks) != len(p.marks) {
			rt.Fatalf("%d marks, want %d: %v", len(marks), len(p.marks), err)
		}
		for i, m := range p.marks {
			if got := marks[i]; got.Row != m.row || got.ID != m.id || got.Content[0] != m.content ||
				got.Listed != m.listed {
				rt.Fatalf("mark %d of %v is %+v, want %+v", i, name, got, m)
			}
			for ref := range m.files {
				files[ref] = files[ref] || m.listed && !p.stopped
			}
		}
	}
	for topic := byte(1); topic <= 3; topic++ {
		items, err := w.s.Published.Items(ctx, shared.Point{topic}, 0, 1<<64-1, 1000)
		// which stand where others did
		others := slices.DeleteFunc(slices.Clone(items), func(i published.Item) bool { return takers[i.Number] })
		if !slices.IsSortedFunc(others, func(a, b published.Item) int { return cmp.Compare(a.Number, b.Number) }) {
			rt.Fatalf("of topic %d: not in order: %+v", topic, items)
		}
		slices.Sort(byTopic[topic]) // publications may share a topic, and number alike
		slices.SortFunc(items, func(a, b published.Item) int { return cmp.Compare(itemText(a), itemText(b)) })
		mustBeItems(rt, fmt.Sprint("of topic ", topic), items, err, byTopic[topic])
	}
	var items []published.Item
	for _, i := range w.unarchived(rt) {
		items = append(items, i.Item)
	}
	mustBeItems(rt, "to be archived", items, nil, unarchived)
	listed, err := w.s.Published.Files(ctx, w.clk.now())
	if err != nil || len(listed) != len(files) {
		rt.Fatalf("files %+v, want %v: %v", listed, files, err)
	}
	for _, f := range listed {
		if current, ok := files[f.Ref]; !ok || current != f.Current {
			rt.Fatalf("file %d is current: %v, want %v", f.Ref[0], f.Current, current)
		}
	}
}

func itemText(i published.Item) string { return fmt.Sprint(i.Number, " ", string(i.Signed)) }

func mustBeItems(rt *rapid.T, what string, items []published.Item, err error, want []string) {
	var got []string
	for _, i := range items {
		got = append(got, itemText(i))
	}
	if err != nil || !slices.Equal(got, want) {
		rt.Fatalf("%s: %q, want %q: %v", what, got, want, err)
	}
}
