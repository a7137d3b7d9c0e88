package publish

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"tidings/node/broadcast"
)

// fileWatch receives the system's reports of changed files. It watches their directories: many programs put a new file
// into an old one's place.
type fileWatch struct {
	log *slog.Logger

	mu    sync.Mutex
	files map[string][]*broadcast.Broadcast // by absolute path
	dirs  map[string]int                    // how many of files are there
	told  *fsnotify.Watcher                 // nil: the system reports nothing
}

func newFileWatch(log *slog.Logger) *fileWatch {
	return &fileWatch{log: log, files: make(map[string][]*broadcast.Broadcast), dirs: make(map[string]int)}
}

// add has a broadcast rung when a file changes, until the function that it returns is called.
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

// watchDir makes the system report changes in a directory. Where it does not, files are polled now and then all the
// same.
func (f *fileWatch) watchDir(dir string) {
	if err := f.told.Add(dir); err != nil {
		f.log.Warn("changes of published files are noticed late", "directory", dir, "error", err)
	}
}

// run passes on the system's reports until ctx ends.
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
