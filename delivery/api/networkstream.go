package api

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"tidings"
)

// How often a stream of the network sends something.
const (
	networkLeast   = time.Second     // between two snapshots
	networkRefresh = 5 * time.Second // for what changes all the time: round trips, traffic
)

// networkStream sends the network as it is, and again whenever it differs: whole
// snapshots, at most one a second. A client that reconnects needs nothing of before.
func (h *handler) networkStream(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	if err := h.live.reserve(); err != nil {
		return err
	}
	defer h.live.release()
	seen := h.snapshots.join(others)
	defer h.snapshots.leave()
	s := h.newSender(w, r, 0)
	if r.Method == http.MethodHead || s.open(false) != nil {
		return nil
	}
	s.snapshots(r.Context(), seen, h) //nolint:errcheck // the client has gone or was cut
	return nil
}

func (s *sender) snapshots(ctx context.Context, from *snapshots, d *handler) error {
	beat := time.NewTimer(d.Heartbeat)
	defer beat.Stop()
	var number int
	for {
		object, latest, newer := from.latest()
		if latest != number {
			number = latest
			if err := s.counted(ctx, 2*len(object), func() error { return s.snapshot(object) }); err != nil {
				return err
			}
			continue
		}
		beat.Reset(d.Heartbeat)
		select {
		case <-newer:
		case <-beat.C:
			if err := s.beat(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *sender) snapshot(object []byte) error {
	if !s.events {
		return s.write(object, true)
	}
	var event bytes.Buffer
	event.WriteString("event: network\ndata: ")
	event.Write(object) // one line with its end
	event.WriteByte('\n')
	return s.write(event.Bytes(), true)
}

// snapshots is the network as it was last, encoded once for all streams. While there are
// streams, one goroutine asks for it.
type snapshots struct {
	config Config

	mu      sync.Mutex
	streams int
	stop    context.CancelFunc
	object  []byte
	number  int           // of the object; 0: there is none
	newer   chan struct{} // closed and replaced when there is a newer one
}

func newSnapshots(c Config) *snapshots {
	return &snapshots{config: c, newer: make(chan struct{})}
}

// join makes sure that snapshots are made. The caller owes a leave.
func (s *snapshots) join(others Network) *snapshots {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams++; s.streams == 1 {
		ctx, stop := context.WithCancel(context.Background())
		s.stop = stop
		go s.pump(ctx, others)
	}
	return s
}

func (s *snapshots) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams--; s.streams == 0 {
		s.stop()
		s.object, s.number = nil, 0 // it would be old for the next client
	}
}

func (s *snapshots) latest() (object []byte, number int, newer <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.object, s.number, s.newer
}

// pump makes snapshots until ctx ends.
func (s *snapshots) pump(ctx context.Context, others Network) {
	for {
		changed := others.NetworkChanged() // before the read
		s.refresh(ctx, others)
		if pause(ctx, networkLeast, nil) != nil {
			return
		}
		if pause(ctx, networkRefresh-networkLeast, changed) != nil {
			return
		}
	}
}

func (s *snapshots) refresh(ctx context.Context, others Network) {
	n, err := others.Network(ctx)
	var object []byte
	if err == nil {
		object, err = encode(n)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.config.Logger.Error("live stream cannot read the network", "error", err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || bytes.Equal(object, s.object) {
		return
	}
	s.object, s.number = object, s.number+1
	close(s.newer)
	s.newer = make(chan struct{})
}

// pause waits for d, or until what is closed; nil: for d alone.
func pause(ctx context.Context, d time.Duration, until <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-until:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
