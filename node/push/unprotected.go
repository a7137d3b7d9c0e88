package push

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"tidings"
	"tidings/network/engine"
	"tidings/source"
	"tidings/store/db"
)

const (
	// unprotectedSetting holds the channels that announce pushes over unprotected connections, as a list of URLs. A
	// document is not read again before it changes.
	unprotectedSetting = "pushes unprotected"
	// maxUnprotected is of how many channels that is shown.
	maxUnprotected = 1000
)

// unprotected are the channels that announce pushes and are not believed: the content of an unprotected connection has
// no certain author.
type unprotected struct {
	settings *db.DB

	mu   sync.Mutex
	urls map[engine.ID]string // by ID
}

func (u *unprotected) has(id engine.ID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, has := u.urls[id]
	return has
}

// recall loads which channels announce pushes over unprotected connections.
func (u *unprotected) recall(ctx context.Context) error {
	text, err := u.settings.Setting(ctx, unprotectedSetting)
	if err != nil || text == "" {
		return err
	}
	var urls []string
	if err := json.Unmarshal([]byte(text), &urls); err != nil {
		return fmt.Errorf("which channels announce pushes over unprotected connections: %w", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, url := range urls {
		u.urls[engine.ID(tidings.IDOf(url))] = url
	}
	return nil
}

// note notes whether a channel announces pushes over an unprotected connection. Its only effect is that people see it.
func (u *unprotected) note(ctx context.Context, w source.Job, announces bool) error {
	id := engine.ID(w.ID())
	u.mu.Lock()
	if _, known := u.urls[id]; known == announces || announces && len(u.urls) >= maxUnprotected {
		u.mu.Unlock()
		return nil
	}
	if announces {
		u.urls[id] = w.URL
	} else {
		delete(u.urls, id)
	}
	var urls []string
	for _, url := range u.urls {
		urls = append(urls, url)
	}
	u.mu.Unlock()
	slices.Sort(urls)
	text, err := json.Marshal(urls)
	if err != nil {
		return err
	}
	return u.settings.SetSetting(ctx, unprotectedSetting, string(text))
}
