package benchmarks

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidings"
	"tidings/lab"
)

// Recorder makes rows of what experiments come to.
type Recorder struct {
	root, topic, commit string
	load                float64 // of the machine, before the experiments
}

// NewRecorder returns a recorder of a topic of the project at root. It fails if the code of the rows cannot be
// identified.
func NewRecorder(root, topic string) (*Recorder, error) {
	topics, err := topicsOf(root)
	if err != nil {
		return nil, tidings.WithHint(err, "record results in the root of a checkout")
	}
	if !slices.Contains(topics, topic) {
		return nil, tidings.WithHint(fmt.Errorf("there is no topic %q", topic), "topics are "+
			strings.Join(topics, ", ")+": see "+Text)
	}
	commit, err := lab.Commit()
	if err != nil {
		return nil, tidings.WithHint(err,
			"commit what has changed, and build it in a clone, no worktree, by: go build -buildvcs=true "+
				"./cmd/tidings-lab")
	}
	return &Recorder{root: root, topic: topic, commit: commit, load: lab.Busy()}, nil
}

// Record writes the row of a result. It replaces a row of the same experiment, scale and parameters, and keeps its
// words. It returns the row's file.
func (k *Recorder) Record(ctx context.Context, e lab.Entry, result *lab.Result) (path string, err error) {
	trace, err := lab.Trace(ctx, e)
	if err != nil {
		return "", err
	}
	r := k.row(result, trace)
	if before, err := load(r.path); err == nil {
		r.Note, r.Limits = before.Note, before.Limits
	} else if !os.IsNotExist(err) {
		return "", fmt.Errorf("%s: %w", r.path, err)
	}
	return r.path, r.Save()
}

// row makes a row of a result: of its figures only those that are judged.
func (k *Recorder) row(result *lab.Result, trace string) *Row {
	judged := *result
	judged.Figures, judged.Plots, judged.Findings = result.Judged(), nil, nil
	name := fmt.Sprintf("%s-%s", result.Experiment, result.Scale)
	if len(result.With) > 0 {
		name += fmt.Sprintf("-%.3x", sha256.Sum256([]byte(strings.Join(result.With, "\n"))))
	}
	m := result.Machine
	machine := fmt.Sprintf("%d cores, %s, load %.1f", m.Cores, m.Processor, k.load)
	return &Row{
		Command: result.Command(), Commit: k.commit, Date: result.Finished.Format("2006-01-02"), Machine: machine,
		Experiment: result.Experiment, Trace: trace, Result: &judged,
		topic: k.topic, path: filepath.Join(k.root, Results, k.topic, name+".json"),
	}
}
