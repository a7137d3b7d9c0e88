package files

import (
	"context"

	"tidings/network/pieces"
	"tidings/store/large"
)

// recallPage is how many contents are read from the store at a time.
const recallPage = 256

// recall loads what is kept and what is wanted, and removes what is no longer wanted, or has no more room.
func (f *Files) recall(ctx context.Context) {
	err := f.recallKept(ctx)
	if err == nil {
		err = f.recallCarried(ctx)
	}
	if err == nil {
		err = f.tidy(ctx)
	}
	if err != nil && ctx.Err() == nil {
		f.config.Logger.Error("files of items are not known", "error", err)
	}
}

// recallKept loads the contents that are kept, and lends them.
func (f *Files) recallKept(ctx context.Context) error {
	var after *large.Ref
	for {
		page, err := f.large.Contents(ctx, after, recallPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, l := range page {
			if err := f.recallOne(ctx, l); err != nil {
				return err
			}
		}
		after = &page[len(page)-1].Ref
	}
}

func (f *Files) recallOne(ctx context.Context, l large.Content) error {
	if f.catalog.isBegun(l.Ref) {
		return nil
	}
	manifest, places, err := f.large.Open(ctx, l.Ref)
	if err != nil {
		return err
	}
	m, err := pieces.ParseManifest(manifest)
	if err != nil {
		return f.large.Drop(ctx, l.Ref)
	}
	f.catalog.recall(l, m, len(places))
	if len(places) > 0 {
		f.host.InLoop(ctx, func() { f.pieces.Announce(l.Ref) })
	}
	return nil
}

// recallCarried loads what readers here want.
func (f *Files) recallCarried(ctx context.Context) error {
	files, err := f.pushed.Files(ctx)
	if err != nil {
		return err
	}
	f.catalog.replaceCarried(files)
	return nil
}
