package node

import (
	"errors"
	"fmt"

	"tidings"
	"tidings/store"
)

// problems tells what keeps the node from keeping or reading what it should.
func (n *Node) problems() (all []tidings.Problem) {
	if err := n.store.Trouble(); err != nil {
		all = append(all, n.unwritten(err))
	}
	for _, d := range n.store.Damage() {
		if d.Repaired {
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
func (n *Node) unwritten(err error) tidings.Problem {
	if !errors.Is(err, store.ErrFull) {
		return tidings.Problem{What: fmt.Sprintf("Nothing new can be kept: %v.", err), Hint: "see that the disk of " + n.config.Data + " works"}
	}
	what := "The disk of " + n.config.Data + " is full: nothing new can be kept."
	if free, ok := freeBytes(n.config.Data); ok {
		what = fmt.Sprintf("The disk of %s is full (%d MiB are free): nothing new can be kept.", n.config.Data, free>>20)
	}
	return tidings.Problem{What: what, Hint: "make room; polling goes on, and what was found is stored then"}
}
