package store

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/outbox"
	"tidings/store/reader"
)

// Articles are what programs on phones keep copies of: the items of what an account follows, with numbers that are
// never used twice. So are feeds, by the number of their channel, and folders.
//
// Where a channel is merged into another ([Store.Merge]), an item that both have keeps the number that it has in the
// other. What it was called in the first is listed no longer.
type Articles struct{ store *Store }

// NewArticles returns those of a store.
func NewArticles(s *Store) Articles { return Articles{s} }

// Numbers returns the numbers of the articles that q asks for, in its order. A search finds all that was stored before.
func (a Articles) Numbers(ctx context.Context, account tidings.AccountID,
	q reader.ArticleQuery) (numbers []int64, err error) {
	err = a.find(ctx, q, func(conn *sqlite.Conn) error {
		numbers, err = reader.ArticleNumbers(conn, account, q)
		return err
	})
	return numbers, err
}

// Count returns how many articles q asks for, whatever its limit and offset.
func (a Articles) Count(ctx context.Context, account tidings.AccountID, q reader.ArticleQuery) (n int, err error) {
	err = a.find(ctx, q, func(conn *sqlite.Conn) error {
		n, err = reader.CountArticles(conn, account, q)
		return err
	})
	return n, err
}

func (a Articles) find(ctx context.Context, q reader.ArticleQuery, query func(*sqlite.Conn) error) error {
	if q.Search != "" {
		a.store.Search.CatchUp(ctx)
	}
	if err := a.store.DB.Read(ctx, query); err != nil {
		return fmt.Errorf("looking for articles: %w", err)
	}
	return nil
}

// Of returns articles with their texts; see [reader.Articles].
func (a Articles) Of(ctx context.Context, account tidings.AccountID,
	numbers []int64) (all []reader.Article, err error) {
	err = a.store.DB.Read(ctx, func(conn *sqlite.Conn) error {
		all, err = reader.Articles(conn, account, numbers)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading articles: %w", err)
	}
	return all, nil
}

// FullText returns the full text of an item; see [reader.FullTextOf].
func (a Articles) FullText(ctx context.Context, account tidings.AccountID,
	item int64) (x *tidings.FullText, err error) {
	err = a.store.DB.Read(ctx, func(conn *sqlite.Conn) error {
		x, err = reader.FullTextOf(conn, account, item)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading a full text: %w", err)
	}
	return x, nil
}

// Tallies returns counts of all channels that account follows, by their numbers.
func (a Articles) Tallies(ctx context.Context, account tidings.AccountID) (all map[int64]reader.Tally, err error) {
	err = a.store.DB.Read(ctx, func(conn *sqlite.Conn) error {
		all, err = reader.Tallies(conn, account)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("counting articles: %w", err)
	}
	return all, nil
}

// Labels returns the labels that articles of account have, sorted.
func (a Articles) Labels(ctx context.Context, account tidings.AccountID) (names []string, err error) {
	err = a.store.DB.Read(ctx, func(conn *sqlite.Conn) error {
		names, err = reader.Labels(conn, account)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing labels: %w", err)
	}
	return names, nil
}

// articlesAtOnce is how many articles are changed in one operation.
const articlesAtOnce = 500

// Change changes articles, 500 in one transaction; it passes over those that account does not have.
func (a Articles) Change(ctx context.Context, account tidings.AccountID, numbers []int64,
	c reader.ArticleChange) error {
	for len(numbers) > 0 {
		some := numbers[:min(articlesAtOnce, len(numbers))]
		numbers = numbers[len(some):]
		if err := a.write(ctx, func(t *db.Tx) error { return a.change(t, account, some, c) }); err != nil {
			return err
		}
	}
	return nil
}

// ChangeAll changes all articles that q asks for, whatever its limit, in one transaction.
func (a Articles) ChangeAll(ctx context.Context, account tidings.AccountID, q reader.ArticleQuery,
	c reader.ArticleChange) error {
	q.Limit, q.Offset, q.Order = 0, 0, reader.ByNumber
	if q.Search != "" {
		a.store.Search.AwaitChecked(ctx)
	}
	return a.write(ctx, func(t *db.Tx) error {
		if q.Search != "" {
			if err := a.store.Search.IndexAll(t); err != nil {
				return err
			}
		}
		numbers, err := reader.ArticleNumbers(t.Conn, account, q)
		if err != nil {
			return err
		}
		return a.change(t, account, numbers, c)
	})
}

func (a Articles) change(t *db.Tx, account tidings.AccountID, numbers []int64, c reader.ArticleChange) error {
	err := reader.ChangeArticles(t, account, numbers, c, a.store.config.ReaderStarred)
	if err != nil || c.Read == nil || !*c.Read {
		return err
	}
	return a.store.Outbox.DropRead(t, account)
}

func (a Articles) write(ctx context.Context, run func(*db.Tx) error) error {
	if err := a.store.DB.Write(ctx, run); err != nil {
		return fmt.Errorf("changing items: %w", err)
	}
	return nil
}

// RenameTag gives a tag of the channels of account another name, or removes it if that is empty.
func (a Articles) RenameTag(ctx context.Context, account tidings.AccountID, name, to string) error {
	return a.write(ctx, func(t *db.Tx) error { return reader.RenameTag(t, account, name, to) })
}

// RenameLabel gives a label of the articles of account another name, or removes it if that is empty.
func (a Articles) RenameLabel(ctx context.Context, account tidings.AccountID, name, to string) error {
	return a.write(ctx, func(t *db.Tx) error { return reader.RenameLabel(t, account, name, to) })
}

// Feed is a subscription with the numbers of its channel and its folder.
type Feed struct {
	ID     int64
	Folder int64 // 0: none
	tidings.Subscription
}

// Feeds returns what account follows and its folders, both in the order in which they are shown.
func (a Articles) Feeds(ctx context.Context,
	account tidings.AccountID) (feeds []Feed, folders []reader.Folder, err error) {
	err = a.store.DB.Read(ctx, func(conn *sqlite.Conn) error {
		all, err := reader.Subscriptions(conn, account)
		if err != nil {
			return err
		}
		numbers, err := reader.ChannelNumbers(conn, account)
		if err != nil {
			return err
		}
		if folders, err = reader.Folders(conn, account); err != nil {
			return err
		}
		byPath := make(map[string]int64, len(folders))
		for _, f := range folders {
			byPath[f.Path] = f.ID
		}
		for i := range all {
			a.store.overlay(&all[i])
			feeds = append(feeds, Feed{ID: numbers[all[i].URL], Folder: byPath[all[i].Folder], Subscription: all[i]})
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("listing feeds: %w", err)
	}
	return feeds, folders, nil
}

// AddFolder makes an empty folder; see [reader.AddFolder].
func (a Articles) AddFolder(ctx context.Context, account tidings.AccountID, name string) (f reader.Folder, err error) {
	err = a.write(ctx, func(t *db.Tx) error {
		f, err = reader.AddFolder(t, account, name)
		return err
	})
	return f, err
}

// RenameFolder gives a folder another name; see [reader.RenameFolder].
func (a Articles) RenameFolder(ctx context.Context, account tidings.AccountID, id int64, name string) error {
	return a.write(ctx, func(t *db.Tx) error {
		from, to, err := reader.RenameFolder(t, account, id, name)
		if err != nil || from == to {
			return err
		}
		return outbox.RenameFolder(t, account, from, to)
	})
}

// RemoveFolder removes a folder; what is in it is in none then.
func (a Articles) RemoveFolder(ctx context.Context, account tidings.AccountID, id int64) error {
	return a.write(ctx, func(t *db.Tx) error { return reader.RemoveFolder(t, account, id) })
}
