package homes

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings/cluster"
	"tidings/network/engine"
	"tidings/view"
)

// views asks all nodes that are up how they stand.
func (w *world) views(ctx context.Context) (map[*member]view.Network, error) {
	var up []*member
	for _, m := range w.all() {
		if m.process.Running() {
			up = append(up, m)
		}
	}
	views := make([]view.Network, len(up))
	asks, ctx := errgroup.WithContext(ctx)
	for i, m := range up {
		asks.Go(func() (err error) {
			views[i], err = m.view(ctx)
			return err
		})
	}
	if err := asks.Wait(); err != nil {
		return nil, err
	}
	all := make(map[*member]view.Network)
	for i, m := range up {
		all[m] = views[i]
	}
	return all, nil
}

// faults say what keeps nodes from seeing one ring; none: they see one.
type faults []string

// String says the first of them, for people.
func (f faults) String() string {
	text := strings.Join(f[:min(len(f), most)], "; ")
	if more := len(f) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// ringFaults lists, for all nodes that are up, which neighbours they lack, and which they have that should not be
// there. New faults are written beside the logs.
func (w *world) ringFaults(ctx context.Context) (faults, error) {
	views, err := w.views(ctx)
	if err != nil {
		return nil, err
	}
	ring, err := ringOf(views)
	if err != nil {
		return nil, err
	}
	var all faults
	for _, m := range w.all() {
		v, up := views[m]
		if !up {
			continue
		}
		id, _ := engine.ParseID(v.ID) // it is on the ring
		want := cluster.Closest(ring, id)
		var lacks, surplus []string
		for _, id := range want {
			if !slices.ContainsFunc(v.Neighbours, func(p view.Peer) bool { return p.ID == id }) {
				lacks = append(lacks, w.name(id))
			}
		}
		for _, p := range v.Neighbours {
			if !slices.Contains(want, p.ID) {
				surplus = append(surplus, w.name(p.ID))
			}
		}
		if len(lacks) > 0 {
			all = append(all, m.name+" lacks "+strings.Join(lacks, ", "))
		}
		if len(surplus) > 0 {
			all = append(all, m.name+" still has "+strings.Join(surplus, ", "))
		}
	}
	if now := cmp.Or(strings.Join(all, "; "), "one ring"); now != w.noted {
		w.noted = now
		err = w.note(now)
	}
	return all, err
}

// note writes what has happened beside the logs.
func (w *world) note(what string) error {
	f, err := os.OpenFile(w.notes(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting what has happened: %w", err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "time=%s %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), what); err != nil {
		return fmt.Errorf("noting what has happened: %w", err)
	}
	return nil
}

// notes is the file of what has happened.
func (w *world) notes() string { return filepath.Join(w.logs, "events.log") }

// ringOf returns the IDs of nodes in order.
func ringOf(views map[*member]view.Network) (ring []engine.ID, err error) {
	for m, v := range views {
		id, err := engine.ParseID(v.ID)
		if err != nil {
			return nil, fmt.Errorf("reading the ID of %s: %w", m.name, err)
		}
		ring = append(ring, id)
	}
	slices.SortFunc(ring, engine.ID.Compare)
	return ring, nil
}

// name returns what people call a node.
func (w *world) name(id string) string {
	for _, m := range w.all() {
		if m.id == id {
			return m.name
		}
	}
	return id
}
