package coop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/store/db"
	"tidings/view"
)

// penaltiesSetting is where the store keeps the penalties.
const penaltiesSetting = "penalties"

// penalties are what this node has against others: versions for which they have vouched, and which the origins did not
// show it. They outlive the node.
type penalties struct {
	mu      sync.Mutex
	of      map[string]*view.Penalty // by node, at most view.MaxPenalized
	saving  bool                     // a worker is about to store them
	unsaved bool                     // there are new ones

	storing sync.Mutex // held while they are: what is stored later is not older
}

// What a node had to do with a version.
const (
	gaveReason  = "gave a version that the origin did not show"
	foundReason = "said it had found what the origin did not show"
	sawReason   = "confirmed what the origin did not show"
)

// vouchers returns the IDs of the nodes that have vouched for a version, each once, and beside each its part in it.
// This node, self, is not among them.
func vouchers(e corona.Contradicted, self string) (nodes, reasons []string) {
	add := func(id engine.ID, reason string) {
		if node := id.String(); id != (engine.ID{}) && node != self && !slices.Contains(nodes, node) {
			nodes, reasons = append(nodes, node), append(reasons, reason)
		}
	}
	add(e.Giver, gaveReason)
	add(e.FoundBy, foundReason)
	if e.Shown { // else too few signatures were good, and the sender may have made the others up
		for _, id := range e.Seen {
			add(id, sawReason)
		}
	}
	return nodes, reasons
}

// add counts a penalty of a node. It reports whether the caller is to have the penalties stored soon.
func (s *penalties) add(node string, r view.PenaltyReason) (save bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.of[node]
	if p == nil {
		if len(s.of) >= view.MaxPenalized {
			delete(s.of, s.oldest())
		}
		p = &view.Penalty{Node: node}
		s.of[node] = p
	}
	p.Times++
	p.Reasons = slices.Insert(p.Reasons, 0, r)
	p.Reasons = p.Reasons[:min(len(p.Reasons), view.MaxPenaltyReasons)]
	save = !s.saving
	s.saving, s.unsaved = true, true
	return save
}

// oldest returns the node that was penalized longest ago. The caller holds s.mu.
func (s *penalties) oldest() (node string) {
	for id, p := range s.of {
		if node == "" || later(s.of[node], p) < 0 {
			node = id
		}
	}
	return node
}

// later orders nodes by when they were penalized last, the latest first.
func later(a, b *view.Penalty) int {
	return cmp.Or(b.Reasons[0].Time.Compare(a.Reasons[0].Time), cmp.Compare(a.Node, b.Node))
}

// list returns the penalties of nodes that have one of late, the latest first.
func (s *penalties) list(now time.Time) []view.Penalty {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*view.Penalty
	for node, p := range s.of {
		if now.Sub(p.Reasons[0].Time) > view.PenaltyAge {
			delete(s.of, node)
			continue
		}
		all = append(all, p)
	}
	slices.SortFunc(all, later)
	list := make([]view.Penalty, len(all))
	for i, p := range all {
		list[i] = *p
		list[i].Reasons = slices.Clone(p.Reasons)
	}
	return list
}

// save stores the penalties, if there are new ones.
func (s *penalties) save(ctx context.Context, in *db.DB) error {
	s.storing.Lock()
	defer s.storing.Unlock()
	s.mu.Lock()
	unsaved := s.unsaved
	s.saving, s.unsaved = false, false
	s.mu.Unlock()
	if !unsaved {
		return nil
	}
	text, err := json.Marshal(s.list(time.Now()))
	if err != nil {
		return fmt.Errorf("writing penalties: %w", err)
	}
	if err = in.SetSetting(ctx, penaltiesSetting, string(text)); err != nil {
		s.mu.Lock()
		s.unsaved = true
		s.mu.Unlock()
	}
	return err
}

// recall goes on from what was stored; what cannot be read is forgotten.
func (s *penalties) recall(text string) (err error) {
	var all []view.Penalty
	if text != "" {
		err = json.Unmarshal([]byte(text), &all)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range all[:min(len(all), view.MaxPenalized)] {
		if p := &all[i]; len(p.Reasons) > 0 {
			s.of[p.Node] = p
		}
	}
	return err
}
