package node

import (
	"cmp"
	"context"
	"time"
)

const (
	pruneEvery  = time.Hour        // between passes of retention, if Config.PruneEvery is 0
	pruneBudget = 2 * time.Second  // of one step; between steps the disk is left alone
	prunePause  = 10 * time.Second // between steps, and before the first
	scrubEvery  = 10 * time.Minute // between two steps of reading the database for damage
	scrubBudget = time.Second      // of one step, about 100 MiB; reads of others go beside it
	saveEvery   = 5 * time.Minute  // the hosts that asked for patience, the books
	saveWithin  = 30 * time.Second // for the save when the node stops; a loaded disk needs seconds

	// partsPatience is how often a stopping node checks whether the work it waits for is itself stuck on a disk.
	partsPatience = 2 * time.Second
)

// housekeep removes what retention no longer covers, and saves what a crash must not lose, until ctx ends.
func (n *Node) housekeep(ctx context.Context) {
	prune := time.NewTimer(prunePause)
	defer prune.Stop()
	save := time.NewTicker(saveEvery)
	defer save.Stop()
	scrub := time.NewTicker(scrubEvery)
	defer scrub.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-save.C:
			if err := n.origins.Save(ctx); err != nil && ctx.Err() == nil {
				n.log.Error("what hosts asked for was not saved", "error", err)
			}
			if err := n.saveCoop(ctx); err != nil && ctx.Err() == nil {
				n.log.Error("what was counted of polls made together was not saved", "error", err)
			}
			if n.zones != nil {
				n.zones.Warn()
			}
		case <-scrub.C:
			if _, err := n.store.DB.Scrub(ctx, scrubBudget); err != nil && ctx.Err() == nil {
				n.log.Error("the database was not read for damage", "error", err)
			}
		case now := <-prune.C:
			done, err := n.store.Prune(ctx, now, pruneBudget)
			if err != nil && ctx.Err() == nil {
				n.log.Error("old content was not removed", "error", err)
			}
			if done || err != nil {
				prune.Reset(cmp.Or(n.config.PruneEvery, pruneEvery))
			} else {
				prune.Reset(prunePause)
			}
		}
	}
}
