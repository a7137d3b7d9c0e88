package store

import (
	"context"
	"fmt"

	"tidings/store/content"
	"tidings/store/outbox"
	"tidings/store/reader"
)

// Merge moves all followers of one channel to another, the address at which it is now found for good. An item of the
// other channel is read if the item with its title, and its guid or link, was read in the first. Stars move to such
// items. If retention has removed an item's text, the starred one stays instead. An account that follows both keeps the
// name and folder of the other. The first then has no follower; its content stays for Retention.Orphans.
//
// Merge returns false, and changes nothing, unless both are followed, are of one kind, have a version, no password, and
// the same privacy and options.
func (s *Store) Merge(ctx context.Context, from, to string) (merged bool, err error) {
	err = s.write(ctx, func(t *content.Tx) error {
		pair, ok, err := content.PairOf(t.Conn, from, to)
		if merged = ok; err != nil || !ok {
			return err
		}
		if err := reader.MoveFollowers(t.Tx, reader.Move(pair)); err != nil {
			return err
		}
		if err := outbox.MoveChannel(t.Tx, from, to); err != nil {
			return err
		}
		return content.Orphan(t, pair.From)
	})
	if err != nil {
		return false, fmt.Errorf("merging %s into %s: %w", content.Redact(from), content.Redact(to), err)
	}
	return merged, nil
}
