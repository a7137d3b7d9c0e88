package node

import (
	"context"
	"errors"

	"tidings/network/engine"
	"tidings/node/identity"
	"tidings/store/db"
)

// ErrNewIdentity is returned by Run when the node has worked alone and has found a key with an ID that the network
// admits. A new Node with the same configuration uses it.
var ErrNewIdentity = errors.New("the node has a new identity, and is to be started anew")

// identify reads the node's key, or makes one, and notes its ID for the next start.
func (n *Node) identify(ctx context.Context) error {
	known, err := n.store.DB.Setting(ctx, db.IDSetting)
	if err != nil {
		return err
	}
	mended, err := identity.Check(n.config.Data, known)
	if mended {
		n.log.Warn("a byte of the node's key had changed on the disk, and is put right; the disk should be tested",
			"file", identity.KeyFile)
	}
	if err != nil && !(n.config.New && errors.Is(err, identity.ErrOther)) {
		return err
	}
	if n.key, err = identity.Of(n.config.Data); err != nil {
		return err
	}
	if n.id = identity.ID(n.key); n.id == known {
		return nil
	}
	return n.store.DB.SetSetting(ctx, db.IDSetting, n.id)
}

// startMiner has the node work alone, and make another key, if the network does not admit its ID.
func (n *Node) startMiner() {
	work := n.config.idWork()
	if id, err := engine.ParseID(n.id); err == nil && !n.config.NoNetwork && id.Work() < work {
		n.miner = identity.NewMiner(work)
	}
}

// worksAlone reports whether the node knows no others.
func (n *Node) worksAlone() bool { return n.config.NoNetwork || n.miner != nil }

// mine ends the node when it has another key. It logs that dependents of the old ID need the new one.
func (n *Node) mine(ctx context.Context, end context.CancelCauseFunc) {
	p := n.miner.Progress()
	n.log.Info("the node works alone while it makes a key whose ID the network admits; see: tidings status", "bits",
		p.Bits, "keys", p.Expected)
	key := n.miner.Run(ctx)
	if key == nil {
		return
	}
	if err := identity.Replace(n.config.Data, n.key, key); err != nil {
		n.log.Error("the key that was found is lost; the node works alone until it is started again", "error", err)
		return
	}
	n.log.Info("the node has a key whose ID the network admits, and starts anew with it; "+
		"who trusts the former ID, joins by its addresses, or has certified it for a zone, has to be told the new one",
		"id", identity.ID(key), "former", n.id, "former_key", identity.FormerKeyFile, "keys", n.miner.Progress().Tried)
	end(ErrNewIdentity)
}
