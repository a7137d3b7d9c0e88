package lab

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"path/filepath"
	"time"

	"tidings/lab/plot"
)

//go:embed report.html
var reportPage string

var reportTemplate = template.Must(template.New("report").Parse(reportPage))

// Report makes one page of all results in dir, which needs nothing else to be read, and writes it to path. It returns
// how many results the page shows. If a JSON file in dir is no result, the page is made of the others and names it, and
// the error is LeftOut.
func Report(dir, path string) (int, error) {
	results, leftOut, err := Load(dir)
	if err != nil {
		return 0, err
	}
	if len(results) == 0 {
		err := fmt.Errorf("there are no results in %s", dir)
		if len(leftOut) > 0 {
			err = fmt.Errorf("%w; %w", err, leftOut)
		}
		return 0, err
	}
	page, err := pageOf(dir, results, leftOut)
	if err == nil {
		err = writeFile(path, page)
	}
	if err != nil {
		return 0, err
	}
	if len(leftOut) > 0 {
		return len(results), leftOut
	}
	return len(results), nil
}

// pageOf returns the page of some results with plots in dir.
func pageOf(dir string, results []*Result, leftOut LeftOut) ([]byte, error) {
	page := reportData{Made: time.Now().UTC().Format("2 January 2006, 15:04 UTC"), LeftOut: leftOut}
	for _, r := range results {
		page.Results = append(page.Results, reportOf(dir, r))
		page.Judged += len(r.Judged())
		page.Failed += len(r.Failed())
	}
	var b bytes.Buffer
	if err := reportTemplate.Execute(&b, page); err != nil {
		return nil, fmt.Errorf("making the report: %w", err)
	}
	return b.Bytes(), nil
}

// reportData is what the page is made of.
type reportData struct {
	Made    string
	Results []reportResult
	Judged  int // figures
	Failed  int // of them
	LeftOut LeftOut
}

type reportResult struct {
	*Result
	Judged          int // figures
	Failed          int // of them
	Sentences       []sentence
	Groups          []figureGroup
	Plots           []reportPlot
	Parameters      string
	Wall, CPU, Peak string
	Memory          string
	Command         string
}

type reportPlot struct {
	Title, Caption, Alt string
	SVG                 template.HTML // checked by plot.Inline
	Missing             string        // why there is none
}

func reportOf(dir string, r *Result) reportResult {
	out := reportResult{
		Result: r, Judged: len(r.Judged()), Failed: len(r.Failed()), Sentences: r.sentences(), Groups: r.groups(),
		Wall: time.Duration(r.WallSeconds * float64(time.Second)).Round(10 * time.Millisecond).String(),
		CPU:  time.Duration(r.CPUSeconds * float64(time.Second)).Round(10 * time.Millisecond).String(),
		Peak: Quantity(float64(r.PeakBytes), "B"), Memory: Quantity(float64(r.Machine.Memory), "B"),
		Command: r.Command(),
	}
	if parameters, err := json.MarshalIndent(r.Parameters, "", "  "); err == nil {
		out.Parameters = string(parameters)
	}
	for _, d := range r.Plots {
		p := reportPlot{Title: d.Title, Caption: d.Caption, Alt: d.Alt}
		if p.Alt == "" {
			p.Alt = d.Title
		}
		svg, err := inlined(dir, d.SVG)
		if err != nil {
			p.Missing = err.Error()
		}
		p.SVG = template.HTML(svg)
		out.Plots = append(out.Plots, p)
	}
	return out
}

// maxPlot bounds a plot's file in bytes.
const maxPlot = 4 << 20

// inlined reads a plot that lies in dir itself.
func inlined(dir, name string) (string, error) {
	if name != filepath.Base(name) {
		return "", fmt.Errorf("the plot %q is not in the folder", name)
	}
	data, err := readFile(filepath.Join(dir, name), maxPlot)
	if err != nil {
		return "", err
	}
	return plot.Inline(data)
}
