package main

import (
	"fmt"
	"io"
	"os"

	"tidings/cmd/console"
	"tidings/delivery/api"
)

type importCmd struct {
	File  string `arg:"" help:"OPML file as readers export it; - for the standard input. Names and folders come with it."`
	Pages bool   `help:"Follow as pages what the list names without a feed."`
}

func (c *importCmd) Run(p *program) error {
	from := p.in
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return fmt.Errorf("opening the list: %w", err)
		}
		defer file.Close()
		from = file
	}
	bar := p.out.Progress("importing")
	last, err := p.client.Import(p.ctx, from, c.Pages, func(now api.ImportProgress) {
		if len(now.Problems) > 0 {
			bar.Clear()
			printProblems(p.out, now.Problems)
		}
		note := ""
		if now.Failed > 0 {
			note = console.Count(now.Failed) + " failed"
		}
		bar.Show(now.Done, now.Total, note)
	})
	bar.Clear()
	if err != nil {
		return err
	}
	p.out.Printf("%s: %s added, %s followed before, %s failed\n", console.Of(last.Total, "channel"),
		console.Count(last.Added), console.Count(last.Already), console.Count(last.Failed))
	if last.Failed > 0 {
		return failure(console.Of(last.Failed, "channel")+" of the list could not be followed",
			"the reasons stand above")
	}
	return nil
}

func printProblems(out *console.Console, problems []api.ImportProblem) {
	for _, problem := range problems {
		line := ""
		if problem.Line > 0 {
			line = fmt.Sprintf("line %d: ", problem.Line)
		}
		if problem.URL != "" {
			line += console.Neutral(problem.URL) + ": "
		}
		out.Printf("%s%s\n", out.Paint(console.Yellow, line), console.Neutral(problem.Text))
	}
}

type exportCmd struct {
	Proxy bool `help:"Name the node's own feeds of the channels, for a reader program that is to read them here."`
}

func (c *exportCmd) Run(p *program) error {
	if !p.out.Terminal {
		return p.client.Export(p.ctx, p.out.Out, c.Proxy)
	}
	lines := &neutralWriter{out: p.out.Out}
	if err := p.client.Export(p.ctx, lines, c.Proxy); err != nil {
		return err
	}
	return lines.flush()
}

// neutralWriter passes lines on in a form fit for a terminal.
type neutralWriter struct {
	out  io.Writer
	rest []byte
}

func (w *neutralWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for i := 0; i < len(w.rest); i++ {
		if w.rest[i] != '\n' {
			continue
		}
		if _, err := fmt.Fprintln(w.out, console.NeutralLine(string(w.rest[:i]))); err != nil {
			return 0, err
		}
		w.rest, i = w.rest[i+1:], -1
	}
	return len(p), nil
}

func (w *neutralWriter) flush() error {
	if len(w.rest) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w.out, console.NeutralLine(string(w.rest)))
	return err
}
