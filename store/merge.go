package store

import (
	"context"
	"fmt"

	"tidings/store/content"
	"tidings/store/reader"
)

// Merge has who follows one channel follow another instead, at whose address it is found for good. An item of the other is
// read if the one with its title, and its guid or link, was read in the first; stars go over to such items, unless retention
// has removed their text: then what was starred stays. Who follows both keeps the name and folder of the other. The first is followed by nobody then; its content stays for
// Retention.Orphans.
//
// It returns false, and changes nothing, unless both are followed, are of one kind, have a version, no password, and
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
		return content.Orphan(t, pair.From)
	})
	if err != nil {
		return false, fmt.Errorf("merging %s into %s: %w", content.Redact(from), content.Redact(to), err)
	}
	return merged, nil
}
