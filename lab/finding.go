package lab

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Finding is a sentence that a report begins with, made of a figure.
type Finding struct {
	// Says is the sentence without its full stop. {} stands for the measured value, {#} for the same without its unit,
	// {%} as a percentage, and {case} for the figure's case. Where there is another figure to compare with, {} stands
	// for the comparison.
	Says string

	// Figure is a figure's name. With * in it, which stands for anything, it is the last of the figures that fit: the
	// one of the largest network. Where a result lacks it, there is no sentence.
	Figure string

	Against string     // the figure to compare with, in the same manner; empty: none
	Words   Comparison // how the two compare

	// By names the source of the figure's Paper; empty: the paper.
	By string
}

// Comparison is what is said of a figure that is less than another, or more.
type Comparison struct{ Less, More string }

// Comparisons of times and of amounts.
var (
	Sooner = Comparison{"sooner", "later"}
	Fewer  = Comparison{"fewer", "more"}
)

// Found is a finding that was made.
type Found struct {
	Text   string `json:"text"`
	Figure string `json:"figure"` // the name of what it is judged by

	// Detail has both figures of a comparison, and what is expected; empty: nothing is.
	Detail string `json:"detail,omitempty"`
}

// findings returns what w has to say of figures.
func (w Words) findings(figures []Figure) (all []Found) {
	for _, f := range w.Findings {
		here := lastOf(figures, f.Figure)
		if here == nil {
			continue
		}
		if f.Against == "" {
			all = append(all, f.alone(here))
		} else if against := lastOf(figures, f.Against); against != nil {
			all = append(all, f.beside(here, against))
		}
	}
	return all
}

// lastOf returns the last figure of a name that may have * in it; nil: there is none.
func lastOf(figures []Figure, name string) (last *Figure) {
	for i := range figures {
		if matches(name, figures[i].Name) {
			last = &figures[i]
		}
	}
	return last
}

// matches reports whether a name is that of the pattern, in which one * stands for anything.
func matches(pattern, name string) bool {
	before, after, any := strings.Cut(pattern, "*")
	if !any {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

func (f Finding) alone(here *Figure) Found {
	write := func(x float64) string { return Quantity(brief(x), here.Unit) }
	switch {
	case strings.Contains(f.Says, "{#}"):
		write = func(x float64) string { return number(brief(x)) }
	case strings.Contains(f.Says, "{%}"):
		write = func(x float64) string { return number(brief(100*x)) + " %" }
	}
	measured := write(here.Here)
	text := strings.NewReplacer("{}", measured, "{#}", measured, "{%}", measured, "{case}", here.Case).Replace(f.Says)
	if here.Paper != nil {
		text += "; " + cmp.Or(f.By, "the paper") + " says " + write(*here.Paper)
	}
	return Found{Text: text + ".", Figure: here.Name, Detail: here.wanted(write)}
}

func (f Finding) beside(here, against *Figure) Found {
	text := strings.NewReplacer("{}", f.Words.of(here.Here, against.Here), "{case}", here.Case).Replace(f.Says)
	if here.Paper != nil && against.Paper != nil {
		text += "; " + cmp.Or(f.By, "the paper") + " says " + f.Words.of(*here.Paper, *against.Paper)
	}
	write := func(x float64) string { return Quantity(brief(x), here.Unit) }
	detail := write(here.Here) + " and " + write(against.Here)
	if wanted := here.wanted(write); wanted != "" {
		detail += "; " + wanted
	}
	return Found{Text: text + ".", Figure: here.Name, Detail: detail}
}

// wanted says in words what is expected of a figure; empty: it is not judged.
func (f *Figure) wanted(write func(float64) string) string {
	text := ""
	switch {
	case f.Aside:
		return ""
	case f.Least == nil && f.Most == nil:
		return ""
	case f.Least == nil:
		text = "at most " + write(*f.Most)
	case f.Most == nil:
		text = "at least " + write(*f.Least)
	case *f.Least == *f.Most:
		text = write(*f.Least)
	default:
		text = write(*f.Least) + " to " + write(*f.Most)
	}
	if f.Worst {
		text += ", with every seed"
	}
	return "expected: " + text
}

// brief rounds x to three digits, whole numbers to none. What is less than 100 % stays less: 99.98 is not 100.
func brief(x float64) float64 {
	size := math.Abs(x)
	if x == math.Trunc(x) || size >= 1000 || size > 99.9 && size < 100 {
		return x
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(size)))
	return math.Round(x*scale) / scale
}

// Two figures are the same if they differ by less than sameWithin. From manyTimes on, one is so many times the other.
// Between these it is a percentage.
const (
	sameWithin = 0.01
	manyTimes  = 1.5
)

// of says how x compares with y.
func (c Comparison) of(x, y float64) string {
	same := "neither " + c.Less + " nor " + c.More
	if x == y {
		return same
	}
	if x <= 0 || y <= 0 {
		return fmt.Sprintf("%s (%s, not %s)", c.word(x < y), number(x), number(y))
	}
	switch ratio := max(x, y) / min(x, y); {
	case math.Abs(x/y-1) < sameWithin:
		return same
	case ratio < manyTimes:
		return fmt.Sprintf("%.0f %% %s", 100*math.Abs(x/y-1), c.word(x < y))
	case ratio < 10:
		return fmt.Sprintf("%s times %s", number(math.Round(10*ratio)/10), c.word(x < y))
	default:
		return fmt.Sprintf("%s times %s", number(math.Round(ratio)), c.word(x < y))
	}
}

func (c Comparison) word(less bool) string {
	if less {
		return c.Less
	}
	return c.More
}
