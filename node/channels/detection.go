package channels

import (
	"context"
	"sync"
	"time"

	"tidings"
)

// detectionFresh is how long the last distribution of detection times is shown: reading it needs longer than all else
// on a page.
const detectionFresh = 5 * time.Second

// detections remembers the distribution of detection times.
type detections struct {
	mu   sync.Mutex
	at   time.Time
	last tidings.Detection
}

func (d *detections) get(ctx context.Context, read func(context.Context) (tidings.Detection, error)) (
	tidings.Detection, error) {
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

// Detection returns how soon changes were detected, of all channels followed here.
func (c *Channels) Detection(ctx context.Context) (tidings.Detection, error) {
	return c.detections.get(ctx, c.config.Store.Content.Detection)
}

// Detected fills in how soon changes of channels were detected.
func (c *Channels) Detected(ctx context.Context, followed []tidings.Subscription) error {
	urls := make([]string, len(followed))
	for i := range followed {
		urls[i] = followed[i].URL
	}
	detected, err := c.config.Store.Content.Detected(ctx, urls)
	if err != nil {
		return err
	}
	for i := range followed {
		followed[i].Detected = detected[i]
	}
	return nil
}
