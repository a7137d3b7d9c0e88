package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/web/shell"
)

const (
	maxFragment = 100              // entries in one event
	heartbeat   = 25 * time.Second // below the idle limits of common proxies
)

// event is what the script gets: lines to put on top of the river.
type event struct {
	HTML  string `json:"html"`
	Count int    `json:"count"`
	More  bool   `json:"more"` // there were more than fit: the page should be loaded again
}

// events is the stream that makes the river grow (server-sent events). The ID of an event is that of its newest entry.
// So a browser that reconnects continues where it was.
func (s *site) events(w http.ResponseWriter, r shell.Request) error {
	out, end := s.streams.Open(w)
	if end == nil {
		return nil
	}
	defer end()
	r = r.Anew()
	v, err := riverOf(s, r)
	if err != nil {
		s.Log.Error("preferences for a stream", "error", err) // it is sorted as for anybody then
	}
	q := v.query()
	q.ByDate, q.Rising = false, false
	q.After, q.Limit = r.Number("after"), maxFragment
	if last, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64); err == nil && last > q.After {
		q.After = last
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		wake := s.node.Wake() // before the read: see Node.Wake
		entries, err := s.store.Entries(r.Context(), r.Account, q)
		if err != nil {
			if r.Context().Err() == nil && !errors.Is(err, memory.ErrFull) {
				s.Log.Error("entries for a stream", "error", err)
			}
			return nil // the browser comes again
		}
		if len(entries) > 0 {
			text, err := eventText(r.Context(), folding{say: r.Words, icons: s.ChannelIcons(r), together: v.folds(),
				back: v.path(""), in: v.path("")}, entries)
			if err != nil {
				s.Log.Error("render event", "error", err)
				return nil
			}
			if out.Send(text) != nil {
				return nil
			}
			q.After = entries[0].ID
		}
		memory.Of(r.Context()).Release()
		select {
		case <-wake:
		case <-beat.C:
			if out.Send(":\n\n") != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

// eventText returns the event of entries, which f makes lines of.
func eventText(ctx context.Context, f folding, entries []tidings.Entry) (string, error) {
	for _, e := range entries {
		f.add(e, len(entries))
	}
	html, err := pages.Fragment(ctx, "lines", f.lines)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(event{html, len(entries), len(entries) == maxFragment})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("id: %d\nevent: entries\ndata: %s\n\n", entries[0].ID, data), nil
}
