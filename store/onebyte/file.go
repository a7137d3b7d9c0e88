package onebyte

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const (
	// maxTried bounds the pages of a file that are tried; each costs a second.
	maxTried = 16
	// maxLog bounds the log that is read, in bytes. Stores fold theirs into the file when it has 16 MiB, but while a
	// backup is made.
	maxLog = 512 << 20
)

// MendFile puts right what it can of a database's pages, which end with their hashes, and returns their numbers. It
// does nothing if the first page is not right then: the file may have no hashes. Nobody else may have the file open.
func MendFile(name string, pageSize int, hash func(content []byte, number uint64) uint64) (mended []uint64, err error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, nil // the next open says why
	}
	defer func() { err = errors.Join(err, file.Sync(), file.Close()) }()
	page := make([]byte, pageSize)
	empty := make([]byte, pageSize)
	tried := 0
	for number := uint64(1); tried < maxTried; number++ {
		where := int64(number-1) * int64(pageSize)
		if _, err := file.ReadAt(page, where); errors.Is(err, io.EOF) {
			return mended, nil
		} else if err != nil {
			return mended, fmt.Errorf("mending page %d of a database: %w", number, err)
		}
		sum := func(content []byte) uint64 { return hash(content, number) }
		if sum(page[:pageSize-8]) == binary.LittleEndian.Uint64(page[pageSize-8:]) || bytes.Equal(page, empty) {
			continue
		}
		tried++
		if !MendPage(page, sum) {
			if number == 1 {
				return nil, nil
			}
			continue
		}
		if _, err := file.WriteAt(page, where); err != nil {
			return mended, fmt.Errorf("mending page %d of a database: %w", number, err)
		}
		mended = append(mended, number)
	}
	return mended, nil
}

// MendLogFile is MendLog for a file, if there is one. Where transactions are lost it leaves a copy of the file at
// damaged. Nobody else may have the database open.
func MendLogFile(name, damaged string) (d LogDamage, err error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > maxLog {
		return d, nil
	}
	if err != nil {
		return d, fmt.Errorf("looking for damage in a log: %w", err)
	}
	log, err := os.ReadFile(name)
	if err != nil {
		return d, fmt.Errorf("looking for damage in a log: %w", err)
	}
	was := bytes.Clone(log)
	if d = MendLog(log); d == (LogDamage{}) {
		return d, nil
	}
	if d.Lost > 0 {
		if err := os.WriteFile(damaged, was, 0o600); err != nil {
			return d, fmt.Errorf("copying a damaged log: %w", err)
		}
	}
	if d.Mended == 0 {
		return d, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return d, fmt.Errorf("mending a log: %w", err)
	}
	_, err = file.WriteAt(log, 0)
	return d, errors.Join(err, file.Sync(), file.Close())
}

// RestoreFromLog makes a database anew, of which the file is empty or missing, if its log holds all of it; it returns
// how many pages that are. End puts what it has to at the end of a page. A log that does not is kept at damaged, for
// SQLite removes the log of an empty database. Nobody else may have the database open.
func RestoreFromLog(name, damaged string, end func(page, first []byte, number uint64)) (pages int, err error) {
	if info, err := os.Stat(name); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	log, err := os.ReadFile(name + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(log) == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the log of an empty database: %w", err)
	}
	all := Whole(log)
	if all == nil {
		return 0, os.Rename(name+"-wal", damaged)
	}
	for i, page := range all {
		end(page, all[0], uint64(i+1))
	}
	if err := wholefile(name, bytes.Join(all, nil)); err != nil {
		return 0, fmt.Errorf("making a database of its log: %w", err)
	}
	return len(all), nil
}

// wholefile writes a file that appears as a whole.
func wholefile(name string, content []byte) error {
	part, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return os.Rename(part.Name(), name)
}
