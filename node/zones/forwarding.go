package zones

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/store/shared"
)

// forwarding is the log of the node's part in NewsWire. It stands between the protocol and the store. The protocol
// lives in the host's loop and must not wait; the store makes it wait. Its work is done by the node's workers.
type forwarding struct {
	host  Host
	store *shared.Store
	codec *engine.Codec
	log   *slog.Logger
	left  []newswire.Entry // by an earlier run

	mu      sync.Mutex
	begun   []forwardingEntry // that are to be written
	ended   []shared.Forwarding
	writing bool // a worker is at it
}

// forwardingEntry is an entry that is not in the store yet.
type forwardingEntry struct {
	newswire.Entry
	kept  func()
	ended bool // it need not come there any more
}

// recallForwarding returns the log with what an earlier run has left in it. What is too old goes, and what cannot be
// read.
func recallForwarding(ctx context.Context, host Host, c Config) *forwarding {
	f := &forwarding{host: host, store: c.Shared, codec: c.Codec, log: c.Log}
	all, err := f.store.Forwarding(ctx)
	if err != nil {
		f.log.Error("what was forwarded when the node ended is lost", "error", err)
	}
	for _, s := range all {
		m, err := f.codec.Decode(s.Message)
		item, ok := m.(*newswire.Item)
		switch {
		case err != nil || !ok || item.Name() != s.Item && item.ID != s.Item:
			f.log.Error("an item that was forwarded when the node ended is damaged", "zone", s.Zone, "error", err)
			f.ended = append(f.ended, s)
			continue
		case item.Name() != s.Item: // a version from before has kept it, by the ID of its event
			f.ended = append(f.ended, s)
		}
		if time.Since(s.Published) > newswire.Default().Keep {
			f.ended = append(f.ended, s)
			continue
		}
		f.left = append(f.left, newswire.Entry{Item: item, Zone: zone.Path(s.Zone), Published: s.Published})
	}
	f.maybeWrite()
	return f
}

// Left implements newswire.Log.
func (f *forwarding) Left() []newswire.Entry {
	left := f.left
	f.left = nil
	return left
}

// Write implements newswire.Log; it is called in the loop.
func (f *forwarding) Write(e newswire.Entry, kept func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = append(f.begun, forwardingEntry{Entry: e, kept: kept})
	f.maybeWrite()
}

// Strike implements newswire.Log; it is called in the loop.
func (f *forwarding) Strike(item uint64, z zone.Path) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.begun, func(e forwardingEntry) bool {
		return !e.ended && e.Item.Name() == item && e.Zone == z
	}); i >= 0 {
		f.begun[i].ended = true
		return
	}
	f.ended = append(f.ended, shared.Forwarding{Item: item, Zone: string(z)})
	f.maybeWrite()
}

// maybeWrite has a worker write, if there is something and none is at it. The caller holds f.mu, if others know f.
func (f *forwarding) maybeWrite() {
	if !f.writing && len(f.begun)+len(f.ended) > 0 {
		f.writing = true
		f.host.Work(f.write)
	}
}

// write has the store do what has come together, and then what has come meanwhile. What it cannot keep the protocol
// goes on with all the same.
func (f *forwarding) write(ctx context.Context) {
	for {
		f.mu.Lock()
		begun, ended := f.begun, f.ended
		f.begun, f.ended = nil, nil
		f.writing = len(begun)+len(ended) > 0 && ctx.Err() == nil
		more := f.writing
		f.mu.Unlock()
		if !more {
			return
		}
		var entries []shared.Forwarding
		for _, e := range begun {
			if e.ended {
				continue
			}
			message, err := f.codec.Append(nil, e.Item)
			if err != nil {
				f.log.Error("an item that is forwarded cannot be logged", "error", err)
				continue
			}
			entries = append(entries, shared.Forwarding{Item: e.Item.Name(), Zone: string(e.Zone),
				Published: e.Published, Message: message})
		}
		if err := f.store.LogForwarding(ctx, entries, ended); err != nil && ctx.Err() == nil {
			f.log.Error("what is forwarded was not logged", "error", err)
		}
		if err := f.host.Do(ctx, func() {
			for _, e := range begun {
				e.kept()
			}
		}); err != nil && ctx.Err() == nil {
			f.log.Debug("the network did not answer", "error", err)
		}
	}
}

var _ newswire.Log = (*forwarding)(nil)
