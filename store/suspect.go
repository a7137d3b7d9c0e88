package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
)

// maxChecked is the size up to which a file is checked as a whole at each start, which takes about a second. A larger one
// is checked when damage was found in it that is not repaired; what else is damaged the checksums tell when it is read,
// and the scrub. Tests change it.
var maxChecked int64 = 256 << 20

// suspectMark is what the name of the file ends with, beside a database, that says that damage was found.
const suspectMark = ".suspect"

// checkAtStart checks a database that is small or suspect.
func checkAtStart(conn *sqlite.Conn, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	_, err = os.Stat(file + suspectMark)
	suspect := err == nil
	if info.Size() > maxChecked && !suspect {
		return nil
	}
	if err := quickCheck(conn, 1); err != nil || !suspect {
		return err
	}
	if err := os.Remove(file + suspectMark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("noting that the database is sound: %w", err)
	}
	return nil
}

// suspect has the next start check the whole database.
func (s *Store) suspect() {
	if err := os.WriteFile(filepath.Join(s.config.Dir, FileName+suspectMark), nil, 0o600); err != nil {
		s.log.Error("that the database is damaged was not noted for the next start", "error", err)
	}
}
