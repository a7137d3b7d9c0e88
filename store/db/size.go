package db

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
)

// Size returns the bytes of the database on the disk, with what waits to be folded into the main file.
func (d *DB) Size() int64 { return diskBytes(d.config.Dir) }

// diskBytes returns the size of the database with its log.
func diskBytes(dir string) (bytes int64) {
	for _, name := range []string{FileName, FileName + "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// LiveBytes returns how much of the file is in use. Room in it that is free is used again; the file does not shrink.
func LiveBytes(conn *sqlite.Conn) (int64, error) {
	var figures [3]int64
	for i, name := range []string{"page_count", "freelist_count", "page_size"} {
		var err error
		if figures[i], err = pragma(conn, name); err != nil {
			return 0, err
		}
	}
	return (figures[0] - figures[1]) * figures[2], nil
}

// roomFile is the file in the data directory by which hasRoom tries the disk.
const roomFile = ".room"

// hasRoom reports whether a disk that was full has room again, for a mebibyte, by writing that much there for a moment.
func hasRoom(dir string) bool {
	content := make([]byte, 1<<20)
	for i := range content { // which no file system keeps in less
		content[i] = byte(rand.Uint32())
	}
	file, err := os.OpenFile(filepath.Join(dir, roomFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return false
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name())) == nil
}
