package delta

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Why a delta is refused. They are wrapped with the place.
var (
	ErrSyntax = errors.New("not the normal output of diff") // also hunks that overlap or do not rise
	ErrLimit  = errors.New("over the limit")
	ErrBase   = errors.New("made for other lines")               // hash or lines of the base differ
	ErrResult = errors.New("gives other lines than it promised") // hash of the result differs
)

// Limits bound what is read and made from a delta that somebody else wrote.
type Limits struct {
	Text  int // bytes of the delta's text
	Hunks int
	Lines int // lines of the result, and the highest line number
	Bytes int // bytes of the result, with a newline for each line
}

// DefaultLimits fit every delta between two pages that source/page makes (at most
// 100,000 lines and 5 MiB each): the longest text has both whole, with marks.
func DefaultLimits() Limits {
	return Limits{Text: 12 << 20, Hunks: MaxHunks, Lines: 100_000, Bytes: 6 << 20}
}

// Parse reads the normal output of diff. It refuses a text that breaks the format or
// the limits, and one whose hunks overlap, do not rise, or count their lines wrongly.
// An empty line may come as ">" without the blank (diff --suppress-blank-empty).
func Parse(text string, limits Limits) (Delta, error) {
	if len(text) > limits.Text {
		return nil, fmt.Errorf("reading delta: %w: %d bytes of text, at most %d", ErrLimit, len(text), limits.Text)
	}
	p := parser{rest: text, limits: limits}
	var d Delta
	for p.rest != "" {
		if len(d) == limits.Hunks {
			return nil, fmt.Errorf("reading delta: %w: more than %d hunks", ErrLimit, limits.Hunks)
		}
		h, err := p.hunk()
		if err != nil {
			return nil, fmt.Errorf("reading delta, line %d: %w", p.line, err)
		}
		d = append(d, h)
	}
	return d, nil
}

// parser reads hunk after hunk and knows where the last one ended in both lists.
type parser struct {
	rest     string
	line     int // of the text, the last one read; counts from 1
	limits   Limits
	begun    bool
	old, new int // first line after the last hunk; counts from 0
}

func (p *parser) next() (string, error) {
	p.line++
	line, rest, ended := strings.Cut(p.rest, "\n")
	if !ended {
		return "", fmt.Errorf("%w: cut off", ErrSyntax)
	}
	p.rest = rest
	return line, nil
}

func (p *parser) hunk() (Hunk, error) {
	line, err := p.next()
	if err != nil {
		return Hunk{}, err
	}
	c, err := p.command(line)
	if err != nil {
		return Hunk{}, err
	}
	if err := p.follows(c); err != nil {
		return Hunk{}, err
	}
	h := Hunk{At: c.a0}
	if h.Old, err = p.lines('<', c.a1-c.a0); err != nil {
		return Hunk{}, err
	}
	if c.a1 > c.a0 && c.b1 > c.b0 {
		if line, err = p.next(); err != nil {
			return Hunk{}, err
		}
		if line != "---" {
			return Hunk{}, fmt.Errorf("%w: want ---", ErrSyntax)
		}
	}
	if h.New, err = p.lines('>', c.b1-c.b0); err != nil {
		return Hunk{}, err
	}
	p.begun, p.old, p.new = true, c.a1, c.b1
	return h, nil
}

// follows checks that c lies behind the last hunk, with the same lines of both
// lists between them. Two hunks that touch would be one.
func (p *parser) follows(c span) error {
	gap := c.a0 - p.old
	if gap < 0 || p.begun && gap == 0 {
		return fmt.Errorf("%w: hunks overlap or do not rise", ErrSyntax)
	}
	if c.b0-p.new != gap {
		return fmt.Errorf("%w: line numbers of old and new disagree", ErrSyntax)
	}
	return nil
}

// command reads a line such as "5,7c8,10".
func (p *parser) command(line string) (span, error) {
	verb := strings.IndexAny(line, "acd")
	if verb < 0 {
		return span{}, fmt.Errorf("%w: want a command such as 5,7c8,10", ErrSyntax)
	}
	var s span
	var err error
	if s.a0, s.a1, err = p.lineRange(line[:verb], line[verb] == 'a'); err != nil {
		return span{}, err
	}
	if s.b0, s.b1, err = p.lineRange(line[verb+1:], line[verb] == 'd'); err != nil {
		return span{}, err
	}
	return s, nil
}

// lineRange reads "5" or "5,7" into a half-open range that counts from 0; if nothing
// stands there, "5" is the empty range behind that line.
func (p *parser) lineRange(text string, empty bool) (from, to int, err error) {
	first, last, pair := strings.Cut(text, ",")
	if !pair {
		last = first
	}
	if from, err = p.number(first); err != nil {
		return 0, 0, err
	}
	if to, err = p.number(last); err != nil {
		return 0, 0, err
	}
	switch {
	case empty && !pair:
		return to, to, nil
	case empty || from < 1 || to < from:
		return 0, 0, fmt.Errorf("%w: no such range of lines", ErrSyntax)
	}
	return from - 1, to, nil
}

func (p *parser) number(text string) (int, error) {
	if text == "" || len(text) > 10 || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%w: want a line number", ErrSyntax)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%w: want a line number", ErrSyntax)
	}
	if n > p.limits.Lines {
		return 0, fmt.Errorf("%w: line %d, at most %d", ErrLimit, n, p.limits.Lines)
	}
	return n, nil
}

// lines reads n lines behind the mark.
func (p *parser) lines(mark byte, n int) ([]string, error) {
	if 2*n > len(p.rest) { // each needs at least the mark and a newline
		return nil, fmt.Errorf("%w: cut off", ErrSyntax)
	}
	if n == 0 {
		return nil, nil
	}
	lines := make([]string, n)
	for i := range lines {
		line, err := p.next()
		if err != nil {
			return nil, err
		}
		switch {
		case len(line) >= 2 && line[0] == mark && line[1] == ' ':
			lines[i] = line[2:]
		case len(line) == 1 && line[0] == mark:
		default:
			return nil, fmt.Errorf("%w: want a line that begins with %q", ErrSyntax, string(mark)+" ")
		}
	}
	return lines, nil
}
