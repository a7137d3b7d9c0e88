package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"tidings/delivery/memory"
)

// How often the view of the network changes under a person's eyes.
const (
	networkLeast   = time.Second     // between two changes
	networkRefresh = 5 * time.Second // for what changes all the time: round trips, traffic
)

// networkParts are the parts of the page that live, by their ID; each is rendered by the
// template of that name.
var networkParts = []string{"network-ring", "network-joins", "network-coop", "network-tree", "network-zone", "network-friends", "network-links",
	"network-believed", "network-node", "network-peers", "network-traffic"}

// networkEvents is the stream that keeps the view of the network true (server-sent
// events). An event holds the markup of those parts that are different.
func (s *site) networkEvents(w http.ResponseWriter, r request) error {
	if s.network == nil {
		return errAlone
	}
	out, end := s.openStream(w)
	if end == nil {
		return nil
	}
	defer end()
	shown := make(map[string]string, len(networkParts))
	for {
		changed := s.network.NetworkChanged() // before the read
		p, err := s.networkNow(r.Context(), r.account, r.FormValue("channel"), r.FormValue("zone"))
		if err != nil {
			if r.Context().Err() == nil && !errors.Is(err, memory.ErrFull) {
				s.log.Error("network for a stream", "error", err)
			}
			return nil // the browser comes again
		}
		text, err := networkEvent(r.Context(), p, shown)
		if err != nil {
			s.log.Error("render event", "error", err)
			return nil
		}
		if out.send(text) != nil {
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
func networkEvent(ctx context.Context, p networkPage, shown map[string]string) (string, error) {
	parts := make(map[string]string, len(networkParts))
	for _, name := range networkParts {
		html, err := fragment(ctx, name, p)
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
