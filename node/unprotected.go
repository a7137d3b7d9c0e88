package node

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tidings"
	"tidings/network/engine"
	"tidings/source"
)

const (
	// unprotectedSetting holds the channels that announce pushes over unprotected connections, as a list of URLs: what
	// a document says is not read again before it changes.
	unprotectedSetting = "pushes unprotected"
	// maxUnprotected is of how many channels that is shown.
	maxUnprotected = 1000
)

// recallUnprotected takes in which channels announce pushes over unprotected connections.
func (p *pushes) recallUnprotected(ctx context.Context) error {
	text, err := p.node.store.Setting(ctx, unprotectedSetting)
	if err != nil || text == "" {
		return err
	}
	var urls []string
	if err := json.Unmarshal([]byte(text), &urls); err != nil {
		return fmt.Errorf("which channels announce pushes over unprotected connections: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range urls {
		p.unprotected[engine.ID(tidings.IDOf(url))] = url
	}
	return nil
}

// noteUnprotected notes whether a channel announces pushes over an unprotected connection. Nothing follows from
// that, but that people are told.
func (p *pushes) noteUnprotected(ctx context.Context, w source.Job, announces bool) error {
	id := engine.ID(w.ID())
	p.mu.Lock()
	if _, known := p.unprotected[id]; known == announces || announces && len(p.unprotected) >= maxUnprotected {
		p.mu.Unlock()
		return nil
	}
	if announces {
		p.unprotected[id] = w.URL
	} else {
		delete(p.unprotected, id)
	}
	var urls []string
	for _, url := range p.unprotected {
		urls = append(urls, url)
	}
	p.mu.Unlock()
	slices.Sort(urls)
	text, err := json.Marshal(urls)
	if err != nil {
		return err
	}
	return p.node.store.SetSetting(ctx, unprotectedSetting, string(text))
}
