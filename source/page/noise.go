package page

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// MaxRules bounds the rules of a Noise.
const MaxRules = 64

// Noise is what was learned of a page to differ from fetch to fetch without meaning
// anything. The zero value masks nothing. It is a value: its methods change nothing.
//
// It is a list of rules that are followed in turn. A rule knows lines by where they
// stand (their path: element names, ids and classes) and by the text around what
// differs, never by their number, so it holds while content moves around them.
type Noise struct {
	rules []rule
}

// Len returns the number of rules.
func (n Noise) Len() int { return len(n.rules) }

// Merge returns n with the rules of more added behind its own. If they are too many,
// the oldest are forgotten.
func (n Noise) Merge(more Noise) Noise {
	merged := slices.Clone(n.rules)
	for _, r := range more.rules {
		if !slices.ContainsFunc(merged, r.equal) {
			merged = append(merged, r)
		}
	}
	return Noise{rules: merged[max(0, len(merged)-MaxRules):]}
}

// rule masks one kind of place. One of its three parts is set.
type rule struct {
	Template *template `json:"t,omitempty"`
	Place    *path     `json:"p,omitempty"` // every line that stands there is dropped
	Gap      *gap      `json:"g,omitempty"`
}

// template masks the parts of a line that differ and leaves the others visible.
type template struct {
	Path  path     `json:"p"`
	Parts []string `json:"s"` // what stays, around the parts that differ
	Kinds string   `json:"k"` // of each part that differs: '#' digits, '*' anything
}

// gap drops the few lines between two that stay.
type gap struct {
	Before context `json:"b"`
	After  context `json:"a"`
	Most   int     `json:"n"` // lines
}

// context is the line or two that stay, or an end of the document.
type context struct {
	Lines int    `json:"n"` // 0: the document begins or ends here
	Hash  uint64 `json:"h"`
}

func (r rule) equal(other rule) bool {
	switch {
	case r.Template != nil && other.Template != nil:
		return r.Template.equal(*other.Template)
	case r.Place != nil && other.Place != nil:
		return *r.Place == *other.Place
	case r.Gap != nil && other.Gap != nil:
		return *r.Gap == *other.Gap
	}
	return false
}

func (t template) equal(other template) bool {
	return t.Path == other.Path && t.Kinds == other.Kinds && slices.Equal(t.Parts, other.Parts)
}

// masked is what stands in a line for what is masked there.
const masked = "…"

// mask returns lines without what n masks. What a person keeps is not masked, and
// what would leave nothing is not followed: the page is another than was learned.
func (n Noise) mask(lines []line) []line {
	if len(n.rules) == 0 {
		return lines
	}
	rest := slices.Clone(lines)
	for _, r := range n.rules {
		rest = r.mask(rest)
	}
	if len(rest) == 0 {
		return lines
	}
	return rest
}

// mask returns lines without what r masks. It may change lines.
func (r rule) mask(lines []line) []line {
	switch {
	case r.Template != nil:
		return r.Template.mask(lines)
	case r.Place != nil:
		return slices.DeleteFunc(lines, r.drops)
	case r.Gap != nil:
		return r.Gap.mask(lines)
	}
	return lines
}

// drops reports whether r, that of a place, drops a line.
func (r rule) drops(l line) bool { return l.path == *r.Place && !l.kept }

// changes reports whether r, which is none of a gap, drops or changes any of lines.
func (r rule) changes(lines []line) bool {
	if r.Place != nil {
		return slices.ContainsFunc(lines, r.drops)
	}
	pattern, text := r.Template.pattern(), r.Template.text()
	for i := range lines {
		if lines[i].text != text && r.Template.masks(&lines[i], pattern) {
			return true
		}
	}
	return false
}

func (t *template) mask(lines []line) []line {
	pattern, text := t.pattern(), t.text()
	for i := range lines {
		if t.masks(&lines[i], pattern) {
			lines[i].text = text
		}
	}
	return lines
}

// text is what t leaves of a line.
func (t template) text() string { return strings.Join(t.Parts, masked) }

// masks reports whether t, whose pattern is given, masks a line.
func (t *template) masks(l *line, pattern *regexp.Regexp) bool {
	return strings.HasPrefix(l.text, t.Parts[0]) && l.path == t.Path && !l.kept && t.mayMatch(l.text) &&
		pattern.MatchString(l.text)
}

// mayMatch checks quickly whether a line has the parts of t.
func (t *template) mayMatch(text string) bool {
	last := len(t.Parts) - 1
	if !strings.HasPrefix(text, t.Parts[0]) || !strings.HasSuffix(text, t.Parts[last]) {
		return false
	}
	for _, part := range t.Parts[:last] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

func (t template) pattern() *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^`)
	for i, part := range t.Parts {
		b.WriteString(regexp.QuoteMeta(part))
		switch {
		case i == len(t.Parts)-1:
		case t.Kinds[i] == '#':
			b.WriteString(`(?:[\d.,:]*|` + masked + `)`)
		default:
			b.WriteString(`.*`)
		}
	}
	b.WriteString(`$`)
	return regexp.MustCompile(b.String()) // quoted text and fixed parts: always valid
}

// letters counts the letters that a template leaves visible.
func (t template) letters() int {
	n := 0
	for _, part := range t.Parts {
		for _, r := range part {
			if unicode.IsLetter(r) {
				n++
			}
		}
	}
	return n
}

func (g gap) mask(lines []line) []line {
	result := make([]line, 0, len(lines))
	for i := 0; i <= len(lines); i++ {
		if n := g.at(lines, i); n > 0 {
			for _, l := range lines[i : i+n] {
				if l.kept {
					result = append(result, l)
				}
			}
			i += n
		}
		if i < len(lines) {
			result = append(result, lines[i])
		}
	}
	return result
}

// at returns how many lines from line i on are in the gap: 0 if it is not there.
func (g gap) at(lines []line, i int) int {
	if !g.Before.endsAt(lines, i) {
		return 0
	}
	for n := 0; n <= g.Most && i+n <= len(lines); n++ {
		if g.After.beginsAt(lines, i+n) {
			return n
		}
	}
	return 0
}

func (c context) endsAt(lines []line, i int) bool {
	if c.Lines == 0 {
		return i == 0
	}
	return i >= c.Lines && hashLines(lines[i-c.Lines:i]) == c.Hash
}

func (c context) beginsAt(lines []line, i int) bool {
	if c.Lines == 0 {
		return i == len(lines)
	}
	return i+c.Lines <= len(lines) && hashLines(lines[i:i+c.Lines]) == c.Hash
}

func hashLines(lines []line) uint64 {
	h := fnv.New64a()
	for _, l := range lines {
		h.Write([]byte(l.text))
		h.Write([]byte{'\n'})
	}
	return h.Sum64()
}
