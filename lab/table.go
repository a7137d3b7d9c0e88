package lab

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Row is a figure in words, for a table.
type Row struct {
	Figure    string
	Paper     string // empty: the source has none
	Tolerance string // around Paper; empty: none is stated
	Reason    string // why Here is outside of the tolerance; empty: it is not
	Here      string
	Range     string // from Low to High; empty with one seed
	Ratio     string // Here to Paper; empty without
	Expected  string // the bounds; "–" of a figure that is reported aside
	OK        bool   // true of a figure that is reported aside
	Aside     bool   // it is not judged
}

// unjudged stands in the place of bounds, and of a verdict.
const unjudged = "–"

// Rows returns the table of the figures.
func (r *Result) Rows() []Row {
	rows := make([]Row, len(r.Figures))
	for i, f := range r.Figures {
		rows[i] = Row{Figure: f.Name, Here: Quantity(f.Here, f.Unit), Expected: f.bounds(), OK: f.OK, Aside: f.Aside,
			Reason: f.Reason}
		if f.Paper != nil {
			rows[i].Paper = Quantity(*f.Paper, f.Unit)
			if *f.Paper != 0 {
				rows[i].Ratio = strconv.FormatFloat(f.Here / *f.Paper, 'f', 2, 64)
			}
			rows[i].Tolerance = boundsIn(f.PaperLeast, f.PaperMost, f.Unit)
		}
		if r.Seeds > 1 {
			rows[i].Range = between(f.Low, f.High, f.Unit, "")
		}
	}
	return rows
}

// SeedRow is a figure that is not as expected at one seed, in words.
type SeedRow struct {
	Figure, Seed, Here, Expected string
	OK                           bool // that of the figure over all seeds
}

// UnexpectedRows returns the table of what is not as expected at some seed.
func (r *Result) UnexpectedRows() (rows []SeedRow) {
	figures := make(map[string]Figure)
	for _, f := range r.Figures {
		figures[f.Name] = f
	}
	for _, u := range r.Unexpected {
		f := figures[u.Figure]
		rows = append(rows, SeedRow{u.Figure, strconv.FormatUint(u.Seed, 10), Quantity(u.Here, f.Unit),
			boundsIn(f.Least, f.Most, f.Unit), f.OK})
	}
	return rows
}

// Seedwise says in words what ranges of the result are.
func (r *Result) Seedwise() string {
	if r.Seeds == 1 {
		return "one seed; --seeds 10 would give intervals"
	}
	return fmt.Sprintf("mean of %d seeds with its 95%% confidence interval (Student's t); of worst cases, the "+
		"worst seed and the range over seeds", r.Seeds)
}

// Sentence says what the result is of: "scale quick with nodes=500, seeds 1 to 10".
func (r *Result) Sentence() string {
	scale := "scale " + string(r.Scale)
	if len(r.With) > 0 {
		scale += " with " + strings.Join(r.With, ", ")
	}
	if r.Seeds == 1 {
		return fmt.Sprintf("%s, seed %d", scale, r.Seed)
	}
	return fmt.Sprintf("%s, seeds %d to %d", scale, r.Seed, r.Seed+uint64(r.Seeds)-1)
}

// bounds says what the figure should be.
func (f Figure) bounds() string {
	if f.Aside {
		return unjudged
	}
	text := boundsIn(f.Least, f.Most, f.Unit)
	if f.Worst {
		text += ", every seed"
	}
	return text
}

// boundsIn writes bounds, of which either may be missing.
func boundsIn(least, most *float64, unit string) string {
	switch {
	case least != nil && most != nil && *least == *most:
		return "= " + Quantity(*least, unit)
	case least != nil && most != nil:
		return between(*least, *most, unit, unit)
	case least != nil:
		return "≥ " + Quantity(*least, unit)
	case most != nil:
		return "≤ " + Quantity(*most, unit)
	}
	return ""
}

// Apart returns what is to be said of figures that differ from the paper's, a sentence each.
func (r *Result) Apart() (all []string) {
	for _, row := range r.Rows() {
		if row.Reason != "" {
			all = append(all, fmt.Sprintf("%s is %s, not %s as in the paper: %s.", row.Figure, row.Here, row.Tolerance,
				row.Reason))
		}
	}
	return all
}

// between writes a range. Bytes always need their unit. Others get the one at the end, which may be empty where it
// stands beside the range anyway.
func between(low, high float64, unit, end string) string {
	if unit == "B" {
		return Quantity(low, unit) + " to " + Quantity(high, unit)
	}
	return number(low) + " to " + Quantity(high, end)
}

func known(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Quantity writes x with its unit, to four digits; bytes as kB, MB, GB.
func Quantity(x float64, unit string) string {
	if unit == "B" {
		for _, u := range []struct {
			size float64
			name string
		}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e4, "kB"}} {
			if math.Abs(x) >= u.size {
				if u.name == "kB" {
					return number(x/1e3) + " kB"
				}
				return number(x/u.size) + " " + u.name
			}
		}
	}
	if unit == "" {
		return number(x)
	}
	return number(x) + " " + unit
}

// number writes x to four digits, and whole numbers with commas.
func number(x float64) string {
	size := math.Abs(x)
	switch {
	case x == math.Trunc(x) && size < 1e15, size >= 1000:
		if size >= 1e4 && x != math.Trunc(x) {
			scale := math.Pow(10, math.Floor(math.Log10(size))-3)
			x = math.Round(x/scale) * scale
		}
		return commas(strconv.FormatFloat(math.Round(x), 'f', 0, 64))
	case size < 1e-4:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	text := strconv.FormatFloat(x, 'f', digits, 64)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// commas sets a comma before every three digits of a whole number.
func commas(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return sign + b.String()
}
