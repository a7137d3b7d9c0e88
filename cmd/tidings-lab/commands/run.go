package commands

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/cli"
	"tidings/cmd/console"
	"tidings/lab"
	"tidings/lab/benchmarks"
	"tidings/lab/experiments"
)

type listCmd struct {
	JSON bool `name:"json" help:"Print JSON: one object a line."`
}

func (c *listCmd) Run(p *program) error {
	var rows [][]console.Cell
	for _, e := range experiments.All() {
		d := e.Describe()
		if c.JSON {
			if err := p.out.JSON(d); err != nil {
				return err
			}
		}
		rows = append(rows, []console.Cell{{Text: d.Name, Style: console.Bold}, {Text: d.Title}, {Text: d.Source}})
	}
	if !c.JSON {
		p.out.Table([]console.Column{{Title: "NAME"}, {Title: "WHAT IS TRIED", Least: 20},
			{Title: "SOURCE", Least: 12, Spare: true}}, rows)
	}
	return nil
}

type runCmd struct {
	Names []string `arg:"" name:"name" help:"Experiments by their names (tidings-lab list), or all."`
	Scale string   `default:"quick" help:"How large: quick takes seconds, paper has the sizes of the source and takes minutes; default ${default}." placeholder:"quick|paper"`
	With  []string `sep:"none" help:"A parameter that is not to be the scale's, as nodes=500 or 'rows=[lite fair]'; can be given several times. Names are those in the file of figures." placeholder:"NAME=VALUE"`
	Seed  uint64   `default:"1" help:"What all chance comes from; default ${default}. The same seed gives the same figures."`
	Seeds int      `default:"1" least:"1" most:"10000" help:"How many runs to make, with this seed and those after it, for means with confidence intervals; default ${default}. Take at least 10 for a claim." placeholder:"K"`
	Out   string   `default:"lab-results" help:"Folder for results and plots; default ${default}." placeholder:"DIR"`
	Again bool     `help:"Make all runs anew. Otherwise runs that are kept in the folder, of the same seed, scale, parameters and program, are not made again."`
	JSON  bool     `name:"json" help:"Print JSON in place of tables: one object a line, as in the files."`

	Record string `help:"Also record what each comes to as a row of this topic of docs/benchmarks.md: in a checkout, by a program that was built of a commit." placeholder:"TOPIC"`
}

// keptIn is where runs are kept in the folder of results.
const keptIn = "runs"

// Run runs the experiments one after the other. It fails if a figure is not as expected.
func (c *runCmd) Run(p *program) error {
	chosen, err := c.chosen()
	if err != nil {
		return err
	}
	scale, err := lab.ParseScale(c.Scale)
	if err != nil {
		return cli.Usage("--scale: "+err.Error(), "see: tidings-lab run --help")
	}
	for _, e := range chosen {
		if _, err := e.With(scale, c.With); err != nil {
			return cli.Usage("--with: "+err.Error(), "see: tidings-lab run --help")
		}
	}
	options := lab.Options{Scale: scale, With: c.With, Seed: c.Seed, Seeds: c.Seeds, Dir: c.Out,
		Keep: filepath.Join(c.Out, keptIn), Again: c.Again}
	if err := options.Validate(); err != nil {
		return cli.Usage("--seeds: "+err.Error(), "see: tidings-lab run --help")
	}
	if err := lab.MakeDir(c.Out); err != nil {
		return tidings.WithHint(err, "choose another with --out DIR")
	}
	var recorder *benchmarks.Recorder
	if c.Record != "" {
		if recorder, err = benchmarks.NewRecorder(checkout, c.Record); err != nil {
			return err
		}
	}
	var results []*lab.Result
	for i, e := range chosen {
		if i > 0 && !c.JSON {
			p.out.Printf("\n")
		}
		result, err := c.try(p, e, options)
		var skipped *lab.Skipped
		if errors.As(err, &skipped) {
			p.errors.Printf("%s\n", console.Neutral(err.Error()))
			continue
		}
		if err != nil {
			return c.ended(p, e, options, err)
		}
		results = append(results, result)
		if recorder != nil {
			if err := record(p, recorder, e, result); err != nil {
				return err
			}
		}
	}
	if !c.JSON {
		printUnexpected(p.out, results)
	}
	return unexpected(results)
}

// record records a result, and makes the document anew.
func record(p *program, recorder *benchmarks.Recorder, e lab.Entry, result *lab.Result) error {
	path, err := recorder.Record(p.ctx, e, result)
	if err != nil {
		return err
	}
	p.errors.Printf("recorded in %s and %s\n", console.Neutral(path), benchmarks.Document)
	return benchmarks.Write(checkout)
}

// maxNamed is how many figures that are not as expected an error names.
const maxNamed = 3

// unexpected returns an error that names figures of results that are not as expected; nil if there are none.
func unexpected(results []*lab.Result) error {
	var failed []string
	figures := 0
	for _, r := range results {
		figures += len(r.Figures)
		for _, f := range r.Failed() {
			failed = append(failed, r.Experiment+": "+f.Name)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	names := strings.Join(failed[:min(len(failed), maxNamed)], "; ")
	if len(failed) > maxNamed {
		names += "; …"
	}
	return cli.Failure(fmt.Sprintf("%d of %s not as expected: %s", len(failed), console.Of(figures, "figure"), names),
		"")
}

// chosen finds the experiments that were named.
func (c *runCmd) chosen() ([]lab.Entry, error) {
	chosen, err := lab.Find(experiments.All(), c.Names)
	var unknown *lab.Unknown
	if !errors.As(err, &unknown) {
		return chosen, err
	}
	hint := "see: tidings-lab list"
	if len(unknown.Nearest) > 0 {
		hint = "did you mean " + strings.Join(unknown.Nearest, " or ") + "? all: tidings-lab list"
	}
	return nil, cli.Usage(err.Error(), hint)
}

// try runs one experiment and shows what came of it.
func (c *runCmd) try(p *program, e lab.Entry, o lab.Options) (*lab.Result, error) {
	if kept, err := lab.Kept(e, o); err == nil && kept > 0 {
		p.errors.Printf("%s: %d of %s kept from before (--again makes all anew)\n", e.Describe().Name, kept,
			isAre(o.Seeds))
	}
	bar := &progressBar{out: p.errors, name: e.Describe().Name, began: time.Now()}
	o.Watch = bar.show
	result, err := lab.Try(p.ctx, e, o)
	bar.clear()
	if err != nil {
		return nil, err
	}
	files, err := result.Save(c.Out)
	if err != nil {
		return nil, err
	}
	if c.JSON {
		return result, p.out.JSON(result)
	}
	printResult(p.out, result)
	p.out.Printf("Written to %s: %s\n", console.Neutral(c.Out), strings.Join(files, ", "))
	return result, nil
}

// isAre counts runs that something is said of.
func isAre(runs int) string {
	if runs == 1 {
		return "1 run is"
	}
	return console.Of(runs, "run") + " are"
}

// ended says why an experiment did not come to its end.
func (c *runCmd) ended(p *program, e lab.Entry, o lab.Options, err error) error {
	name := e.Describe().Name
	var crash *lab.Crash
	switch {
	case p.ctx.Err() != nil:
		o.Again = false
		kept, _ := lab.Kept(e, o) // none can be read if it fails
		return cli.Failure(fmt.Sprintf("stopped: %d of %s of %s", kept, console.Of(o.Seeds, "run"), name),
			"what has ended is kept in "+c.Out+"; the same command goes on from there")
	case errors.As(err, &crash):
		p.errors.Printf("%s\n", strings.TrimSpace(crash.Stack))
		return cli.Failure(err.Error(), fmt.Sprintf("repeat it with: tidings-lab run %s --scale %s%s --seed %d", name,
			c.Scale, lab.ChangeFlags(c.With), crash.Seed))
	}
	return cli.Failure(err.Error(), "") // whatever nodes it speaks of are the experiment's
}

// printUnexpected prints the results that are not as expected, with their seeds.
func printUnexpected(out *console.Console, results []*lab.Result) {
	var rows [][]console.Cell
	for _, r := range results {
		for _, u := range r.UnexpectedRows() {
			whole := console.Cell{Text: "as expected", Style: console.Green}
			if !u.OK {
				whole = console.Cell{Text: "NOT as expected", Style: console.Red}
			}
			rows = append(rows, []console.Cell{{Text: r.Experiment, Style: console.Bold}, {Text: u.Figure},
				{Text: u.Seed}, {Text: u.Here}, {Text: u.Expected}, whole})
		}
	}
	if len(rows) == 0 {
		return
	}
	out.Printf("\nNot as expected at single seeds:\n")
	out.Table([]console.Column{
		{Title: "EXPERIMENT"}, {Title: "FIGURE", Least: 16}, {Title: "SEED", Right: true}, {Title: "HERE", Right: true},
		{Title: "EXPECTED"}, {Title: "OVER ALL SEEDS"},
	}, rows)
}

func printResult(out *console.Console, r *lab.Result) {
	out.Printf("%s  %s\n", out.Paint(console.Bold, r.Experiment), r.Title)
	out.Printf("%s\n",
		out.Paint(console.Dim, fmt.Sprintf("%s · %s (%.0f s of processor time) · %s events · peak %s · trace %s",
			r.Sentence(), (time.Duration(r.WallSeconds*1e3)*time.Millisecond).String(), r.CPUSeconds,
			lab.Quantity(float64(r.Events), ""),
			lab.Quantity(float64(r.PeakBytes), "B"), r.TraceHash)))
	columns := []console.Column{
		{Title: "FIGURE", Least: 16}, {Title: "PAPER", Right: true, Spare: true}, {Title: "TOLERANCE", Spare: true},
		{Title: "HERE", Right: true},
		{Title: "95% INTERVAL", Spare: true}, {Title: "RATIO", Right: true, Spare: true}, {Title: "EXPECTED"},
		{Title: "OK"},
	}
	var rows [][]console.Cell
	for _, row := range r.Rows() {
		ok := console.Cell{Text: "yes", Style: console.Green}
		switch {
		case row.Aside:
			ok = console.Cell{Text: "–"}
		case !row.OK:
			ok = console.Cell{Text: "NO", Style: console.Red}
		}
		rows = append(rows, []console.Cell{
			{Text: row.Figure}, {Text: row.Paper}, {Text: row.Tolerance}, {Text: row.Here}, {Text: row.Range},
			{Text: row.Ratio}, {Text: row.Expected}, ok,
		})
	}
	out.Table(columns, rows)
	for _, text := range slices.Concat(r.Apart(), r.Remarks) {
		out.Printf("%s\n", console.Neutral(text))
	}
	if r.Kept > 0 {
		out.Printf("%s\n",
			out.Paint(console.Dim, fmt.Sprintf("%d of %s kept from before: time and memory are those of the others",
				r.Kept, isAre(r.Seeds))))
	}
	out.Printf("%s\n", out.Paint(console.Dim, r.Seedwise()))
}

// progressBar reports how far an experiment has come. On a terminal, it is a line that is drawn over itself. Elsewhere
// it is a plain line for each tenth of a long experiment.
type progressBar struct {
	out   *console.Console
	name  string
	began time.Time
	drawn bool
	tenth int // the last that was reported
}

// takesLong is how long an experiment goes on before plain lines say how far it has come.
const takesLong = time.Minute

func (b *progressBar) show(at lab.Progress) {
	took := time.Since(b.began)
	text := fmt.Sprintf("%s %3.0f%%", b.name, 100*at.Done)
	if at.Stage != "" {
		text += " · " + at.Stage
	}
	if at.Events > 0 {
		text += fmt.Sprintf(" · %.2f M events/s", float64(at.Events)/took.Seconds()/1e6)
	}
	if !b.out.Terminal {
		if tenth := int(10 * at.Done); took >= takesLong && tenth > b.tenth && tenth < 10 {
			b.tenth = tenth
			b.out.Printf("%s · %s\n", text, took.Round(time.Second))
		}
		return
	}
	if b.out.Width > 0 {
		text = console.Cut(text, b.out.Width-1)
	}
	b.out.Printf("\r\x1b[K%s", text)
	b.drawn = true
}

func (b *progressBar) clear() {
	if b.drawn {
		b.out.Printf("\r\x1b[K")
	}
}

type reportCmd struct {
	Dir string `arg:"" type:"existingdir" help:"Folder that lab run wrote to."`
}

// Run makes the page of the results that can be read, and fails if a file is none.
func (c *reportCmd) Run(p *program) error {
	path := filepath.Join(c.Dir, "report.html")
	n, err := lab.Report(c.Dir, path)
	if n > 0 {
		p.out.Printf("%s: %s\n", console.Of(n, "experiment"), console.Neutral(path))
	}
	return err
}
