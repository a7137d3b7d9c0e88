package lab

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tidings/lab/plot"
)

// Result is what came of trying an experiment, in the form of its file.
type Result struct {
	Experiment string   `json:"experiment"`
	Scale      Scale    `json:"scale"`
	With       []string `json:"with,omitempty"` // parameters that are not the scale's
	Seed       uint64   `json:"seed"`           // of the first run
	Figures    []Figure `json:"figures"`

	// Unexpected are the values of judged figures that are out of bounds, seed by seed, though the mean may be within
	// them.
	Unexpected []AtSeed `json:"unexpected,omitempty"`

	// Findings are the sentences to begin with.
	Findings []Found `json:"findings,omitempty"`

	// Remarks are sentences about what the runs met with.
	Remarks []string `json:"remarks,omitempty"`

	// TraceHash is the same whenever the experiment is run at this scale with these
	// seeds, until the code changes.
	TraceHash string `json:"trace_hash"`

	Events      uint64  `json:"events"` // simulated, by all runs
	WallSeconds float64 `json:"wall_seconds"`
	CPUSeconds  float64 `json:"cpu_seconds"` // of all cores
	PeakBytes   uint64  `json:"peak_bytes"`  // of the whole process; PeakIs says of what

	// Kept is how many runs were kept from before: the figures of time and memory are those of the others.
	Kept int `json:"kept,omitempty"`

	PeakIs     string    `json:"peak_is"`
	Seeds      int       `json:"seeds"` // how many runs, each with the seed after the last
	Title      string    `json:"title"`
	Source     string    `json:"source"`
	About      string    `json:"about"`
	Parameters any       `json:"parameters"`
	Plots      []Drawn   `json:"plots"`
	Machine    Machine   `json:"machine"`
	Finished   time.Time `json:"finished"`

	plots []plot.Plot
}

// Figure is one figure of a Result.
type Figure struct {
	Name  string   `json:"name"`
	Unit  string   `json:"unit"`
	Paper *float64 `json:"paper"` // null: the source has none
	Here  float64  `json:"here"`  // the mean over the seeds, or the worst of them

	// Low and High are the 95 % confidence interval of the mean over the seeds (Student's t). Where Here is the worst
	// of the seeds, they are the least and the greatest of them. With one seed both are Here.
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	PaperLeast *float64 `json:"paper_at_least"` // the tolerance around Paper; both null: none is stated
	PaperMost  *float64 `json:"paper_at_most"`
	Reason     string   `json:"reason,omitempty"` // why Here is outside of the tolerance; empty if it is not

	OK        bool     `json:"ok"`       // Here is within Least and Most, or Aside
	Aside     bool     `json:"aside"`    // it is reported and not judged, and has no bounds
	Least     *float64 `json:"at_least"` // null: no bound
	Most      *float64 `json:"at_most"`  // null: no bound
	Worst     bool     `json:"worst"`
	OfMachine bool     `json:"of_machine"` // differs from machine to machine and run to run

	Label // for people
}

// AtSeed is what a figure was in the run of one seed.
type AtSeed struct {
	Figure string  `json:"figure"`
	Seed   uint64  `json:"seed"`
	Here   float64 `json:"here"`
}

// Drawn is a plot of a Result: its files, and its words for people that do not see it.
type Drawn struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Caption string `json:"caption"`
	Alt     string `json:"alt,omitempty"` // what is seen
	SVG     string `json:"svg"`           // file names beside the result's
	PNG     string `json:"png"`
}

// judge makes a figure of what the runs measured.
func (e Expected) judge(values []float64) Figure {
	f := Figure{Name: e.Name, Unit: e.Unit, Paper: e.Paper, OfMachine: e.OfMachine, Worst: e.Worst, Aside: e.Aside}
	f.Here, f.Low, f.High = meanInterval(values)
	if e.Worst {
		f.Here, f.Low, f.High = e.Within.worst(values), slices.Min(values), slices.Max(values)
	}
	if e.Tolerance.given {
		f.PaperLeast, f.PaperMost = known(e.Tolerance.least), known(e.Tolerance.most)
		if !e.Tolerance.Hold(f.Here) {
			f.Reason = cmp.Or(e.Reason, noReason)
		}
	}
	if f.OK = e.Aside || e.Within.Hold(f.Here); !e.Aside {
		f.Least, f.Most = known(e.Within.least), known(e.Within.most)
	}
	return f
}

// noReason stands where a figure differs from the paper's and the experiment does not say why.
const noReason = "nobody has found out why"

// Command returns the command that makes the runs of the result.
func (r *Result) Command() string {
	return fmt.Sprintf("tidings-lab run %s --scale %s%s --seed %d --seeds %d", r.Experiment, r.Scale,
		ChangeFlags(r.With), r.Seed, r.Seeds)
}

// Judged returns the figures that have bounds.
func (r *Result) Judged() []Figure {
	return slices.DeleteFunc(slices.Clone(r.Figures), func(f Figure) bool { return f.Aside })
}

// Failed returns the figures that are not as expected.
func (r *Result) Failed() []Figure {
	return slices.DeleteFunc(slices.Clone(r.Figures), func(f Figure) bool { return f.OK })
}

// Save draws the plots and writes them, a page of the result and the result itself into a folder that exists, the
// result last. It returns the files' names.
func (r *Result) Save(dir string) ([]string, error) {
	var files []string
	write := func(name string, content []byte) error {
		files = append(files, name)
		return writeFile(filepath.Join(dir, name), content)
	}
	r.Plots = make([]Drawn, 0, len(r.plots))
	for _, p := range r.plots {
		base := r.Experiment + "-" + p.Name
		svg, err := p.SVG()
		if err != nil {
			return nil, err
		}
		png, err := p.PNG()
		if err != nil {
			return nil, err
		}
		if err := errors.Join(write(base+".svg", svg), write(base+".png", png)); err != nil {
			return nil, err
		}
		caption := p.Caption
		if r.Seeds > 1 {
			caption += fmt.Sprintf(
				" Lines and bars are means of %d seeds, with 95%% confidence intervals; distributions are of all "+
					"seeds together.", r.Seeds)
		}
		r.Plots = append(r.Plots, Drawn{p.Name, p.Title, caption, p.Describe(), base + ".svg", base + ".png"})
	}
	page, err := pageOf(dir, []*Result{r}, nil)
	if err == nil {
		err = write(r.Experiment+".html", page)
	}
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the result of %s: %w", r.Experiment, err)
	}
	return files, write(r.Experiment+".json", append(data, '\n'))
}

// writeFile replaces a file at once, so that nobody sees half of it.
func writeFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// MakeDir makes a folder for results and finds out whether one can write there.
func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making a folder for results: %w", err)
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("writing into the folder for results: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// maxResult bounds a result's file in bytes.
const maxResult = 16 << 20

// LeftOut are the files of a folder that are no results, with the reason of each: "a.json: it is no result of an
// experiment".
type LeftOut []string

// maxLeftOut is how many files LeftOut's error names.
const maxLeftOut = 5

func (l LeftOut) Error() string {
	text := "left out: " + strings.Join(l[:min(len(l), maxLeftOut)], "; ")
	if more := len(l) - maxLeftOut; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// Load reads all results in a folder, in the order of their names, and reports which of its JSON files are none.
func Load(dir string) (results []*Result, leftOut LeftOut, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("reading results: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") || !entry.Type().IsRegular() {
			continue
		}
		r, err := load(filepath.Join(dir, entry.Name()))
		if err != nil {
			leftOut = append(leftOut, fmt.Sprintf("%s: %v", entry.Name(), err))
			continue
		}
		results = append(results, r)
	}
	return results, leftOut, nil
}

var errForeign = errors.New("it is no result of an experiment")

func load(path string) (*Result, error) {
	data, err := readFile(path, maxResult)
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errForeign, err)
	}
	if r.Experiment == "" || len(r.Figures) == 0 {
		return nil, errForeign
	}
	return &r, nil
}

func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	if info.Size() > most {
		return nil, fmt.Errorf("it has %d bytes, more than %d", info.Size(), most)
	}
	return os.ReadFile(path)
}
