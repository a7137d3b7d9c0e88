package reader

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// tagsOf returns the tags that account has given channels, sorted, by channel; of one channel if that is not 0.
func tagsOf(conn *sqlite.Conn, account tidings.AccountID, channel int64) (map[int64][]string, error) {
	all := make(map[int64][]string)
	err := db.Each(conn, `SELECT channel, name FROM tag WHERE account = ?1 AND (?2 = 0 OR channel = ?2)`,
		func(r *sqlite.Stmt) error {
			all[r.ColumnInt64(0)] = append(all[r.ColumnInt64(0)], r.ColumnText(1))
			return nil
		}, int64(account), channel)
	for _, tags := range all {
		slices.SortFunc(tags, tidings.CompareNames)
	}
	return all, err
}

// SetTags changes the tags that account has given a channel that it follows.
func SetTags(t *db.Tx, account tidings.AccountID, channel int64, change tidings.TagChange) error {
	has, err := tagsOf(t.Conn, account, channel)
	if err != nil {
		return err
	}
	tags := change.Apply(has[channel])
	if len(tags) > tidings.MaxTags {
		return tidings.Invalidf("a channel has at most %d tags", tidings.MaxTags)
	}
	for _, tag := range tags {
		if err := tidings.ValidateTag(tag); err != nil {
			return err
		}
	}
	if slices.Equal(tags, has[channel]) {
		return nil
	}
	if err := db.Exec(t.Conn, `DELETE FROM tag WHERE account = ? AND channel = ?`, int64(account),
		channel); err != nil {
		return err
	}
	for _, tag := range tags {
		if err := db.Exec(t.Conn, `INSERT INTO tag (account, channel, name) VALUES (?, ?, ?)`, int64(account), channel,
			tag); err != nil {
			return err
		}
	}
	n := 0
	if _, err := db.One(t.Conn, `SELECT count(DISTINCT name) FROM tag WHERE account = ?`,
		func(r *sqlite.Stmt) { n = r.ColumnInt(0) }, int64(account)); err != nil {
		return err
	}
	if n > MaxLabels {
		return tidings.Invalidf("there are %d tags already, and more are not possible", MaxLabels)
	}
	return nil
}

// RenameTag gives a tag of account another name, or removes it from all channels if that is empty; tidings.ErrNotFound
// if no channel has it.
func RenameTag(t *db.Tx, account tidings.AccountID, from, to string) error {
	if to = tidings.CleanTag(to); to != "" {
		if err := tidings.ValidateTag(to); err != nil {
			return err
		}
	}
	if from == to {
		return nil
	}
	var channels []int64
	if err := db.Each(t.Conn, `SELECT channel FROM tag WHERE account = ? AND name = ?`, func(r *sqlite.Stmt) error {
		channels = append(channels, r.ColumnInt64(0))
		return nil
	}, int64(account), from); err != nil {
		return err
	}
	if len(channels) == 0 {
		return tidings.ErrNotFound
	}
	change := tidings.TagChange{Remove: []string{from}}
	if to != "" {
		change.Add = []string{to}
	}
	for _, channel := range channels {
		if err := SetTags(t, account, channel, change); err != nil {
			return err
		}
	}
	if to == "" {
		return forgetView(t, int64(account), tidings.ViewOf(tidings.TagKind, from))
	}
	return moveView(t, int64(account), tidings.ViewOf(tidings.TagKind, from), tidings.ViewOf(tidings.TagKind, to))
}

// moveTags has an account's tags of the one channel be on the other as well, up to their bound.
func (m *move) moveTags(account int64) error {
	return db.Exec(m.Conn, `INSERT OR IGNORE INTO tag (account, channel, name) SELECT account, ?1, name FROM tag
		WHERE account = ?2 AND channel = ?3 ORDER BY name LIMIT +max(0, ?4 - (SELECT count(*) FROM tag
		WHERE account = ?2 AND channel = ?1))`,
		m.To, account, m.From, tidings.MaxTags)
}
