package files

import (
	"context"
	"fmt"
	"time"

	"tidings"
	"tidings/network/pieces"
	"tidings/store/pushed"
)

// FetchFile requests a file again from other nodes, as if its item had just come. An item of a channel that the account
// follows must carry it. The file is named by its address at its origin, or by tidings.Copy.Ref. It returns how the
// file is here then. Errors: tidings.ErrNotFound if no item carries such a file with bytes that its publisher has
// signed. tidings.ErrInvalid if there is no room for it, or the node works alone.
func (f *Files) FetchFile(ctx context.Context, account tidings.AccountID, file string) (tidings.Copy, error) {
	if f == nil {
		return tidings.Copy{}, tidings.Invalidf("the node works alone: nobody can be asked for the file")
	}
	carried, err := f.find(ctx, account, file)
	if err != nil {
		return tidings.Copy{}, fmt.Errorf("fetching a file: %w", err)
	}
	quota, here := f.config.Quota, f.catalog.copy(carried)
	switch {
	case here.State == tidings.CopyHere:
		return here, nil
	case quota == 0:
		return here, tidings.Invalidf("this node keeps no files: it was started with --files-quota 0")
	case here.Length > quota:
		return here, tidings.Invalidf("the file has %d bytes, and this node keeps %d at most: see --files-quota",
			here.Length, quota)
	}
	if err := f.pushed.SearchAgain(ctx, carried.Ref); err != nil {
		return here, err
	}
	here = f.catalog.wantAgain(carried, time.Now())
	f.more.Ring()
	return here, nil
}

// find returns a file by its address or by its bytes' name; of several the latest.
func (f *Files) find(ctx context.Context, account tidings.AccountID, file string) (found pushed.File, err error) {
	var all []pushed.File
	if ref, notRef := pieces.ParseRef(file); notRef == nil {
		all, err = f.pushed.FilesFor(ctx, account, ref)
	} else {
		all, err = f.pushed.FilesAt(ctx, account, file)
	}
	switch {
	case err != nil:
		return found, err
	case len(all) == 0:
		return found, fmt.Errorf("no item that you follow carries it with its publisher's signature: %w",
			tidings.ErrNotFound)
	}
	return all[len(all)-1], nil
}
