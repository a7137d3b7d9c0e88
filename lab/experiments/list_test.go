package experiments

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tidings/lab"
	"tidings/lab/dataset"
)

// Every experiment that is not live is a function of its seed. Run twice, on one core and on four, it leaves the same
// trace; with another seed it leaves another.
func TestEveryExperimentTwice(t *testing.T) {
	seen := make(map[string]bool)
	for _, e := range All() {
		name := e.Describe().Name
		if seen[name] {
			t.Errorf("%s is in the list twice", name)
		}
		seen[name] = true
		if e.Describe().Live {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !slices.Contains([]string{"engine", "hot", "astrolabe"}, name) {
				t.Skip("needs seconds")
			}
			first, again := try(t, e, 1, 1), try(t, e, 1, 4)
			if again.TraceHash != first.TraceHash || again.Events != first.Events {
				t.Errorf("with 4 cores: trace %s of %d events; with 1 it was %s of %d; repeat: tidings-lab run %s "+
					"--scale tiny --seed 1 --seeds 2",
					again.TraceHash, again.Events, first.TraceHash, first.Events, name)
			}
			// Figures are part of the trace: where they differ from seed to seed, so does the trace.
			differ := slices.ContainsFunc(first.Figures,
				func(f lab.Figure) bool { return !f.OfMachine && f.Low != f.High })
			if !differ && try(t, e, 2, 1).TraceHash == first.TraceHash {
				t.Error("seeds 1 and 2 leave the same trace")
			}
			if first.Events == 0 {
				t.Error("nothing was simulated")
			}
			save(t, first)
		})
	}
}

// save saves a result. Its plots must say all that their pages leave open.
func save(t *testing.T, r *lab.Result) {
	t.Helper()
	if _, err := r.Save(t.TempDir()); err != nil {
		t.Error(err)
	}
	for _, p := range r.Plots {
		if strings.ContainsAny(p.Title+p.Caption, "{}") {
			t.Errorf("the plot %s says %q, %q", p.Name, p.Title, p.Caption)
		}
	}
}

// try runs the experiment on two seeds.
func try(t *testing.T, e lab.Entry, seed uint64, cores int) *lab.Result {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	r, err := lab.Try(context.Background(), e, lab.Options{Scale: lab.Tiny, Seed: seed, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What people can choose must be well-formed at every scale.
func TestEveryScaleIsWellFormed(t *testing.T) {
	for _, e := range All() {
		for _, s := range append(lab.Scales(), lab.Tiny) {
			if err := e.At(s).Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Figures that the machine decides are few; an experiment needs others to have a trace.
func TestTracesHoldFigures(t *testing.T) {
	for _, e := range All() {
		if !e.Describe().Live &&
			!slices.ContainsFunc(e.At(lab.Quick).Expected, func(x lab.Expected) bool { return !x.OfMachine }) {
			t.Errorf("%s has no figure in its trace", e.Describe().Name)
		}
	}
}

// Words that no figure of any scale is called by are of a figure that has another name by now.
func TestWordsAreOfFigures(t *testing.T) {
	for _, e := range All() {
		var all strings.Builder // names, a line each, with a separator at either end
		words := e.At(lab.Quick).Words
		for _, s := range append(lab.Scales(), lab.Tiny) {
			for _, x := range e.At(s).Expected {
				all.WriteString("\n." + x.Name + ".\n, " + x.Name + ", ")
			}
		}
		has := func(parts string) bool {
			return strings.Contains(all.String(), "."+parts+".") || strings.Contains(all.String(), ", "+parts+", ")
		}
		name := e.Describe().Name
		for _, q := range words.Questions {
			for _, m := range q.Measures {
				if !has(m.Name) && (!strings.HasSuffix(m.Name, "_of_several") || dataset.DeezerTopics.AtHand() &&
					dataset.LastFMArtists.AtHand()) {
					t.Errorf("%s: nothing is measured by the name %q", name, m.Name)
				}
			}
		}
		for part := range words.Cases {
			if !has(part) && (part != "recorded" || dataset.DeezerTopics.AtHand()) {
				t.Errorf("%s: there is no case %q", name, part)
			}
		}
		for _, f := range words.Findings {
			for _, figure := range []string{f.Figure, f.Against} {
				before, after, _ := strings.Cut(figure, "*")
				if !strings.Contains(all.String(), before) || !strings.Contains(all.String(), after) {
					t.Errorf("%s: there is no figure %q to make a sentence of", name, figure)
				}
			}
		}
		if len(words.Findings) == 0 {
			t.Errorf("%s: its report begins with no sentence", name)
		}
	}
}
