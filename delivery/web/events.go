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
)

const (
	maxStreams  = 256              // open at once; each holds a goroutine and some KiB
	maxFragment = 100              // entries in one event
	heartbeat   = 25 * time.Second // below the idle limits of common proxies
)

// event is what the script gets: lines to put on top of the river.
type event struct {
	HTML  string `json:"html"`
	Count int    `json:"count"`
	More  bool   `json:"more"` // there were more than fit: the page should be loaded again
}

// events is the stream that makes the river grow (server-sent events). The ID of an
// event is that of its newest entry, so that a browser that comes again goes on where it was.
func (s *site) events(w http.ResponseWriter, r request) error {
	out, end := s.openStream(w)
	if end == nil {
		return nil
	}
	defer end()
	v := riverOf(r)
	q := v.query()
	q.After, q.Limit = r.number("after"), maxFragment
	if last, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64); err == nil && last > q.After {
		q.After = last
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		wake := s.node.Wake() // before the read: see Node.Wake
		entries, err := s.store.Entries(r.Context(), r.account, q)
		if err != nil {
			if r.Context().Err() == nil && !errors.Is(err, memory.ErrFull) {
				s.log.Error("entries for a stream", "error", err)
			}
			return nil // the browser comes again
		}
		if len(entries) > 0 {
			text, err := eventText(r.Context(), entries, v)
			if err != nil {
				s.log.Error("render event", "error", err)
				return nil
			}
			if out.send(text) != nil {
				return nil
			}
			q.After = entries[0].ID
		}
		memory.Of(r.Context()).Release()
		select {
		case <-wake:
		case <-beat.C:
			if out.send(":\n\n") != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

func eventText(ctx context.Context, entries []tidings.Entry, v river) (string, error) {
	f := folding{together: v.together(), back: v.path(0)}
	for _, e := range entries {
		f.add(e, len(entries))
	}
	html, err := fragment(ctx, "lines", f.lines)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(event{html, len(entries), len(entries) == maxFragment})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("id: %d\nevent: entries\ndata: %s\n\n", entries[0].ID, data), nil
}

// stream writes events, each whole and at once.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// openStream answers with a stream. The caller owes a call of end, which is nil if there
// is no stream: too many are open, or the browser has gone.
func (s *site) openStream(w http.ResponseWriter) (out stream, end func()) {
	select {
	case s.streams <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many pages are open at once.", http.StatusServiceUnavailable)
		return stream{}, nil
	}
	end = func() { <-s.streams }
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out = stream{w, http.NewResponseController(w)}
	if out.send(": hello\n\n") != nil {
		end()
		return stream{}, nil
	}
	return out, end
}

// send writes an event. The server bounds how long a browser may take; then it is cut off, and comes again.
func (s stream) send(text string) error {
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
