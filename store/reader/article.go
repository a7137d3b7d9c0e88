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
	Edited           int64                // item that it is an edit of; 0: it is none
	Of               tidings.Subscription // the channel; no more than its address, its title and its name
	Arrived, Changed time.Time
	Read, Starred    bool
	Labels           []string // sorted

	Kind      tidings.Kind
	Version   tidings.Version
	Delta     string // of a page
	Withdrawn *tidings.Withdrawal
	Content   tidings.Item
	FullText  *tidings.FullText // nil: the account has not asked for it
}

// articleSQL selects an article of one form with its text.
func articleSQL(f *form) string {
	return `SELECT i.id, i.channel, i.arrived, ` + f.changed + `, ` + f.isRead + `, ` + f.isStarred() + `, ` + f.item +
		`,
		v.kind, v.version, v.delta, v.withdrawn, c.url, c.title, s.name, ` + fullTextColumns + `, ` + column.ItemColumns + `
	FROM ` + f.table + ` CROSS JOIN channel c ON c.id = i.channel CROSS JOIN revision r ON r.id = ` + f.revision + `
	CROSS JOIN version v ON v.id = r.version` + fullTextJoin + ` WHERE i.id = ?2 AND NOT ` + f.isHidden()
}

// Articles returns articles in the order of their numbers; it passes over those that account does not have. All of
// their text is in memory at once.
func Articles(conn *sqlite.Conn, account tidings.AccountID, numbers []int64) (all []Article, err error) {
	edits, err := wantsEdits(conn, int64(account))
	if err != nil {
		return nil, err
	}
	var selects []string
	for _, f := range formsOf(edits) {
		selects = append(selects, articleSQL(f))
	}
	for _, number := range numbers {
		for _, sql := range selects {
			a, found, err := oneArticle(conn, sql, int64(account), number)
			if err != nil {
				return nil, err
			}
			if found {
				all = append(all, a)
				break
			}
		}
	}
	return all, nil
}

func oneArticle(conn *sqlite.Conn, sql string, account, number int64) (a Article, found bool, err error) {
	item := int64(0)
	err = db.Each(conn, sql, func(r *sqlite.Stmt) (err error) {
		found, item = true, r.ColumnInt64(6)
		a = Article{
			Number: r.ColumnInt64(0), Channel: r.ColumnInt64(1), Arrived: db.ColumnTime(r, 2),
			Changed: db.ColumnTime(r, 3),
			Read:    r.ColumnBool(4), Starred: r.ColumnBool(5),
			Kind: tidings.Kind(r.ColumnText(7)), Version: tidings.Version(r.ColumnInt64(8)),
			Withdrawn: column.Withdrawal(r, 10),
			Of: tidings.Subscription{Channel: tidings.Channel{URL: r.ColumnText(11), Title: r.ColumnText(12)},
				Name: r.ColumnText(13)},
		}
		if item != a.Number {
			a.Edited = item
		}
		if a.Delta, err = column.Unpack(db.ColumnBlob(r, 9)); err != nil {
			return err
		}
		if a.FullText, err = readFullText(r, 14, false); err != nil {
			return err
		}
		a.Content, err = column.Item(r, 14+fullTextWidth)
		return err
	}, account, number)
	if err != nil || !found {
		return a, false, err
	}
	a.Labels, err = labelsOf(conn, account, item)
	return a, true, err
}

// ArticleChange is what is done to articles. A nil field leaves the state as it is.
type ArticleChange struct {
	Read, Starred           *bool
	AddLabels, RemoveLabels []string
}

// ChangeArticles changes articles; it passes over those that account does not have. Where a state is as it is to be
// already, the time of its change stays. A reader can star so many items; 0: any number. One more is
// tidings.ErrInvalid.
func ChangeArticles(t *db.Tx, account tidings.AccountID, numbers []int64, c ArticleChange, starred int) error {
	if err := validLabels(t, account, c.AddLabels); err != nil {
		return err
	}
	for _, number := range numbers {
		of, found, err := stateOf(t, int64(account), number)
		if err != nil {
			return err
		}
		if found {
			err = of.change(t, c, starred)
		} else {
			err = changeEdit(t, int64(account), number, c, starred)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func changeEdit(t *db.Tx, account, number int64, c ArticleChange, starred int) error {
	s, found, err := editStateOf(t, account, number)
	if err != nil || !found {
		return err
	}
	return s.change(t, c, starred)
}

func (s *state) change(t *db.Tx, c ArticleChange, most int) error {
	if c.Read != nil {
		if err := s.markShown(t, *c.Read); err != nil {
			return err
		}
	}
	if c.Starred != nil {
		if err := s.star(t, *c.Starred, most); err != nil {
			return err
		}
	}
	return s.label(t, c.AddLabels, c.RemoveLabels, false)
}
