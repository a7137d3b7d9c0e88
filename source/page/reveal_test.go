package page

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tidings"
)

const (
	noteHidden   = "kept what is hidden: nothing else is there"
	noteNoscript = "read what is for browsers without scripts: nothing else is there"
)

func TestWhatIsHiddenIsReadWhereNothingElseIs(t *testing.T) {
	for _, c := range []struct{ name, html, want, note string }{
		{"body without display", `<body style="display:none"><h1>Title</h1><p>text`, "# Title\ntext", noteHidden},
		{"hidden body", `<body hidden><p>text`, "text", noteHidden},
		{"aria-hidden", `<body aria-hidden="true"><p>text`, "text", noteHidden},
		{"visibility", `<html style="visibility: hidden"><p>text`, "text", noteHidden},
		{"opacity", `<body style="opacity:0"><p>text`, "text", ""},
		{"hidden within hidden", `<div hidden><div style="display:none"><p>text</div></div>`, "text", noteHidden},
		{"something is shown", `<p>text<p hidden>not this<noscript>nor this</noscript>`, "text", ""},
		{"hidden before noscript", `<body hidden><p>text<noscript>not this</noscript>`, "text", noteHidden},
		{"noscript", `<div id=app></div><noscript><h1>Title</h1><p>te&amp;xt</noscript>`, "# Title\nte&xt",
			noteNoscript},
		{"noscript in what is hidden", `<div hidden><noscript>text</noscript></div>`, "text", noteNoscript},
		{"noscript nested deeply", `<p></p><noscript>` + strings.Repeat("<div>", 600) + `text</noscript>`, "text",
			noteNoscript},
		{"frames", `<frameset><frame src=a><noframes><p>text</noframes></frameset>`, "text", noteNoscript},
		{"shadow root", `<my-card><template shadowrootmode="open"><style>p{}</style><h2>In the shadow</h2><slot></slot></template><p>in the light</p></my-card>`, "## In the shadow\nin the light", ""},
		{"closed shadow root alone", `<my-card><template shadowrootmode="closed"><p>text</template></my-card>`, "text",
			""},
		{"shadow roots within each other", `<a-b><template shadowrootmode=open><c-d><template shadowrootmode=open><p>text</template></c-d></template></a-b>`, "text", ""},
		{"other templates", `<template><p>no</template><p>text`, "text", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := read(t, c.html, tidings.PageOptions{})
			if got := strings.Join(doc.Lines, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			var notes []string
			if c.note != "" {
				notes = []string{c.note}
			}
			notes = append(notes, slices.DeleteFunc(slices.Clone(doc.Notes), func(n string) bool {
				return n == noteHidden || n == noteNoscript
			})...)
			if !slices.Equal(doc.Notes, notes) {
				t.Errorf("notes %q, want %q", doc.Notes, notes)
			}
		})
	}
}

// What a person ignores is not made up for by what is hidden, and what is selected is revealed alone.
func TestRevealingObeysOptions(t *testing.T) {
	html := `<main><p class=x>a</p><p hidden>b</p></main><p>c`
	_, err := Extract([]byte(html), "text/html", "",
		tidings.PageOptions{Select: []string{"main"}, Ignore: []string{".x"}}, Noise{}, Default())
	if !errors.Is(err, ErrEmpty) {
		t.Errorf("error %v", err)
	}
	doc := read(t, `<main><p hidden>b</p><p hidden class=x>d</p></main><p>c`,
		tidings.PageOptions{Select: []string{"main"}, Ignore: []string{".x"}})
	if !slices.Equal(doc.Lines, []string{"b"}) {
		t.Errorf("lines %q", doc.Lines)
	}
}

// hostile 16: of many elements for browsers without scripts the first are opened, and one that would explode is read
// flat.
func TestHostile16FallbacksAreBounded(t *testing.T) {
	doc := read(t, "<body>"+strings.Repeat("<noscript><p>x</noscript>", maxFallbacks+10), tidings.PageOptions{})
	if len(doc.Lines) != maxFallbacks {
		t.Errorf("%d lines, want %d", len(doc.Lines), maxFallbacks)
	}
	text := "<p>" + formatting(300) + strings.Repeat("<p>x", 10_000)
	n := 0
	for _, top := range parseInside(text) {
		for range top.Descendants() {
			n++
		}
	}
	if n > 30_000 {
		t.Errorf("%d nodes were made", n)
	}
}
