package synctest

import (
	"context"
	"errors"
	gosync "sync"

	"tidings/delivery/sync"
)

// errFails is what a failing library says.
var errFails = errors.New("the disk of the node fails")

// Failing is a library of which one call fails, as when the node's disk does.
type Failing struct {
	of   sync.Library
	mu   gosync.Mutex
	left int // calls before the one that fails
	// Failed says that it has.
	Failed bool
}

// Fail returns a library of which the call fails that comes after so many others.
func Fail(l sync.Library, after int) *Failing { return &Failing{of: l, left: after} }

func (f *Failing) fails() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left--
	if f.left == -1 {
		f.Failed = true
	}
	return f.left == -1
}

// Numbers implements [sync.Articles].
func (f *Failing) Numbers(ctx context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.Numbers(ctx, p, q)
}

// ItemsOf implements [sync.Articles].
func (f *Failing) ItemsOf(ctx context.Context, p sync.Person, numbers []int64) ([]sync.Item, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.ItemsOf(ctx, p, numbers)
}

// FullText implements [sync.Articles].
func (f *Failing) FullText(ctx context.Context, p sync.Person, number int64) (string, error) {
	if f.fails() {
		return "", errFails
	}
	return f.of.FullText(ctx, p, number)
}

// Count implements [sync.Articles].
func (f *Failing) Count(ctx context.Context, p sync.Person, q sync.Query) (int, error) {
	if f.fails() {
		return 0, errFails
	}
	return f.of.Count(ctx, p, q)
}

// Tallies implements [sync.Articles].
func (f *Failing) Tallies(ctx context.Context, p sync.Person) (map[int64]sync.Tally, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.Tallies(ctx, p)
}

// Mark implements [sync.Articles].
func (f *Failing) Mark(ctx context.Context, p sync.Person, numbers []int64, c sync.Change) error {
	if f.fails() {
		return errFails
	}
	return f.of.Mark(ctx, p, numbers, c)
}

// MarkAll implements [sync.Articles].
func (f *Failing) MarkAll(ctx context.Context, p sync.Person, q sync.Query, c sync.Change) error {
	if f.fails() {
		return errFails
	}
	return f.of.MarkAll(ctx, p, q, c)
}

// Labels implements [sync.Articles].
func (f *Failing) Labels(ctx context.Context, p sync.Person) ([]string, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.Labels(ctx, p)
}

// RenameLabel implements [sync.Articles].
func (f *Failing) RenameLabel(ctx context.Context, p sync.Person, name, to string) error {
	if f.fails() {
		return errFails
	}
	return f.of.RenameLabel(ctx, p, name, to)
}

// RemoveLabel implements [sync.Articles].
func (f *Failing) RemoveLabel(ctx context.Context, p sync.Person, name string) error {
	if f.fails() {
		return errFails
	}
	return f.of.RemoveLabel(ctx, p, name)
}

// Feeds implements [sync.Subscriptions].
func (f *Failing) Feeds(ctx context.Context, p sync.Person) ([]sync.Feed, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.Feeds(ctx, p)
}

// Folders implements [sync.Subscriptions].
func (f *Failing) Folders(ctx context.Context, p sync.Person) ([]sync.Folder, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.Folders(ctx, p)
}

// Subscribe implements [sync.Subscriptions].
func (f *Failing) Subscribe(ctx context.Context, p sync.Person, url string, n sync.Naming) (sync.Feed, bool, error) {
	if f.fails() {
		return sync.Feed{}, false, errFails
	}
	return f.of.Subscribe(ctx, p, url, n)
}

// ChangeFeed implements [sync.Subscriptions].
func (f *Failing) ChangeFeed(ctx context.Context, p sync.Person, feed int64, n sync.Naming) error {
	if f.fails() {
		return errFails
	}
	return f.of.ChangeFeed(ctx, p, feed, n)
}

// Unsubscribe implements [sync.Subscriptions].
func (f *Failing) Unsubscribe(ctx context.Context, p sync.Person, feed int64) error {
	if f.fails() {
		return errFails
	}
	return f.of.Unsubscribe(ctx, p, feed)
}

// AddFolder implements [sync.Subscriptions].
func (f *Failing) AddFolder(ctx context.Context, p sync.Person, name string) (sync.Folder, error) {
	if f.fails() {
		return sync.Folder{}, errFails
	}
	return f.of.AddFolder(ctx, p, name)
}

// RenameFolder implements [sync.Subscriptions].
func (f *Failing) RenameFolder(ctx context.Context, p sync.Person, folder int64, name string) error {
	if f.fails() {
		return errFails
	}
	return f.of.RenameFolder(ctx, p, folder, name)
}

// RemoveFolder implements [sync.Subscriptions].
func (f *Failing) RemoveFolder(ctx context.Context, p sync.Person, folder int64) error {
	if f.fails() {
		return errFails
	}
	return f.of.RemoveFolder(ctx, p, folder)
}

// Icon implements [sync.Subscriptions].
func (f *Failing) Icon(ctx context.Context, p sync.Person, icon int64) (sync.Icon, error) {
	if f.fails() {
		return sync.Icon{}, errFails
	}
	return f.of.Icon(ctx, p, icon)
}

// Export implements [sync.Subscriptions].
func (f *Failing) Export(ctx context.Context, p sync.Person) ([]byte, error) {
	if f.fails() {
		return nil, errFails
	}
	return f.of.Export(ctx, p)
}

// Import implements [sync.Subscriptions].
func (f *Failing) Import(ctx context.Context, p sync.Person, document []byte) error {
	if f.fails() {
		return errFails
	}
	return f.of.Import(ctx, p, document)
}

// Refresh implements [sync.Subscriptions].
func (f *Failing) Refresh(ctx context.Context, p sync.Person, feeds []int64) error {
	if f.fails() {
		return errFails
	}
	return f.of.Refresh(ctx, p, feeds)
}
