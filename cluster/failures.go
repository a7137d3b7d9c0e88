package cluster

import (
	"bytes"
	"log/slog"
	"sync"
)

// Failures are what the nodes of a cluster logged as errors.
type Failures struct {
	Count int
	First string // as it was logged; empty if there is none
}

// failures collects errors of all nodes' logs. Their handlers write to it, a record at a time.
type failures struct {
	mu sync.Mutex
	Failures
}

// logger returns the log of a node.
func (f *failures) logger(node int) *slog.Logger {
	h := slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelError, ReplaceAttr: withoutLevel})
	return slog.New(h).With("node", node)
}

func withoutLevel(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

// Write counts a record.
func (f *failures) Write(record []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Count++; f.Count == 1 {
		f.First = string(bytes.TrimSpace(record))
	}
	return len(record), nil
}

func (f *failures) all() Failures {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Failures
}
