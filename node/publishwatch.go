package node

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"tidings"
	"tidings/node/broadcast"
	"tidings/node/wholefile"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
)

const (
	// urlEvery is how often a publisher's own URL is asked whether it has changed.
	urlEvery = 3 * time.Second
	// fileEvery is how often a file is polled, in case the system has not told of a change.
	fileEvery = 5 * time.Second
	// fileQuiet is how long a file must have been left alone before it is read: programs write in
	// pieces. It is read after fileBusy in any case.
	fileQuiet = 10 * time.Millisecond
	fileBusy  = 200 * time.Millisecond
)

// isWeb tells whether a source is a URL, not a file.
func isWeb(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// read reads the feed that a source holds now.
func (p *publisher) read(ctx context.Context, source string) (*feed.Document, error) {
	if isWeb(source) {
		res, err := p.fetch.Fetch(ctx, fetch.Request{URL: source})
		if err != nil {
			return nil, &tidings.Failure{Op: "reading", Address: source, Err: err}
		}
		return p.parse(source, res.Body, res.Header.Get("Content-Type"))
	}
	if !filepath.IsAbs(source) {
		return nil, tidings.Invalidf("%q is neither a URL nor an absolute path", source)
	}
	if info, err := os.Stat(source); err == nil && !info.Mode().IsRegular() {
		return nil, tidings.Invalidf("%s is no ordinary file", source) // to open a pipe would wait for ever
	}
	b, err := wholefile.Read(source, p.node.config.BodyLimit)
	if err != nil {
		return nil, tidings.Invalidf("the feed cannot be read: %v", err)
	}
	return p.parse(source, b, "")
}

func (p *publisher) parse(from string, b []byte, contentType string) (*feed.Document, error) {
	doc, err := source.ParseOwn(b, contentType, from, p.node.poller.Feed)
	if err != nil {
		return nil, tidings.Invalidf("%s: %v", from, errors.Unwrap(err)) // without that it was reading
	}
	return doc, nil
}

// watch publishes what is new in the source whenever that changes, until ctx ends.
func (c *publication) watch(ctx context.Context) {
	if isWeb(c.watched) {
		c.watchURL(ctx)
		return
	}
	defer c.publisher.files.add(c.watched, c.again)()
	var was os.FileInfo
	for ctx.Err() == nil {
		again := c.again.Wait() // before the check
		info, err := os.Stat(c.watched)
		if err != nil {
			c.noteTrouble(&c.unread, err)
		} else if was == nil || !info.ModTime().Equal(was.ModTime()) || info.Size() != was.Size() {
			if c.takeSource(ctx) {
				was = info
			}
		}
		select {
		case <-ctx.Done():
		case <-again:
			c.settle(ctx)
			was = nil
		case <-time.After(fileEvery):
		}
	}
}

// settle waits until a file is left alone.
func (c *publication) settle(ctx context.Context) {
	busy := time.After(fileBusy)
	for {
		again := c.again.Wait()
		select {
		case <-again:
		case <-time.After(fileQuiet):
			return
		case <-busy:
			return
		case <-ctx.Done():
			return
		}
	}
}

// takeSource publishes what is new in the source, and tells whether it could be read.
func (c *publication) takeSource(ctx context.Context) bool {
	doc, err := c.publisher.read(ctx, c.watched)
	if err == nil {
		err = c.takeDocument(ctx, doc)
	}
	c.noteSource(ctx, err)
	return err == nil
}

func (c *publication) takeDocument(ctx context.Context, doc *feed.Document) error {
	issued, err := c.number(ctx, doc, isWhole(doc))
	if err == nil && len(issued.Items) > 0 {
		c.fresh.Ring()
	}
	c.awaitEmbargo(doc)
	return err
}

// awaitEmbargo has the source polled again when the first of its items may be published that may not so far.
func (c *publication) awaitEmbargo(doc *feed.Document) {
	if c.due != nil {
		c.due.Stop()
		c.due = nil
	}
	now := time.Now()
	if _, due := unembargoed(doc, now); !due.IsZero() {
		c.due = time.AfterFunc(min(due.Sub(now), embargoPatience), c.again.Ring)
	}
}

func (c *publication) noteSource(ctx context.Context, err error) {
	if ctx.Err() == nil {
		c.noteTrouble(&c.unread, err)
	}
}

// watchURL asks the publisher's server every few seconds.
func (c *publication) watchURL(ctx context.Context) {
	ask := fetch.Request{URL: c.watched}
	var sum [32]byte
	for ctx.Err() == nil {
		again := c.again.Wait()
		res, err := c.publisher.fetch.Fetch(ctx, ask)
		if err == nil && res.Status != http.StatusNotModified {
			if now := res.Sum(); now != sum {
				if err = c.takeResponse(ctx, res); err == nil {
					sum = now
				}
			}
			if err == nil {
				ask.ETag, ask.LastModified, ask.ValidFor = res.ETag, res.LastModified, res.URL
			}
		}
		c.noteSource(ctx, err)
		select {
		case <-ctx.Done():
		case <-again:
			ask, sum = fetch.Request{URL: c.watched}, [32]byte{} // though it is as it was
		case <-time.After(urlEvery):
		}
	}
}

func (c *publication) takeResponse(ctx context.Context, res *fetch.Response) error {
	doc, err := c.publisher.parse(c.watched, res.Body, res.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	return c.takeDocument(ctx, doc)
}

// fileWatch has the system tell of changes of files. It watches their directories: many programs put a new
// file into an old one's place.
type fileWatch struct {
	log *slog.Logger

	mu    sync.Mutex
	files map[string][]*broadcast.Broadcast // by absolute path
	dirs  map[string]int                    // how many of files are there
	told  *fsnotify.Watcher                 // nil: the system tells nothing
}

func newFileWatch(log *slog.Logger) *fileWatch {
	return &fileWatch{log: log, files: make(map[string][]*broadcast.Broadcast), dirs: make(map[string]int)}
}

// add has a wake rung when a file changes, until the function that it returns is called.
func (f *fileWatch) add(file string, changed *broadcast.Broadcast) (remove func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[file] = append(f.files[file], changed)
	dir := filepath.Dir(file)
	if f.dirs[dir]++; f.dirs[dir] == 1 && f.told != nil {
		f.watchDir(dir)
	}
	return func() { f.remove(file, changed) }
}

func (f *fileWatch) remove(file string, changed *broadcast.Broadcast) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left := f.files[file][:0:0]
	for _, w := range f.files[file] {
		if w != changed {
			left = append(left, w)
		}
	}
	if f.files[file] = left; len(left) == 0 {
		delete(f.files, file)
	}
	dir := filepath.Dir(file)
	if f.dirs[dir]--; f.dirs[dir] == 0 {
		delete(f.dirs, dir)
		if f.told != nil {
			_ = f.told.Remove(dir) // it may be gone
		}
	}
}

// watchDir has the system tell of a directory. Where it does not, files are polled now and then all the
// same.
func (f *fileWatch) watchDir(dir string) {
	if err := f.told.Add(dir); err != nil {
		f.log.Warn("changes of published files are noticed late", "directory", dir, "error", err)
	}
}

// run passes on what the system tells until ctx ends.
func (f *fileWatch) run(ctx context.Context) {
	told, err := fsnotify.NewWatcher()
	if err != nil {
		f.log.Warn("changes of published files are noticed late", "error", err)
		return
	}
	defer told.Close()
	f.mu.Lock()
	f.told = told
	for dir := range f.dirs {
		f.watchDir(dir)
	}
	f.mu.Unlock()
	for {
		select {
		case <-ctx.Done():
			f.mu.Lock()
			f.told = nil
			f.mu.Unlock()
			return
		case event, ok := <-told.Events:
			if !ok {
				return
			}
			f.ring(event.Name)
		case err, ok := <-told.Errors:
			if !ok {
				return
			}
			f.log.Debug("watching published files", "error", err)
		}
	}
}

func (f *fileWatch) ring(file string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.files[filepath.Clean(file)] {
		w.Ring()
	}
}
