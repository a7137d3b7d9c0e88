package files

import (
	"context"
	"errors"
	"time"

	"tidings/network/pieces"
	"tidings/store/large"
)

// begin makes room for a content. It uses Ref and Own of l. It fails with large.ErrNoRoom if there is none; see
// catalog.victim.
func (f *Files) begin(ctx context.Context, l large.Content, manifest []byte) error {
	m, err := pieces.ParseManifest(manifest)
	if err != nil {
		return err
	}
	l.Length = m.Length
	for {
		err := f.large.Begin(ctx, l, manifest, f.config.Quota)
		if err == nil {
			break
		}
		if !errors.Is(err, large.ErrNoRoom) || !f.makeRoom(ctx, l) {
			return err
		}
	}
	f.catalog.begin(m, l.Own, time.Now())
	return nil
}

// makeRoom removes a content for the sake of another, and reports whether it could.
func (f *Files) makeRoom(ctx context.Context, l large.Content) bool {
	if l.Length > f.config.Quota {
		return false
	}
	last := f.catalog.victim(l)
	if last == nil {
		return false
	}
	err := f.drop(ctx, last.ref)
	f.complain(ctx, err)
	return err == nil
}

// drop removes a content; it is wanted no longer.
func (f *Files) drop(ctx context.Context, ref pieces.Ref) error {
	f.host.InLoop(ctx, func() {
		f.pieces.Withdraw(ref)
		f.pieces.Cancel(ref)
	})
	if f.catalog.drop(ref) {
		f.giveUp(ref)
	}
	return f.large.Drop(ctx, ref)
}

// tidy removes what is neither wanted nor published here, and what is too much.
func (f *Files) tidy(ctx context.Context) error {
	if err := f.disown(ctx); err != nil {
		return err
	}
	for _, ref := range f.catalog.excess() {
		if err := f.drop(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// disown notes which contents are not published here any more: their items are, without them, or their publications
// have ended. Of an item that its feed lists no more the files stay as long as readers' nodes ask for them. While
// something is being published it is put off.
func (f *Files) disown(ctx context.Context) error {
	before := f.publishing.count()
	all, err := f.published.Files(ctx, time.Now().AddDate(0, 0, -fetchDays))
	if err != nil {
		return err
	}
	current := make(map[pieces.Ref]bool, len(all))
	for _, file := range all {
		current[file.Ref] = file.Current
	}
	if f.publishing.changed(before, func() { f.catalog.disown(current) }) {
		f.Unpublished() // once more
	}
	return nil
}
