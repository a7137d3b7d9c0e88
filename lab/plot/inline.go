package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Inline returns an SVG document of this package in a form to stand within a page. Its colours are CSS variables, so
// that a page can be light or dark, and its font is the page's. The variables are --ground, --ink, --said, --grid, and
// --s0 to --s6 for the series.
//
// Only shapes and text pass, whatever the source of the document: neither scripts nor references to anything outside.
// Anything else is an error.
func Inline(svg []byte) (string, error) {
	var out strings.Builder
	depth := 0
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("reading a plot: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if (t.Name.Local == "svg") != (out.Len() == 0) {
				return "", errors.New("reading a plot: it is not one SVG document")
			}
			if err := inlineStart(&out, t); err != nil {
				return "", fmt.Errorf("reading a plot: %w", err)
			}
			depth++
		case xml.EndElement:
			out.WriteString("</" + t.Name.Local + ">")
			depth--
		case xml.CharData:
			if depth > 0 {
				out.WriteString(html.EscapeString(string(t)))
			}
		}
	}
	if out.Len() == 0 {
		return "", errors.New("reading a plot: it is empty")
	}
	return out.String(), nil
}

// inlined are the elements of a plot with the attributes that are needed.
var inlined = map[string][]string{
	"svg":   {"viewBox"},
	"title": {},
	"g":     {"transform"},
	"path":  {"d", "style"},
	"text":  {"x", "y", "transform", "style", "textLength", "lengthAdjust"},
}

var (
	inlineValue  = regexp.MustCompile(`^[-\w\s.,;:()#'%]*$`)
	inlineColour = regexp.MustCompile(`#[0-9A-Fa-f]{6}`)
	inlineFont   = regexp.MustCompile(`font-(family|style|variant):[^;]*;?`)
)

func inlineStart(out *strings.Builder, t xml.StartElement) error {
	allowed, ok := inlined[t.Name.Local]
	if !ok {
		return fmt.Errorf("element %q has no place in it", t.Name.Local)
	}
	out.WriteString("<" + t.Name.Local)
	if t.Name.Local == "svg" {
		out.WriteString(` role="img"`)
	}
	for _, a := range t.Attr {
		if !slices.Contains(allowed, a.Name.Local) {
			continue
		}
		value := a.Value
		if !inlineValue.MatchString(value) || strings.Contains(strings.ToLower(value), "url") {
			return fmt.Errorf("attribute %s=%q has no place in it", a.Name.Local, value)
		}
		if a.Name.Local == "style" {
			value = inlineColour.ReplaceAllStringFunc(inlineFont.ReplaceAllString(value, ""), variable)
		}
		fmt.Fprintf(out, ` %s="%s"`, a.Name.Local, html.EscapeString(value))
	}
	out.WriteString(">")
	return nil
}

// variable returns what stands for a colour in a page.
func variable(hex string) string {
	var r, g, b uint8
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return hex
	}
	is := func(c color.RGBA) bool { return alike(c.R, r) && alike(c.G, g) && alike(c.B, b) }
	for i, c := range palette {
		if is(c) {
			return fmt.Sprintf("var(--s%d)", i)
		}
	}
	switch {
	case is(ground):
		return "var(--ground)"
	case is(ink):
		return "var(--ink)"
	case is(quiet):
		return "var(--said)"
	case is(gridlines):
		return "var(--grid)"
	}
	return hex
}

// alike reports whether a and b differ by no more than is lost where a colour is made
// transparent.
func alike(a, b uint8) bool { return max(a, b)-min(a, b) <= 4 }
