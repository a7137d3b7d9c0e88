package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Log is a file of JSON lines: first which campaign it is of, then an Entry for each world.
type Log struct {
	Seed    uint64
	Entries []Entry
	file    *os.File
}

// head is the first line of a log.
type head struct {
	Campaign int    `json:"campaign"` // drawn
	Seed     uint64 `json:"seed"`     // of the first world
}

const (
	maxLog  = 1 << 30 // bytes of a log that is read
	maxLine = 1 << 20
)

// ErrExists says that there is such a log already.
var ErrExists = errors.New("there is a log already")

// Begin makes a log.
func Begin(path string, seed uint64) (*Log, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w: %s", ErrExists, path)
	}
	if err != nil {
		return nil, fmt.Errorf("making a log: %w", err)
	}
	l := &Log{Seed: seed, file: file}
	return l, l.write(head{drawn, seed})
}

// Resume opens an existing log. After a kill its last line may be cut off: the line is removed, and its world is run
// again. Every other line must be whole, and the log must be of this way to draw worlds.
func Resume(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("resuming: %w", err)
	}
	l := &Log{file: file}
	if err := l.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("resuming %s: %w", path, err), file.Close())
	}
	return l, nil
}

func (l *Log) read() error {
	data, err := io.ReadAll(io.LimitReader(l.file, maxLog+1))
	if err != nil {
		return err
	}
	if len(data) > maxLog {
		return fmt.Errorf("it is longer than %d bytes", maxLog)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if err := l.parse(whole); err != nil {
		return err
	}
	if err := l.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	_, err = l.file.Seek(int64(len(whole)), io.SeekStart)
	return err
}

// parse reads whole lines.
func (l *Log) parse(data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if number == 1 {
			var h head
			if err := json.Unmarshal(line, &h); err != nil || h.Campaign == 0 {
				return errors.New("it is no log of a campaign")
			}
			if h.Campaign != drawn {
				return fmt.Errorf("it is a log of version %d, and this program draws worlds by version %d",
					h.Campaign, drawn)
			}
			l.Seed = h.Seed
			continue
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("line %d cannot be read: %w", number, err)
		}
		l.Entries = append(l.Entries, e)
	}
	if number == 0 {
		return errors.New("it has no whole line")
	}
	return nil
}

// Add writes an entry.
func (l *Log) Add(e Entry) error {
	l.Entries = append(l.Entries, e)
	return l.write(e)
}

func (l *Log) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil && len(line) > maxLine {
		err = fmt.Errorf("a line of %d bytes", len(line))
	}
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing a log: %w", err)
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// seeds returns the seeds of worlds that were run.
func (l *Log) seeds() map[uint64]bool {
	seeds := make(map[uint64]bool, len(l.Entries))
	for _, e := range l.Entries {
		seeds[e.Seed] = true
	}
	return seeds
}
