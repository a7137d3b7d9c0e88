package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/view"
)

// AwaitRing asks for views until they are those of one correct ring. It returns how it stood when ctx ended.
func AwaitRing(ctx context.Context, ask func() ([]view.Network, error)) error {
	for {
		views, err := ask()
		if err == nil {
			if err = CheckRing(views); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for one ring: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// CheckRing reports whether nodes that see the network thus form one correct ring: that
// each has exactly the neighbours that an onlooker would give it.
func CheckRing(views []view.Network) error {
	ids := make([]engine.ID, len(views))
	for i, v := range views {
		id, err := engine.ParseID(v.ID)
		if err != nil {
			return err
		}
		ids[i] = id
	}
	slices.SortFunc(ids, engine.ID.Compare)
	for _, v := range views {
		id, _ := engine.ParseID(v.ID)
		want := Closest(ids, id)
		for _, p := range v.Neighbours {
			if !slices.Contains(want, p.ID) {
				return fmt.Errorf("node %s has %s as a neighbour, which is dead or too far", id.Short(), p.ID[:8])
			}
		}
		if len(v.Neighbours) != len(want) {
			return fmt.Errorf("node %s has %d neighbours where %d belong", id.Short(), len(v.Neighbours), len(want))
		}
	}
	return nil
}

// Closest returns the neighbours that a node should have among ids, which are sorted.
func Closest(ids []engine.ID, id engine.ID) []string {
	at, _ := slices.BinarySearchFunc(ids, id, engine.ID.Compare)
	n := len(ids)
	var want []string
	for d := 1; d <= pastry.Default().LeafSet/2; d++ {
		for _, other := range []engine.ID{ids[((at-d)%n+n)%n], ids[(at+d)%n]} {
			if text := other.String(); other != id && !slices.Contains(want, text) {
				want = append(want, text)
			}
		}
	}
	return want
}
