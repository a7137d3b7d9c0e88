package page

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// jsonLines puts one value to a line, with the members of an object in the order of their names: in which order a
// program writes them says nothing. What is not JSON after all is read as text.
func jsonLines(text string) []line {
	var flat bytes.Buffer
	if err := json.Indent(&flat, []byte(text), "", ""); err != nil {
		return textLines(text, formText)
	}
	root := &value{}
	open := []*value{root}
	gathered := 0
	for s := range strings.Lines(flat.String()) {
		if s = collapse(s); s == "" {
			continue
		}
		if gathered++; gathered > maxGathered {
			break
		}
		s = strings.TrimSuffix(s, ",")
		inner := open[len(open)-1]
		if s == "}" || s == "]" {
			inner.end = s
			open = open[:len(open)-1]
			continue
		}
		v := &value{text: s}
		inner.inside = append(inner.inside, v)
		if last := s[len(s)-1]; last == '{' || last == '[' {
			open = append(open, v)
		}
	}
	return root.lines(nil, -1, "")
}

// value is a value of JSON, behind its name if it has one.
type value struct {
	text   string // its first line; of the document itself: empty
	inside []*value
	end    string // its last line, if it has several
}

// maxIndent bounds the levels that are shown: indentation grows with the square of depth.
const maxIndent = 16

// lines appends the value's lines. It calls itself no more often than json.Indent lets values nest.
func (v *value) lines(lines []line, depth int, comma string) []line {
	indent := strings.Repeat("  ", max(0, min(depth, maxIndent)))
	last := v.text
	if last != "" && last[len(last)-1] == '{' {
		// names come first
		slices.SortStableFunc(v.inside, func(a, b *value) int { return strings.Compare(a.text, b.text) })
	}
	if v.end != "" || len(v.inside) > 0 {
		if v.text != "" {
			lines = append(lines, line{text: indent + v.text})
		}
		for i, inner := range v.inside {
			after := ","
			if i == len(v.inside)-1 {
				after = ""
			}
			lines = inner.lines(lines, depth+1, after)
		}
		last = v.end
	}
	if last != "" {
		lines = append(lines, line{text: indent + last + comma})
	}
	return lines
}
