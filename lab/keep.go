package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"tidings/lab/plot"
)

// outcome is what came of one run.
type outcome struct {
	Figures map[string]float64
	Remarks []string
	Plots   []plot.Plot
	Trace   uint64
	Events  uint64
}

func (r *Run) outcome() *outcome {
	return &outcome{Figures: r.figures, Remarks: r.remarks, Plots: r.plots, Trace: r.trace.Sum64(), Events: r.events}
}

// keptRun is the file of a run that has ended: all that the outcome depends on, and the outcome. Plots have infinite
// numbers, which JSON has not.
type keptRun struct {
	Experiment string
	Scale      Scale
	Parameters string // as JSON
	Seed       uint64
	Code       string
	Outcome    *outcome
}

// maxKept bounds a run's file in bytes: its plots may have a sample of every delivery.
const maxKept = 256 << 20

// keeper keeps the runs of one trial in a folder. Without a folder it keeps nothing.
type keeper struct {
	dir  string
	of   keptRun // what is the same of all runs
	name string  // of files: with %d for the seed
}

// newKeeper returns the keeper of t's runs. A run of the same trial by other code replaces its file.
func newKeeper(dir string, t Trial) (*keeper, error) {
	if dir == "" {
		return &keeper{}, nil
	}
	parameters, err := json.Marshal(t.Parameters)
	if err != nil {
		return nil, fmt.Errorf("keeping runs: %w", err)
	}
	code, err := code()
	if err != nil {
		return nil, fmt.Errorf("keeping runs: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for runs: %w", err)
	}
	return &keeper{
		dir:  dir,
		of:   keptRun{Experiment: t.Name, Scale: t.Scale, Parameters: string(parameters), Code: code},
		name: fmt.Sprintf("%s-%s-%.6x", t.Name, t.Scale, sha256.Sum256(parameters)) + "-%d.run",
	}, nil
}

func (k *keeper) path(seed uint64) string { return filepath.Join(k.dir, fmt.Sprintf(k.name, seed)) }

// find returns the outcome of a run that is kept; nil: it is not, or its file cannot be read.
func (k *keeper) find(seed uint64) *outcome {
	if k.dir == "" {
		return nil
	}
	data, err := readFile(k.path(seed), maxKept)
	if err != nil {
		return nil
	}
	var run keptRun
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&run); err != nil || run.Outcome == nil {
		return nil
	}
	if want := k.of; run.Seed != seed || run.Experiment != want.Experiment || run.Scale != want.Scale ||
		run.Parameters != want.Parameters || run.Code != want.Code {
		return nil
	}
	return run.Outcome
}

// keep writes the file of a run that has ended.
func (k *keeper) keep(seed uint64, o *outcome) error {
	if k.dir == "" {
		return nil
	}
	run := k.of
	run.Seed, run.Outcome = seed, o
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(run); err != nil {
		return fmt.Errorf("keeping a run: %w", err)
	}
	return writeFile(k.path(seed), b.Bytes())
}

// Kept returns how many of the runs that o asks for are kept from before.
func Kept(e Entry, o Options) (n int, err error) {
	t, err := e.With(o.Scale, o.With)
	if err != nil || o.Again {
		return 0, err
	}
	k, err := newKeeper(o.Keep, t)
	for i := range o.Seeds {
		if err == nil && k.find(o.Seed+uint64(i)) != nil {
			n++
		}
	}
	return n, err
}

// code names the code of this program: by its commit, or, where that is not all, by the program's file too.
var code = sync.OnceValues(func() (string, error) {
	commit := revision()
	if isCommit(commit) {
		return commit, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	return fmt.Sprintf("%s %x", commit, hash.Sum(nil)), nil
})

// timesOf sets the times of r, if all its runs were kept, to those of the original runs, if that result is still in
// dir.
func (r *Result) timesOf(dir string) {
	before, err := load(filepath.Join(dir, r.Experiment+".json"))
	if err != nil || before.Scale != r.Scale || before.Seed != r.Seed || before.Seeds != r.Seeds ||
		before.TraceHash != r.TraceHash {
		return
	}
	r.Kept, r.Machine, r.Finished = before.Kept, before.Machine, before.Finished
	r.WallSeconds, r.CPUSeconds, r.PeakBytes, r.PeakIs = before.WallSeconds, before.CPUSeconds, before.PeakBytes,
		before.PeakIs
}
