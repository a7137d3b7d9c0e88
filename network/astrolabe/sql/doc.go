// Package sql compiles and evaluates the SQL of Astrolabe (van Renesse, Birman, Vogels, TOCS 2003): aggregation
// functions, which compute a zone's row from the table of its children (section 4), and predicates over one row.
//
//	SELECT SUM(members) AS members, MIN(load) AS load, BITOR(filter) AS filter,
//	       FIRST(3, rep ORDER BY load, up DESC) AS reps FROM children
//
//	premium = 1 AND load < 0.8
//
// The text travels between nodes, so its author may be hostile, and so may the rows. SQLite evaluates it. Each function
// has a database of its own that is empty, lives in memory, and reads the rows through a virtual table.
//
// # The language
//
// A function is one SELECT from the table children, without subqueries, joins, compounds, common table expressions,
// window functions or GROUP BY; ORDER BY needs a LIMIT. It reads the table once, in the order of the attribute label,
// so the result does not depend on the order of the rows in the call. It returns one row or none. Each column has a
// valid attribute name, by AS; one that is NULL is left out.
//
// An attribute that a row lacks is NULL, also one that no row has. To that end every word of the text is a column of
// the table, whatever the rows hold: what a function means depends on its text alone. So an alias of a result cannot be
// read in the same SELECT: its name is that of an attribute.
//
// Columns have no affinity: values are compared as they are, the text '1' is not the number 1.
//
// The functions are abs, avg, coalesce, count, ifnull, iif, max, min, nullif, octet_length, round, sign, sum, typeof
// and
//
//   - FIRST(n, x ORDER BY …): the first value of x that is not NULL if n is 1; else, up to n of 16 of them, a list as
//     of attr.AppendList, numbers as their text. Without ORDER BY the order is that of labels.
//   - BITOR(x): the union of sets of bits, see attr.Or.
//   - BIT(x, i): whether bit i of a set is 1, see attr.Bit.
//
// SUM and AVG are not SQLite's. They skip what is no number, and add Reals plainly in the order of rows. A SUM of
// Integers that is too large is the largest Integer, see attr.Sum. Of other arithmetic SQLite's rules hold: what is too
// large for an Integer becomes a Real, and a Real that is not finite is NULL.
//
// # What a hostile text can do
//
// A text is compiled to a program of SQLite's virtual machine, and the program is read before it ever runs. An
// instruction or function that is not listed here is refused, so a later SQLite refuses more, not less. The only loops
// that remain are the scan of the table and the emptying of a sorter. A second scan fails. So a program of p
// instructions executes at most 2·p of them for each row, and p·rows is at most MaxSteps. No function needs more than
// linear time in the length of its arguments. At most MaxRead bytes are read from the rows, each counted once more for
// every sorter of the program, which may keep it. This needs no clock, no other goroutine and no limit of the process,
// which the store shares.
//
// Measured with the worst of 45 kinds of hostile texts, on a busy AMD EPYC: 15 ms to evaluate, 9 ms to compile, and 16
// MiB of memory until the next garbage collection, SQLite's own included.
//
// # What it costs
//
// The example above needs 80 µs for 64 rows with filters of 128 bytes, the predicate 1 µs. Compiling a short text needs
// 40 µs. A program is compiled once, whatever attributes the rows have. An open one uses about 92 KiB, so a caller that
// keeps functions bounds how many, and closes them.
package sql
