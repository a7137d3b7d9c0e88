package query

import (
	"strconv"
	"strings"
)

// Form is what a simple form asks for. All fields that are filled in must be fulfilled.
type Form struct {
	Publisher  string
	Subject    string // a name, a code, or scheme:code
	MaxUrgency int    // 1 to 9; 0: any urgency
	Words      string // all of them must occur in the headline, in any order and also within longer words
	Language   string // a tag; en includes en-GB
}

// Query returns the condition that a form stands for, as text. A form that is too long gives one that Parse refuses.
func (f Form) Query() string {
	var list []string
	add := func(parts ...string) { list = append(list, strings.Join(parts, "")) }
	if s := clean(f.Publisher); s != "" {
		add("publisher = ", quote(s))
	}
	if s := clean(f.Subject); s != "" {
		add("subject = ", quote(s))
	}
	if f.MaxUrgency != 0 {
		add("urgency <= ", strconv.Itoa(f.MaxUrgency))
	}
	for _, w := range strings.Fields(clean(f.Words)) {
		add("headline LIKE ", likePattern("%", w, "%"))
	}
	if s := clean(f.Language); s != "" {
		add("(language = ", quote(s), " OR language LIKE ", likePattern("", s, "-%"), ")")
	}
	if len(list) == 0 {
		return "TRUE"
	}
	return strings.Join(list, " AND ")
}

// clean returns what was typed into a field, without what no query can have.
func clean(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", ""))
}

// likePattern returns a pattern in which a text stands for itself.
func likePattern(before, text, after string) string {
	escaped := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text)
	pattern := quote(before + escaped + after)
	if escaped != text {
		pattern += ` ESCAPE '\'`
	}
	return pattern
}
