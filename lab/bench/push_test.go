package bench

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"tidings"
)

// All three ways reach every receiver, and the table has a row for each.
func TestPushReachesAll(t *testing.T) {
	var out bytes.Buffer
	c := PushConfig{Webhooks: tidings.MaxTargets + 3, Subscribers: 20, Streams: 7, Updates: 2}
	if err := Push(t.Context(), c, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, row := range []string{"103 webhooks", "20 subscribers of the hub", "7 open streams"} {
		if !strings.Contains(out.String(), row) {
			t.Errorf("no row %q:\n%s", row, &out)
		}
	}
}

// A receiver that received an update twice counts once, and one that received none is missed.
func TestReceiversCountOnce(t *testing.T) {
	r := newReceivers(2)
	r.received(0)
	if len(r.all) != 0 {
		t.Error("one counts before the first update")
	}
	r.round.Add(1)
	for range 3 {
		r.received(1)
	}
	if len(r.all) != 1 {
		t.Errorf("%d count", len(r.all))
	}
}

// Sizes that measure nothing, or that one process cannot hold, are refused.
func TestPushSizes(t *testing.T) {
	for _, change := range []func(*PushConfig){
		func(c *PushConfig) { c.Webhooks = 0 }, func(c *PushConfig) { c.Subscribers = maxReceivers + 1 },
		func(c *PushConfig) { c.Streams = maxStreams + 1 }, func(c *PushConfig) { c.Updates = 0 },
	} {
		c := DefaultPush()
		change(&c)
		if err := Push(t.Context(), c, io.Discard); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
