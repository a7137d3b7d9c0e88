package node

import (
	downloads "tidings/delivery/files"
	"tidings/node/files"
)

func (n *Node) newFiles() *files.Files {
	return files.New(host{n}, files.Config{Quota: n.config.FilesQuota, Rate: n.config.FilesRate, Path: downloads.Path,
		Large: n.store.Large, Pushed: n.store.Pushed, Published: n.store.Published, Logger: n.log})
}
