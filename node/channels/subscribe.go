package channels

import (
	"context"
	"errors"
	"slices"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store"
	"tidings/store/content"
)

// Subscribe makes account follow what an order's address leads to, and stores the first version. A channel that is
// watched already costs the origin nothing. Where several people use the node, it answers before a poll is made; see
// subscribeAlike.
func (c *Channels) Subscribe(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	if several, err := c.several(ctx); err != nil {
		return tidings.Subscription{}, err
	} else if several {
		return c.subscribeAlike(ctx, account, o)
	}
	if s, is, err := parseSelection(o); err != nil {
		return tidings.Subscription{}, err
	} else if is {
		return c.followSelection(ctx, account, s, o)
	}
	if f, done, err := c.followKnown(ctx, account, o); done || err != nil {
		return f, err
	}
	first := c.previews.remove(account, o, time.Now())
	if first == nil {
		var err error
		if first, err = c.preview(ctx, o); err != nil {
			return tidings.Subscription{}, err
		}
	}
	w, r := first.Watched, first.Result
	if o.Privacy != "" && w.Privacy != tidings.Credentialed {
		w.Privacy = o.Privacy
	}
	if err := validPrivacy(w.Privacy); err != nil {
		return tidings.Subscription{}, err
	}
	f, created, err := c.config.Store.Subscribe(ctx, account, store.Subscription{
		URL: w.URL, Kind: w.Kind, Title: first.Preview.Title, Site: first.Preview.Site, Icon: first.Preview.Icon,
		Privacy: w.Privacy, Options: w.Options,
		Name: o.Name, Folder: o.Folder, Tags: o.Tags, EditsAsItems: wantsEdits(o), FullText: wantsFullText(o),
		Pictures: picturesOf(o), Access: w.Access, Next: time.Now(),
	})
	if err != nil {
		return f, err
	}
	followed, err := c.begin(ctx, account, f, created, o, w, r)
	if err != nil && created {
		return c.undo(ctx, account, f, err)
	}
	return followed, err
}

// begin completes a new subscription: it stores what the first poll has found, and polls the channel from now on.
func (c *Channels) begin(ctx context.Context, account tidings.AccountID, f tidings.Subscription, created bool,
	o tidings.SubscribeRequest, w source.Job, r source.Result) (tidings.Subscription, error) {
	change := replacing(&f, created, o)
	if w.Privacy != f.Privacy && (o.Privacy != "" || w.Privacy == tidings.Credentialed) {
		change.Privacy = &w.Privacy
	}
	if optionsKey(f.Options) != optionsKey(w.Options) {
		change.Options = &w.Options
	}
	changed := change != tidings.ChannelChange{}
	if changed {
		if err := c.change(ctx, account, f.URL, change, &w); err != nil {
			return f, err
		}
	}
	// Another poll may have found the first version meanwhile; then this poll is old. A channel that was followed
	// before, and is changed now, waits for the next poll if this one cannot be stored. An error would mean that
	// nothing has changed.
	if err := c.RecordPoll(ctx, w, r); err != nil && !errors.Is(err, tidings.ErrStale) && (created || !changed) {
		return f, err
	}
	c.config.Scheduler.Count(r)
	before := f.FolderBefore
	f, err := c.watchNew(ctx, account, w.URL, time.Now())
	f.FolderBefore = before
	return f, err
}

// undoWithin is how long undoing may last, even if no caller waits for it any more.
const undoWithin = 10 * time.Second

// undo ends a subscription that has begun and failed because of why: an error means that nothing is followed. Where
// that fails too, the subscription stands, and is no failure: the channel is polled from now on.
func (c *Channels) undo(ctx context.Context, account tidings.AccountID, f tidings.Subscription,
	why error) (tidings.Subscription, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWithin)
	defer cancel()
	if err := c.Unsubscribe(ctx, account, f.URL); err == nil {
		return tidings.Subscription{}, why
	}
	if followed, err := c.watchNew(ctx, account, f.URL, time.Now()); err == nil {
		return followed, nil
	}
	return f, why
}

// replacing returns the name, the folder and how items are shown, as ordered for a channel that is followed again. It
// notes the former folder.
func replacing(f *tidings.Subscription, created bool, o tidings.SubscribeRequest) (change tidings.ChannelChange) {
	if created {
		return change
	}
	if o.Name != "" && o.Name != f.Name {
		change.Name = &o.Name
	}
	if o.Folder != "" && tidings.CleanFolder(o.Folder) != f.Folder {
		f.FolderBefore, change.Folder = new(f.Folder), &o.Folder
	}
	if add := (tidings.TagChange{Add: o.Tags}); !slices.Equal(add.Apply(f.Tags), f.Tags) {
		change.Tags = &add
	}
	if o.EditsAsItems != nil && *o.EditsAsItems != f.EditsAsItems {
		change.EditsAsItems = o.EditsAsItems
	}
	if o.FullText != nil && *o.FullText != f.FullText {
		change.FullText = o.FullText
	}
	if o.Pictures != nil && *o.Pictures != f.Pictures {
		change.Pictures = o.Pictures
	}
	if !o.Access.IsZero() {
		change.Access = &o.Access
	}
	return change
}

// wantsEdits reports whether edits in a new channel are to be items.
func wantsEdits(o tidings.SubscribeRequest) bool { return o.EditsAsItems != nil && *o.EditsAsItems }

// wantsFullText reports whether the full text of a new channel's items is to be fetched.
func wantsFullText(o tidings.SubscribeRequest) bool { return o.FullText != nil && *o.FullText }

// picturesOf returns what is to be done with the pictures of a new channel.
func picturesOf(o tidings.SubscribeRequest) tidings.PicturesWish {
	if o.Pictures == nil {
		return tidings.PicturesAsSet
	}
	return *o.Pictures
}

// followKnown subscribes to a channel that is watched already under the very address,
// read by the same rules.
func (c *Channels) followKnown(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (f tidings.Subscription, done bool, err error) {
	clean, access, err := c.split(o)
	if err != nil {
		return f, true, err
	}
	// Credentials are for the very address that they came with.
	if !o.AsPage && o.Options.IsZero() && access.IsZero() {
		if clean, err = c.feedOf(ctx, account, clean); err != nil {
			return f, true, err
		}
	}
	w, err := c.config.Store.Content.Watch(ctx, clean)
	switch {
	case errors.Is(err, tidings.ErrNotFollowed):
		return f, false, nil
	case err != nil:
		return f, true, err
	case w.Version == 0 || o.AsPage && w.Kind == tidings.KindFeed:
		return f, false, nil
	case w.Followers == 0 && (o.AsPage || !o.Options.IsZero() || !access.IsZero()):
		return f, false, nil // it is polled for others, in their way
	}
	if err := source.ValidateOptions(o.Options); err != nil {
		return f, true, err
	}
	f, created, err := c.config.Store.Subscribe(ctx, account, store.Subscription{
		URL: clean, Privacy: w.Privacy, Name: o.Name, Folder: o.Folder, Tags: o.Tags, EditsAsItems: wantsEdits(o),
		FullText: wantsFullText(o), Pictures: picturesOf(o), Access: access,
	})
	if err != nil {
		return f, true, err
	}
	f, err = c.beginKnown(ctx, account, f, created, o, w)
	if err != nil && created {
		f, err = c.undo(ctx, account, f, err)
	}
	return f, true, err
}

// beginKnown is begin for a channel that is polled already.
func (c *Channels) beginKnown(ctx context.Context, account tidings.AccountID, f tidings.Subscription, created bool,
	o tidings.SubscribeRequest, w content.Watch) (tidings.Subscription, error) {
	change := replacing(&f, created, o)
	if o.Privacy != "" && o.Privacy != w.Privacy {
		change.Privacy = &o.Privacy
	}
	if !o.Options.IsZero() && optionsKey(o.Options) != optionsKey(w.Options) {
		change.Options = &o.Options
	}
	if change != (tidings.ChannelChange{}) {
		if err := c.Change(ctx, account, w.URL, change); err != nil {
			return f, err
		}
	}
	before := f.FolderBefore
	f, err := c.watchNew(ctx, account, w.URL, time.Now()) // what was polled for others may have ended meanwhile
	f.FolderBefore = before
	return f, err
}

// feedOf returns the address of the one feed that account follows of a site, so that the site need not be asked for it
// again. Else it returns the given address.
func (c *Channels) feedOf(ctx context.Context, account tidings.AccountID, address string) (string, error) {
	all, err := c.config.Store.Channels(ctx, account)
	if err != nil {
		return "", err
	}
	found := address
	for _, f := range all {
		home, err := feed.Canonical(f.Site)
		switch {
		case f.URL == address:
			return address, nil
		case err != nil || home != address || f.Kind != tidings.KindFeed:
		case found != address:
			return address, nil // several: which one is meant is the site's to say
		default:
			found = f.URL
		}
	}
	return found, nil
}

// watchNew begins to watch a channel that was just stored, and has its first poll made by the time first. One that is
// polled for others already may wait for its turn in their plan.
func (c *Channels) watchNew(ctx context.Context, account tidings.AccountID, url string,
	first time.Time) (tidings.Subscription, error) {
	w, err := c.config.Store.Content.Watch(ctx, url)
	if err != nil {
		return tidings.Subscription{}, err
	}
	watched := JobOf(w)
	if w.Ended {
		watched.Next = time.Time{}
	}
	c.config.Scheduler.Add(watched)
	c.config.Scheduler.Change(url, func(job *source.Job) { job.FirstBy(first) })
	c.reviewed(url)
	return c.config.Store.Channel(ctx, account, url)
}

// SubscribeLater makes account follow many channels without polling first; their first
// polls follow soon, spread so that nothing bunches. It returns an error, or nil, for
// each order.
func (c *Channels) SubscribeLater(ctx context.Context, account tidings.AccountID,
	orders []tidings.SubscribeRequest) ([]error, error) {
	results := make([]error, len(orders))
	var subs []store.Subscription
	var at []int // of subs in orders
	now := time.Now()
	several, err := c.several(ctx)
	if err != nil {
		return nil, err
	}
	for i, o := range orders {
		sub, err := c.subscription(ctx, o)
		if err == nil && several && sub.Kind.HasOrigin() {
			sub, err = c.owned(ctx, account, sub)
		}
		if err != nil {
			results[i] = err
			continue
		}
		sub.Next = now.Add(time.Duration(len(subs)) * c.config.ImportPace)
		subs, at = append(subs, sub), append(at, i)
	}
	stored, err := c.config.Store.SubscribeAll(ctx, account, subs)
	for j := range stored {
		if several && errors.Is(stored[j], tidings.ErrUnauthorized) {
			if subs[j], stored[j] = c.own(ctx, account, subs[j]); stored[j] == nil {
				_, _, stored[j] = c.config.Store.Subscribe(ctx, account, subs[j])
			}
		}
	}
	for j, err := range stored {
		results[at[j]] = err
		if err == nil && subs[j].Kind.HasOrigin() {
			_, results[at[j]] = c.watchNew(ctx, account, subs[j].URL, subs[j].Next)
		}
	}
	if slices.ContainsFunc(subs, func(s store.Subscription) bool { return !s.Kind.HasOrigin() }) {
		err = errors.Join(err, c.config.Queries.Refresh(ctx))
	}
	return results, err
}

// subscription makes of an order what can be stored without a poll.
func (c *Channels) subscription(ctx context.Context, o tidings.SubscribeRequest) (store.Subscription, error) {
	if s, is, err := parseSelection(o); err != nil {
		return store.Subscription{}, err
	} else if is {
		return c.subscriptionTo(ctx, s, o)
	}
	clean, access, err := c.split(o)
	if err != nil {
		return store.Subscription{}, err
	}
	if err := source.ValidateOptions(o.Options); err != nil {
		return store.Subscription{}, err
	}
	s := store.Subscription{
		URL: clean, Title: o.Title, Options: o.Options, Name: o.Name, Folder: o.Folder, Tags: o.Tags,
		EditsAsItems: wantsEdits(o), FullText: wantsFullText(o), Pictures: picturesOf(o),
		Access: access, Privacy: o.Privacy,
	}
	if s.Privacy == "" || !access.IsZero() {
		s.Privacy = c.classify(clean, access)
	}
	if s.Kind = o.Options.Kind(); o.AsPage && s.Kind == tidings.KindUnknown {
		s.Kind = tidings.KindPage
	}
	return s, validPrivacy(s.Privacy)
}

// Unsubscribe ends an account's subscription. A channel without followers is no longer polled.
func (c *Channels) Unsubscribe(ctx context.Context, account tidings.AccountID, address string) error {
	last, err := c.config.Store.Unsubscribe(ctx, account, address)
	if err != nil {
		return err
	}
	if !tidings.KindOf(address).HasOrigin() {
		return c.config.Queries.Refresh(ctx)
	}
	if last && !c.keeps(address) {
		c.config.Scheduler.Remove(address)
	}
	c.reviewed(address)
	return nil
}
