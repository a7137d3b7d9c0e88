package announce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tidings"
	"tidings/source/feed"
)

// Written is what [File] did.
type Written struct {
	Format  feed.Format // of the document
	Changed bool        // false: it had that announcement before
}

// File writes the announcement into a file that holds a feed, as [Into] does. Another file with the same mode replaces
// it at once: meanwhile a reader has the old one or the new one, whole. A symbolic link stays one.
func File(name string, a feed.Announcement, c feed.Config) (w Written, err error) {
	file, err := filepath.EvalSymlinks(name)
	if err != nil {
		return w, fmt.Errorf("announcing in %s: %w", name, err)
	}
	before, mode, err := read(file, c.MaxBytes)
	if err != nil {
		return w, fmt.Errorf("announcing in %s: %w", name, err)
	}
	after, err := Into(before, a, c)
	if err != nil {
		return w, fmt.Errorf("%s: %w", name, err)
	}
	w = Written{feed.Sniff(after, ""), !bytes.Equal(before, after)}
	if !w.Changed {
		return w, nil
	}
	if err := replace(file, before, after, mode); err != nil {
		return Written{}, fmt.Errorf("announcing in %s: %w", name, err)
	}
	return w, nil
}

// read returns what is in a file of at most limit bytes, and its mode.
func read(file string, limit int) (content []byte, mode os.FileMode, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, tidings.Invalidf("not a file")
	}
	content, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	return content, info.Mode(), err
}

// ErrChanged says that somebody else has written the file meanwhile.
var ErrChanged = errors.New("the file has changed meanwhile")

// replace puts other content into a file's place, unless the file holds something else than before.
func replace(file string, before, after []byte, mode os.FileMode) (err error) {
	whole, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(whole.Name()))
		}
	}()
	_, err = whole.Write(after)
	if err = errors.Join(err, whole.Chmod(mode.Perm()), whole.Sync(), whole.Close()); err != nil {
		return err
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, before) {
		return errors.Join(ErrChanged, err)
	}
	return os.Rename(whole.Name(), file)
}
