package phones

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/delivery/opml"
	"tidings/delivery/sync"
	"tidings/store"
	"tidings/store/reader"
)

// againAfter is how long after a poll a refresh asks for no other. Some readers request one every 11 minutes.
const againAfter = 10 * time.Minute

// Feeds implements [sync.Subscriptions].
func (l *Library) Feeds(ctx context.Context, p sync.Person) ([]sync.Feed, error) {
	all, _, err := l.articles.Feeds(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	feeds := make([]sync.Feed, len(all))
	for i := range all {
		feeds[i] = feedOf(&all[i])
	}
	if l.icons == nil {
		return feeds, nil
	}
	chosen, err := l.chosen.Preferences(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].ShowsPictures(chosen) {
			feeds[i].IconPath = l.icons.Icon(all[i].Channel)
			feeds[i].Icon = iconNumber(feeds[i].IconPath)
		}
	}
	return feeds, nil
}

// iconNumber returns the number of the icon at a path. It has 31 bits, as clients may keep such numbers, and is 0 only
// for none.
func iconNumber(path string) int64 {
	if path == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(path))
	return int64(binary.BigEndian.Uint32(sum[:])>>1) | 1
}

func feedOf(f *store.Feed) sync.Feed {
	feed := sync.Feed{
		ID: f.ID, URL: f.URL, Site: f.Site, Title: f.Label(), Folder: max(f.Folder, sync.NoFolder), Tags: f.Tags,
		LastUpdated: f.Last.At, Failures: f.Failures, Error: f.Last.Error,
	}
	if feed.Checked = f.Last.At; feed.Checked.IsZero() {
		feed.Checked = f.Added
	}
	if f.Failures > 0 {
		feed.LastUpdated = f.LastChange // it was read then; later times are unknown
	}
	return feed
}

// Folders implements [sync.Subscriptions].
func (l *Library) Folders(ctx context.Context, p sync.Person) ([]sync.Folder, error) {
	_, all, err := l.articles.Feeds(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	folders := []sync.Folder{{ID: sync.NoFolder, Name: "All"}}
	for _, f := range all {
		folders = append(folders, sync.Folder{ID: f.ID, Name: f.Name})
	}
	return folders, nil
}

// Subscribe implements [sync.Subscriptions].
func (l *Library) Subscribe(ctx context.Context, p sync.Person, url string,
	n sync.Naming) (feed sync.Feed, created bool, err error) {
	before, folders, err := l.articles.Feeds(ctx, p.ID)
	if err != nil {
		return feed, false, err
	}
	change, err := changeOf(folders, n)
	if err != nil {
		return feed, false, err
	}
	followed, err := l.channels.Subscribe(ctx, p.ID, tidings.SubscribeRequest{URL: url})
	if err != nil {
		return feed, false, err
	}
	created = !slices.ContainsFunc(before, func(f store.Feed) bool { return f.URL == followed.URL })
	if created && (change.Name != nil || change.Folder != nil || change.Tags != nil) {
		if err := l.channels.Change(ctx, p.ID, followed.URL, change); err != nil {
			return feed, false, errors.Join(err, l.channels.Unsubscribe(context.WithoutCancel(ctx), p.ID, followed.URL))
		}
	}
	all, _, err := l.articles.Feeds(ctx, p.ID)
	at := slices.IndexFunc(all, func(f store.Feed) bool { return f.URL == followed.URL })
	switch {
	case err != nil:
		return feed, false, err
	case at < 0:
		// the person has unsubscribed meanwhile
		return feed, false, fmt.Errorf("feed %s: %w", followed.URL, tidings.ErrNotFound)
	}
	if created { // what the node knew of the channel, because others follow it, is not to be seen
		followed.Name = all[at].Name
		all[at].Subscription = followed
	}
	return feedOf(&all[at]), created, nil
}

// changeOf returns what is changed where a feed is named so.
func changeOf(folders []reader.Folder, n sync.Naming) (change tidings.ChannelChange, err error) {
	change.Name, change.Tags = n.Title, n.Tags
	switch {
	case n.Folder == nil:
		return change, nil
	case *n.Folder == sync.NoFolder:
		change.Folder = new(string)
		return change, nil
	}
	at := slices.IndexFunc(folders, func(f reader.Folder) bool { return f.ID == *n.Folder })
	if at < 0 {
		return change, fmt.Errorf("folder %d: %w", *n.Folder, tidings.ErrNotFound)
	}
	change.Folder = &folders[at].Path
	return change, nil
}

// ChangeFeed implements [sync.Subscriptions].
func (l *Library) ChangeFeed(ctx context.Context, p sync.Person, feed int64, n sync.Naming) error {
	f, folders, err := l.feed(ctx, p, feed)
	if err != nil {
		return err
	}
	change, err := changeOf(folders, n)
	if err != nil {
		return err
	}
	return l.channels.Change(ctx, p.ID, f.URL, change)
}

// feed returns one feed of a person, and the person's folders.
func (l *Library) feed(ctx context.Context, p sync.Person,
	id int64) (f store.Feed, folders []reader.Folder, err error) {
	all, folders, err := l.articles.Feeds(ctx, p.ID)
	if err != nil {
		return f, nil, err
	}
	at := slices.IndexFunc(all, func(f store.Feed) bool { return f.ID == id })
	if at < 0 {
		return f, nil, fmt.Errorf("feed %d: %w", id, tidings.ErrNotFound)
	}
	return all[at], folders, nil
}

// Unsubscribe implements [sync.Subscriptions].
func (l *Library) Unsubscribe(ctx context.Context, p sync.Person, feed int64) error {
	f, _, err := l.feed(ctx, p, feed)
	if err != nil {
		return err
	}
	return l.channels.Unsubscribe(ctx, p.ID, f.URL)
}

// AddFolder implements [sync.Subscriptions].
func (l *Library) AddFolder(ctx context.Context, p sync.Person, name string) (sync.Folder, error) {
	f, err := l.articles.AddFolder(ctx, p.ID, name)
	return sync.Folder{ID: f.ID, Name: f.Name}, err
}

// RenameFolder implements [sync.Subscriptions].
func (l *Library) RenameFolder(ctx context.Context, p sync.Person, folder int64, name string) error {
	return l.articles.RenameFolder(ctx, p.ID, folder, name)
}

// RemoveFolder implements [sync.Subscriptions].
func (l *Library) RemoveFolder(ctx context.Context, p sync.Person, folder int64) error {
	return l.articles.RemoveFolder(ctx, p.ID, folder)
}

// Icon implements [sync.Subscriptions].
func (l *Library) Icon(ctx context.Context, p sync.Person, icon int64) (sync.Icon, error) {
	feeds, err := l.Feeds(ctx, p)
	if err != nil {
		return sync.Icon{}, err
	}
	at := slices.IndexFunc(feeds, func(f sync.Feed) bool { return f.Icon == icon && icon != 0 })
	if at < 0 {
		return sync.Icon{}, fmt.Errorf("icon %d: %w", icon, tidings.ErrNotFound)
	}
	data, err := l.icons.IconBytes(feeds[at].IconPath)
	if errors.Is(err, tidings.ErrInvalid) { // it has gone since
		err = fmt.Errorf("icon %d: %w", icon, tidings.ErrNotFound)
	}
	return sync.Icon{Type: "image/png", Bytes: data}, err
}

// Export implements [sync.Subscriptions].
func (l *Library) Export(ctx context.Context, p sync.Person) ([]byte, error) {
	all, _, err := l.articles.Feeds(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	list := opml.List{Title: "Tidings subscriptions"}
	for _, f := range all {
		list.Entries = append(list.Entries, opml.EntryOf(f.Subscription))
	}
	var document bytes.Buffer
	err = opml.Write(&document, list)
	return document.Bytes(), err
}

// Import implements [sync.Subscriptions]. What cannot be followed is passed over, unless that is all.
func (l *Library) Import(ctx context.Context, p sync.Person, document []byte) error {
	list, err := opml.Parse(bytes.NewReader(document), opml.DefaultLimits())
	if err != nil {
		return tidings.Invalidf("the list cannot be read: %w", err)
	}
	orders := make([]tidings.SubscribeRequest, len(list.Entries))
	for i, e := range list.Entries {
		orders[i] = e.Order()
	}
	refused, err := l.channels.SubscribeLater(ctx, p.ID, orders)
	if err != nil {
		return err
	}
	if len(refused) > 0 && !slices.Contains(refused, nil) {
		return refused[0]
	}
	return nil
}

// Refresh implements [sync.Subscriptions].
func (l *Library) Refresh(ctx context.Context, p sync.Person, feeds []int64) error {
	if feeds != nil && len(feeds) == 0 {
		return tidings.Invalidf("polls of no feed are asked for")
	}
	all, _, err := l.articles.Feeds(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, f := range all {
		if (feeds == nil || slices.Contains(feeds, f.ID)) && l.now().Sub(f.Last.At) >= againAfter {
			l.channels.PollSoon(f.URL)
		}
	}
	return nil
}
