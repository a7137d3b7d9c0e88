package node

import (
	"context"
	"sync"
	"time"

	"tidings"
)

// detectionFresh is how long the distribution of detection times is told as it was read last: it
// takes longer to read than all else on a page.
const detectionFresh = 5 * time.Second

// detections remembers the distribution of detection times.
type detections struct {
	mu   sync.Mutex
	at   time.Time
	last tidings.Detection
}

func (d *detections) get(ctx context.Context, read func(context.Context) (tidings.Detection, error)) (tidings.Detection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.at) < detectionFresh {
		return d.last, nil
	}
	last, err := read(ctx)
	if err == nil {
		d.last, d.at = last, time.Now()
	}
	return last, err
}
