package coop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/page"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/shared"
)

// library is what Corona sees of what is kept here.
type library struct{ *core }

// Held returns the latest version of the network's that is kept; it is called in the loop.
func (s *library) Held(channel engine.ID) (version uint64, hash corona.Hash) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[channel]; c != nil {
		return c.version, c.hash
	}
	return 0, corona.Hash{}
}

// Content returns the hash of the latest content that is here; it is called in the loop.
func (s *library) Content(channel engine.ID) corona.Hash {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[channel]; c != nil {
		return c.content
	}
	return corona.Hash{}
}

// Relay keeps a channel for which this node makes versions, though it is neither polled nor followed here. It is called
// in the loop.
func (s *library) Relay(c corona.Channel) {
	if !fits(s.core, c) {
		s.config.Log.Debug("the network wants a channel kept that it has no right to", "channel", c.ID, "url", c.URL)
		return
	}
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	kept := s.table.of(c.ID, c.URL)
	kept.relayed = true
	s.reconciler.enqueue(kept)
}

// Release ends what Relay began; it is called in the loop.
func (s *library) Release(channel engine.ID) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[channel]; c != nil && c.relayed {
		c.relayed = false
		s.reconciler.enqueue(c)
	}
}

// Store keeps a version that another node has found; it is called in the loop.
func (s *library) Store(u *corona.Update) {
	s.Work(func(ctx context.Context) {
		err := s.take(ctx, u)
		if err != nil && ctx.Err() == nil {
			s.config.Log.Debug("a version was not taken", "channel", u.Channel, "version", u.Version, "error", err)
		}
		s.InLoop(ctx, func() {
			if err == nil {
				s.holds(u)
			}
			s.corona.Stored(u.Channel, u.Version, err == nil)
		})
	})
}

func (s *library) holds(u *corona.Update) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[u.Channel]; c != nil && u.Version > c.version {
		c.version, c.hash = u.Version, u.Hash
	}
}

// take stores the content of an update. Content that is here already only gets its number: this node has shown it to
// its readers when it saw it. So does what this node's own polls have left behind.
func (s *library) take(ctx context.Context, u *corona.Update) error {
	c, err := s.kept(ctx, u.Channel)
	if err != nil {
		return err
	}
	defer s.table.lock(c.id)()
	given := shared.Version{URL: c.url, Number: u.Version, Hash: u.Hash}
	if s.Content(c.id) == u.Hash { // which is how it is in the store, under this name
		return s.config.Store.Number(ctx, given, s.seen(u))
	}
	now, err := s.contentOf(ctx, c)
	if err != nil {
		return err
	}
	passed, err := s.passed(ctx, c, now.hash, u.Hash)
	if err != nil {
		return err
	}
	if passed {
		return s.config.Store.Name(ctx, c.url, now.hash, given, s.seen(u))
	}
	if err := s.believe(c, u); err != nil {
		return err
	}
	f, err := s.unpack(ctx, c, u, now.kind)
	if err != nil {
		return err
	}
	late, err := s.late(ctx, c, now.hash, u, f)
	if err != nil {
		return err
	}
	if late && !leaveNew(f) {
		return s.config.Store.Name(ctx, c.url, now.hash, given)
	}
	return s.apply(ctx, c, f, given)
}

// apply stores what another node has found, and shows it to readers.
func (s *library) apply(ctx context.Context, c *channel, f *tidings.Change, given shared.Version) error {
	if _, err := s.config.Entrance.Apply(ctx, store.Remote{Version: given, Change: f}); err != nil {
		return err
	}
	if !f.Past {
		s.table.mu.Lock()
		c.content, c.unseen = given.Hash, given.Hash
		s.table.mu.Unlock()
	}
	return nil
}

// passed reports whether a content is here, or was and a poll has gone on from there to content without a number.
// Without such a poll, a content that was here has come back.
func (s *library) passed(ctx context.Context, c *channel, now, offered corona.Hash) (bool, error) {
	if now == offered {
		return true, nil
	}
	if _, held := s.Held(c.id); now == held {
		return false, nil
	}
	return s.config.Store.Shared.Known(ctx, c.url, offered)
}

// late reports whether a change leads to a state that this node's own poll has seen replaced, and would undo what that
// poll has found. That happens if two changes came closely together: the number of the first comes after the poll that
// found the second. The earlier poll decides. An origin's time of the change may be a header's or an item's date, which
// do not compare. If a finder's clock is behind, or the time of finding is lost, this node's next poll finds its
// change.
func (s *library) late(ctx context.Context, c *channel, now corona.Hash, u *corona.Update, f *tidings.Change) (bool, error) {
	if _, held := s.Held(c.id); now == held || now == (corona.Hash{}) {
		return false, nil
	}
	if u.FoundAt <= 0 {
		return true, nil
	}
	s.table.mu.Lock()
	seen := c.seen
	s.table.mu.Unlock()
	if seen.IsZero() {
		own, err := s.config.Store.DeltaFrom(ctx, c.url, now)
		if err != nil {
			return false, err
		}
		seen = own.Found.Time
	}
	return f.Found.Before(seen), nil
}

// leaveNew leaves of a late change what is new to this node: items that were gone again when it polled. It
// returns false if there is nothing such.
func leaveNew(f *tidings.Change) bool {
	f.Past = true
	f.Items = slices.DeleteFunc(f.Items, func(i tidings.FoundItem) bool { return i.Change != tidings.New })
	return len(f.Items) > 0
}

// kept returns a channel with content that is kept here, or is about to be.
func (s *library) kept(ctx context.Context, id engine.ID) (*channel, error) {
	c := s.table.get(id)
	if c == nil {
		return nil, fmt.Errorf("taking a version: %w", tidings.ErrNotFollowed)
	}
	if !s.config.Scheduler.Has(c.url) {
		s.reconciler.reconcile(ctx, c)
	}
	return c, nil
}

// present is what is here of a channel.
type present struct {
	hash corona.Hash // zero: nothing
	kind tidings.Kind
}

// contentOf returns what is here of a channel. The caller holds the channel's lock.
func (s *library) contentOf(ctx context.Context, c *channel) (present, error) {
	now, err := s.config.Store.Content.Content(ctx, c.url)
	if err != nil {
		return present{}, err
	}
	return present{now.Hash(), now.Kind}, nil
}

// unpack makes a change of an update, against what is here.
func (s *library) unpack(ctx context.Context, c *channel, u *corona.Update, kind tidings.Kind) (*tidings.Change, error) {
	p, err := changeset.Decode(u.Payload, s.config.Feed)
	if err != nil {
		return nil, err
	}
	if kind != tidings.KindUnknown && kind != p.Kind {
		return nil, fmt.Errorf("a %s came for a %s: %w", p.Kind, kind, changeset.ErrUnfit)
	}
	var f *tidings.Change
	if p.Kind == tidings.KindFeed {
		known, upTo, err := s.config.Store.Content.KnownLike(ctx, c.url, p.Marks())
		if err != nil {
			return nil, err
		}
		f, err = p.Feed(known, u.Hash, s.config.Feed)
		if err != nil {
			return nil, err
		}
		f.KnownUpTo = upTo
	} else if f, err = s.unpackPage(ctx, c, u, p); err != nil {
		return nil, err
	}
	attribute(f, u)
	f.ConfirmedBy = s.witnesses(u)
	return f, nil
}

func (s *library) unpackPage(ctx context.Context, c *channel, u *corona.Update, p *changeset.Set) (*tidings.Change, error) {
	base := []string(nil)
	if u.Base != (corona.Hash{}) {
		lead, err := s.config.Store.DeltaFrom(ctx, c.url, u.Base)
		if err != nil {
			return nil, err
		}
		if !lead.Based {
			return nil, fmt.Errorf("the base is not kept: %w", changeset.ErrUnfit)
		}
		base = lead.Base
	}
	lines, _, _, err := s.config.Store.Content.Lines(ctx, c.url)
	if err != nil {
		return nil, err
	}
	return p.Page(base, u.Hash, lines, page.Default())
}

// attribute fills in the finder of a version, and the time. Times that cannot be are left out.
func attribute(f *tidings.Change, u *corona.Update) {
	now := time.Now()
	if u.FoundBy != (engine.ID{}) {
		f.FoundBy = u.FoundBy.String()
	}
	f.Found = time.UnixMilli(u.FoundAt).UTC()
	if f.Found.After(now) || u.FoundAt <= 0 {
		f.Found = now.UTC()
	}
	if changed := time.UnixMilli(u.Modified).UTC(); u.Modified > 0 && !changed.After(f.Found) {
		f.OriginChanged = changed
	}
}

// witnesses returns the nodes besides its finder that have signed that they saw the content of an update at the origin.
func (s *core) witnesses(u *corona.Update) (ids []string) {
	if s.loop == nil || s.loop.Keys() == nil {
		return nil
	}
	keys := s.loop.Keys()
	for i := range u.Seal.Seen {
		a := &u.Seal.Seen[i]
		id := a.By.ID.String()
		if len(ids) < tidings.MaxConfirmedBy && a.By.ID != u.FoundBy && !slices.Contains(ids, id) && keys.Signed(a.By, corona.AttestationWords(u.Channel, u.Version, u.Hash, a), a.Signature) {
			ids = append(ids, id)
		}
	}
	return ids
}

// seen returns which nodes have seen the content of an update that is here already. A finder that is distrusted here
// does not count.
func (s *core) seen(u *corona.Update) content.Seen {
	by := content.Seen{ConfirmedBy: slices.DeleteFunc(s.witnesses(u), func(id string) bool { return id == s.config.NodeID })}
	if u.FoundBy != (engine.ID{}) && u.FoundAt > 0 && s.trust.Level(u.FoundBy) != tidings.Distrusted {
		by.FoundBy, by.Found = u.FoundBy.String(), time.UnixMilli(u.FoundAt)
	}
	return by
}

// withdraw marks what was shown of a version as false.
func (s *library) withdraw(ctx context.Context, version shared.Version, why tidings.Withdrawal) {
	defer s.table.lock(engine.ID(tidings.IDOf(version.URL)))()
	if _, err := s.config.Entrance.Apply(ctx, store.Withdrawal{Version: version, Why: why}); err != nil && ctx.Err() == nil {
		s.config.Log.Error("what turned out to be false was not withdrawn", "channel", version.URL, "version", version.Number, "error", err)
	}
}

// Lend finds what leads from a content to the latest version that is kept; it is called in the
// loop. Where this node has seen more than that, others know better.
func (s *library) Lend(channel engine.ID, base corona.Hash, found func(*corona.Update)) {
	s.Work(func(ctx context.Context) {
		u, err := s.lend(ctx, channel, base)
		if err != nil && ctx.Err() == nil {
			s.config.Log.Debug("a version was not lent", "channel", channel, "error", err)
		}
		s.InLoop(ctx, func() { found(u) })
	})
}

func (s *library) lend(ctx context.Context, channel engine.ID, base corona.Hash) (*corona.Update, error) {
	c, err := s.kept(ctx, channel)
	if err != nil {
		return nil, err
	}
	defer s.table.lock(c.id)()
	version, hash := s.Held(channel)
	now, err := s.contentOf(ctx, c)
	if err != nil || now.hash != hash || version == 0 {
		return nil, err
	}
	u, err := s.pack(ctx, c, base, hash)
	if u != nil {
		u.Version = version
		if len(u.Payload) == 0 {
			return nil, nil
		}
	}
	return u, err
}

// pack makes an update that leads from a base to the content that is here. If nothing is known of the base, it leads
// from nothing. Its version is not set. The caller holds the channel's lock.
func (s *library) pack(ctx context.Context, c *channel, base, hash corona.Hash) (*corona.Update, error) {
	lead, err := s.config.Store.DeltaFrom(ctx, c.url, base)
	if err != nil && !errors.Is(err, tidings.ErrNotFound) {
		return nil, err
	}
	u := &corona.Update{Channel: c.id, URL: c.url, Base: base, Hash: hash, FoundAt: lead.Found.Time.UnixMilli()}
	if u.FoundBy, err = engine.ParseID(lead.Found.FoundBy); err != nil {
		u.FoundBy, _ = engine.ParseID(s.config.NodeID)
	}
	if lead.Found.Time.IsZero() {
		u.FoundAt = time.Now().UnixMilli()
	}
	if !lead.Found.OriginChanged.IsZero() {
		u.Modified = lead.Found.OriginChanged.UnixMilli()
	}
	if !lead.Based {
		u.Base = corona.Hash{}
	}
	if lead.Kind == tidings.KindUnknown {
		u.Size = 1 // without a payload, that stands for something
		return u, nil
	}
	if u.Payload, err = changesetOf(&lead).Encode(); err != nil {
		return nil, err
	}
	u.Size = uint32(len(u.Payload))
	if len(u.Payload) > corona.MaxPayload {
		u.Payload = nil
	}
	return u, nil
}

func changesetOf(l *content.Delta) *changeset.Set {
	p := &changeset.Set{Kind: l.Kind, Title: l.Title, Site: l.Site}
	if l.Kind == tidings.KindPage {
		p.SetPage(l.Base, l.Lines)
		return p
	}
	p.Items = make([]feed.Carried, len(l.Items))
	for i := range l.Items {
		p.Items[i] = feed.Carried{FoundItem: l.Items[i].FoundItem, Whole: l.Items[i].Fresh}
	}
	return p
}

var _ corona.Library = (*library)(nil)
