package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tidings"
	"tidings/delivery/memory"
)

// CursorHeader says, at the head of a stream, the ID that it begins after.
const CursorHeader = "Tidings-Cursor"

// stream sends updates as they come, after the cursor that the client gives: header
// Last-Event-ID, which a browser sends when it reconnects, else parameter after. With
// parameter since it first sends what was received since then. With neither it begins now.
func (h *handler) stream(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	begin, err := beginOf(r)
	if err != nil {
		return err
	}
	if err := h.mustBeGiven(r.Context(), begin); err != nil {
		return err
	}
	if begin.reads() {
		if err := memory.Of(r.Context()).Room(memory.Piece); err != nil {
			return err
		}
	}
	feed, err := h.live.join(r.Context(), account)
	if err != nil {
		return err
	}
	defer h.live.leave(account, feed)
	s := h.newSender(w, r, begin.of(feed.headID()))
	if r.Method == http.MethodHead || s.open(begin.known()) != nil {
		return nil
	}
	s.send(r.Context(), feed, account, begin.since, h) //nolint:errcheck // the client has gone or was cut
	return nil
}

// mustBeGiven refuses a cursor that no update has had: a client that waited behind it would
// miss all that comes before it.
func (h *handler) mustBeGiven(ctx context.Context, begin streamBegin) error {
	if !begin.given || begin.after == 0 {
		return nil
	}
	latest, err := h.Store.LatestUpdate(ctx)
	if err != nil || begin.after <= latest {
		return err
	}
	return refuse(http.StatusRequestedRangeNotSatisfiable,
		fmt.Sprintf("no update has the ID %d: the latest is %d", begin.after, latest),
		"begin after the last update that you have; after a restored backup some may be gone")
}

// streamBegin says where a stream begins.
type streamBegin struct {
	after int64
	given bool      // whether after was
	since time.Time // zero: none
}

func beginOf(r *http.Request) (streamBegin, error) {
	q := queryOf(r)
	b := streamBegin{after: q.number("after"), given: q.values.Has("after"), since: q.time("since")}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		id, err := strconv.ParseInt(last, 10, 64)
		if err != nil || id < 0 {
			return b, refuse(http.StatusBadRequest, "Last-Event-ID is not the ID of an update",
				"leave it out to begin now")
		}
		b.after, b.given, b.since = id, true, time.Time{}
	}
	return b, q.err
}

// known reports whether the cursor is known before the store was read. With a lower one, a client that is cut off at
// once would ask again for updates older than since.
func (b streamBegin) known() bool { return b.given || b.since.IsZero() }

// reads reports whether the stream begins with what the store has.
func (b streamBegin) reads() bool { return b.given || !b.since.IsZero() }

// of gives the cursor to begin with where the newest update is head.
func (b streamBegin) of(head int64) int64 {
	if b.given || !b.since.IsZero() {
		return b.after
	}
	return head
}

// send writes what the store has after the cursor, as far as the account may see it now. Then it writes new updates,
// until the client goes.
func (s *sender) send(ctx context.Context, feed *liveFeed, account tidings.AccountID, since time.Time,
	d *handler) error {
	head := feed.headID()
	if err := s.catchUp(ctx, d.Store, account, since); err != nil {
		return err
	}
	if !since.IsZero() {
		s.cursor = max(s.cursor, head) // what is older than since was not asked for
		if err := s.sendCursor(); err != nil {
			return err
		}
	}
	beat := time.NewTimer(d.Heartbeat)
	defer beat.Stop()
	for {
		frames, grown, ok := feed.after(s.cursor)
		if !ok {
			if err := s.catchUp(ctx, d.Store, account, time.Time{}); err != nil {
				return err
			}
			continue
		}
		if len(frames) > 0 {
			if err := s.frames(ctx, frames); err != nil {
				return err
			}
			continue
		}
		beat.Reset(d.Heartbeat)
		select {
		case <-grown:
		case <-beat.C:
			if err := s.beat(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// catchUp sends what the store has after the cursor.
func (s *sender) catchUp(ctx context.Context, store Store, account tidings.AccountID, since time.Time) error {
	return memory.Pieces(ctx, memory.Piece, s.begun, func() (more bool, err error) {
		batch, err := store.Updates(ctx, account, tidings.UpdateQuery{After: s.cursor, Since: since, Limit: memory.Rows,
			Bytes: memory.Piece})
		if err != nil {
			return false, err
		}
		for i := range batch {
			f, err := frameOf(batch[i])
			if err != nil {
				return false, err
			}
			if err := s.frame(f, i == len(batch)-1); err != nil {
				return false, err
			}
		}
		return len(batch) > 0, nil
	})
}
