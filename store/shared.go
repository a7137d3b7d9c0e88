package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

// Name notes the hash of a channel's latest content, by which it can be found again. With a number, the content of that
// hash is the network's version of that number. If the content has an update here, the nodes in seen are noted with it.
func (s *Store) Name(ctx context.Context, url string, hash shared.Hash, given shared.Version,
	seen ...content.Seen) error {
	err := s.write(ctx, func(t *content.Tx) error {
		now, err := give(t, url, hash, given)
		if err != nil {
			return err
		}
		return confirm(t, now.Channel, given, seen)
	})
	if err != nil {
		return fmt.Errorf("naming the content of %s: %w", url, err)
	}
	return nil
}

// Number notes the network's number of a content that has its name already. It does not wait for the disk: a number
// that is lost in a crash will be received again. The nodes in seen are noted with the content's update. Without a
// number, only they are.
func (s *Store) Number(ctx context.Context, given shared.Version, seen ...content.Seen) error {
	return s.DB.Leave(ctx, s.with(func(t *content.Tx) error {
		channel, found, err := content.IDOf(t.Conn, given.URL)
		if err != nil || !found {
			return err
		}
		if err := shared.Give(t.Tx, channel, given); err != nil {
			return err
		}
		return confirm(t, channel, given, seen)
	}))
}

// confirm notes the nodes that have seen a content that is here.
func confirm(t *content.Tx, channel int64, given shared.Version, seen []content.Seen) error {
	if len(seen) == 0 {
		return nil
	}
	past, known, err := shared.Find(t.Conn, channel, given.Hash)
	if err != nil || !known {
		return err
	}
	return content.Confirm(t, past.Latest, given.Hash, seen)
}

// give notes the network's number of a content, and has the latest content found again by a hash.
func give(t *content.Tx, url string, hash shared.Hash, given shared.Version) (now content.Present, err error) {
	if now, err = content.Now(t.Conn, url); err != nil {
		return now, err
	}
	if err := shared.Give(t.Tx, now.Channel, given); err != nil {
		return now, err
	}
	return now, name(t, &now, hash)
}

// name has what is there now found again by a hash, unless that is zero.
func name(t *content.Tx, now *content.Present, hash shared.Hash) error {
	return shared.Name(t.Tx, now.Channel, shared.Past{Latest: now.Latest, Order: now.Order()}, hash)
}

// DeltaFrom finds what leads from a content to the latest. The zero Hash stands for nothing, and so does
// one that is not known. tidings.ErrNotFound if a part of the latest is kept no more.
func (s *Store) DeltaFrom(ctx context.Context, url string, base shared.Hash) (d content.Delta, err error) {
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		now, err := content.Now(conn, url)
		if err != nil {
			return err
		}
		past, known, err := shared.Find(conn, now.Channel, base)
		if err != nil {
			return err
		}
		d, err = content.From(conn, &now, known, past.Latest, past.Order)
		return err
	})
	if err != nil {
		return content.Delta{}, fmt.Errorf("what leads to the latest version of %s: %w", url, err)
	}
	return d, nil
}

// Remote is a version that another node has found, with the number and the name that the network has given it, if any.
// If it is past already, the latest content here keeps its name.
type Remote struct {
	shared.Version
	Change *tidings.Change
}

func (r Remote) url() string             { return r.URL }
func (r Remote) change() *tidings.Change { return r.Change }

func (r Remote) apply(t *content.Tx, p *content.Prepared) (applied Applied, err error) {
	ch, err := content.Find(t, r.URL)
	if err != nil {
		return applied, err
	}
	if applied.Update, err = content.Add(t, ch, p); err != nil {
		return applied, err
	}
	if u := applied.Update; u != nil && r.Hash != (shared.Hash{}) {
		if err := content.SetNumber(t, u.ID, r.Number, r.Hash); err != nil {
			return applied, err
		}
	}
	hash := r.Hash
	if r.Change.Past {
		hash = shared.Hash{}
	}
	_, err = give(t, r.URL, hash, r.Version)
	return applied, err
}

// Withdrawal marks as false the update that a version of the network has made. The update stays, as do those by which
// queries and zones have selected from it; they are marked too. If a later poll of this node finds what the update
// says, the mark is removed. Withdrawal is an [Arrival], and no news for readers.
type Withdrawal struct {
	shared.Version // which it is
	Why            tidings.Withdrawal
}

func (w Withdrawal) url() string             { return w.URL }
func (w Withdrawal) change() *tidings.Change { return nil }

func (w Withdrawal) apply(t *content.Tx, _ *content.Prepared) (Applied, error) {
	return Applied{}, content.Withdraw(t, w.URL, w.Number, w.Hash, w.Why)
}
