// Package lab tries what papers and theory claim. An experiment is a value: its subject, its parameters at each scale,
// the expected figures, and a function that runs it on a seed. The lab runs it, on as many seeds as requested, and
// makes of that a table, plots, and a file for other programs.
//
// A run is a function of the experiment, its parameters and the seed. The trace hash of two runs is the same, on every
// machine and for every GOMAXPROCS. Figures that depend on the machine (events a second, bytes in memory) are marked
// and not part of the hash.
//
// An experiment that is Live runs on real connections and in real time. Chance comes from the seed, but events do not,
// and all its figures are the machine's.
//
// Several seeds give each figure an interval: see [Result].
package lab

import (
	"errors"
	"fmt"
	"strings"
)

// Experiment is a claim that can be tried. P are its parameters: a struct of plain fields.
type Experiment[P any] struct {
	Name   string // on the command line and in files' names
	Title  string // what is tried, in one line
	Source string // source of the claim: paper, section, figure
	About  string // what is done, in a few sentences

	// Live says that it runs on real connections: two runs on one seed differ.
	Live bool

	Tiny, Quick, Paper P // the parameters by scale

	// Expect returns all figures that a run gives, and what they should be.
	Expect func(P) []Expected

	// Words are how people read the figures. None: by their names.
	Words Words

	// Memory says about how many bytes one run needs, or one part of it (see Run.Each), so that no more run side by
	// side than fit. The garbage collector is set to keep to it. Nil: little.
	Memory func(P) uint64

	// Run runs the experiment on run's seed and hands run its figures and plots.
	Run func(run *Run, p P) error
}

// Entry is an experiment in a list, whatever its parameters.
type Entry interface {
	// Describe returns what people read of the experiment.
	Describe() Description

	// At returns the experiment at a scale.
	At(Scale) Trial

	// With returns the experiment at a scale, with some parameters changed. The changes are texts of the form
	// name=value, with values as ReadParameters reads them.
	With(s Scale, changes []string) (Trial, error)
}

// Description is what people read of an experiment.
type Description struct {
	Name   string `json:"experiment"`
	Title  string `json:"title"`
	Source string `json:"source"`
	About  string `json:"about"`
	Live   bool   `json:"live,omitempty"`
}

// Trial is an experiment at one scale.
type Trial struct {
	Description
	Scale      Scale
	With       []string // parameters that are not the scale's
	Parameters any
	Expected   []Expected
	Words      Words
	Memory     uint64
	Run        func(*Run) error
}

// Describe implements Entry.
func (e Experiment[P]) Describe() Description {
	return Description{e.Name, e.Title, e.Source, e.About, e.Live}
}

// At implements Entry.
func (e Experiment[P]) At(s Scale) Trial { return e.by(s, e.parameters(s)) }

// With implements Entry.
func (e Experiment[P]) With(s Scale, changes []string) (Trial, error) {
	p, err := change(e.parameters(s), changes)
	if err == nil {
		err = plausible(p, changes, e.Tiny, e.Quick, e.Paper)
	}
	if err != nil {
		return Trial{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	t := e.by(s, p)
	t.With = changes
	if free := freeMemory(); free > 0 && t.Memory > max(free, e.At(s).Memory) {
		return Trial{}, fmt.Errorf("%s: with %s it needs about %.3g GB of memory, and %.3g are free", e.Name,
			strings.Join(changes, ", "), float64(t.Memory)/1e9, float64(free)/1e9)
	}
	return t, t.Validate()
}

func (e Experiment[P]) parameters(s Scale) P {
	switch s {
	case Paper:
		return e.Paper
	case Tiny:
		return e.Tiny
	}
	return e.Quick
}

func (e Experiment[P]) by(s Scale, p P) Trial {
	t := Trial{Description: e.Describe(), Scale: s, Parameters: p, Expected: e.Expect(p), Words: e.Words}
	if e.Memory != nil {
		t.Memory = e.Memory(p)
	}
	t.Run = func(r *Run) error { return e.Run(r, p) }
	return t
}

// alone reports whether other runs at the same time would spoil the figures.
func (t Trial) alone() bool {
	for _, e := range t.Expected {
		if e.OfMachine {
			return true
		}
	}
	return false
}

// Validate reports what is wrong with the experiment itself.
func (t Trial) Validate() error {
	if t.Name == "" || strings.Trim(t.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("experiment %q: the name is not of small letters, digits and hyphens", t.Name)
	}
	if t.Title == "" || t.Source == "" || t.About == "" {
		return fmt.Errorf("experiment %s: title, source or description are missing", t.Name)
	}
	if len(t.Expected) == 0 {
		return fmt.Errorf("experiment %s: nothing is measured with these parameters", t.Name)
	}
	seen := make(map[string]bool)
	judged := false
	var errs []error
	for _, e := range t.Expected {
		if err := e.validate(); err != nil {
			errs = append(errs, fmt.Errorf("experiment %s: figure %q: %w", t.Name, e.Name, err))
		}
		if seen[e.Name] {
			errs = append(errs, fmt.Errorf("experiment %s: figure %q is there twice", t.Name, e.Name))
		}
		seen[e.Name] = true
		judged = judged || !e.Aside
		if len(t.Words.Questions) > 0 && t.Words.label(e.Name).Question == "" {
			errs = append(errs, fmt.Errorf("experiment %s: figure %q answers none of the questions", t.Name, e.Name))
		}
		if t.Live && !e.OfMachine {
			errs = append(errs, fmt.Errorf("experiment %s: figure %q is of a live run, and not marked as the machine's",
				t.Name, e.Name))
		}
	}
	if !judged {
		errs = append(errs, fmt.Errorf("experiment %s: no figure is judged", t.Name))
	}
	return errors.Join(errs...)
}
