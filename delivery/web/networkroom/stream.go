package networkroom

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"tidings/delivery/memory"
	"tidings/delivery/web/shell"
)

// How often the view of the network changes under a person's eyes.
const (
	networkLeast   = time.Second     // between two changes
	networkRefresh = 5 * time.Second // for what changes all the time: round trips, traffic
)

// networkEvents is the stream that keeps a page about the network true (server-sent events). An event holds the markup
// of those parts that are different. A node that works alone has one only until it joins.
func (s *room) networkEvents(w http.ResponseWriter, r shell.Request) error {
	v := selectionOf(r)
	changes := func() <-chan struct{} { return nil }
	if s.network != nil {
		changes = s.network.NetworkChanged
	} else if p, err := s.now(r.Context(), r.Account, v); err != nil || p.Mining == nil {
		return cmp.Or(err, errAlone)
	}
	out, end := s.streams.Open(w)
	if end == nil {
		return nil
	}
	defer end()
	shown := make(map[string]string)
	for {
		changed := changes() // before the read
		p, err := s.now(r.Context(), r.Account, v)
		if err != nil {
			if r.Context().Err() == nil && !errors.Is(err, memory.ErrFull) {
				s.Log.Error("network for a stream", "error", err)
			}
			return nil // the browser comes again
		}
		text, err := networkEvent(r.Context(), p, shown)
		if err != nil {
			s.Log.Error("render event", "error", err)
			return nil
		}
		if out.Send(text) != nil {
			return nil
		}
		memory.Of(r.Context()).Release()
		if !pause(r.Context(), networkLeast, nil) || !pause(r.Context(), networkRefresh-networkLeast, changed) {
			return nil
		}
	}
}

// networkEvent returns what is to be sent of p after what was shown, and remembers it; a
// heartbeat if nothing is different.
func networkEvent(ctx context.Context, p page, shown map[string]string) (string, error) {
	parts := make(map[string]string)
	for _, name := range p.Parts() {
		html, err := pages.Fragment(ctx, name, p)
		if err != nil {
			return "", err
		}
		if html != shown[name] {
			parts[name], shown[name] = html, html
		}
	}
	if len(parts) == 0 {
		return ":\n\n", nil
	}
	text := bytes.NewBufferString("event: network\ndata: ")
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)                  // a fifth less
	if err := encoder.Encode(parts); err != nil { // one line with its end
		return "", err
	}
	text.WriteByte('\n')
	return text.String(), nil
}

// pause waits for d, or until what is closed, and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration, until <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-until:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
