package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"golang.org/x/term"
)

// Console prints to one output.
type Console struct {
	Out      io.Writer
	Terminal bool             // a person reads it
	Colour   bool             // whether to use colours
	Width    int              // columns; 0: no end
	Now      func() time.Time // printed times are relative to it
}

// New inspects out. The environment may forbid colours (NO_COLOR, TERM=dumb) and set the width (COLUMNS).
func New(out io.Writer, env func(string) string) *Console {
	c := &Console{Out: out, Now: time.Now}
	file, ok := out.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return c
	}
	c.Terminal = true
	c.Colour = env("NO_COLOR") == "" && env("TERM") != "dumb"
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		c.Width = width
	}
	if width, err := strconv.Atoi(env("COLUMNS")); err == nil && width > 0 {
		c.Width = width
	}
	return c
}

// Printf prints. Arguments from outside must be neutral already.
func (c *Console) Printf(format string, args ...any) { fmt.Fprintf(c.Out, format, args...) }

// JSON prints v as one line.
func (c *Console) JSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := c.Out.Write(NeutralJSON(b.Bytes()))
	return err
}

// Style is a way to print a text.
type Style string

const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Blue   Style = "34"

	// Removed and Added differ without colours, too: one is struck out, the other underlined.
	Removed Style = "9;31"
	Added   Style = "4;32"
)

// Paint gives text the style where colours are allowed.
func (c *Console) Paint(s Style, text string) string {
	if !c.Colour || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Mark gives text the style, or where no colours are allowed stands it between two marks.
func (c *Console) Mark(s Style, text, before, after string) string {
	if !c.Colour {
		return before + text + after
	}
	return c.Paint(s, text)
}
