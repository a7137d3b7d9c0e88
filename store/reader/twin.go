package reader

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// A query selects an item from its original channel (content's table selected). The item in the query's channel is a
// copy of that in the original one. An account that follows both sees one of them, and reads both when it reads one.
//
// Table twice has the copies that are unread to an account while their originals are unread, too. It changes in the
// transaction that changes either, and twice_count with it.

// isTwice is an SQL condition: the copy w is unread to the account of the subscription s, and what it is a copy of is
// unread, too.
const isTwice = `EXISTS (SELECT 1 FROM item i WHERE i.channel = w.channel AND i.id = w.item AND i.latest != 0 AND i.latest > ` + read + `)
	AND EXISTS (SELECT 1 FROM subscription s JOIN item i ON i.channel = s.channel AND i.id = w.of
		WHERE s.account = o.account AND s.channel = o.channel AND i.latest != 0 AND i.latest > ` + read + `)`

// followedTwins are copies w of items, with the subscriptions s and o of those that follow both channels.
const followedTwins = `selected w CROSS JOIN subscription s ON s.channel = w.channel
	CROSS JOIN subscription o ON o.account = s.account AND o.channel = w.of_channel`

// twin is a copy with the item that it is a copy of.
type twin struct{ item, of int64 }

// twinsOf returns the copies among which an item is, or of which it is the original: of an item that is the copy of
// another, that one's copies.
func twinsOf(t *db.Tx, item int64) (all []twin, err error) {
	return all, db.Each(t.Conn, `SELECT item, of FROM selected WHERE of != 0 AND of = coalesce((SELECT of FROM selected
		WHERE item = ?1 AND of != 0), ?1)`,
		func(r *sqlite.Stmt) error {
			all = append(all, twin{r.ColumnInt64(0), r.ColumnInt64(1)})
			return nil
		}, item)
}

// markTwins marks the other items that are one with an item, as an account has marked that.
func markTwins(t *db.Tx, account, item int64, read bool) error {
	all, err := twinsOf(t, item)
	if err != nil || len(all) == 0 {
		return err
	}
	others := []int64{all[0].of}
	for _, w := range all {
		others = append(others, w.item)
	}
	for _, other := range others {
		if other == item {
			continue
		}
		s, found, err := stateOf(t, account, other)
		if err != nil {
			return err
		}
		if found {
			if err := s.markAlone(t, read); err != nil {
				return err
			}
		}
	}
	return countTwice(t, all)
}

// countTwice notes the accounts to which copies are unread twice.
func countTwice(t *db.Tx, all []twin) error {
	for _, w := range all {
		if err := db.Exec(t.Conn, `DELETE FROM twice WHERE item = ?`, w.item); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `INSERT INTO twice (account, item, channel, of_channel)
			SELECT s.account, w.item, w.channel, w.of_channel FROM `+followedTwins+` WHERE w.item = ? AND w.of != 0
			AND `+isTwice, w.item); err != nil {
			return err
		}
	}
	return nil
}

// meetTwins brings an item that has arrived into agreement with its copies and its original, for each account that
// follows both channels. A copy is read if its original is. So is an original that a query has selected before its
// channel brought it. When an original changes, its copies are unread, as it is.
func meetTwins(t *db.Tx, item int64, isNew bool) error {
	all, err := twinsOf(t, item)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, w := range all {
		if item != w.item && item != w.of {
			continue
		}
		var accounts []int64
		if err := db.Each(t.Conn, `SELECT s.account FROM `+followedTwins+` WHERE w.item = ?`,
			func(r *sqlite.Stmt) error {
				accounts = append(accounts, r.ColumnInt64(0))
				return nil
			}, w.item); err != nil {
			return err
		}
		for _, account := range accounts {
			if err := meetTwin(t, account, w, item == w.of && isNew); err != nil {
				return err
			}
		}
	}
	return countTwice(t, all)
}

// meetTwin marks a copy as what it is a copy of, or the other way.
func meetTwin(t *db.Tx, account int64, w twin, asCopy bool) error {
	from, to := w.of, w.item
	if asCopy {
		from, to = to, from
	}
	as, found, err := stateOf(t, account, from)
	if err != nil || !found {
		return err
	}
	s, found, err := stateOf(t, account, to)
	if err != nil || !found {
		return err
	}
	return s.markAlone(t, as.read)
}

// beginTwins brings a channel that an account has begun to follow into agreement with others that it follows: what is
// unread there and was read in another is read.
func beginTwins(t *db.Tx, account tidings.AccountID, channel int64, unread []int64) error {
	for _, item := range unread {
		all, err := twinsOf(t, item)
		if err != nil {
			return err
		}
		for _, w := range all {
			if item == w.item || item == w.of {
				if err := meetTwin(t, int64(account), w, item == w.of); err != nil {
					return err
				}
			}
		}
	}
	return db.Exec(t.Conn, `INSERT OR IGNORE INTO twice (account, item, channel, of_channel)
		SELECT s.account, w.item, w.channel, w.of_channel FROM `+followedTwins+` WHERE s.account = ?1
		AND w.item IN (SELECT item FROM selected WHERE channel = ?2 UNION SELECT item FROM selected WHERE of_channel = ?2 AND of != 0)
		AND w.of != 0 AND `+isTwice, int64(account), channel)
}

// alsoIn returns the other channels of an account that have an item of a channel.
func alsoIn(conn *sqlite.Conn, account tidings.AccountID, item int64,
	channel string) (all []tidings.ChannelLabel, err error) {
	return all, db.Each(conn, `SELECT c.url, s.name, c.title FROM (
			SELECT of_channel AS channel FROM selected WHERE item = ?2 AND of != 0
			UNION SELECT channel FROM selected WHERE of != 0 AND of = coalesce((SELECT of FROM selected WHERE item = ?2
			AND of != 0), ?2)) w
		JOIN subscription s ON s.account = ?1 AND s.channel = w.channel JOIN channel c ON c.id = w.channel
		WHERE c.url != ?3 ORDER BY c.url`, func(r *sqlite.Stmt) error {
		of := tidings.Subscription{Name: r.ColumnText(1),
			Channel: tidings.Channel{URL: r.ColumnText(0), Title: r.ColumnText(2)}}
		all = append(all, tidings.ChannelLabel{Channel: of.URL, Label: of.Label()})
		return nil
	}, int64(account), item, channel)
}

// Twins is the part that counts what is unread in two channels.
type Twins struct{ db *db.DB }

// NewTwins returns that of a database.
func NewTwins(d *db.DB) *Twins { return &Twins{d} }

// Doubled returns what of account's unread items counts twice in a sum over its channels.
func (s *Twins) Doubled(ctx context.Context, account tidings.AccountID) (all []tidings.Doubled, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT q.url, o.url, n FROM twice_count n JOIN channel q ON q.id = n.channel
			JOIN channel o ON o.id = n.of_channel
			WHERE n.account = ? ORDER BY q.url, o.url`, func(r *sqlite.Stmt) error {
			all = append(all, tidings.Doubled{Query: r.ColumnText(0), Of: r.ColumnText(1), Unread: r.ColumnInt(2)})
			return nil
		}, int64(account))
	})
	if err != nil {
		return nil, &tidings.Failure{Op: "counting unread items", Err: err}
	}
	return all, nil
}
