package node

import (
	"context"
	"errors"
	"fmt"

	"tidings"
	"tidings/store"
)

// problems tells what keeps the node from keeping or reading what it should.
func (n *Node) problems(ctx context.Context) (all []tidings.Problem) {
	if err := n.store.Trouble(); err != nil {
		all = append(all, n.unwritten(ctx, err))
	}
	for _, d := range n.store.Damage() {
		switch {
		case d.Repaired && d.Rows == 0:
			all = append(all, tidings.Problem{What: "The database was damaged, and has been repaired: " + d.String() + ".",
				Hint: "nothing is lost; the disk should be tested"})
			continue
		case d.Repaired:
			all = append(all, tidings.Problem{What: "The database was damaged, and was repaired at the start: " + d.String() + ".",
				Hint: "what can be fetched again is; the damaged file is kept beside the database, and the disk should be tested"})
			continue
		}
		all = append(all, tidings.Problem{What: "The database is damaged: " + d.String() + ".",
			Hint: "start the node again, which repairs what it can, or restore a backup; test the disk"})
	}
	return all
}

// unwritten tells of what cannot be written.
func (n *Node) unwritten(ctx context.Context, err error) tidings.Problem {
	if errors.Is(err, store.ErrHung) {
		return tidings.Problem{What: fmt.Sprintf("Nothing new can be kept, for the disk of %s is silent: %v.", n.config.Data, err),
			Hint: "see what the system's log says of the disk; all goes on when it answers, and a restart of the node does not help"}
	}
	if !errors.Is(err, store.ErrFull) {
		return tidings.Problem{What: fmt.Sprintf("Nothing new can be kept: %v.", err), Hint: "see that the disk of " + n.config.Data + " works"}
	}
	what := "The disk of " + n.config.Data + " is full: nothing new can be kept."
	if free, err := n.disk.Free(ctx, n.config.Data); err == nil {
		what = fmt.Sprintf("The disk of %s is full (%d MiB are free): nothing new can be kept.", n.config.Data, free>>20)
	}
	return tidings.Problem{What: what, Hint: "make room; polling goes on, and what was found is stored then"}
}
