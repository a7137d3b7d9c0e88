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
)

// gathering is how the nodes came together. A time that is as long as the world waits says that it has waited in vain.
type gathering struct {
	joined  time.Duration // until the last of those at homes knew another, since they were started
	last    string        // its name
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
	var left faults
	err = poll(ctx, time.Until(w.began.Add(w.sizes.Gather)), func() (_ bool, err error) {
		left, err = w.ringFaults(ctx)
		g.whole = time.Since(w.began)
		return len(left) == 0, err
	})
	if errors.Is(err, errOver) {
		g.whole, err = w.sizes.Gather, nil
		g.remarks = append(g.remarks, fmt.Sprintf("Not one ring after %s: %v.", w.sizes.Gather, left))
	}
	return g, err
}

// writeMembers writes beside the logs which IDs and addresses the nodes have.
func (w *world) writeMembers() error {
	var text strings.Builder
	for _, m := range w.all() {
		fmt.Fprintf(&text, "%s %s %s\n", m.name, m.id, strings.Join(m.machine.Addresses(), " "))
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
