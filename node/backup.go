package node

import (
	"context"

	"tidings"
	"tidings/node/keyring"
	"tidings/store"
)

// Backup writes a copy of everything to a file while the node goes on, with the publishers' keys unless others could
// read them there.
func (n *Node) Backup(ctx context.Context, o tidings.BackupOrder) (b tidings.Backup, err error) {
	var keys []store.Carried
	if !o.NoKeys {
		if keys, err = keyring.In(n.config.Data).Pack(); err != nil {
			return b, err
		}
	}
	private, err := n.store.Backup(ctx, o.File, keys...)
	switch {
	case err != nil:
	case private:
		b.Keys = len(keys)
	default:
		b.LeftOut = len(keys)
	}
	return b, err
}

// restoreKeys puts the publishers' keys in their place if the store was a backup until now.
func (n *Node) restoreKeys(ctx context.Context) error {
	all, err := n.store.Carried(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	if err := keyring.In(n.config.Data).Unpack(all); err != nil {
		n.log.Warn("not every publisher's key of the backup is used", "error", err)
	}
	n.log.Info("publishers' keys came with a backup", "keys", len(all))
	return n.store.DropCarried(ctx)
}
