package db

import (
	"fmt"
	"io/fs"
	"slices"

	"tidings/store/salvage"
)

// Schema says what tables a database has, and what a check and a repair must know of them. It is data: the statements
// in it are run, and none of the names is known here.
type Schema struct {
	// Migrations lead from each schema number to the next: the first makes schema 1 of an empty file, with the tables
	// sequence (name, last) and setting (key, value). One is never edited once it is released.
	Migrations []string

	// Sequences are the rows of table sequence.
	Sequences []Sequence

	// Needed are queries without whose row nothing can start. Where one of them meets damage, Open repairs it.
	Needed []string

	// Tables are those that a repair can mend. Another in which a row is lost cannot be.
	Tables []Table

	// Derived are indexes that are virtual tables.
	Derived []Derived

	// Again are statements that have what lost rows belonged to fetched anew, by its name.
	Again []string

	// Consequences bring the other tables into agreement with rows that are gone, in their order.
	Consequences []string

	// Agreements are what Check asks.
	Agreements []Agreement
}

// Sequence hands out numbers that rise and are never used twice.
type Sequence struct {
	Name string
	// Reserve is how many numbers more than are given are noted as given, so that not every transaction has to write
	// them. A crash leaves out as many at most. 0: the number that was given last is in the file.
	Reserve int64
}

// Table says what a repair does with a table's rows that cannot be read. One of Key, Rebuild and Needed is set.
type Table struct {
	Name string

	// Key are the columns that name a row of a table that can do without some: what stood there is fetched again, made
	// anew, or missed by nothing else.
	Key []string
	// Owner is an expression for the name of what a row (x) belongs to, which is fetched anew; empty: nothing.
	Owner string
	// Lost are statements that bring others into agreement with a lost row, by its key.
	Lost []string

	// Rebuild makes the table anew, and lost rows with what other trees have of them. Again says that what they belong
	// to is fetched anew.
	Rebuild *salvage.Rebuildable
	Again   bool

	// Needed says what a node without a row would do wrong, so that a repair fails.
	Needed string
}

// Derived is a virtual table without data of its own. SQLite keeps it in tables whose names begin with its name and an
// underscore.
type Derived struct {
	Name string
	Of   []string // tables whose lost rows have it made anew, as its own damage does
	Anew []string // statements that have it made anew
	Trim []string // statements that have it forget what is gone
}

// Agreement is a question whose answer is how many rows contradict what is promised of them: it must be 0.
type Agreement struct{ What, SQL string }

// Join returns the schema with another's tables, agreements and consequences behind its own.
func (s Schema) Join(other Schema) Schema {
	s.Migrations = slices.Concat(s.Migrations, other.Migrations)
	s.Sequences = slices.Concat(s.Sequences, other.Sequences)
	s.Needed = slices.Concat(s.Needed, other.Needed)
	s.Tables = slices.Concat(s.Tables, other.Tables)
	s.Derived = slices.Concat(s.Derived, other.Derived)
	s.Again = slices.Concat(s.Again, other.Again)
	s.Consequences = slices.Concat(s.Consequences, other.Consequences)
	s.Agreements = slices.Concat(s.Agreements, other.Agreements)
	return s
}

// table returns what is said of a table; nothing but its name if it is none of s.Tables.
func (s *Schema) table(name string) Table {
	if i := slices.IndexFunc(s.Tables, func(t Table) bool { return t.Name == name }); i >= 0 {
		return s.Tables[i]
	}
	return Table{Name: name}
}

// derived returns the virtual table of a name; nil if there is none.
func (s *Schema) derived(name string) *Derived {
	i := slices.IndexFunc(s.Derived, func(d Derived) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Derived[i]
}

// Migrations reads scripts from files of a directory whose names begin with their numbers, from 0001_ on.
func Migrations(files fs.FS, dir string) ([]string, error) {
	names, err := fs.Glob(files, dir+"/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var scripts []string
	for i, name := range names {
		var n int
		if _, err := fmt.Sscanf(name, dir+"/%d_", &n); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		script, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, string(script))
	}
	return scripts, nil
}

// own is what db keeps by itself.
var own = Schema{Tables: []Table{{Name: "setting", Rebuild: &salvage.Rebuildable{
	Table:  salvage.Table{Name: "setting", Key: []string{"key"}, Text: []int{0, 1}},
	Lacks:  "others on the page may be lost as well, and the node makes them anew",
	Called: `SELECT ?1`,
}}}}
