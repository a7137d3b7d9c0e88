package node

import (
	"context"
	"fmt"
	"time"

	"tidings"
	"tidings/network/pieces"
	"tidings/store"
)

// FetchFile has other nodes asked again for a file that an item carries, of a channel which the account follows, as if
// the item had come just now. The file is named by its address at its origin, or by Copy.Ref. It returns how the file
// is here then. Errors: tidings.ErrNotFound if no item carries such a file whose bytes its publisher has signed;
// tidings.ErrInvalid if there is no room for it.
func (n *Node) FetchFile(ctx context.Context, account tidings.AccountID, file string) (tidings.Copy, error) {
	if n.piecing == nil {
		return tidings.Copy{}, invalid("the node works alone: nobody can be asked for the file")
	}
	f, err := n.itemFile(ctx, account, file)
	if err != nil {
		return tidings.Copy{}, fmt.Errorf("fetching a file: %w", err)
	}
	return n.piecing.again(ctx, f)
}

// itemFile finds a file by its address or by its bytes' name; of several the latest.
func (n *Node) itemFile(ctx context.Context, account tidings.AccountID, file string) (f store.ItemFile, err error) {
	var all []store.ItemFile
	if ref, notRef := pieces.ParseRef(file); notRef == nil {
		all, err = n.store.ItemFilesFor(ctx, account, ref)
	} else {
		all, err = n.store.ItemFilesAt(ctx, account, file)
	}
	switch {
	case err != nil:
		return f, err
	case len(all) == 0:
		return f, fmt.Errorf("no item that you follow carries it with its publisher's signature: %w", tidings.ErrNotFound)
	}
	return all[len(all)-1], nil
}

// again has a file be wanted anew, if it is not here.
func (p *piecing) again(ctx context.Context, f store.ItemFile) (tidings.Copy, error) {
	quota := p.node.config.FilesQuota
	p.mu.Lock()
	here, told := p.contents[f.Ref], *p.copyOf(f)
	whole := here != nil && here.whole()
	p.mu.Unlock()
	switch {
	case whole:
		return told, nil
	case quota == 0:
		return told, invalid("this node keeps no files: it was started with --files-quota 0")
	case told.Length > quota:
		return told, invalid("the file has %d bytes, and this node keeps %d at most: see --files-quota", told.Length, quota)
	}
	if err := p.node.store.TakeUp(ctx, f.Ref); err != nil {
		return told, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.of(f.Ref, time.Now())
	c.wanted, c.tries, c.next, c.since = true, 0, time.Time{}, time.Now()
	if !c.begun() {
		c.length = f.Length
	}
	p.more.Ring()
	return *p.copyOf(f), nil
}
