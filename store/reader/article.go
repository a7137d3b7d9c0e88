package reader

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Article is one article with its text.
type Article struct {
	Number, Channel  int64
	Of               tidings.Subscription // the channel; no more than its address, its title and its name
	Arrived, Changed time.Time
	Read, Starred    bool
	Labels           []string // sorted

	Kind      tidings.Kind
	Version   tidings.Version
	Delta     string // of a page
	Withdrawn *tidings.Withdrawal
	Content   tidings.Item
}

const articleSQL = `SELECT i.id, i.channel, i.arrived, ` + changedAt + `, i.latest <= ` + read + `, ` + isStarred + `,
		v.kind, v.version, v.delta, v.withdrawn, c.url, c.title, s.name, ` + column.ItemColumns + `
	FROM item i` + ofAccount + ` CROSS JOIN channel c ON c.id = i.channel CROSS JOIN revision r ON r.id = i.latest CROSS JOIN version v ON v.id = r.version WHERE i.id = ?2`

// Articles returns articles in the order of their numbers; it passes over those that account does not have. All of their text is
// in memory at once.
func Articles(conn *sqlite.Conn, account tidings.AccountID, numbers []int64) (all []Article, err error) {
	for _, number := range numbers {
		if err := db.Each(conn, articleSQL, func(r *sqlite.Stmt) error {
			a := Article{
				Number: r.ColumnInt64(0), Channel: r.ColumnInt64(1), Arrived: db.ColumnTime(r, 2), Changed: db.ColumnTime(r, 3),
				Read: r.ColumnBool(4), Starred: r.ColumnBool(5),
				Kind: tidings.Kind(r.ColumnText(6)), Version: tidings.Version(r.ColumnInt64(7)), Withdrawn: column.Withdrawal(r, 9),
				Of: tidings.Subscription{Channel: tidings.Channel{URL: r.ColumnText(10), Title: r.ColumnText(11)}, Name: r.ColumnText(12)},
			}
			if a.Delta, err = column.Unpack(db.ColumnBlob(r, 8)); err != nil {
				return err
			}
			a.Content, err = column.Item(r, 13)
			all = append(all, a)
			return err
		}, int64(account), number); err != nil {
			return nil, err
		}
	}
	for i := range all {
		if all[i].Labels, err = labelsOf(conn, int64(account), all[i].Number); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ArticleChange is what is done to articles. A nil field leaves the state as it is.
type ArticleChange struct {
	Read, Starred           *bool
	AddLabels, RemoveLabels []string
}

// ChangeArticles changes articles; it passes over those that account does not have. Where a state is as it is to be already,
// the time of its change stays.
func ChangeArticles(t *db.Tx, account tidings.AccountID, numbers []int64, c ArticleChange) error {
	if err := validLabels(t, account, c.AddLabels); err != nil {
		return err
	}
	for _, number := range numbers {
		s, found, err := stateOf(t, int64(account), number)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := s.change(t, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) change(t *db.Tx, c ArticleChange) error {
	if c.Read != nil {
		if err := s.mark(t, *c.Read); err != nil {
			return err
		}
	}
	if c.Starred != nil {
		if err := s.star(t, *c.Starred); err != nil {
			return err
		}
	}
	return s.label(t, c.AddLabels, c.RemoveLabels)
}
