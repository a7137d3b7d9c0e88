package benchmarks

import (
	"context"
	"fmt"

	"tidings/lab"
)

// Changed is a row with an experiment that leaves another trace than when it was measured.
type Changed struct {
	*Row
	Now string // the trace that it leaves
}

func (c Changed) String() string {
	return fmt.Sprintf("%s: the trace at the scale tiny was %q and is %s now: measure it again by %s", c.path, c.Trace,
		c.Now, c.Again())
}

// ChangedSince tries the experiments of rows that are not stale, each once, and returns the rows with a changed trace.
func ChangedSince(ctx context.Context, list []lab.Entry, rows []*Row) (changed []Changed, err error) {
	traces := make(map[string]string)
	for _, r := range rows {
		if r.Experiment == "" || r.Stale != "" {
			continue
		}
		now, known := traces[r.Experiment]
		if !known {
			found, err := lab.Find(list, []string{r.Experiment})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.path, err)
			}
			if now, err = lab.Trace(ctx, found[0]); err != nil {
				return nil, err
			}
			traces[r.Experiment] = now
		}
		if now != r.Trace {
			changed = append(changed, Changed{r, now})
		}
	}
	return changed, nil
}
