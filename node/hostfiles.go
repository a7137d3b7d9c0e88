package node

import (
	"context"

	"tidings"
	downloads "tidings/delivery/files"
	"tidings/node/files"
)

func newFiles(n *Node) *files.Files {
	return files.New(host{n}, files.Config{Quota: n.config.FilesQuota, Rate: n.config.FilesRate, Path: downloads.Path, Store: n.store, Logger: n.log})
}

// library is the store as people see it.
func (n *Node) library() files.Library { return files.Library{Store: n.store, Files: n.files} }

// OpenFile is files.Files.Open; a node alone has no files.
func (n *Node) OpenFile(ctx context.Context, account tidings.AccountID, ref string) (downloads.File, error) {
	if n.files == nil {
		return downloads.File{}, tidings.ErrNotFound
	}
	opened, err := n.files.Open(ctx, account, ref)
	return downloads.File(opened), err
}

// FetchFile is files.Files.FetchAgain; it fails with tidings.ErrInvalid as well if the node works alone.
func (n *Node) FetchFile(ctx context.Context, account tidings.AccountID, file string) (tidings.Copy, error) {
	if n.files == nil {
		return tidings.Copy{}, tidings.Invalidf("the node works alone: nobody can be asked for the file")
	}
	return n.files.FetchAgain(ctx, account, file)
}

// filesUsage returns how much is kept of the files of items.
func (n *Node) filesUsage() tidings.StorageUse {
	if n.files == nil {
		return tidings.StorageUse{}
	}
	return n.files.Usage()
}
