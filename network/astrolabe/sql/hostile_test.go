package sql

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe/attr"
)

// Row 45 of the hostile inputs: SQL that reads, writes, lasts or grows.
func TestHostile45RefusedTexts(t *testing.T) {
	type refusal struct {
		problem error
		what    string
		offset  int
	}
	for text, want := range map[string]refusal{
		"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT COUNT(*) AS n FROM r": {ErrSyntax, "compound", -1},
		"WITH c AS (SELECT a FROM children) SELECT MIN(a) AS a FROM c":                              {ErrRefused, "a second SELECT", -1},
		"SELECT COUNT(*) AS n FROM children a, children b, children c":                              {ErrRefused, "a join", -1},
		"SELECT COUNT(*) AS n FROM children a LEFT JOIN children b ON a.x = b.x":                    {ErrRefused, "a join", -1},
		"SELECT COUNT(*) AS n FROM (SELECT 1 FROM children) LIMIT 1":                                {ErrRefused, "a second SELECT", -1},
		"SELECT COUNT(*) AS n FROM (VALUES (1), (2), (3)) LIMIT 1":                                  {ErrRefused, "a second SELECT", -1},
		"SELECT (SELECT MIN(a) FROM children) AS a FROM children":                                   {ErrRefused, "a second SELECT", -1},
		"SELECT a FROM children WHERE a IN (SELECT b FROM children)":                                {ErrRefused, "a second SELECT", -1},
		"SELECT a FROM children WHERE EXISTS (SELECT 1 FROM children)":                              {ErrRefused, "a join", -1},
		"SELECT a FROM children UNION ALL SELECT b FROM children":                                   {ErrSyntax, "", -1},
		"VALUES (1), (2)": {ErrRefused, "a second SELECT", -1},
		"SELECT SUM(a) OVER (ORDER BY b) AS a FROM children LIMIT 1": {ErrRefused, "a second SELECT", -1},
		"SELECT SUM(a) AS a FROM children GROUP BY b":                {ErrRefused, "GROUP BY", -1},
		"SELECT a FROM children ORDER BY a":                          {ErrRefused, "ORDER BY", -1},
		"SELECT randomblob(1e9) AS a FROM children":                  {ErrRefused, "randomblob", 7},
		"SELECT random() AS a FROM children":                         {ErrRefused, "random", 7},
		"SELECT zeroblob(1e9) AS a FROM children":                    {ErrRefused, "zeroblob", 7},
		"SELECT hex(zeroblob(1e9)) AS a FROM children":               {ErrRefused, "zeroblob", 11},
		"SELECT printf('%1000000d', 1) AS a FROM children":           {ErrRefused, "printf", 7},
		"SELECT replace(a, '', a) AS a FROM children":                {ErrRefused, "replace", 7},
		"SELECT group_concat(a) AS a FROM children":                  {ErrRefused, "group_concat", 7},
		"SELECT load_extension('x') AS a":                            {ErrRefused, "load_extension", 7},
		"SELECT readfile('/etc/passwd') AS a":                        {ErrSyntax, "no such function: readfile", 7},
		"SELECT sqlite_version() AS a":                               {ErrRefused, "sqlite_version", 7},
		"SELECT date('now') AS a":                                    {ErrRefused, "date", 7},
		"SELECT CURRENT_TIMESTAMP AS a":                              {ErrRefused, "current_timestamp", 7},
		"SELECT last_insert_rowid() AS a":                            {ErrRefused, "last_insert_rowid", 7},
		"SELECT a FROM children WHERE a REGEXP '(x+x+)+y'":           {ErrSyntax, "no such function: REGEXP", -1},
		"SELECT a FROM children WHERE a LIKE '%a%a%a%a%'":            {ErrRefused, "like", 31},
		"SELECT a FROM children WHERE a GLOB '*a*a*a*'":              {ErrRefused, "glob", 31},
		"SELECT a FROM children WHERE a MATCH 'a'":                   {ErrRefused, "match", 31},
		"SELECT a->'$.x' AS a FROM children":                         {ErrRefused, "->", 8},
		"SELECT 1 AS a FROM json_each('[1,2]')":                      {ErrRefused, "json_each", 19},
		"SELECT 1 AS a FROM children, json_each('[1,2]')":            {ErrRefused, "json_each", 29},
		"SELECT 1 AS a FROM pragma_table_list":                       {ErrRefused, "pragma_table_list", 19},
		"SELECT name FROM sqlite_schema":                             {ErrRefused, "", -1},
		"SELECT name FROM dbstat":                                    {ErrRefused, "dbstat", 17},
		"SELECT value FROM generate_series(1, 9)":                    {ErrSyntax, "no such table", -1},
		"SELECT a FROM elsewhere":                                    {ErrSyntax, "no such table", -1},
		"SELECT a FROM children('x')":                                {ErrSyntax, "too many arguments", -1},
		"SELECT * FROM children":                                     {ErrRefused, "*", 7},
		"SELECT c.* FROM children c":                                 {ErrRefused, "*", 9},
		"SELECT COUNT(\"*\") AS n FROM children":                     {ErrRefused, "*", 14},
		"ATTACH '/tmp/x' AS x":                                       {ErrRefused, "ATTACH", 0},
		"DETACH main":                                                {ErrRefused, "DETACH", 0},
		"PRAGMA temp_store = 1":                                      {ErrRefused, "PRAGMA", 0},
		"CREATE TABLE x (y)":                                         {ErrRefused, "", -1},
		"CREATE VIRTUAL TABLE x USING fts5(y)":                       {ErrRefused, "", -1},
		"CREATE TEMP VIEW x AS SELECT 1":                             {ErrRefused, "", -1},
		"INSERT INTO children VALUES (1)":                            {ErrRefused, "INSERT", 0},
		"DELETE FROM children":                                       {ErrRefused, "DELETE", 0},
		"UPDATE children SET a = 1":                                  {ErrRefused, "UPDATE", 0},
		"DROP TABLE children":                                        {ErrRefused, "", -1},
		"BEGIN":                                                      {ErrRefused, "TRANSACTION", -1},
		"SAVEPOINT x":                                                {ErrRefused, "SAVEPOINT", 0},
		"VACUUM":                                                     {ErrRefused, "no SELECT", -1},
		"REINDEX":                                                    {ErrRefused, "", -1},
		"ANALYZE":                                                    {ErrRefused, "", -1},
		"EXPLAIN SELECT 1 AS a":                                      {ErrRefused, "EXPLAIN", 0},
		"EXPLAIN QUERY PLAN SELECT 1 AS a":                           {ErrRefused, "EXPLAIN", 0},
		"":                                                           {ErrRefused, "no SELECT", -1},
		"-- nothing":                                                 {ErrRefused, "no SELECT", -1},
		"SELECT 1 AS a; SELECT 2 AS a":                               {ErrRefused, "a second statement", 14},
		"SELECT 1 AS a; -- more":                                     {ErrRefused, "a second statement", 14},
		"SELECT ? AS a":                                              {ErrSyntax, "", -1},
		"SELECT :a AS a":                                             {ErrSyntax, "", -1},
		"SELECT 1 AS a\x00":                                          {ErrSyntax, "zeros", -1},
		"SELECT '\xff' AS a":                                         {ErrSyntax, "UTF-8", -1},
		"SELECT 1 +":                                                 {ErrSyntax, "incomplete input", -1},
		"SELECT a FRM children":                                      {ErrSyntax, "syntax error", 13},
		"SELECT rowid FROM " + strings.Repeat("children, ", 70) + "children":             {ErrSyntax, "", -1},
		"SELECT " + strings.Repeat(" ", MaxText) + "1 AS a":                              {ErrLimit, "2061 bytes", -1},
		"SELECT " + columns(65) + " FROM children":                                       {ErrLimit, "65 columns", -1},
		"SELECT 1 AS a WHERE " + columns(300) + " ":                                      {ErrLimit, "different words", -1},
		"SELECT " + strings.Repeat("-(", 300) + "1" + strings.Repeat(")", 300) + " AS a": {ErrSyntax, "depth", -1},
	} {
		f, err := Compile(text)
		if err == nil {
			t.Errorf("%s: allowed", text)
			f.Close()
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, want.problem) || !strings.Contains(err.Error(), want.what) || want.offset >= 0 && want.offset != e.Offset {
			t.Errorf("%.80s:\n got %v\nwant %v: %s at %d", text, err, want.problem, want.what, want.offset)
		}
	}
}

// columns returns n of them: c0, c1 and so on.
func columns(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint("c", i))
	}
	return strings.Join(all, ",")
}

func TestHostile45RefusedPredicates(t *testing.T) {
	for _, text := range []string{
		"", "1) FROM children --", "1), (2", "SELECT 1", "1) FROM children UNION SELECT (1", "1) FROM children; SELECT (1",
		"a LIKE '%'", "random() > 0", "(SELECT 1)", "EXISTS (SELECT 1 FROM children)", "?", "1; DELETE FROM children", "1 /* ",
		"1) IS TRUE FROM children LIMIT (1", "a, b", "1) IS TRUE, (2", "*", "CAST(a AS INT)", strings.Repeat("x", MaxText+1),
	} {
		if p, err := CompilePredicate(text); err == nil {
			t.Errorf("%s: allowed", text)
			p.Close()
		}
	}
}

// hostileTexts are allowed, and the most work that was found. Each is of MaxText bytes or nearly.
var hostileTexts = map[string]string{
	"additions of digits":     "SELECT " + fill("+a", "SUM(a", ")") + " AS a FROM children",
	"additions of a constant": "SELECT SUM(CASE a WHEN 1 THEN 0 " + repeat("WHEN CAST(1 AS INT) THEN 2 ", 1900) + "END) AS a FROM children",
	"casts":                   "SELECT SUM(a) AS a FROM children WHERE " + fill("CAST(a AS REAL)>1 OR ", "", "0"),
	"comparisons":             "SELECT COUNT(*) AS a FROM children WHERE " + fill("a<a OR ", "", "0"),
	"without case":            "SELECT COUNT(*) AS a FROM children WHERE " + fill("a<b COLLATE NOCASE OR ", "", "0"),
	"concatenation":           "SELECT COUNT(" + fill("||a", "a", ")") + " AS a FROM children",
	"constants":               "SELECT COUNT('" + strings.Repeat("9", 900) + "'+a) AS a, COUNT('" + strings.Repeat("8", 900) + "'||a) AS b FROM children",
	"sorters":                 "SELECT " + fill("+COUNT(a ORDER BY b,1)", "1", "") + " AS a FROM children",
	"sorters of long rows":    "SELECT " + numbered("+COUNT(a||a||a||%d ORDER BY b)") + " AS a FROM children",
	"distinct":                "SELECT " + numbered("+COUNT(DISTINCT a||%d)") + " AS a FROM children",
	"lists":                   "SELECT " + numbered("+BIT(FIRST(16,b||%d),1)") + " AS a FROM children",
	"unions of bits":          "SELECT " + numbered("+BIT(BITOR(b)FILTER(WHERE a>%d),1)") + " AS a FROM children",
	"bits":                    "SELECT SUM(" + fill("+BIT(b,9)", "1", ")") + " AS a FROM children",
	"lists of values":         "SELECT COUNT(*) AS a FROM children WHERE a NOT IN(a" + fill(",b", "", ")"),
	"many lists":              "SELECT COUNT(*) AS a FROM children WHERE " + fill("NULL NOT IN(a,b,c,1)AND ", "", "1"),
	"minima":                  "SELECT SUM(" + fill("+MIN(a,b,a,b,a,b,a,b)", "1", ")") + " AS a FROM children",
	"rounding":                "SELECT SUM(" + fill("+ROUND(9e14*n,9)", "1", ")") + " AS a FROM children",
	"sort by much":            "SELECT n FROM children ORDER BY n" + fill(",a", "", " LIMIT 1"),
	"conditions":              "SELECT n FROM children WHERE 1" + fill(" AND(a=1 OR b=2)", "", " LIMIT 1"),
	"equalities":              "SELECT COUNT(*) AS n FROM children WHERE " + atMost(120, numbered("c%d=d%d AND "), "c") + "1",
	"alternatives":            "SELECT COUNT(*) AS n FROM children WHERE " + numbered("c%d=1 OR ") + "0",
	"many tables":             "SELECT COUNT(*) AS n FROM children a" + atMost(62, numbered(",children b%d"), ","),
	"natural joins":           "SELECT COUNT(*) AS n FROM children" + atMost(60, numbered(" NATURAL JOIN children b%d"), " NATURAL "),
	"left joins":              "SELECT COUNT(*) AS n FROM children" + atMost(62, numbered(" LEFT JOIN children b%d ON b%d.x=x"), " LEFT "),
	"parentheses":             "SELECT " + strings.Repeat("(", 990) + "1" + strings.Repeat(")", 990) + " AS a",
	"subqueries":              "SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 120) + "children" + strings.Repeat(")", 120),
	"expressions":             "SELECT COUNT(*) AS n FROM children WHERE " + strings.Repeat("(a=1 OR b=2 AND ", 100) + "1" + strings.Repeat(")", 100),
	"aliases":                 "SELECT a+a AS b" + atMost(50, numbered(",a+%d AS c%d"), ",") + " FROM children ORDER BY b LIMIT 1",
}

func repeat(part string, bytes int) string { return strings.Repeat(part, bytes/len(part)) }

// fill returns part as often as a text allows, between before and after.
func fill(part, before, after string) string {
	return before + repeat(part, 1940-len(before)-len(after)) + after
}

// atMost returns the first n parts that begin with a separator.
func atMost(n int, parts, separator string) string {
	all := strings.SplitAfter(parts, separator)
	return strings.TrimSuffix(strings.Join(all[:min(n+1, len(all)-1)], ""), separator)
}

// numbered returns parts with different numbers, as many as a text allows.
func numbered(part string) string {
	var b strings.Builder
	for i := 0; b.Len() < 1900; i++ {
		b.WriteString(strings.ReplaceAll(part, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// hostileRows are as many and as large as they can be, with texts that look like numbers and differ at their ends only.
func hostileRows(n int) []attr.Row {
	var rows []attr.Row
	for i := range n {
		a := strings.Repeat("9", attr.MaxValue-100-5) + fmt.Sprintf("%05d", i)
		b := []byte(strings.Repeat("9", attr.MaxValue-100-5) + fmt.Sprintf("%05d", n-i))
		rows = append(rows, row("a", a, "b", b, "n", i))
	}
	return rows
}

// Each hostile text ends within bounds of time and memory, whether it is refused, fails or succeeds.
func TestHostile45TimeAndMemory(t *testing.T) {
	const bound = 50 * time.Millisecond
	for _, n := range []int{64, MaxRows} {
		rows := hostileRows(n)
		for name, text := range hostileTexts {
			if len(text) > MaxText {
				t.Fatalf("%s: %d bytes", name, len(text))
			}
			before := memory(t)
			var compiling, evaluating time.Duration
			var err error
			for range 3 { // the machine is busy: the fastest counts
				start := time.Now()
				var f *Function
				if f, err = Compile(text); err == nil {
					compiled := time.Now()
					compiling = least(compiling, compiled.Sub(start))
					_, err = f.Aggregate(rows)
					evaluating = least(evaluating, time.Since(compiled))
					f.Close()
				} else {
					compiling = least(compiling, time.Since(start))
				}
			}
			grown := memory(t) - before
			t.Logf("%3d rows, %-23s compiled in %9v, evaluated in %9v, %5d KiB: %.90v", n, name, compiling, evaluating, grown>>10, err)
			if compiling > bound || evaluating > bound {
				t.Errorf("%s: takes more than %v", name, bound)
			}
			if grown > 64<<20 {
				t.Errorf("%s: grows by %d bytes", name, grown)
			}
		}
	}
}

func least(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// memory returns the most memory that the process had since the last call, in bytes.
func memory(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Log("memory cannot be measured here:", err)
		return 0
	}
	defer os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // forgets the peak
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
