package node

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"tidings/network/pieces"
	"tidings/store"
)

// Open implements pieces.BlockStore; it is called in the loop.
func (p *piecing) Open(ref pieces.Ref, opened func(manifest []byte, bits pieces.Bits)) {
	p.workers.Do(func(ctx context.Context) {
		manifest, places, err := p.node.store.OpenLarge(ctx, ref)
		p.complain(ctx, err)
		var bits pieces.Bits
		if m, err := pieces.ParseManifest(manifest); err != nil {
			manifest = nil
		} else {
			bits = pieces.NewBits(m.Count())
			for _, place := range places {
				if place < m.Count() {
					bits.Set(place)
				}
			}
		}
		p.inLoop(ctx, func() { opened(manifest, bits) })
	})
}

// Begin implements pieces.BlockStore; it is called in the loop.
func (p *piecing) Begin(ref pieces.Ref, manifest []byte, begun func(ok bool)) {
	p.workers.Do(func(ctx context.Context) {
		err := p.begin(ctx, store.Large{Ref: ref}, manifest)
		p.complain(ctx, err)
		p.inLoop(ctx, func() { begun(err == nil) })
	})
}

// Put implements pieces.BlockStore; it is called in the loop.
func (p *piecing) Put(ref pieces.Ref, index int, piece []byte, kept func(ok bool)) {
	p.workers.Do(func(ctx context.Context) {
		err := p.node.store.PutPiece(ctx, ref, index, piece)
		p.complain(ctx, err)
		p.inLoop(ctx, func() { kept(err == nil) })
	})
}

// Get implements pieces.BlockStore; it is called in the loop. What a disk has damaged is not there: whoever sent it would
// pass for a liar.
func (p *piecing) Get(ref pieces.Ref, index int, got func(piece []byte)) {
	p.workers.Do(func(ctx context.Context) {
		piece, err := p.node.store.Piece(ctx, ref, index)
		if err == nil && piece != nil {
			err = p.verify(ctx, ref, index, piece)
		}
		if err != nil {
			p.complain(ctx, err)
			piece = nil
		}
		p.inLoop(ctx, func() { got(piece) })
	})
}

// maxManifests bounds how many manifests are remembered of contents of which others are sent pieces.
const maxManifests = 16

// verify returns why a piece that is here is not what the content's name says; nil: it is.
func (p *piecing) verify(ctx context.Context, ref pieces.Ref, index int, piece []byte) error {
	p.mu.Lock()
	m := p.manifests[ref]
	p.mu.Unlock()
	if m == nil {
		b, _, err := p.node.store.OpenLarge(ctx, ref)
		if err != nil {
			return err
		}
		if m, err = pieces.ParseManifest(b); err != nil {
			return fmt.Errorf("manifest of %s: %w", ref, err)
		}
		p.mu.Lock()
		if len(p.manifests) >= maxManifests {
			clear(p.manifests)
		}
		p.manifests[ref] = m
		p.mu.Unlock()
	}
	if index >= m.Count() || sha256.Sum256(piece) != m.Hashes[index] {
		return fmt.Errorf("piece %d of %s: %w", index, ref, errDamaged)
	}
	return nil
}

// begin makes room for a content: of l it takes Ref and Own. It fails with store.ErrNoRoom if there is none; see
// makeRoom.
func (p *piecing) begin(ctx context.Context, l store.Large, manifest []byte) error {
	m, err := pieces.ParseManifest(manifest)
	if err != nil {
		return err
	}
	l.Length = m.Length
	for {
		err := p.node.store.BeginLarge(ctx, l, manifest, p.node.config.FilesQuota)
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrNoRoom) || !p.makeRoom(ctx, l) {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.contents[l.Ref]
	if c == nil {
		c = p.of(l.Ref, time.Now())
	}
	c.length, c.of, c.own = m.Length, m.Count(), c.own || l.Own
	return nil
}

// makeRoom removes a content for the sake of another, and tells whether it could. What is published here takes the
// place of whatever is the oldest, of what was fetched first. What is fetched takes the place of the oldest of
// the channel that has most, so that no channel pushes out the others; if that is its own, of older ones alone.
func (p *piecing) makeRoom(ctx context.Context, l store.Large) bool {
	if l.Length > p.node.config.FilesQuota {
		return false
	}
	last := p.victim(l)
	if last == nil {
		return false
	}
	err := p.drop(ctx, last.ref)
	p.complain(ctx, err)
	return err == nil
}

// victim returns the content that goes for another one; nil if none does.
func (p *piecing) victim(l store.Large) *held {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.Own {
		return oldest(p.sorted(func(c *held) bool { return c.begun() && c.ref != l.Ref }))
	}
	return p.oldestOfMost(l)
}

// oldest returns the oldest of contents, of which the latest come first; what was published here after all that was
// fetched. Nil: there is none.
func oldest(list []*held) (last *held) {
	for _, c := range list {
		if last == nil || last.own || !c.own {
			last = c
		}
	}
	return last
}

// oldestOfMost returns the content that goes for another one that is fetched; nil if none does. The caller holds
// p.mu.
func (p *piecing) oldestOfMost(l store.Large) *held {
	var most string
	var mostBytes int64
	mine := make(map[string]bool) // the channels that want the content
	for _, channel := range slices.Sorted(maps.Keys(p.carried)) {
		sum := int64(0)
		for ref := range p.refsOf(channel) {
			c := p.contents[ref]
			switch {
			case ref == l.Ref:
				mine[channel] = true
				sum += l.Length
			case c != nil && c.begun() && !c.own:
				sum += c.length
			}
		}
		if sum > mostBytes {
			most, mostBytes = channel, sum
		}
	}
	refs := p.refsOf(most)
	wanted := p.contents[l.Ref]
	return oldest(p.sorted(func(c *held) bool {
		return c.begun() && !c.own && c.ref != l.Ref && refs[c.ref] && (!mine[most] || wanted == nil || c.since.Before(wanted.since))
	}))
}

// refsOf returns the contents of a channel's files. The caller holds p.mu.
func (p *piecing) refsOf(channel string) map[pieces.Ref]bool {
	refs := make(map[pieces.Ref]bool)
	for _, f := range p.carried[channel] {
		refs[f.Ref] = true
	}
	return refs
}

// drop removes a content; it is wanted no longer.
func (p *piecing) drop(ctx context.Context, ref pieces.Ref) error {
	p.inLoop(ctx, func() {
		p.pieces.Withdraw(ref)
		p.pieces.Cancel(ref)
	})
	p.mu.Lock()
	if c := p.contents[ref]; c != nil {
		c.have, c.of, c.own = 0, 0, false
		if c.wanted {
			p.giveUp(c)
		}
	}
	p.mu.Unlock()
	return p.node.store.DropLarge(ctx, ref)
}

// disown notes which contents are not published here any more: their items are, without them, or their publications
// have ended. Of an item that its feed lists no more the files stay as long as readers' nodes ask for them. While
// something is being published it is put off.
func (p *piecing) disown(ctx context.Context) error {
	p.mu.Lock()
	before := p.published
	p.mu.Unlock()
	all, err := p.node.store.PublishedFiles(ctx, time.Now().AddDate(0, 0, -fetchDays))
	if err != nil {
		return err
	}
	current := make(map[pieces.Ref]bool, len(all))
	for _, f := range all {
		current[f.Ref] = f.Current
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.publishing > 0:
		p.untidy = true
		return nil
	case p.published != before:
		p.unpublished() // once more
		return nil
	}
	for ref, c := range p.contents {
		if c.own && !current[ref] {
			c.own = false
		}
	}
	return nil
}

// publish begins a publication, and returns what ends it: until the store knows whose the files are that are kept for
// it, they are not taken for such as nobody publishes.
func (p *piecing) publish() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.publishing++
	p.published++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.publishing--; p.publishing == 0 && p.untidy {
			p.untidy = false
			p.unpublished()
		}
	}
}

// unpublished is called when something may not be published any more.
func (p *piecing) unpublished() {
	p.workers.Do(func(ctx context.Context) { p.complain(ctx, p.tidy(ctx)) })
}

// tidy removes what nobody here wants or publishes, and what is too much.
func (p *piecing) tidy(ctx context.Context) error {
	if err := p.disown(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	used := make(map[pieces.Ref]bool)
	for _, files := range p.carried {
		for _, f := range files {
			used[f.Ref] = true
		}
	}
	var gone []pieces.Ref
	sum := int64(0)
	for _, c := range p.sorted(func(*held) bool { return true }) { // the latest first
		switch {
		case !c.own && !used[c.ref] && !c.begun():
			delete(p.contents, c.ref)
		case !c.own && !used[c.ref]:
			gone = append(gone, c.ref)
		case c.begun():
			if sum += c.length; sum > p.node.config.FilesQuota {
				gone = append(gone, c.ref)
				sum -= c.length
			}
		}
	}
	p.mu.Unlock()
	for _, ref := range gone {
		if err := p.drop(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

var _ pieces.BlockStore = (*piecing)(nil)
