package main

import (
	"strconv"
	"time"

	"tidings"
	"tidings/cmd/console"
)

type previewCmd struct {
	URL         address `arg:"" help:"Address of a feed or page; it need not be followed."`
	pageFlags   `embed:""`
	accessFlags `embed:""`
	JSON        bool `name:"json" help:"Print JSON: one object."`
}

func (c *previewCmd) Run(p *program) error {
	order := c.order(c.URL)
	order.Access = c.change()
	preview, err := p.client.Preview(p.ctx, order)
	if err != nil {
		return err
	}
	if c.JSON {
		err = p.out.JSON(preview)
	} else {
		printPreview(p.out, preview)
	}
	if err != nil {
		return err
	}
	if preview.Kind != tidings.KindUnknown && preview.Poll.Error == "" {
		return nil
	}
	reason := preview.Poll.Error
	if reason == "" {
		reason = "the check ended with: " + string(preview.Poll.Outcome)
	}
	return failure("the document was not read: "+reason, "")
}

// maxShown is how many items or lines of a preview are printed.
const maxShown = 10

func printPreview(out *console.Console, p tidings.Preview) {
	heading(out, "Fetched")
	printFetched(out, p.Fetched)
	if p.Kind != tidings.KindUnknown {
		heading(out, "Read")
		out.Printf("  %s %s\n  %s\n", kindWord(p.Kind), out.Paint(console.Bold, console.Neutral(p.Title)),
			out.Paint(console.Blue, console.Neutral(p.Channel)))
		out.Printf("  %s, privacy %s\n", amount(p), p.Privacy)
	}
	for _, note := range p.Notes {
		out.Printf("  - %s\n", console.Neutral(note))
	}
	if len(p.Choices) > 1 {
		heading(out, "The page offers")
		for _, choice := range p.Choices {
			out.Printf("  %s  %s\n", console.Neutral(choice.URL), out.Paint(console.Dim, console.Neutral(choice.Title)))
		}
	}
	printFound(out, p)
	heading(out, "Next")
	out.Printf("  %s\n", nextWords(out, p.Poll))
}

func heading(out *console.Console, text string) { out.Printf("%s\n", out.Paint(console.Dim, text)) }

func printFetched(out *console.Console, all []tidings.Fetched) {
	rows := make([][]console.Cell, len(all))
	for i, f := range all {
		status, style := strconv.Itoa(f.Status), console.Green
		if f.Status == 0 {
			status = "-"
		}
		if f.Status >= 400 || f.Status == 0 {
			style = console.Red
		}
		result := console.Bytes(f.Bytes)
		if f.Size != f.Bytes {
			result += ", unpacked " + console.Bytes(f.Size)
		}
		if f.Error != "" {
			result = console.Neutral(f.Error)
		}
		rows[i] = []console.Cell{{Text: ""}, {Text: status, Style: style}, {Text: console.Neutral(f.URL)},
			{Text: console.Neutral(f.Type), Style: console.Dim}, {Text: f.Took.Round(time.Millisecond).String()},
			{Text: result}}
	}
	out.Table([]console.Column{{Title: " "}, {Title: "STATUS"}, {Title: "ADDRESS", Least: 24},
		{Title: "TYPE", Least: 8, Spare: true},
		{Title: "TIME", Right: true}, {Title: "SIZE", Least: 8}}, rows)
}

func amount(p tidings.Preview) string {
	if p.Kind == tidings.KindFeed {
		return console.Of(p.Count, "item")
	}
	return console.Of(p.Count, "line")
}

func printFound(out *console.Console, p tidings.Preview) {
	if len(p.Items)+len(p.Lines) == 0 {
		return
	}
	heading(out, "Content")
	for _, item := range p.Items[:min(maxShown, len(p.Items))] {
		title := console.Neutral(item.Title)
		if title == "" {
			title = console.Cut(htmlText(item.Summary+" "+item.Content), 80)
		}
		out.Printf("  %s %s\n", out.Paint(console.Green, "•"), title)
	}
	for _, line := range p.Lines[:min(maxShown, len(p.Lines))] {
		out.Printf("  %s\n", console.Cut(console.NeutralLine(line), out.Width-2))
	}
	if rest := p.Count - min(maxShown, len(p.Items)+len(p.Lines)); rest > 0 {
		out.Printf("  %s\n", out.Paint(console.Dim, "… and "+console.Count(rest)+" more"))
	}
}

func nextWords(out *console.Console, l tidings.Poll) string {
	if l.Next.IsZero() {
		return join("it would not be checked again", console.Neutral(l.NextWhy))
	}
	return join("a check "+nextPoll(out, l), console.Neutral(l.NextWhy))
}

func join(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}
