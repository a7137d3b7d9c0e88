package reader

import (
	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// unreadCounts gathers what a change makes unread for each follower of a channel.
//
// Table unread holds the latest revision of every unread item, and
// subscription.unread how many those are a channel; whoever changes the one changes
// the other in the same transaction.
type unreadCounts struct {
	channel   int64
	followers []int64
	more      []int
}

// Told is a revision that followers of a channel are told of, with the one that was the latest of its item before; 0: none.
type Told struct{ Channel, Revision, Before int64 }

// Tell makes unread what readers are told of, in its order.
func Tell(t *db.Tx, all []Told) error {
	for len(all) > 0 {
		u, err := followersOf(t, all[0].Channel)
		if err != nil {
			return err
		}
		n := 0
		for n < len(all) && all[n].Channel == u.channel {
			if err := u.add(t, all[n].Revision, all[n].Before); err != nil {
				return err
			}
			n++
		}
		if err := u.save(t); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func followersOf(t *db.Tx, channel int64) (*unreadCounts, error) {
	u := &unreadCounts{channel: channel}
	err := db.Each(t.Conn, `SELECT account FROM subscription WHERE channel = ?`, func(r *sqlite.Stmt) error {
		u.followers = append(u.followers, r.ColumnInt64(0))
		return nil
	}, channel)
	u.more = make([]int, len(u.followers))
	return u, err
}

// add makes an item unread in its newest revision; before is the one that was its latest, or 0.
func (u *unreadCounts) add(t *db.Tx, revision, before int64) error {
	for i, account := range u.followers {
		u.more[i]++
		if before != 0 {
			if err := db.Exec(t.Conn, `DELETE FROM unread WHERE account = ? AND revision = ?`, account, before); err != nil {
				return err
			}
			u.more[i] -= t.Changes() // it was unread before
		}
		if err := db.Exec(t.Conn, `INSERT INTO unread (account, revision, channel) VALUES (?, ?, ?)`,
			account, revision, u.channel); err != nil {
			return err
		}
	}
	return nil
}

func (u *unreadCounts) save(t *db.Tx) error {
	for i, account := range u.followers {
		if u.more[i] == 0 {
			continue
		}
		if err := countUnread(t, account, u.channel, u.more[i]); err != nil {
			return err
		}
	}
	return nil
}

// countUnread adds more (or takes, if negative) to an account's count of a channel.
func countUnread(t *db.Tx, account, channel int64, more int) error {
	return db.Exec(t.Conn, `UPDATE subscription SET unread = unread + ? WHERE account = ? AND channel = ?`, more, account, channel)
}

// Forget makes a revision that is removed unread for nobody.
func Forget(t *db.Tx, channel, revision int64) error {
	u, err := followersOf(t, channel)
	if err != nil {
		return err
	}
	for _, account := range u.followers {
		if err := readRevision(t, account, channel, revision); err != nil {
			return err
		}
	}
	return nil
}
