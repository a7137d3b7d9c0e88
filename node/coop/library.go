package coop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/node/coop/sharing"
	"tidings/source"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/page"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/shared"
)

// library is the contents that are kept here, as other nodes send and lack them. The caller of its methods holds the
// channel's lock.
type library struct {
	store    *store.Store
	entrance *channels.Entrance
	feed     feed.Config // bounds of what other nodes send
	self     string      // ID of this node
	trust    Trust
	keys     engine.Keys // that witnesses sign with; nil: there is no network
}

// unpack makes a change of an update, against what is here.
func (l library) unpack(ctx context.Context, url string, u *corona.Update, kind tidings.Kind) (*tidings.Change, error) {
	p, err := changeset.Decode(u.Payload, l.feed)
	if err != nil {
		return nil, err
	}
	if kind != tidings.KindUnknown && kind != p.Kind {
		return nil, fmt.Errorf("a %s came for a %s: %w", p.Kind, kind, changeset.ErrUnfit)
	}
	var f *tidings.Change
	if p.Kind == tidings.KindFeed {
		known, upTo, err := l.store.Content.KnownLike(ctx, url, p.Marks())
		if err != nil {
			return nil, err
		}
		f, err = p.Feed(known, u.Hash, l.feed)
		if err != nil {
			return nil, err
		}
		f.KnownUpTo = upTo
	} else if f, err = l.unpackPage(ctx, url, u, p); err != nil {
		return nil, err
	}
	attribute(f, u)
	return f, nil
}

func (l library) unpackPage(ctx context.Context, url string, u *corona.Update,
	p *changeset.Set) (*tidings.Change, error) {
	base := []string(nil)
	if u.Base != (corona.Hash{}) {
		lead, err := l.store.DeltaFrom(ctx, url, u.Base)
		if err != nil {
			return nil, err
		}
		if !lead.Based {
			return nil, fmt.Errorf("the base is not kept: %w", changeset.ErrUnfit)
		}
		base = lead.Base
	}
	lines, _, _, err := l.store.Content.Lines(ctx, url)
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

// name returns the hash of a channel's content, and has it found again by that. fresh says that it may differ from what
// is known.
func (l library) name(ctx context.Context, c sharing.Channel, fresh bool) (corona.Hash, error) {
	if !fresh && c.Content != (corona.Hash{}) {
		return c.Content, nil
	}
	now, err := l.store.Content.Content(ctx, c.URL)
	if hash := now.Hash(); err != nil || hash == (corona.Hash{}) {
		return hash, err
	}
	return now.Hash(), l.store.Name(ctx, c.URL, now.Hash(), shared.Version{})
}

// lend returns what leads from a base to the latest version that is kept; nil: there is no such version, or this node
// has seen more than that, or it is too long.
func (l library) lend(ctx context.Context, c sharing.Channel, base corona.Hash) (*corona.Update, error) {
	now, err := l.store.Content.Content(ctx, c.URL)
	if err != nil || now.Hash() != c.Hash || c.Version == 0 {
		return nil, err
	}
	u, err := l.pack(ctx, c, base, c.Hash)
	if err != nil || len(u.Payload) == 0 {
		return nil, err
	}
	return u, nil
}

// pack makes an update that leads from a base to the content that is here. If nothing is known of the base, it leads
// from nothing.
func (l library) pack(ctx context.Context, c sharing.Channel, base, hash corona.Hash) (*corona.Update, error) {
	lead, err := l.store.DeltaFrom(ctx, c.URL, base)
	if err != nil && !errors.Is(err, tidings.ErrNotFound) {
		return nil, err
	}
	u := &corona.Update{Channel: c.ID, URL: c.URL, Version: c.Version, Base: base, Hash: hash,
		FoundAt: lead.Found.Time.UnixMilli()}
	if u.FoundBy, err = engine.ParseID(lead.Found.FoundBy); err != nil {
		u.FoundBy, _ = engine.ParseID(l.self)
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

// brief is what pack makes of what a poll has found, without what leads to it. Its content is to be filled in.
func (l library) brief(c sharing.Channel, r source.Result) *corona.Update {
	u := &corona.Update{Channel: c.ID, URL: c.URL, FoundAt: r.Change.Found.UnixMilli(),
		Size: uint32(min(max(r.Poll.Bytes, 1), 1<<31))}
	u.FoundBy, _ = engine.ParseID(l.self) // it is one
	if changed := r.Change.OriginChanged; !changed.IsZero() {
		u.Modified = changed.UnixMilli()
	}
	return u
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
