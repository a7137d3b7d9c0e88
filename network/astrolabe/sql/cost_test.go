package sql

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	processor "tidings/lab/cpu"
	"tidings/network/astrolabe/attr"
)

// hostile is a text that grows: a part stands in it as often as it is allowed. In the part, # is a number, each time
// another.
type hostile struct{ before, part, after string }

// hostileTexts were written to find the most work that a text can cause, when it is compiled or when it is evaluated.
// Column a of the rows is a long text of digits, b a long blob, n a number.
var hostileTexts = map[string]hostile{
	"additions of digits": {"SELECT SUM(a", "+a", ") AS a FROM children"},
	"sums of digits":      {"SELECT 1", "+SUM(a+#)", " AS a FROM children"},
	"comparisons":         {"SELECT COUNT(*) AS a FROM children WHERE 0", " OR a<a", ""},
	"without case":        {"SELECT COUNT(*) AS a FROM children WHERE 0", " OR a<a COLLATE NOCASE", ""},
	"case without case":   {"SELECT COUNT(CASE a COLLATE NOCASE", " WHEN a||#THEN 1", " END) AS a FROM children"},
	"without end":         {"SELECT COUNT(*) AS a FROM children WHERE 0", " OR a<a COLLATE RTRIM", ""},
	"concatenation":       {"SELECT COUNT(a", "||a", ") AS a FROM children"},
	"much concatenation":  {"SELECT 1", "+COUNT(a||a||a||#)", " AS a FROM children"},
	"constants":           {"SELECT COUNT(n+'", "9", "') AS a, COUNT(n||'9') AS b FROM children"},
	"many constants": {"SELECT COUNT(n+'" + strings.Repeat("9", 900) + "'", "+'9999999999999999999'",
		") AS a FROM children"},
	"sorters":              {"SELECT 1", "+COUNT(a ORDER BY b,#+1)", " AS a FROM children"},
	"sorters of long rows": {"SELECT 1", "+COUNT(a||a||a||# ORDER BY b)", " AS a FROM children"},
	"sorters of few bytes": {"SELECT 1", "+COUNT(n ORDER BY n+#)", " AS a FROM children"},
	"distinct":             {"SELECT 1", "+COUNT(DISTINCT a||#)", " AS a FROM children"},
	"distinct numbers":     {"SELECT 1", "+COUNT(DISTINCT n+#)", " AS a FROM children"},
	"distinct constants": {"SELECT 1", "+COUNT(DISTINCT'" + strings.Repeat("x", 300) + "'||n||#)",
		" AS a FROM children"},
	"firsts":              {"SELECT 1", "+BIT(FIRST(16,b||#),1)", " AS a FROM children"},
	"unions of bits":      {"SELECT 1", "+BIT(BITOR(b)FILTER(WHERE n>#),1)", " AS a FROM children"},
	"bits":                {"SELECT SUM(1", "+BIT(b,9)", ") AS a FROM children"},
	"bits of numbers":     {"SELECT SUM(1", "+BIT(n,9)", ") AS a FROM children"},
	"nested bits":         {"SELECT SUM(n", "+BIT(BIT(BIT(BIT(n,1),1),1),1)", ") AS a FROM children"},
	"lists of values":     {"SELECT COUNT(*) AS a FROM children WHERE a NOT IN(a", ",b", ")"},
	"many lists":          {"SELECT COUNT(*) AS a FROM children WHERE 1", " AND NULL NOT IN(a,b,n,1)", ""},
	"lists of constants":  {"SELECT COUNT(*) AS a FROM children WHERE 1", " AND n NOT IN(#,1,2,-5)", ""},
	"minima":              {"SELECT SUM(1", "+MIN(a,b,a,b,a,b,a,b)", ") AS a FROM children"},
	"minima of numbers":   {"SELECT SUM(1", "+MIN(n,n,n,n)", ") AS a FROM children"},
	"rounding":            {"SELECT SUM(1", "+ROUND(9e14*n,9)", ") AS a FROM children"},
	"rounding digits":     {"SELECT SUM(1", "+ROUND(a,9)", ") AS a FROM children"},
	"lengths":             {"SELECT SUM(1", "+OCTET_LENGTH(a)", ") AS a FROM children"},
	"coalescing":          {"SELECT SUM(COALESCE(NULL", ",z", ",a,b)) AS a FROM children"},
	"ordered by much":     {"SELECT n FROM children ORDER BY n", ",a", " LIMIT 1"},
	"grouped conditions":  {"SELECT n FROM children WHERE 1", " AND(a=1 OR b=2)", " LIMIT 1"},
	"nested conditions":   {"SELECT COUNT(*) AS n FROM children WHERE 1", " AND(a=# OR b=2)", ""},
	"equalities":          {"SELECT COUNT(*) AS n FROM children WHERE 1", " AND c#=d#", ""},
	"chain of equalities": {"SELECT COUNT(*) AS n FROM children WHERE c0=1", " AND c#=c#0", ""},
	"alternatives":        {"SELECT COUNT(*) AS n FROM children WHERE 0", " OR c#=1", ""},
	"ranges":              {"SELECT COUNT(*) AS n FROM children WHERE 1", " AND a BETWEEN # AND b", ""},
	"many tables":         {"SELECT COUNT(*) AS n FROM children a", ",children b#", ""},
	"natural joins":       {"SELECT COUNT(*) AS n FROM children a", " NATURAL JOIN children b#", ""},
	"left joins":          {"SELECT COUNT(*) AS n FROM children a", " LEFT JOIN children b# ON b#.x=a.x", ""},
	"columns":             {"SELECT n", ",a+# AS c#", " FROM children LIMIT 1"},
	"windows":             {"SELECT 1", "+SUM(n)OVER(ORDER BY n+#)", " AS a FROM children LIMIT 1"},
	"subqueries":          {"SELECT 1", "+(SELECT n FROM children)", " AS a FROM children LIMIT 1"},
	"filters":             {"SELECT 1", "+SUM(n)FILTER(WHERE n>#)", " AS a FROM children"},
	"cases":               {"SELECT SUM(CASE a", " WHEN # THEN b", " END) AS a FROM children"},
}

func (h hostile) text(parts int) string {
	var b strings.Builder
	b.WriteString(h.before)
	for i := range parts {
		b.WriteString(strings.ReplaceAll(h.part, "#", fmt.Sprint(i)))
	}
	b.WriteString(h.after)
	return b.String()
}

// rowsOf returns n rows with texts that look like numbers, of so many bytes, which differ at their ends only.
func rowsOf(n, bytes int) []attr.Row {
	var rows []attr.Row
	for i := range n {
		a := fmt.Sprintf("%0*d", bytes, i)
		b := []byte(fmt.Sprintf("%0*d", bytes, n-i))
		rows = append(rows, row("a", strings.ReplaceAll(a, "00", "99"), "b", b, "n", i))
	}
	return rows
}

// Each hostile text of the greatest length costs at most as much as 200 honest ones do on the same machine, and bounded
// memory, whether it is refused, fails or succeeds. Machines differ too much, and most in what fresh memory costs, for
// a bound in seconds.
func TestHostile45TimeAndMemory(t *testing.T) {
	const bound = 200 // times what an honest text costs
	tables := [][]attr.Row{rowsOf(64, 500), rowsOf(64, 4000), rowsOf(MaxRows, 500), rowsOf(MaxRows, 5)}
	if raced || testing.Short() {
		tables = tables[:1]
	}
	var slowest cost
	for name, h := range hostileTexts {
		for _, rows := range tables {
			before := resident(t)
			c, unit := worst(h, rows), honest(t)
			for try := 0; try < 4 && c.time() > bound*unit; try++ { // others use the machine too
				again := worst(h, rows)
				c.compiling, c.evaluating = min(c.compiling, again.compiling), min(c.evaluating, again.evaluating)
				unit = min(unit, honest(t))
			}
			c.grown = status(t, "VmHWM:") - before
			t.Logf("%-20s %3d rows of %4d bytes: %v, %.1f times an honest one", name, len(rows), rows[0].Size(), c,
				float64(c.time())/float64(unit))
			if c.time() > bound*unit {
				t.Errorf("%s needs more than %d times the %v of an honest text: %v", name, bound, unit, c)
			}
			if c.grown > 64<<20 {
				t.Errorf("%s grows too much: %v", name, c)
			}
			slowest.compiling = max(slowest.compiling, c.compiling)
			slowest.evaluating = max(slowest.evaluating, c.evaluating)
			slowest.grown = max(slowest.grown, c.grown)
		}
	}
	t.Log("worst of each:", slowest)
}

type cost struct {
	compiling, evaluating time.Duration // of a processor
	grown                 int
	bytes                 int   // of the text
	err                   error // of the last
}

// time returns the longer of the two: nobody compiles a text as often as it is evaluated.
func (c cost) time() time.Duration { return max(c.compiling, c.evaluating) }

func (c cost) String() string {
	return fmt.Sprintf("%4d bytes compiled in %v, evaluated in %v, %d KiB: %.70v", c.bytes, c.compiling, c.evaluating,
		c.grown>>10, c.err)
}

// worst returns the cost of compiling the longest text, and of evaluating one with about as many parts as are allowed
// for so many rows.
func worst(h hostile, rows []attr.Row) (c cost) {
	for parts := 2000; parts > 0; parts = parts * 7 / 8 {
		text := h.text(parts)
		if len(text) > MaxText {
			continue
		}
		start := processor.Time()
		f, err := Compile(text)
		c.compiling = max(c.compiling, processor.Time()-start)
		if c.err = err; err != nil {
			continue
		}
		c.bytes = len(text)
		c.evaluating = max(c.evaluating, fastest(func() { _, c.err = f.Aggregate(rows) }))
		f.Close()
		if !errors.Is(c.err, ErrLimit) { // else fewer parts can go further
			break
		}
	}
	return c
}

// honest returns the cost of finding the best of 64 full rows by a long text: on average, as some machines count
// processor time in large steps.
func honest(t *testing.T) time.Duration {
	rows := rowsOf(64, 4000)
	f, err := Compile("SELECT FIRST(1, n ORDER BY a) AS n FROM children")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const times = 16
	return fastest(func() {
		for range times {
			if _, err := f.Aggregate(rows); err != nil {
				t.Fatal(err)
			}
		}
	}) / times
}

// fastest returns the least processor time of five tries: in some of them garbage may be collected.
func fastest(something func()) time.Duration {
	best := time.Hour
	for range 5 {
		start := processor.Time()
		something()
		best = min(best, processor.Time()-start)
	}
	return best
}

// resident returns how much memory the process has, in bytes, and forgets how much it had at most.
func resident(t *testing.T) int {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log("memory is not measured here:", err)
	}
	return status(t, "VmRSS:")
}

// status returns a line of what Linux says of the process, in bytes; 0 where there is none.
func status(t *testing.T, line string) int {
	text, _ := os.ReadFile("/proc/self/status")
	_, after, ok := strings.Cut(string(text), line)
	if !ok {
		return 0
	}
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
