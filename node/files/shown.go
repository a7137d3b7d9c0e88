package files

import (
	"context"

	"tidings"
	"tidings/store"
	"tidings/store/reader"
)

// Library is the store as people see it through the interfaces, with the state of the files that items carry.
type Library struct {
	*whole
	*readers
	*passkeys
	*feedAddresses
	*preferences
	*twins
	files *Files // nil: the node works alone
}

type (
	whole    = store.Store
	readers  = reader.Store
	passkeys = reader.Passkeys

	feedAddresses = reader.FeedAddresses

	preferences = reader.Preferences
	twins       = reader.Twins
)

// NewLibrary returns a store with what is known of files; nil: the node works alone.
func NewLibrary(s *store.Store, f *Files) Library {
	return Library{s, s.Reader, s.Passkeys, s.FeedAddresses, s.Chosen, s.Twins, f}
}

// Updates is that of the store.
func (l Library) Updates(ctx context.Context, account tidings.AccountID,
	q tidings.UpdateQuery) ([]tidings.Update, error) {
	updates, err := l.readers.Updates(ctx, account, q)
	for i := range updates {
		l.describe(updates[i].Channel, updates[i].Items)
	}
	return updates, err
}

// Update is that of the store.
func (l Library) Update(ctx context.Context, account tidings.AccountID, id int64) (tidings.Update, error) {
	update, err := l.readers.Update(ctx, account, id)
	l.describe(update.Channel, update.Items)
	return update, err
}

// Entries is that of the store.
func (l Library) Entries(ctx context.Context, account tidings.AccountID,
	q tidings.EntryQuery) ([]tidings.Entry, error) {
	entries, err := l.whole.Entries(ctx, account, q)
	for i := range entries {
		l.entry(&entries[i])
	}
	return entries, err
}

// Entry is that of the store.
func (l Library) Entry(ctx context.Context, account tidings.AccountID, id int64) (tidings.Entry, error) {
	entry, err := l.readers.Entry(ctx, account, id)
	l.entry(&entry)
	return entry, err
}

// State is that of the store.
func (l Library) State(ctx context.Context, url string, v tidings.Version) (tidings.State, error) {
	state, err := l.Content.State(ctx, url, v)
	l.describe(state.Channel, state.Items)
	return state, err
}

// LatestUpdate is that of the store.
func (l Library) LatestUpdate(ctx context.Context) (int64, error) { return l.Content.LatestUpdate(ctx) }

func (l Library) entry(e *tidings.Entry) {
	items := []tidings.Item{e.Content}
	l.describe(e.Channel, items)
	e.Content = items[0]
}

func (l Library) describe(channel string, items []tidings.Item) {
	if l.files != nil {
		l.files.catalog.describe(channel, items)
	}
}
