// Package store keeps everything that a node must not forget: the channels that each account follows, what was found,
// what was read, and what the polls need to remember.
//
// It composes parts, each with tables of its own, in one file of package [tidings/store/db]:
//
//	content    channels, their versions and items, and the memory of polls
//	reader     accounts, what they follow, and what they have read
//	published  what this node publishes
//	pushed     what is pushed to it
//	large      larger contents
//	shared     what it shares with the network
//	search     the index of words
//	outbox     the addresses at which people are notified, and what waits for them
//	fulltext   the pages that items link to, as texts
//
// What db promises of the disk, of damage, and of the order of writes holds for all of them. Each part adds promises of
// its own. Code that needs one part gets that part only.
//
// No part knows another. What spans parts is here, one transaction each:
//
//   - [Store.Apply] stores what a poll, another node or a publisher brings. Content changes, and is unread to
//     followers. Their filters apply to it, and full texts are requested where wanted. It enters the outbox of those
//     that want to be notified, and it gets its name among nodes. [Store.Release] does so with items whose embargo is
//     over.
//   - [Store.Name], [Store.Number] and [Store.DeltaFrom] are about contents by the names that nodes give them.
//   - [Store.Subscribe], [Store.Unsubscribe], [Store.Change] and [Store.Merge] change what an account follows, and with
//     it whether the channel is polled. [Store.Channels] includes polls that wait to be written.
//   - What somebody reads leaves the outbox of that person's own addresses ([outbox.Store.DropRead]), whatever marks
//     it.
//   - [Store.RemovePerson] removes an account with all that is kept of it.
//   - [Store.Entries] and [Store.MarkAllRead] may search: the index learns what it lacks first.
//   - [Store.Articles] is what readers on phones need: items, feeds and folders with numbers that stay.
//   - [FullTexts] keep what pages say, and search finds items by it.
//   - [Store.Prune] removes what is no longer kept (see [Retention]), with all that belongs to it.
//
// A change of content leaves something to do in other parts (content.Left). It is done before the transaction ends.
package store

import (
	"context"
	"errors"
	"fmt"

	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/large"
	"tidings/store/outbox"
	"tidings/store/published"
	"tidings/store/pushed"
	"tidings/store/reader"
	"tidings/store/search"
	"tidings/store/shared"
)

// Store is an open data directory. Its methods may be called by many goroutines at once.
type Store struct {
	DB          *db.DB
	Content     *content.Store
	Reader      *reader.Store
	Passkeys    *reader.Passkeys
	Published   *published.Store
	Pushed      *pushed.Store
	Large       *large.Store
	Shared      *shared.Store
	Search      *search.Store
	Outbox      *outbox.Store
	Chosen      *reader.Preferences
	Twins       *reader.Twins
	Subscribers *reader.Subscribers
	Filters     *reader.Filters
	Followings  *reader.Followings
	Hub         outbox.Hub
	Hubs        *pushed.Hubs

	Identities    *reader.Identities
	FeedAddresses *reader.FeedAddresses

	config Config
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
	out := outbox.New(d)
	s := &Store{
		DB: d, Published: published.New(d), Pushed: pushed.New(d), Large: large.New(d), Shared: shared.New(d),
		Outbox: out, Chosen: reader.NewPreferences(d), Twins: reader.NewTwins(d), Subscribers: reader.NewSubscribers(d),
		Followings: reader.NewFollowings(d),
		Content:    content.New(d, config.TouchDelay), Reader: reader.New(d, config.ReaderStarred, out.DropRead),
		Passkeys: reader.NewPasskeys(d), Identities: reader.NewIdentities(d),
		FeedAddresses: reader.NewFeedAddresses(d),
		Filters:       reader.NewFilters(d, config.Conditions, config.ReaderStarred),
		config:        config,
	}
	s.Hub, s.Hubs = outbox.NewHub(s.Outbox), pushed.NewHubs(d)
	if s.Search, err = search.New(ctx, d, config.Logger); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", config.Dir, err), d.Close())
	}
	return s, nil
}

// Close writes what is still waiting, and closes the database; see [db.DB.Close].
func (s *Store) Close() error { return s.DB.Close() }

// Check looks at a data directory, whether a node has it open or not; see [db.Check].
func Check(ctx context.Context, dir string) ([]db.Problem, error) {
	return db.Check(ctx, dir, Schema())
}
