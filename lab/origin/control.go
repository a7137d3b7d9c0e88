package origin

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

// The controls over HTTP; name is a document's, answers are JSON:
//
//	POST /-/step?name=                            the next state
//	POST /-/set?name=&state=                      a state, counted from 0
//	POST /-/fault?name=&kind=[&n=][&value=]       misbehave; kind=none heals
//	GET  /-/state?name=                           the current state and how many there are
//	GET  /-/changes?name=                         when each state became current (JSON Lines)
//	GET  /-/log[?name=]                           requests, oldest first (JSON Lines)
//	GET  /-/counts                                requests by document
//	GET  /-/faults                                the kinds of faults
func (o *Origin) control(w http.ResponseWriter, r *http.Request, action string) {
	name := r.URL.Query().Get("name")
	change := func(do func() error) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", "POST")
			http.Error(w, "use POST", http.StatusMethodNotAllowed)
			return
		}
		if err := do(); err != nil {
			fail(w, err)
			return
		}
		o.writeState(w, name)
	}
	switch action {
	case "step":
		change(func() error { _, err := o.Step(name); return err })
	case "set":
		change(func() error { return o.setFrom(r, name) })
	case "fault":
		change(func() error { return o.failFrom(r, name) })
	case "state":
		o.writeState(w, name)
	case "changes":
		changes, err := o.Changed(name)
		if err != nil {
			fail(w, err)
			return
		}
		writeLines(w, changes)
	case "log":
		writeLines(w, o.Requests(name))
	case "counts":
		writeJSON(w, o.Counts())
	case "faults":
		writeJSON(w, Faults())
	default:
		http.Error(w, "no such control", http.StatusNotFound)
	}
}

func (o *Origin) setFrom(r *http.Request, name string) error {
	state, err := strconv.Atoi(r.URL.Query().Get("state"))
	if err != nil {
		return fmt.Errorf("state is not a number: %q", r.URL.Query().Get("state"))
	}
	return o.Set(name, state)
}

func (o *Origin) failFrom(r *http.Request, name string) error {
	q := r.URL.Query()
	f := Fault{Kind: FaultKind(q.Get("kind")), Value: q.Get("value")}
	if f.Kind == NoFault {
		return o.Heal(name)
	}
	if n := q.Get("n"); n != "" {
		var err error
		if f.Times, err = strconv.Atoi(n); err != nil {
			return fmt.Errorf("n is not a number: %q", n)
		}
	}
	return o.Fail(name, f)
}

func (o *Origin) writeState(w http.ResponseWriter, name string) {
	current, states, err := o.State(name)
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, struct {
		Name   string `json:"name"`
		State  int    `json:"state"`
		States int    `json:"states"`
	}{name, current, states})
}

func fail(w http.ResponseWriter, err error) {
	code := http.StatusBadRequest
	switch {
	case errors.Is(err, ErrNoDocument):
		code = http.StatusNotFound
	case errors.Is(err, ErrNoState):
		code = http.StatusConflict
	}
	http.Error(w, err.Error(), code)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // plain values: only the connection can fail
}

func writeLines[T any](w http.ResponseWriter, values []T) {
	w.Header().Set("Content-Type", "application/jsonl")
	lines := json.NewEncoder(w)
	for _, v := range values {
		if lines.Encode(v) != nil {
			return
		}
	}
}

var indexPage = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Replayed documents</title>
{{range .}}{{if .Feed}}<link rel="alternate" type="{{.Type}}" title="{{.Name}}" href="/{{.Name}}">
{{end}}{{end}}</head>
<body>
<h1>Replayed documents</h1>
<ul>
{{range .}}<li><a href="/{{.Name}}">{{.Name}}</a> {{.Type}}, {{if .States}}{{.States}}{{else}}endless{{end}} states</li>
{{end}}</ul>
</body>
</html>
`))

// index lists the documents, feeds as a page that offers them does.
func (o *Origin) index(w http.ResponseWriter) {
	type line struct {
		Name, Type string
		Feed       bool
		States     int
	}
	var lines []line
	for _, d := range o.all() {
		l := line{Name: d.name, Type: d.opts.ContentType, States: d.series.states}
		if l.Type == "" {
			l.Type = typeOf(d.series.body(0))
		}
		l.Feed = strings.Contains(l.Type, "rss") || strings.Contains(l.Type, "atom") ||
			strings.Contains(l.Type, "feed+json") || strings.Contains(l.Type, "rdf")
		lines = append(lines, l)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = indexPage.Execute(w, lines)
}
