package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// KnownLike returns those of KnownItems that have a part (guid, link, title or text) in common with one of some marks,
// oldest first, and the row of the latest of all, which is what a change was compared up to: whoever compares items
// with these marks finds what he would among all. What is Listed is told only where two of the items have a part in
// common; elsewhere nothing is decided by it. A channel that is not there has none.
func (s *Store) KnownLike(ctx context.Context, url string, like []tidings.ItemIdentity) (items []tidings.KnownItem, upTo int64, err error) {
	parts := partsOf(like)
	poll := func(f *feedMarks) {
		items, upTo = f.having(parts), f.latest()
	}
	if !s.memory.marks.of(url, poll) {
		changes := s.memory.marks.changed()
		f, err := s.readMarks(ctx, url)
		if err != nil {
			return nil, 0, fmt.Errorf("known items of %s: %w", url, err)
		}
		poll(f)
		s.memory.marks.hold(f, changes)
	}
	if !ambiguous(items) {
		return items, upTo, nil
	}
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		listed, err := listedItems(conn, url)
		for i := range items {
			_, items[i].Listed = listed[items[i].Row]
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("listed items of %s: %w", url, err)
	}
	return items, upTo, nil
}

// readMarks reads what all items of a channel are known by.
func (s *Store) readMarks(ctx context.Context, url string) (f *feedMarks, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) (err error) {
		f, err = marksIn(conn, url)
		return err
	})
	return f, err
}

func marksIn(conn *sqlite.Conn, url string) (*feedMarks, error) {
	f := &feedMarks{url: url}
	return f, db.Each(conn, `SELECT c.id, i.id, i.guid, i.link, i.title, i.date, i.print FROM channel c
		LEFT JOIN item i ON i.channel = c.id WHERE c.url = ? ORDER BY i.id`, func(r *sqlite.Stmt) error {
		f.id = r.ColumnInt64(0)
		f.set(tidings.KnownItem{Row: r.ColumnInt64(1), ItemIdentity: column.Identity(r, 2)})
		return nil
	}, url)
}

// parts are parts of marks.
type parts struct {
	bits [1 << 6]uint64 // the low bits of those that there are: most others are told by them
	all  map[uint64]struct{}
}

func partsOf(marks []tidings.ItemIdentity) *parts {
	p := &parts{all: make(map[uint64]struct{}, 4*len(marks))}
	for _, m := range marks {
		for _, part := range partsIn(m) {
			if part != 0 {
				p.bits[part>>6%(1<<6)] |= 1 << (part % 64)
				p.all[part] = struct{}{}
			}
		}
	}
	return p
}

// partsIn returns what of a mark tells that an item may be another; a date alone does not.
func partsIn(m tidings.ItemIdentity) [4]uint64 { return [...]uint64{m.ID, m.Link, m.Title, m.Print} }

func (p *parts) have(part uint64) bool {
	if p.bits[part>>6%(1<<6)]&(1<<(part%64)) == 0 {
		return false
	}
	_, ok := p.all[part]
	return ok
}

// meet reports whether a mark has one of the parts.
func (p *parts) meet(m tidings.ItemIdentity) bool {
	return p.have(m.ID) || p.have(m.Link) || p.have(m.Title) || p.have(m.Print)
}

// having returns the items that have one of some parts.
func (f *feedMarks) having(p *parts) (items []tidings.KnownItem) {
	for i := range f.items {
		if p.meet(f.items[i].ItemIdentity) {
			items = append(items, f.items[i])
		}
	}
	return items
}

// ambiguous reports whether two of the items have a part in common.
func ambiguous(items []tidings.KnownItem) bool {
	type place struct {
		part  uint64
		which int
	}
	if len(items) < 2 {
		return false
	}
	seen := make(map[place]struct{}, 4*len(items))
	for i := range items {
		for which, part := range partsIn(items[i].ItemIdentity) {
			if part == 0 {
				continue
			}
			at := place{part, which}
			if _, twice := seen[at]; twice {
				return true
			}
			seen[at] = struct{}{}
		}
	}
	return false
}
