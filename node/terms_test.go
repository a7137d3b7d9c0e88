package node

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings/network/honeycomb"
	"tidings/view"
)

func sharingOf(t *testing.T, n *restartable) view.CoopStatus {
	t.Helper()
	s, err := n.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Coop
}

// logBook is a log that tests read.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

// A node is started with another policy and interval than the network's. It uses the network's, and reports that once
// in its log and always in its status. When it is alone again it uses its own.
func TestThePolicyIsTheNetworks(t *testing.T) {
	t.Parallel()
	fast := honeycomb.Policy{Goal: honeycomb.Fast, Target: 5 * time.Second}
	var log logBook
	a := newRestartable(t, func(c *Config) { c.Policy, c.Interval = fast, 4*time.Second })
	await(t, "the first goes by its own", func() bool { return sharingOf(t, a).Agreed })
	if s := sharingOf(t, a); s.Params.Policy != "fast:5s" || s.Params.Interval != 4*time.Second || s.Own != s.Params {
		t.Fatalf("%+v", s)
	}
	b := newRestartable(t, joiningBy(a.address()), func(c *Config) {
		c.Interval, c.Logger = 20*time.Second, slog.New(slog.NewTextHandler(&log, nil))
	})
	await(t, "the second goes by the network's", func() bool {
		s := sharingOf(t, b)
		return s.Agreed && s.Params == sharingOf(t, a).Params
	})
	if s := sharingOf(t, b); s.Own.Policy != "lite" || s.Own.Interval != 20*time.Second || s.Refused != "" {
		t.Errorf("%+v", s)
	}
	const said = "other settings than this node was started with"
	await(t, "the log says so", func() bool { return log.count(said) > 0 })
	if n := log.count(said); n != 1 {
		t.Errorf("the log says %d times that the network's policy holds", n)
	}
	a.stop()
	b.stop()
	b.config.Join = nil
	b.start()
	await(t, "alone it goes by its own", func() bool { s := sharingOf(t, b); return s.Agreed && s.Own == s.Params })
}

// An interval that a node does not adopt leaves the node as it is, and the reason is reported.
func TestAnIntervalThatIsNotTakenOver(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts two nodes")
	}
	a := newRestartable(t, func(c *Config) { c.Interval = 4 * time.Second })
	await(t, "the first goes by its own", func() bool { return sharingOf(t, a).Agreed })
	b := newRestartable(t, joiningBy(a.address()), func(c *Config) { c.LabOrigins, c.Interval = false, time.Minute })
	await(t, "the second refuses", func() bool { return strings.Contains(sharingOf(t, b).Refused, "4s") })
	if s := sharingOf(t, b); s.Agreed || s.Params != s.Own {
		t.Errorf("%+v", s)
	}
}
