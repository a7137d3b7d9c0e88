// Package changeset writes what leads from one content of a channel to the next, so that one node can send it to
// others, and reads what others have sent.
//
// A changeset of a feed lists the whole document: of each item what it is known by, and everything of those that the
// base does not have. So a receiver can check that it has all items. By the hash it can check that the list is that of
// the promised content. A changeset of a page is a delta, as POSIX diff writes it; it proves itself by the hashes of
// both sides.
//
// Input is as hostile as a document from the web. Every length is checked before memory is allocated, and texts are
// sanitised again. What source/feed and source/page could not have made is refused.
//
// The encoding begins with a byte for its version, now 1. It is the same bytes for the same changeset.
package changeset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"tidings"
	"tidings/source/delta"
	"tidings/source/feed"
	"tidings/source/page"
)

// Hash names a content.
type Hash = [sha256.Size]byte

// ErrUnfit says that a changeset does not make the content that was promised of what is held.
var ErrUnfit = errors.New("does not make the promised content")

// Set is what leads from a base to a content.
type Set struct {
	Kind        tidings.Kind
	Title, Site string // the channel's, as the document says; empty: unchanged
	Items       []feed.Carried
	Delta       string
}

// SetPage has a changeset lead from one content of a page to another; base is nil for nothing.
func (p *Set) SetPage(base, lines []string) { p.Delta = delta.Compute(base, lines).String() }

// Marks returns what the items of a feed's changeset are known by, in their order. Nothing of it has been proved.
func (p *Set) Marks() []tidings.ItemIdentity {
	marks := make([]tidings.ItemIdentity, len(p.Items))
	for i := range p.Items {
		marks[i] = p.Items[i].Mark
	}
	return marks
}

// Feed makes a change of a feed's changeset: what of it is new or changed against the items that
// are known here. The changeset must list the content with the given hash.
func (p *Set) Feed(known []tidings.KnownItem, want Hash, c feed.Config) (*tidings.Change, error) {
	if tidings.ContentHash(p.Marks()) != want {
		return nil, fmt.Errorf("a changeset of a feed: %w", ErrUnfit)
	}
	items, err := feed.MatchCarried(known, p.Items, false, c)
	if err != nil {
		return nil, fmt.Errorf("a changeset of a feed: %w", err)
	}
	f := &tidings.Change{Kind: tidings.KindFeed, Title: p.Title, Site: p.Site, Items: items}
	for i := range known {
		f.KnownUpTo = max(f.KnownUpTo, known[i].Row)
	}
	return f, nil
}

// Page makes a change of a page's changeset. It leads on from base to lines with the hash want; now
// is what the change is to lead on from here.
func (p *Set) Page(base []string, want Hash, now []string, c page.Config) (*tidings.Change, error) {
	lines, err := delta.ApplyTo(base, delta.Hash(base), p.Delta, hex.EncodeToString(want[:]), delta.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("a changeset of a page: %w (%w)", ErrUnfit, err)
	}
	if err := page.CheckLines(lines, c); err != nil {
		return nil, fmt.Errorf("a changeset of a page: %w (%w)", ErrUnfit, err)
	}
	f := &tidings.Change{
		Kind: tidings.KindPage, Title: p.Title, Lines: lines, Hash: delta.Hash(lines),
		Delta: delta.Compute(now, lines).String(),
	}
	if len(now) > 0 {
		f.BaseHash = delta.Hash(now)
	}
	return f, nil
}
