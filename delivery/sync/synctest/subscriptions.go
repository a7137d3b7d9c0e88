package synctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/opml"
	"tidings/delivery/sync"
)

// Feeds implements [sync.Subscriptions].
func (l *Library) Feeds(_ context.Context, p sync.Person) ([]sync.Feed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	follows := l.of(p).follows
	var list []sync.Feed
	for _, id := range slices.Sorted(maps.Keys(follows)) {
		list = append(list, follows[id])
	}
	return list, nil
}

// Folders implements [sync.Subscriptions].
func (l *Library) Folders(_ context.Context, p sync.Person) ([]sync.Folder, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.of(p).folders), nil
}

// Subscribe implements [sync.Subscriptions]. What has "broken" in its address cannot be read.
func (l *Library) Subscribe(_ context.Context, p sync.Person, address string, n sync.Naming) (
	feed sync.Feed, created bool, err error,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Host == "":
		return sync.Feed{}, false, tidings.Invalidf("%q is no address of a feed", tidings.Quote(address))
	case strings.Contains(address, "broken"):
		err := errors.New("the server does not answer")
		return sync.Feed{}, false, &tidings.Failure{Op: "reading", Address: address, Err: err}
	}
	one := l.of(p)
	at := slices.IndexFunc(l.feeds, func(f sync.Feed) bool { return f.URL == u.String() })
	if at < 0 {
		at = len(l.feeds)
		l.feeds = append(l.feeds, sync.Feed{
			ID: int64(at + 1), URL: u.String(), Site: u.Scheme + "://" + u.Host + "/",
			Title: "Feed of " + u.Host, Folder: sync.NoFolder, LastUpdated: l.now, Checked: l.now,
		})
	}
	feed = l.feeds[at]
	if already, ok := one.follows[feed.ID]; ok {
		return already, false, nil
	}
	if n.Folder != nil && one.folder(*n.Folder) == nil {
		return sync.Feed{}, false, fmt.Errorf("folder %d: %w", *n.Folder, tidings.ErrNotFound)
	}
	one.follows[feed.ID] = feed
	l.name(one, feed.ID, n)
	return one.follows[feed.ID], true, nil
}

// name applies n to a feed of one.
func (l *Library) name(one *person, feed int64, n sync.Naming) {
	f := one.follows[feed]
	if n.Title != nil {
		if f.Title = *n.Title; f.Title == "" {
			f.Title = l.feeds[feed-1].Title
		}
	}
	if n.Folder != nil {
		f.Folder = *n.Folder
	}
	one.follows[feed] = f
}

func (o *person) folder(id int64) *sync.Folder {
	for n := range o.folders {
		if o.folders[n].ID == id {
			return &o.folders[n]
		}
	}
	return nil
}

func (o *person) named(name string) bool {
	return slices.ContainsFunc(o.folders, func(f sync.Folder) bool { return f.Name == name })
}

// ChangeFeed implements [sync.Subscriptions].
func (l *Library) ChangeFeed(_ context.Context, p sync.Person, feed int64, n sync.Naming) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	if one.follows[feed].ID == 0 || n.Folder != nil && one.folder(*n.Folder) == nil {
		return fmt.Errorf("feed %d: %w", feed, tidings.ErrNotFound)
	}
	if n.Tags != nil {
		f := one.follows[feed]
		f.Tags = n.Tags.Apply(f.Tags)
		one.follows[feed] = f
	}
	l.name(one, feed, n)
	return nil
}

// Unsubscribe implements [sync.Subscriptions].
func (l *Library) Unsubscribe(_ context.Context, p sync.Person, feed int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	if one.follows[feed].ID == 0 {
		return fmt.Errorf("feed %d: %w", feed, tidings.ErrNotFound)
	}
	delete(one.follows, feed)
	delete(one.edits, feed)
	return nil
}

// AddFolder implements [sync.Subscriptions].
func (l *Library) AddFolder(_ context.Context, p sync.Person, name string) (sync.Folder, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	switch {
	case strings.TrimSpace(name) == "":
		return sync.Folder{}, tidings.Invalidf("a folder needs a name")
	case one.named(name):
		return sync.Folder{}, fmt.Errorf("folder %q: %w", name, tidings.ErrExists)
	}
	f := sync.Folder{ID: one.next, Name: name}
	one.next++
	one.folders = append(one.folders, f)
	return f, nil
}

// RenameFolder implements [sync.Subscriptions].
func (l *Library) RenameFolder(_ context.Context, p sync.Person, folder int64, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	f := one.folder(folder)
	switch {
	case f == nil || folder == sync.NoFolder:
		return fmt.Errorf("folder %d: %w", folder, tidings.ErrNotFound)
	case f.Name == name:
		return nil
	case one.named(name):
		return fmt.Errorf("folder %q: %w", name, tidings.ErrExists)
	}
	f.Name = name
	return nil
}

// RemoveFolder implements [sync.Subscriptions].
func (l *Library) RemoveFolder(_ context.Context, p sync.Person, folder int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	if one.folder(folder) == nil || folder == sync.NoFolder {
		return fmt.Errorf("folder %d: %w", folder, tidings.ErrNotFound)
	}
	one.folders = slices.DeleteFunc(one.folders, func(f sync.Folder) bool { return f.ID == folder })
	for id, f := range one.follows {
		if f.Folder == folder {
			f.Folder = sync.NoFolder
			one.follows[id] = f
		}
	}
	return nil
}

// Icon implements [sync.Subscriptions].
func (l *Library) Icon(_ context.Context, _ sync.Person, icon int64) (sync.Icon, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.icons[icon]
	if !ok {
		return i, fmt.Errorf("icon %d: %w", icon, tidings.ErrNotFound)
	}
	return i, nil
}

// Export implements [sync.Subscriptions].
func (l *Library) Export(ctx context.Context, p sync.Person) ([]byte, error) {
	feeds, _ := l.Feeds(ctx, p)
	folders, _ := l.Folders(ctx, p)
	list := opml.List{Title: "Subscriptions"}
	for _, f := range feeds {
		e := opml.Entry{URL: f.URL, Title: f.Title, Site: f.Site}
		at := slices.IndexFunc(folders, func(o sync.Folder) bool { return o.ID == f.Folder })
		if f.Folder != sync.NoFolder {
			e.Folder = tidings.FolderPath(folders[at].Name)
		}
		list.Entries = append(list.Entries, e)
	}
	var b bytes.Buffer
	err := opml.Write(&b, list)
	return b.Bytes(), err
}

// Import implements [sync.Subscriptions].
func (l *Library) Import(ctx context.Context, p sync.Person, document []byte) error {
	list, err := opml.Parse(bytes.NewReader(document), opml.DefaultLimits())
	if err != nil {
		return tidings.Invalidf("the list cannot be read: %w", err)
	}
	for _, e := range list.Entries {
		var n sync.Naming
		if e.Title != "" {
			n.Title = &e.Title
		}
		if e.Folder != "" {
			name := tidings.FolderLabel(e.Folder)
			if _, err := l.AddFolder(ctx, p, name); err != nil && !errors.Is(err, tidings.ErrExists) {
				return err
			}
			folders, _ := l.Folders(ctx, p)
			at := slices.IndexFunc(folders, func(o sync.Folder) bool { return o.Name == name })
			n.Folder = &folders[at].ID
		}
		if _, _, err := l.Subscribe(ctx, p, e.URL, n); err != nil {
			return err
		}
	}
	return nil
}

// Refresh implements [sync.Subscriptions].
func (l *Library) Refresh(ctx context.Context, p sync.Person, feeds []int64) error {
	if feeds != nil && len(feeds) == 0 {
		return errors.New("polls of no feed are asked for")
	}
	if feeds == nil {
		all, _ := l.Feeds(ctx, p)
		for _, f := range all {
			feeds = append(feeds, f.ID)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Refreshed = slices.Sorted(slices.Values(feeds))
	return nil
}
