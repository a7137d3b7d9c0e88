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
	Now      func() time.Time // what times are told relative to
}

// New finds out what out is. The environment may forbid colours (NO_COLOR, TERM=dumb)
// and tell the width (COLUMNS).
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
)

// Paint gives text the style where colours are allowed.
func (c *Console) Paint(s Style, text string) string {
	if !c.Colour || s == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
