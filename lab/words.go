package lab

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Words are how people read an experiment, in which figures have names for programs. A figure's name consists of parts,
// with ", " or a dot between them: "mean hops, 1,000 nodes" and "ours.lite.polls". Some parts that follow one another
// are the measure, and the others the case in which it is.
type Words struct {
	Questions []Question
	Cases     map[string]string // by part of a name, where people call it otherwise: "ours" is "default settings"
	Findings  []Finding
}

// Question is what a group of figures answers.
type Question struct {
	Asks     string // "How soon are changes found?"
	Measures []Measure
}

// Measure is what some figures are of, each in another case.
type Measure struct {
	Name  string // the parts of the figures' names that say so: "detection_seconds"
	Label string // "time until a change is found"; empty: the name says it
}

// Label is how people read one figure.
type Label struct {
	Question string `json:"question,omitempty"` // that it answers; empty: none is declared
	Measure  string `json:"label"`
	Case     string `json:"case,omitempty"` // empty: there is but one
}

// String returns what stands for the figure in a sentence.
func (l Label) String() string {
	if l.Case == "" {
		return l.Measure
	}
	return l.Measure + ", " + l.Case
}

// label returns how people read a figure. It uses the measure with the most parts that the name has, and of these the
// first.
func (w Words) label(name string) Label {
	separator := separatorOf(name)
	parts := strings.Split(name, separator)
	var found Label
	at, most := 0, 0
	for _, q := range w.Questions {
		for _, m := range q.Measures {
			wanted := strings.Split(m.Name, separator)
			if i := indexOf(parts, wanted); i >= 0 && len(wanted) > most {
				found, at, most = Label{Question: q.Asks, Measure: cmp.Or(m.Label, m.Name)}, i, len(wanted)
			}
		}
	}
	if most == 0 {
		if at, most = 0, 1; separator == "." {
			at = lastThatIsNoSize(parts)
		}
		found.Measure = spelled(parts[at])
	}
	var cases []string
	for _, part := range slices.Concat(parts[:at], parts[at+most:]) {
		if text := w.caseOf(part); text != "" {
			cases = append(cases, text)
		}
	}
	found.Case = strings.Join(cases, ", ")
	return found
}

func separatorOf(name string) string {
	if strings.Contains(name, " ") {
		return ", "
	}
	return "."
}

// indexOf returns where wanted begins in parts; -1: it is not there as a whole.
func indexOf(parts, wanted []string) int {
	for i := range len(parts) - len(wanted) + 1 {
		if slices.Equal(parts[i:i+len(wanted)], wanted) {
			return i
		}
	}
	return -1
}

var sizePart = regexp.MustCompile(`^n(\d+)$`)

// lastThatIsNoSize returns which part of a name says what is measured, if nobody has declared it.
func lastThatIsNoSize(parts []string) int {
	for i := len(parts) - 1; i > 0; i-- {
		if !sizePart.MatchString(parts[i]) {
			return i
		}
	}
	return 0
}

// caseOf returns what people call a part of a name: n1000 is "1,000 nodes" everywhere.
func (w Words) caseOf(part string) string {
	if text, ok := w.Cases[part]; ok {
		return text
	}
	if m := sizePart.FindStringSubmatch(part); m != nil {
		if n, err := strconv.ParseFloat(m[1], 64); err == nil {
			return number(n) + " nodes"
		}
	}
	return spelled(part)
}

// spelled makes words of a part of a name. Its unit, which stands beside the figure, is left out.
func spelled(part string) string {
	for _, unit := range []string{"_seconds", "_minutes", "_bytes"} {
		if short := strings.TrimSuffix(part, unit); short != part {
			part = short
			break
		}
	}
	return strings.ReplaceAll(part, "_", " ")
}
