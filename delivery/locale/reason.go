package locale

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Part is a part of a reason in the language of its reader. Where nobody has translated it, it is in English.
type Part struct {
	Text    string
	English bool // and the reader's language is another
}

// Bounds of reasons: longer ones, and those further within others, stay in English.
const (
	maxReason = 1000 // bytes
	maxWithin = 8
)

// reason is a text that code makes of a format, with the format in this language.
type reason struct {
	matches *regexp.Regexp
	start   string // what such a text begins with
	longest string // of what it has besides
	verbs   []byte // of the groups of matches
	own     string
	literal int // bytes of the format outside of its verbs
}

// places are the verbs of a format of reasons.
var places = regexp.MustCompile(`%(?:\[(\d)\])?([a-z%])`)

// reasonOf reads a format of reasons, in English and in this language.
func reasonOf(english, own string) reason {
	r := reason{own: own}
	var pattern strings.Builder
	at, isStart := 0, true
	add := func(literal string) {
		literal = strings.ReplaceAll(literal, "%%", "%")
		pattern.WriteString(regexp.QuoteMeta(literal))
		r.literal += len(literal)
		if len(literal) > len(r.longest) {
			r.longest = literal
		}
		if isStart {
			r.start += literal
		}
	}
	for _, m := range places.FindAllStringSubmatchIndex(english, -1) {
		verb := english[m[4]]
		if verb == '%' {
			add(english[at:m[0]] + "%%")
			at = m[1]
			continue
		}
		add(english[at:m[0]])
		at, isStart = m[1], false
		r.verbs = append(r.verbs, verb)
		switch verb {
		case 'd':
			pattern.WriteString(`(-?[0-9][0-9.]*)`)
		case 'u':
			pattern.WriteString(`(\S+?)`)
		default:
			pattern.WriteString(`(.+?)`)
		}
	}
	add(english[at:])
	r.matches = regexp.MustCompile(`^(?s:` + pattern.String() + `)$`)
	return r
}

// reasonsOf reads formats of reasons. Of several that match a text, the one comes first that says more of it.
func reasonsOf(texts map[string]string) []reason {
	var all []reason
	for _, english := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, reasonOf(english, texts[english]))
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(b.literal, a.literal) })
	return all
}

// Reasons returns the formats of reasons that the language has, sorted.
func (l *Locale) Reasons() []string { return slices.Sorted(maps.Keys(l.reasonTexts)) }

// Reason returns an English reason of a lower layer in this language, such as an error. Reasons can be within each
// other, as in "reading feed: no such host".
func (l *Locale) Reason(english string) []Part {
	if l == nil || l.reasons == nil || english == "" {
		return []Part{{Text: english}}
	}
	if len(english) <= maxReason {
		if parts, ok := l.within(english, 0); ok {
			return joined(parts)
		}
	}
	return []Part{{english, true}}
}

// Said is Reason as one text, for where no part can be marked as English.
func (l *Locale) Said(english string) string {
	var b strings.Builder
	for _, p := range l.Reason(english) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// within translates a reason, and reports whether a format matches it or a part of it.
func (l *Locale) within(english string, depth int) ([]Part, bool) {
	if depth > maxWithin {
		return nil, false
	}
	for _, r := range l.reasons() {
		if !strings.HasPrefix(english, r.start) || !strings.Contains(english, r.longest) {
			continue
		}
		if m := r.matches.FindStringSubmatch(english); m != nil {
			return l.filled(r, m[1:], depth), true
		}
	}
	if before, after, ok := strings.Cut(english, ": "); ok {
		return l.both(before, ": ", after, "", depth)
	}
	if i := strings.Index(english, " ("); i > 0 && strings.HasSuffix(english, ")") {
		return l.both(english[:i], " (", english[i+2:len(english)-1], ")", depth)
	}
	return nil, false
}

// both translates two reasons that stand beside each other.
func (l *Locale) both(a, between, b, end string, depth int) ([]Part, bool) {
	first, ok := l.within(a, depth+1)
	second, ok2 := l.within(b, depth+1)
	if !ok && !ok2 {
		return nil, false
	}
	if !ok {
		first = []Part{untranslated(a)}
	}
	if !ok2 {
		second = []Part{untranslated(b)}
	}
	return append(append(append(first, Part{Text: between}), second...), Part{Text: end}), true
}

// untranslated is a part that no format matches: a sentence in English, or a name, which has no language.
func untranslated(text string) Part { return Part{text, strings.Contains(text, " ")} }

// filled returns a reason in this language, with what stands in its places.
func (l *Locale) filled(r reason, found []string, depth int) []Part {
	var parts []Part
	at, next := 0, 0
	for _, m := range places.FindAllStringSubmatchIndex(r.own, -1) {
		parts = append(parts, Part{Text: r.own[at:m[0]]})
		at = m[1]
		if r.own[m[4]] == '%' {
			parts = append(parts, Part{Text: "%"})
			continue
		}
		i := next
		if m[2] >= 0 {
			i = int(r.own[m[2]]-'0') - 1
		}
		next = i + 1
		if i < len(found) { // a test sees to it
			parts = append(parts, l.piece(found[i], r.verbs[i], depth)...)
		}
	}
	return append(parts, Part{Text: r.own[at:]})
}

// day is how reasons write a day.
const day = "2 January 2006"

// tenths are numbers and spans as reasons write them: "36.5", "2.5 h".
var tenths = regexp.MustCompile(`^(-?[0-9]+\.[0-9])( (?:ms|s|min|h))?$`)

// piece translates what stands in a place of a reason.
func (l *Locale) piece(text string, verb byte, depth int) []Part {
	if m := tenths.FindStringSubmatch(text); m != nil {
		if f, err := strconv.ParseFloat(m[1], 64); err == nil {
			return []Part{{Text: l.Decimal(f, 1) + m[2]}}
		}
	}
	if t, err := time.Parse(day, text); err == nil {
		return []Part{{Text: l.Date(t, day)}}
	}
	if parts, ok := l.within(text, depth+1); ok {
		return parts
	}
	// Words of a page, such as "the address of the server".
	if own, ok := l.texts[text]; ok && verb == 's' && isSmall(text[0]) && strings.Contains(text, " ") {
		return []Part{{Text: own}}
	}
	if verb == 'w' {
		return []Part{untranslated(text)}
	}
	return []Part{{Text: text}}
}

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

// joined puts parts of one language together.
func joined(parts []Part) (all []Part) {
	for _, p := range parts {
		switch last := len(all) - 1; {
		case p.Text == "":
		case last >= 0 && all[last].English == p.English:
			all[last].Text += p.Text
		default:
			all = append(all, p)
		}
	}
	return all
}
