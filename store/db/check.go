package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
	"tidings/store/onebyte"
)

// Problem is one line of what Check has to say.
type Problem struct {
	OK   bool   // nothing to do about it
	Text string // one line of plain words
}

// Check examines a data directory, whether a node has it open or not, and reports in plain words: the process that has
// it open, sizes, schema, and whether the file is sound and consistent. It changes nothing, but SQLite ends or undoes
// what a crash cut off, as at every opening. An error means that Check itself could not be done.
func Check(ctx context.Context, dir string, schema Schema) (changes []Problem, err error) {
	schema = own.Join(schema)
	say := func(ok bool, format string, args ...any) {
		changes = append(changes, Problem{ok, fmt.Sprintf(format, args...)})
	}
	file := filepath.Join(dir, FileName)
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		say(false, "There is no database in %s: no node has run there yet.", dir)
		return changes, nil
	} else if err != nil {
		return nil, fmt.Errorf("checking %s: %w", dir, err)
	}
	if holder, held := heldBy(dir); held {
		say(true, "The data directory %s is open by %s.", dir, holder)
	} else {
		say(true, "No node has the data directory %s open.", dir)
	}
	if loose, err := looseFiles(dir); err != nil {
		return nil, fmt.Errorf("checking %s: %w", dir, err)
	} else if len(loose) > 0 {
		say(false, "Other users of this machine may read %s: take their rights away (chmod 700 for the directory, 600 for files).", inWords(loose))
	}
	say(true, "The database takes %.1f MiB on the disk.", float64(diskBytes(dir))/(1<<20))

	if info.Size() == 0 { // SQLite would remove its log
		say(true, emptyText)
		return changes, nil
	}
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		say(false, "The database cannot be opened: %v.", explain(err))
		return changes, nil
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done()) // what is large is read for minutes
	if err := prepareReader(conn); err != nil {
		say(false, "The database cannot be opened: %v.", explain(err))
		return changes, nil
	}
	if err := checkSchema(conn, len(schema.Migrations)); err != nil {
		say(false, "The database cannot be used: %v.", explain(err))
		return changes, nil
	}
	version, err := pragma(conn, "user_version")
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", dir, err)
	}
	if version == 0 {
		say(true, emptyText)
		return changes, nil
	}
	say(true, "Its schema is number %d.", version)
	if err := checkIntegrity(conn); ctx.Err() != nil {
		return nil, fmt.Errorf("checking %s: %w", dir, ctx.Err())
	} else if err != nil {
		say(false, "The database is damaged: %v. Restore a backup.", err)
		for _, d := range schema.nameFound(ctx, conn) {
			say(false, "Damaged are %s.", d)
		}
		return changes, nil
	}
	say(true, "Its structure is sound.")
	if err := checkAgreement(conn, schema.Agreements, say); err != nil {
		return nil, fmt.Errorf("checking %s: %w", dir, explain(err))
	}
	return changes, nil
}

const emptyText = "The database is empty: making it was cut off. The next start makes it."

// Emptied returns an error if the database of a directory is empty or missing although a node has run there: a file
// stands beside it that only such a node makes. A start would begin anew. A database whose log holds all of it is not
// empty. The error's hint says what is left.
func Emptied(dir, beside string) error {
	file := filepath.Join(dir, FileName)
	if _, err := os.Stat(filepath.Join(dir, beside)); err != nil {
		return nil
	}
	what := "is empty"
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		what = "is missing"
	case err != nil || info.Size() > 0:
		return nil // Open says so
	}
	hint := "restore a backup as that file; or, to begin anew with the same key: tidings up --new"
	if log, err := os.ReadFile(file + "-wal"); err == nil && len(log) > 0 {
		if onebyte.Whole(log) != nil {
			return nil
		}
		hint = fmt.Sprintf("its log %s-wal has %d KiB of the latest changes, which are of no use without it; %s",
			FileName, len(log)>>10, hint)
	}
	if found := copies(dir); len(found) > 0 {
		hint = "there is " + inWords(found) + ", from which it may be restored; " + hint
	}
	return &tidings.Failure{Hint: hint, Err: fmt.Errorf("%w: %s %s, though a node has run there, for %s is there",
		ErrEmptied, file, what, beside)}
}

// copies names the other databases in a directory, with their sizes and ages.
func copies(dir string) (found []string) {
	entries, _ := os.ReadDir(dir) // where that fails Open says so
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !isDatabase(file) {
			continue
		}
		found = append(found,
			fmt.Sprintf("%s of %s (%.1f MiB)", entry.Name(), info.ModTime().Format("2 January 2006 15:04"),
				float64(info.Size())/(1<<20)))
	}
	return found[:min(len(found), maxNamed)]
}

func isDatabase(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	magic := make([]byte, 16)
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == "SQLite format 3\x00"
}

// nameFound names the damage of a database, as far as it can be read.
func (s *Schema) nameFound(ctx context.Context, conn *sqlite.Conn) []Damage {
	verified, err := openUnverified(ctx, pathOf(conn), "", treesUnverified)
	if err != nil {
		return nil
	}
	defer func() { _ = verified.Close() }() // it has changed nothing
	loose, err := openUnverified(ctx, pathOf(conn), "", allUnverified)
	if err != nil {
		return nil
	}
	defer func() { _ = loose.Close() }()
	all, _, _ := s.surveyDamage(loose, verified) // what could not be named has been reported as damage
	return all
}

// checkIntegrity is SQLite's thorough check, indexes and search index included.
func checkIntegrity(conn *sqlite.Conn) (err error) {
	var faults []error
	err = sqlitex.ExecuteTransient(conn, "PRAGMA integrity_check(10)", &sqlitex.ExecOptions{
		ResultFunc: func(r *sqlite.Stmt) error {
			if text := r.ColumnText(0); text != "ok" {
				faults = append(faults, errors.New(text))
			}
			return nil
		},
	})
	return errors.Join(err, errors.Join(faults...))
}

func checkAgreement(conn *sqlite.Conn, all []Agreement, say func(ok bool, format string, args ...any)) error {
	sound := true
	for _, a := range all {
		n := 0
		if _, err := One(conn, a.SQL, func(r *sqlite.Stmt) { n = r.ColumnInt(0) }); err != nil {
			return err
		}
		if n > 0 {
			sound = false
			say(false, "It contradicts itself: %d %s. Please report this as a mistake of tidings.", n, a.What)
		}
	}
	if sound {
		say(true, "Its tables agree with one another.")
	}
	return nil
}

// heldBy returns which process has the data directory open, without locking it.
func heldBy(dir string) (holder string, held bool) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return "", false
	}
	defer func() { _ = file.Close() }() // which frees the lock, if it was free
	if held, err := lockFile(file); err != nil || !held {
		return "", false
	}
	return lockHolder(path), true
}

// looseFiles returns what in a data directory others than its owner may read.
func looseFiles(dir string) (loose []string, err error) {
	for _, name := range []string{"", FileName, FileName + "-wal", FileName + "-shm"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().Perm()&0o077 != 0 {
			loose = append(loose, filepath.Join(dir, name))
		}
	}
	return loose, nil
}

// inWords lists things as a sentence does.
func inWords(all []string) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// suspectMark is what the name of the file ends with, beside a database, that says that damage was found.
const suspectMark = ".suspect"

// checkAtStart checks a database that is suspect, or has at most maxChecked bytes; see [DB.CheckVirtual] for what it
// passes over.
func (o opener) checkAtStart(ctx context.Context) error {
	info, err := os.Stat(o.file)
	if err != nil {
		return err
	}
	_, err = os.Stat(o.file + suspectMark)
	suspect := err == nil
	if info.Size() > o.maxChecked && !suspect {
		return nil
	}
	*o.checked = true
	if err := quickCheckTables(ctx, o.file, o.vfs); err != nil || !suspect {
		return err
	}
	if err := os.Remove(o.file + suspectMark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("noting that the database is sound: %w", err)
	}
	return nil
}

// suspect has the next start check the whole database.
func (d *DB) suspect() {
	if err := os.WriteFile(filepath.Join(d.config.Dir, FileName+suspectMark), nil, 0o600); err != nil {
		d.log.Error("that the database is damaged was not noted for the next start", "error", err)
	}
}
