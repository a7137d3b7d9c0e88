package node

import (
	"context"

	"tidings"
	"tidings/store"
)

// storeShown is the store as people see it through the interfaces: with what is known of the files that items carry.
type storeShown struct {
	*store.Store
	node *Node
}

func (n *Node) shown() storeShown { return storeShown{n.store, n} }

// Updates is that of the store.
func (s storeShown) Updates(ctx context.Context, account tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error) {
	updates, err := s.Store.Updates(ctx, account, q)
	for i := range updates {
		s.describe(updates[i].Channel, updates[i].Items)
	}
	return updates, err
}

// Update is that of the store.
func (s storeShown) Update(ctx context.Context, account tidings.AccountID, id int64) (tidings.Update, error) {
	update, err := s.Store.Update(ctx, account, id)
	s.describe(update.Channel, update.Items)
	return update, err
}

// Entries is that of the store.
func (s storeShown) Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	entries, err := s.Store.Entries(ctx, account, q)
	for i := range entries {
		s.entry(&entries[i])
	}
	return entries, err
}

// Entry is that of the store.
func (s storeShown) Entry(ctx context.Context, account tidings.AccountID, id int64) (tidings.Entry, error) {
	entry, err := s.Store.Entry(ctx, account, id)
	s.entry(&entry)
	return entry, err
}

// State is that of the store.
func (s storeShown) State(ctx context.Context, url string, v tidings.Version) (tidings.State, error) {
	state, err := s.Store.State(ctx, url, v)
	s.describe(state.Channel, state.Items)
	return state, err
}

func (s storeShown) entry(e *tidings.Entry) {
	items := []tidings.Item{e.Content}
	s.describe(e.Channel, items)
	e.Content = items[0]
}

func (s storeShown) describe(channel string, items []tidings.Item) {
	if s.node.files != nil {
		s.node.files.Describe(channel, items)
	}
}
