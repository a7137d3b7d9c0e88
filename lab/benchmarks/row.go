// Package benchmarks keeps what was measured, a file for each run, and makes docs/benchmarks.md of it.
//
// docs/results has a folder for each topic of the document, with a row in each file: what was measured, by which
// command, of which commit and on which machine. The document's words are in docs/results/text.md.
//
// A row of a simulated experiment has the trace hash that the experiment left at the scale tiny. If the experiment
// leaves another one now, protocols have changed since, and so may the figures. The row is then measured anew, or
// marked as stale.
package benchmarks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tidings/lab"
)

// Where rows, the document's words and the document are, from the root of the project.
const (
	Results  = "docs/results"
	Text     = Results + "/text.md"
	Document = "docs/benchmarks.md"
)

// Row is what one command measured.
type Row struct {
	Command string `json:"command"` // that measures it again
	// that was measured, of 12 digits. A row from before there were such files says what is known.
	Commit  string `json:"commit"`
	Date    string `json:"date,omitempty"`
	Machine string `json:"machine"`

	// Experiment is what the command runs; empty: no experiment. Trace is what Trace of package lab returned of it;
	// empty: it is live, or the row is stale.
	Experiment string `json:"experiment,omitempty"`
	Trace      string `json:"trace,omitempty"`

	// Stale says why the figures may be others by now; empty: nothing is known to have changed.
	Stale string `json:"stale,omitempty"`

	Note   string            `json:"note,omitempty"`       // sentences above the figures
	Limits map[string]string `json:"limited_by,omitempty"` // what limits a figure, by its name in Result

	// Figures are those of an experiment that was recorded, or else lines of a table in Markdown.
	Result *lab.Result `json:"result,omitempty"`
	Table  []string    `json:"table,omitempty"`

	topic string
	path  string
}

// Path returns the row's file.
func (r *Row) Path() string { return r.path }

// Again returns the command that records the row anew; empty: it is written by hand.
func (r *Row) Again() string {
	if r.Experiment == "" {
		return ""
	}
	return r.Command + " --record " + r.topic
}

// Load returns all rows of the project at root, in the order of their files.
func Load(root string) ([]*Row, error) {
	paths, err := filepath.Glob(filepath.Join(root, Results, "*", "*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there are no rows below %s", filepath.Join(root, Results))
	}
	slices.Sort(paths)
	rows := make([]*Row, len(paths))
	for i, path := range paths {
		if rows[i], err = load(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return rows, nil
}

func load(path string) (*Row, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Row{path: path, topic: filepath.Base(filepath.Dir(path))}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	return r, r.validate()
}

// validate reports what a row lacks.
func (r *Row) validate() error {
	switch {
	case r.Command == "" || r.Commit == "" || r.Machine == "":
		return errors.New("command, commit or machine are missing")
	case (r.Result == nil) == (len(r.Table) == 0):
		return errors.New("it has to have a result or a table")
	case slices.ContainsFunc(r.Table, func(line string) bool { return !strings.HasPrefix(line, "|") }):
		return errors.New("a line of its table does not begin with |")
	}
	return nil
}

// Save writes the row's file.
func (r *Row) Save() error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.path, b.Bytes(), 0o644)
}
