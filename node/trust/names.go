package trust

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tidings"
	"tidings/network/engine"
	"tidings/view"
)

// MinDigits is how many digits of an ID are enough if no other known ID begins with them: as many as lists show.
const MinDigits = 8

// resolve returns the ID that a person means; zero for all nodes.
func (t *Trust) resolve(ctx context.Context, text string) (engine.ID, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == view.AllNodes {
		return engine.ID{}, nil
	}
	if id, err := engine.ParseID(text); err == nil && id != (engine.ID{}) {
		return id, nil
	}
	if _, err := hex.DecodeString(text + strings.Repeat("0", len(text)%2)); err != nil || len(text) < MinDigits ||
		len(text) >= 2*len(engine.ID{}) {
		return engine.ID{},
			tidings.Invalidf("%s is no node's ID: 40 hexadecimal digits, or the first %d or more of them",
				tidings.Quote(text), MinDigits)
	}
	found, err := t.beginning(ctx, text)
	switch {
	case err != nil:
		return engine.ID{}, err
	case len(found) == 0:
		return engine.ID{}, tidings.Invalidf("no node is known whose ID begins with %s; give all 40 digits", text)
	case len(found) > 1:
		return engine.ID{}, tidings.Invalidf("the IDs of several nodes begin with %s; give more digits", text)
	}
	return engine.ParseID(found[0])
}

// beginning returns the IDs of nodes that are known and begin so.
func (t *Trust) beginning(ctx context.Context, text string) ([]string, error) {
	found, err := t.found.Finders(ctx, text, 2)
	if err != nil {
		return nil, err
	}
	peers, err := t.host.Peers(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for a node: %w", err)
	}
	for _, p := range peers {
		found = append(found, p.ID)
	}
	for _, p := range t.host.Penalties() {
		found = append(found, p.Node)
	}
	for _, p := range t.list() {
		found = append(found, p.Node)
	}
	found = slices.DeleteFunc(found, func(id string) bool { return !strings.HasPrefix(id, text) })
	slices.Sort(found)
	return slices.Compact(found), nil
}
