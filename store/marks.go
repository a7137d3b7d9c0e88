package store

import (
	"context"
	"fmt"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

// Marks are what people did on devices that could not reach the node.
type Marks struct{ store *Store }

// NewMarks returns those of a store.
func NewMarks(s *Store) Marks { return Marks{s} }

// Apply does what account did, in order. A mark counts unless the same item was marked later. So to apply marks twice
// is the same as to apply them once. Marks of items that are no longer there are passed over, and so are stars beyond a
// reader's limit.
func (m Marks) Apply(ctx context.Context, account tidings.AccountID, marks []tidings.Mark) error {
	if len(marks) > tidings.MaxMarks {
		return tidings.Invalidf("%d marks at once are too many: at most %d", len(marks), tidings.MaxMarks)
	}
	for _, mark := range marks {
		if err := checkMark(mark); err != nil {
			return err
		}
	}
	for len(marks) > 0 {
		n, err := m.applySome(ctx, account, marks)
		if err != nil {
			return fmt.Errorf("applying marks: %w", err)
		}
		marks = marks[n:]
	}
	return nil
}

func checkMark(m tidings.Mark) error {
	switch m.Do {
	case tidings.MarkRead, tidings.MarkUnread, tidings.MarkStarred, tidings.MarkUnstarred, tidings.MarkAllRead:
	default:
		return tidings.Invalidf("%s is no mark", tidings.Quote(string(m.Do)))
	}
	if m.Entry <= 0 || m.At.IsZero() {
		return tidings.Invalidf("a mark needs an entry and a time")
	}
	return nil
}

// marksAtOnce is how many marks are applied in one operation. One for many entries has operations of its own.
const marksAtOnce = 100

// applySome applies the first of marks, and returns how many those were.
func (m Marks) applySome(ctx context.Context, account tidings.AccountID, marks []tidings.Mark) (n int, err error) {
	if marks[0].Do == tidings.MarkAllRead {
		return 1, m.applyToMany(ctx, account, marks[0])
	}
	err = m.store.DB.Write(ctx, func(t *db.Tx) error {
		for n = 0; n < min(len(marks), marksAtOnce) && marks[n].Do != tidings.MarkAllRead; n++ {
			mark := marks[n]
			if _, err := reader.ApplyMark(t, account, &mark, m.store.config.ReaderStarred); err != nil {
				return err
			}
		}
		return m.store.Outbox.DropRead(t, account)
	})
	return n, err
}

// applyToMany applies a mark for all that it selects: as MarkAllRead does, but as of its time.
func (m Marks) applyToMany(ctx context.Context, account tidings.AccountID, mark tidings.Mark) error {
	if mark.Query.Before <= 0 || mark.Query.Before > mark.Entry {
		mark.Query.Before = mark.Entry + 1
	}
	for more := true; more; {
		next := mark
		err := m.store.DB.Write(ctx, func(t *db.Tx) (err error) {
			next = mark
			if more, err = reader.ApplyMark(t, account, &next, 0); err != nil {
				return err
			}
			return m.store.Outbox.DropRead(t, account)
		})
		if err != nil {
			return err
		}
		mark = next
	}
	return nil
}
