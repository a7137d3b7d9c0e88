package channels

import (
	"context"
	"errors"
	"time"

	"tidings"
	"tidings/source"
	"tidings/store"
)

// If several people use a node, no answer may reveal what the others follow. So a subscription is stored and answered
// at once, whether the channel is known or not. The answer has what the order says, and nothing that is known of the
// channel. Where an unknown address leads is found out afterwards. What others decided about a channel, such as how a
// page is read, stays. An order decides about new channels alone. What needs a password, or has headers, cookies or a
// proxy, is the person's own channel.

// Bounds on following up.
const (
	// orders that wait; beyond, a channel is polled in its turn, at the very address that was given
	maxFollowUps     = 1024
	followUpsAtATime = 8
)

// followUp is an order that was answered, of a channel that was new.
type followUp struct {
	account tidings.AccountID
	order   tidings.SubscribeRequest
	url     string        // that is followed
	first   *source.First // what a preview for the same person has found; nil: there was none
	outside bool          // the account stands for an address outside, which may follow what is public alone
}

// several reports whether several people use the node.
func (c *Channels) several(ctx context.Context) (bool, error) {
	all, err := c.config.Store.Reader.People(ctx)
	return len(all) > 1, err
}

// subscribeAlike is Subscribe where several people use the node.
func (c *Channels) subscribeAlike(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	// the person's own channel, by its own address
	if given, err := Canonical(o.URL); err == nil && tidings.IsOwnURL(given) {
		if f, err := c.config.Store.Channel(ctx, account, given); err == nil {
			return c.refile(ctx, account, f, o)
		}
	}
	s, first, err := c.orderAlike(ctx, account, o)
	if err != nil {
		return tidings.Subscription{}, err
	}
	f, created, err := c.config.Store.Subscribe(ctx, account, s)
	if errors.Is(err, tidings.ErrUnauthorized) { // a person had a password for it when no other used the node
		if s, err = c.own(ctx, account, s); err == nil {
			f, created, err = c.config.Store.Subscribe(ctx, account, s)
		}
	}
	if err != nil {
		return f, err
	}
	if !created {
		return c.refile(ctx, account, f, o)
	}
	if !s.Kind.HasOrigin() {
		err = c.config.Queries.Refresh(ctx)
	} else {
		err = c.beginAlike(ctx, followUp{account: account, order: o, url: s.URL, first: first}, f.Version == 0)
	}
	return bare(s, f.Since), err
}

// refile updates a channel that the person follows already: with the name and the folder of an order, and what its
// origin is sent.
func (c *Channels) refile(ctx context.Context, account tidings.AccountID, f tidings.Subscription,
	o tidings.SubscribeRequest) (_ tidings.Subscription, err error) {
	if change := replacing(&f, false, o); change.Access != nil {
		err = c.Change(ctx, account, f.URL, change)
	} else if change != (tidings.ChannelChange{}) {
		err = c.config.Store.Change(ctx, account, f.URL, store.Change{ChannelChange: change})
	}
	if err != nil {
		return f, err
	}
	before := f.FolderBefore
	f, err = c.config.Store.Channel(ctx, account, f.URL)
	f.FolderBefore = before
	return f, err
}

// orderAlike makes of an order what is stored, with what a preview for the same person has found.
func (c *Channels) orderAlike(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (s store.Subscription, first *source.First, err error) {
	if first = c.previews.remove(account, o, time.Now()); first != nil {
		w := first.Watched
		s = store.Subscription{
			URL: w.URL, Kind: w.Kind, Title: first.Preview.Title, Site: first.Preview.Site, Icon: first.Preview.Icon,
			Privacy: w.Privacy, Options: w.Options,
			Name: o.Name, Folder: o.Folder, Tags: o.Tags, EditsAsItems: wantsEdits(o), FullText: wantsFullText(o),
			Pictures: picturesOf(o), Access: w.Access,
		}
		if o.Privacy != "" && w.Privacy != tidings.Credentialed {
			s.Privacy = o.Privacy
		}
		err = errors.Join(validPrivacy(s.Privacy), source.ValidateOptions(s.Options))
	} else if s, err = c.subscription(ctx, o); err == nil && s.Kind == tidings.KindUnknown && s.Access.IsZero() {
		s.URL, err = c.feedOf(ctx, account, s.URL)
	}
	if err == nil && s.Kind.HasOrigin() {
		s, err = c.owned(ctx, account, s)
	}
	s.Next = time.Now().Add(PreviewWithin) // by then the first poll is made, or it has failed
	return s, first, err
}

// owned turns a subscription into one to the person's own channel. It does so if it needs a password, or if the person
// follows that channel already and means no other.
func (c *Channels) owned(ctx context.Context, account tidings.AccountID,
	s store.Subscription) (store.Subscription, error) {
	own, err := c.own(ctx, account, s)
	if err != nil || !s.Access.IsZero() {
		return own, err
	}
	switch _, err := c.config.Store.Channel(ctx, account, own.URL); {
	case errors.Is(err, tidings.ErrNotFollowed):
		return s, nil
	default:
		return own, err
	}
}

// own makes a subscription one to the person's own channel, which other nodes never learn of.
func (c *Channels) own(ctx context.Context, account tidings.AccountID,
	s store.Subscription) (store.Subscription, error) {
	secret, err := c.config.Store.Reader.Secret(ctx, account)
	s.URL = tidings.OwnURL(tidings.PublicURL(s.URL), secret)
	if s.Privacy == tidings.Public {
		s.Privacy = tidings.Unlisted
	}
	return s, err
}

// previewAlike is preview without what is known of a channel, which exists if another person follows it.
func (c *Channels) previewAlike(ctx context.Context, o tidings.SubscribeRequest) (*source.First, error) {
	poller := *c.config.Poller
	poller.Library = nothing{}
	return c.previewBy(ctx, &poller, o)
}

// nothing is a library in which nothing is.
type nothing struct{}

func (nothing) KnownItems(context.Context, string) ([]tidings.KnownItem, error) { return nil, nil }

func (nothing) Lines(context.Context, string) ([]string, string, tidings.Version, error) {
	return nil, "", 0, nil
}

func (nothing) Document(context.Context, string) ([]byte, string, error) { return nil, "", nil }

// beginAlike begins to watch a channel for a new follower. It is watched before it is followed up: following up may end
// the subscription at once, where the address leads to another channel.
func (c *Channels) beginAlike(ctx context.Context, of followUp, fresh bool) error {
	if _, err := c.watchKnown(ctx, of.url); err != nil || !fresh {
		return err
	}
	select {
	case c.followUps <- of:
	default: // too many wait
		c.config.Scheduler.Change(of.url, func(job *source.Job) { job.FirstBy(time.Now()) })
	}
	return nil
}

// watchKnown puts a channel under watch, to be polled in its turn.
func (c *Channels) watchKnown(ctx context.Context, url string) (watched source.Job, err error) {
	w, err := c.config.Store.Content.Watch(ctx, url)
	if err != nil {
		return watched, err
	}
	watched = JobOf(w)
	if w.Ended {
		watched.Next = time.Time{}
	}
	c.config.Scheduler.Add(watched)
	c.reviewed(url)
	return watched, nil
}

// bare is what an order says of a subscription.
func bare(s store.Subscription, since time.Time) tidings.Subscription {
	return tidings.Subscription{
		Channel: tidings.Channel{URL: tidings.PublicURL(s.URL), Kind: s.Kind, Title: s.Title, Site: s.Site,
			Icon: s.Icon, Privacy: s.Privacy, Options: s.Options, Added: since},
		Name: s.Name, Folder: tidings.CleanFolder(s.Folder), Tags: s.Tags, EditsAsItems: s.EditsAsItems,
		FullText: s.FullText, Pictures: s.Pictures, Access: s.Access.Names(), Since: since, Health: tidings.HealthNew,
	}
}

// FollowUp finds out where new channels lead, until ctx ends. What waits then is polled in its turn, after the next
// start.
func (c *Channels) FollowUp(ctx context.Context) {
	slots := make(chan struct{}, followUpsAtATime)
	for {
		select {
		case <-ctx.Done():
			for range followUpsAtATime { // each has ended
				slots <- struct{}{}
			}
			return
		case of := <-c.followUps:
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				if err := c.followUp(ctx, of); err != nil && ctx.Err() == nil && !isGone(err) {
					c.config.Log.Warn("a new channel is polled in its turn", "channel", of.url, "error", err)
					c.config.Scheduler.Change(of.url, func(job *source.Job) { job.FirstBy(time.Now()) })
				}
			}()
		}
	}
}

// followUp makes the first poll of a channel. If it is a page that leads to a feed, its person follows that feed.
func (c *Channels) followUp(ctx context.Context, of followUp) error {
	first := of.first
	if first == nil {
		var err error
		if first, err = c.previewAlike(ctx, of.order); err != nil {
			// which says what is wrong
			c.config.Scheduler.Change(of.url, func(job *source.Job) { job.FirstBy(time.Now()) })
			return nil
		}
	}
	w, r := first.Watched, first.Result
	if of.outside && w.Privacy != tidings.Public {
		return c.Unsubscribe(ctx, of.account, of.url)
	}
	s := store.Subscription{
		URL: w.URL, Kind: w.Kind, Title: first.Preview.Title, Site: first.Preview.Site, Icon: first.Preview.Icon,
		Privacy: w.Privacy, Options: w.Options,
		Access: w.Access, Next: time.Now(),
	}
	if w.URL == tidings.PublicURL(of.url) {
		s.URL = of.url
	} else if !w.Access.IsZero() {
		var err error
		if s, err = c.own(ctx, of.account, s); err != nil {
			return err
		}
	}
	if w.URL = s.URL; w.URL != of.url {
		f, err := c.config.Store.Channel(ctx, of.account, of.url)
		if err != nil { // followed no longer
			return err
		}
		s.Name, s.Folder, s.Tags, s.EditsAsItems, s.FullText, s.Pictures = f.Name, f.Folder, f.Tags, f.EditsAsItems,
			f.FullText, f.Pictures
		if _, _, err := c.config.Store.Subscribe(ctx, of.account, s); err != nil {
			return err
		}
		if err := c.Unsubscribe(ctx, of.account, of.url); err != nil {
			return err
		}
	}
	known, err := c.watchKnown(ctx, w.URL)
	if err != nil {
		return err
	}
	if known.Last.At.IsZero() { // else another's poll was first
		w.Next = r.Poll.Next
		if optionsKey(known.Options) != optionsKey(w.Options) { // the page is a feed of its entries
			if err := c.change(ctx, of.account, w.URL, tidings.ChannelChange{Options: &w.Options}, &w); err != nil {
				return err
			}
		}
		if err := c.RecordPoll(ctx, w, r); err != nil && !errors.Is(err, tidings.ErrStale) {
			return err
		}
		c.config.Scheduler.Count(r)
		return c.goOn(ctx, w.URL)
	}
	return nil
}

// goOn has the scheduler go on with a channel from what is stored of its first poll.
func (c *Channels) goOn(ctx context.Context, url string) error {
	stored, err := c.config.Store.Content.Watch(ctx, url)
	if err != nil {
		return err
	}
	c.config.Scheduler.Change(url, func(job *source.Job) { *job = JobOf(stored) })
	c.reviewed(url)
	return nil
}
