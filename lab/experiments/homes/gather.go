package homes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/lab/cluster"
)

// gathering is how the nodes came together. A time that is as long as the world waits says that it has waited in vain.
type gathering struct {
	joined  time.Duration // until the last of those at homes knew another, since they were started
	last    string        // who that was
	whole   time.Duration // until all saw one ring
	remarks []string
}

// gather starts all nodes, has them follow the channels, and waits for one ring.
func (w *world) gather(ctx context.Context) (g gathering, err error) {
	if err := w.startPublic(ctx); err != nil {
		return g, err
	}
	if err := w.startHomes(ctx); err != nil {
		return g, err
	}
	if err := w.writeMembers(); err != nil {
		return g, err
	}
	if err := w.follow(ctx); err != nil {
		return g, err
	}
	alone := make(map[*member]bool)
	for _, h := range w.homes {
		alone[h] = true
	}
	err = poll(ctx, time.Until(w.began.Add(w.sizes.Gather)), func() (bool, error) {
		for h := range alone {
			v, err := h.view(ctx)
			if err != nil {
				return false, err
			}
			if len(v.Neighbours) > 0 {
				delete(alone, h)
				g.joined, g.last = time.Since(w.began), h.name
			}
		}
		return len(alone) == 0, nil
	})
	if errors.Is(err, errOver) {
		g.joined, err = w.sizes.Gather, nil
		g.remarks = append(g.remarks, fmt.Sprintf("Not joined after %s: %s.", w.sizes.Gather, names(alone)))
	}
	if err != nil {
		return g, err
	}
	g.remarks = append(g.remarks, fmt.Sprintf("The last to join was %s.", g.last))
	var why error
	if g.whole, why, err = w.whole(ctx, w.began, w.sizes.Gather); why != nil {
		g.remarks = append(g.remarks, fmt.Sprintf("Not one ring after %s: %v.", w.sizes.Gather, why))
	}
	return g, err
}

// writeMembers writes beside the logs which IDs and addresses the nodes have.
func (w *world) writeMembers() error {
	var text strings.Builder
	for _, m := range w.all() {
		fmt.Fprintf(&text, "%s %s %s %s\n", m.name, m.id, m.machine.IPv4(), m.machine.IPv6())
	}
	if err := os.WriteFile(filepath.Join(w.logs, "nodes.txt"), []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("writing which nodes there are: %w", err)
	}
	return nil
}

func names(some map[*member]bool) string {
	var all []string
	for m := range some {
		all = append(all, m.name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// whole waits until all nodes that are up see one ring, and returns how long that took since a moment; as long as it may, if they
// do not, and then why not.
func (w *world) whole(ctx context.Context, since time.Time, within time.Duration) (took time.Duration, why, err error) {
	err = poll(ctx, time.Until(since.Add(within)), func() (bool, error) {
		views, err := w.views(ctx)
		if err == nil {
			why = w.named(cluster.CheckRing(views))
		}
		return why == nil, err
	})
	if errors.Is(err, errOver) {
		return within, why, nil
	}
	return time.Since(since), nil, err
}

// views asks all nodes that are up how they stand.
func (w *world) views(ctx context.Context) ([]tidings.Network, error) {
	var up []*member
	for _, m := range w.all() {
		if m.process.Running() {
			up = append(up, m)
		}
	}
	views := make([]tidings.Network, len(up))
	asks, ctx := errgroup.WithContext(ctx)
	for i, m := range up {
		asks.Go(func() (err error) {
			views[i], err = m.view(ctx)
			return err
		})
	}
	return views, asks.Wait()
}

// named puts the nodes' names for people in the place of the beginnings of their IDs in an error.
func (w *world) named(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, m := range w.all() {
		if len(m.id) > 8 {
			text = strings.ReplaceAll(text, m.id[:8], m.name)
		}
	}
	return errors.New(text)
}
