package sql

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Row 45 of the hostile inputs: SQL that reads, writes, lasts or grows.
func TestHostile45RefusedTexts(t *testing.T) {
	type refusal struct {
		problem error
		what    string
		offset  int
	}
	for text, want := range map[string]refusal{
		"WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT COUNT(*) AS n FROM r": {ErrSyntax,
			"compound", -1},
		"WITH c AS (SELECT a FROM children) SELECT MIN(a) AS a FROM c":           {ErrRefused, "a second SELECT", -1},
		"SELECT COUNT(*) AS n FROM children a, children b, children c":           {ErrRefused, "a join", -1},
		"SELECT COUNT(*) AS n FROM children a LEFT JOIN children b ON a.x = b.x": {ErrRefused, "a join", -1},
		"SELECT COUNT(*) AS n FROM (SELECT 1 FROM children) LIMIT 1":             {ErrRefused, "a second SELECT", -1},
		"SELECT COUNT(*) AS n FROM (VALUES (1), (2), (3)) LIMIT 1":               {ErrRefused, "a second SELECT", -1},
		"SELECT (SELECT MIN(a) FROM children) AS a FROM children":                {ErrRefused, "a second SELECT", -1},
		"SELECT a FROM children WHERE a IN (SELECT b FROM children)":             {ErrRefused, "a second SELECT", -1},
		"SELECT a FROM children WHERE EXISTS (SELECT 1 FROM children)":           {ErrRefused, "a join", -1},
		"SELECT a FROM children UNION ALL SELECT b FROM children":                {ErrSyntax, "", -1},
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
		"SELECT rowid FROM " + strings.Repeat("children, ", 70) + "children": {ErrSyntax, "", -1},
		"SELECT " + strings.Repeat(" ", MaxText) + "1 AS a":                  {ErrLimit, "2061 bytes", -1},
		"SELECT " + columns(65) + " FROM children":                           {ErrLimit, "65 columns", -1},
		"SELECT 1 AS a WHERE " + columns(300) + " ": {ErrLimit,
			"different words", -1},
		"SELECT " + strings.Repeat("-(", 300) + "1" + strings.Repeat(")", 300) + " AS a": {ErrSyntax, "depth", -1},
	} {
		f, err := Compile(text)
		if err == nil {
			t.Errorf("%s: allowed", text)
			f.Close()
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, want.problem) || !strings.Contains(err.Error(), want.what) ||
			want.offset >= 0 && want.offset != e.Offset {
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
		"", "1) FROM children --", "1), (2", "SELECT 1", "1) FROM children UNION SELECT (1",
		"1) FROM children; SELECT (1",
		"a LIKE '%'", "random() > 0", "(SELECT 1)", "EXISTS (SELECT 1 FROM children)", "?", "1; DELETE FROM children",
		"1 /* ",
		"1) IS TRUE FROM children LIMIT (1", "a, b", "1) IS TRUE, (2", "*", "CAST(a AS INT)",
		strings.Repeat("x", MaxText+1),
	} {
		if p, err := CompilePredicate(text); err == nil {
			t.Errorf("%s: allowed", text)
			p.Close()
		}
	}
}
