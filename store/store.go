// Package store keeps everything that a node must not forget: who follows which
// channels, what was found, what was read, and what the polls need to remember.
//
// It composes parts, each with tables of its own, in one file of package [tidings/store/db]: what this node publishes
// (published), what is pushed to it (pushed), larger contents (large), what it shares with the network (shared), and the index of words (search). What db
// promises of the disk, of damage, and of who writes when, holds for all of them. An operation that spans parts is one
// transaction here: Apply and Name, which name the content that a change leaves, and Prune, which removes a channel with
// all that belongs to it.
//
// What it promises beside that:
//
//   - What a writing method has answered is on the disk. [Store.RecordUnchanged] alone does not wait; what it is given is
//     written within a second.
//   - A version, its items, and the memory of the poll that found it are stored
//     together or not at all. Update numbers rise in the order in which readers
//     can see them; numbers of updates, entries and items are never used twice.
//   - An account sees only channels that it follows, with all of their content
//     that is still kept. Passwords of origins are seen by [Store.Watches] and
//     [Store.Watch] alone.
//   - Retention removes content, never the knowledge that an item was there, so
//     that nothing old comes back as new; see [Retention].
package store

import (
	"context"
	"errors"
	"fmt"

	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/large"
	"tidings/store/published"
	"tidings/store/pushed"
	"tidings/store/search"
	"tidings/store/shared"
)

// Store is an open data directory. Its methods may be called by many goroutines at once.
type Store struct {
	DB        *db.DB
	Content   *content.Store
	Published *published.Store
	Pushed    *pushed.Store
	Large     *large.Store
	Shared    *shared.Store
	Search    *search.Store

	config Config
	uses   *tokenUses
	prune  pruner
}

// Open opens the data directory of config, and makes it where there is none; see [db.Open].
func Open(ctx context.Context, config Config) (_ *Store, err error) {
	config = config.withDefaults()
	if err := config.Validate(); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, db.Config{
		Dir: config.Dir, Schema: Schema(), Logger: config.Logger, Now: config.Now, Readers: config.Readers,
		MaxChecked: config.MaxChecked, VFS: config.VFS,
	})
	if err != nil {
		return nil, err
	}
	s := &Store{
		DB: d, Published: published.New(d), Pushed: pushed.New(d), Large: large.New(d), Shared: shared.New(d),
		Content: content.New(d, config.TouchDelay), config: config, uses: newTokenUses(d.Wake),
	}
	if s.Search, err = search.New(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", config.Dir, err), d.Close())
	}
	d.Regularly(s.uses.work())
	return s, nil
}

// Close writes what is still waiting, and closes the database; see [db.DB.Close].
func (s *Store) Close() error { return s.DB.Close() }

// Check looks at a data directory, whether a node has it open or not; see [db.Check].
func Check(ctx context.Context, dir string) ([]db.Problem, error) {
	return db.Check(ctx, dir, Schema())
}
