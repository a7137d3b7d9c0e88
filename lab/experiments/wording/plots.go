package wording

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tidings/lab"
	"tidings/lab/plot"
)

// Plots returns what begins the plots of an experiment with some parameters: by a plot's name, all that the page says of it. {nodes} in a title or caption
// stands for the parameter of that name, and {} for the next of what it leaves open. It panics if the page has no such plot.
func Plots[P any](experiment string, parameters P) func(name string, open ...any) plot.Plot {
	text, err := pages.ReadFile(experiment + ".md")
	must(experiment, err)
	filled := strings.NewReplacer(fields(experiment, parameters)...)
	return func(name string, open ...any) plot.Plot {
		_, part, found := strings.Cut(string(text), "\n### "+name+": ")
		if !found {
			panic(fmt.Sprintf("the page of the experiment %s has no plot %q", experiment, name))
		}
		part, _, _ = strings.Cut(part, "\n##")
		for _, o := range open {
			part = strings.Replace(part, "{}", fmt.Sprint(o), 1)
		}
		title, body, _ := strings.Cut(filled.Replace(part), "\n")
		caption, list, _ := strings.Cut(body, "\n- ")
		p := plot.Plot{Name: name, Title: title, Caption: prose(caption)}
		for line := range strings.SplitSeq(list, "\n") {
			add(&p, strings.TrimPrefix(line, "- "))
		}
		return p
	}
}

// add adds what a line says: an axis, a line that a source says, or that the plot is of the machine.
func add(p *plot.Plot, line string) {
	head, says, _ := strings.Cut(line, ":")
	says = strings.TrimSpace(says)
	at, number, _ := strings.Cut(strings.TrimSpace(head), " ")
	x, _ := strconv.ParseFloat(number, 64)
	switch at {
	case "x":
		p.X = axis(says)
	case "y":
		p.Y = axis(says)
	case "level":
		p.Said = append(p.Said, plot.Level(says, x))
	case "upright":
		p.Said = append(p.Said, plot.Upright(says, x))
	case "of":
		p.OfMachine = true
	}
}

// axis reads "time [s], log".
func axis(text string) (a plot.Axis) {
	text, a.Log = strings.CutSuffix(text, ", log")
	text, a.Share = strings.CutSuffix(text, ", share")
	a.Label, a.Unit, _ = strings.Cut(strings.TrimSuffix(text, "]"), " [")
	return a
}

// fields returns pairs of what stands for a parameter, and how it is written.
func fields(experiment string, parameters any) (pairs []string) {
	data, err := json.Marshal(parameters)
	must(experiment, err)
	var values map[string]any
	must(experiment, json.Unmarshal(data, &values))
	for name, value := range values {
		if n, is := value.(float64); is {
			text := lab.Count(int(n))
			if strings.HasSuffix(name, "_ns") {
				text = time.Duration(n).String()
			}
			pairs = append(pairs, "{"+name+"}", text)
		}
	}
	return pairs
}
