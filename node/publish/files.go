package publish

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/feedtree"
)

// filing publishes the files of items that lie in a directory with whole contents.
type filing struct {
	ctx   context.Context
	files Files // nil: none are published
	log   *slog.Logger
	most  int       // files of an item
	since time.Time // when something was published last
	left  int64     // bytes that may yet be published at once
}

// errUnfit says that a file is not published, and that nothing is wrong.
var errUnfit = errors.New("the file is not published by reference")

// candidate is something of an item that may be published as a file.
type candidate struct {
	tidings.Enclosure
	names []string // of the file, in the directory; the first that can be it counts
	exact int      // from which of them on the file must be as long as the feed says
	from  int64    // if it is shorter, it is none
}

// candidatesOf returns what may be published of an item: the files that it carries, and its own page, if that is long.
// https://blog.example/audio/1.mp3 is audio/1.mp3 in the directory, or else 1.mp3, if that is as long as the feed says.
func candidatesOf(item *tidings.Item) (all []candidate) {
	for _, e := range item.Enclosures {
		u, err := url.Parse(e.URL)
		if err != nil {
			continue
		}
		if place := strings.Trim(path.Clean("/"+u.Path), "/"); place != "" {
			all = append(all, candidate{Enclosure: e, names: slices.Compact([]string{place, path.Base(place)}),
				exact: 1, from: 1})
		}
	}
	if isWeb(item.URL) {
		names := contentFiles(item)
		all = append(all, candidate{Enclosure: tidings.Enclosure{URL: item.URL, Type: "text/html"}, names: names,
			exact: len(names), from: feedtree.MaxEntry + 1})
	}
	return all
}

// open opens the file of a candidate.
func (c *contents) open(of candidate) (*os.File, fs.FileInfo, error) {
	for i, name := range of.names {
		f, err := c.openFile(name)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() && info.Size() >= of.from &&
			(i < of.exact || info.Size() == of.Length) {
			return f, info, nil
		}
		_ = f.Close() // it was read only
	}
	return nil, nil, fs.ErrNotExist
}

// fit reports whether there is room for the files of an item, beside those for which it was asked before.
func (c *contents) fit(item *tidings.Item) bool {
	if c == nil {
		return false
	}
	sum := int64(0)
	for _, of := range candidatesOf(item) {
		if f, info, err := c.open(of); err == nil {
			sum += info.Size()
			_ = f.Close() // nothing was written
		}
	}
	if sum == 0 || sum > c.filing.left {
		return false
	}
	c.filing.left -= sum
	return true
}

// renewed returns the files of an unchanged item, if one of them has changed since the last publication.
func (c *contents) renewed(item *tidings.Item) []tidings.File {
	if c == nil || len(c.files(item, c.filing.since)) == 0 {
		return nil
	}
	return c.files(item, time.Time{})
}

// files returns what is published of an item's files. They are those in the directory, which are kept and lent from now
// on. If since is not zero, they are only those that have changed since then and were not published in this state.
func (c *contents) files(item *tidings.Item, since time.Time) (files []tidings.File) {
	if c == nil || c.filing.files == nil {
		return nil
	}
	for _, of := range candidatesOf(item) {
		f, err := c.file(of, since)
		switch {
		case err == nil:
			files = append(files, f)
		case !errors.Is(err, errUnfit) && !errors.Is(err, fs.ErrNotExist):
			c.filing.log.Warn("a file is published by its address alone", "file", of.URL, "error", err)
		}
	}
	return files[:min(len(files), c.filing.most)]
}

func (c *contents) file(of candidate, since time.Time) (published tidings.File, err error) {
	f, info, err := c.open(of)
	if err != nil {
		return published, err
	}
	defer f.Close()
	if info.Size() > c.filing.files.MaxLength() ||
		!since.IsZero() && (!info.ModTime().After(since) || info.ModTime().After(time.Now())) {
		return published, errUnfit
	}
	ref, fresh, err := c.filing.files.Keep(c.filing.ctx, f, info)
	switch {
	case err != nil:
		return published, err
	case !since.IsZero() && !fresh:
		return published, errUnfit
	}
	return tidings.File{URL: of.URL, Type: of.Type, Length: info.Size(), Ref: ref}, nil
}
