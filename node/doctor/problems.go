package doctor

import (
	"context"
	"errors"
	"fmt"

	"tidings/node/diskspace"
	"tidings/store/db"
	"tidings/view"
)

// Problems returns what keeps the node of a data directory from keeping or reading what it should.
func Problems(ctx context.Context, s *db.DB, disk *diskspace.Gauge, data string) (all []view.Problem) {
	if err := s.Trouble(); err != nil {
		all = append(all, unwritten(ctx, err, disk, data))
	}
	for _, d := range s.Damage() {
		p := view.Problem{What: "The database is damaged: " + d.String() + ".",
			Hint: "start the node again, which repairs what it can, or restore a backup; test the disk"}
		switch {
		case d.Repaired && d.Rows == 0 && d.Lost == 0:
			p = view.Problem{What: "The database was damaged, and has been repaired: " + d.String() + ".",
				Hint: "nothing is lost; the disk should be tested"}
		case d.Repaired:
			p = view.Problem{What: "The database was damaged, and was repaired at the start: " + d.String() + ".",
				Hint: "what can be fetched again is; the damaged file is kept beside the database, and the disk should be tested"}
		}
		all = append(all, p)
	}
	return all
}

// unwritten describes why nothing can be written.
func unwritten(ctx context.Context, err error, disk *diskspace.Gauge, data string) view.Problem {
	if errors.Is(err, db.ErrHung) {
		return view.Problem{What: fmt.Sprintf("Nothing new can be kept, for the disk of %s is silent: %v.", data, err),
			Hint: "see what the system's log says of the disk; all goes on when it answers, and a restart of the node does not help"}
	}
	if !errors.Is(err, db.ErrFull) {
		return view.Problem{What: fmt.Sprintf("Nothing new can be kept: %v.", err), Hint: "see that the disk of " +
			data + " works"}
	}
	what := "The disk of " + data + " is full: nothing new can be kept."
	if free, err := disk.Free(ctx, data); err == nil {
		what = fmt.Sprintf("The disk of %s is full (%d MiB are free): nothing new can be kept.", data, free>>20)
	}
	return view.Problem{What: what, Hint: "make room; polling goes on, and what was found is stored then"}
}
