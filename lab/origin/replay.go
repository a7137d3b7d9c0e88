package origin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tidings/lab/dataset"
)

// RunConfig is the configuration of `tidings-lab origin`.
type RunConfig struct {
	Replay  string  // see Origin.Load
	Speed   float64 // see Config
	Listen  string  // host:port; port 0: a free one
	Options Options // of every document
	Logger  *slog.Logger
}

// Run loads and serves until ctx ends. It logs a line "origin listens" with the
// address, and a line for each document.
func Run(ctx context.Context, c RunConfig) error {
	config := Config{Speed: c.Speed}
	if err := config.Validate(); err != nil {
		return fmt.Errorf("starting the origin: %w", err)
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("starting the origin: %w", err)
	}
	histories, err := readHistories(c.Replay)
	if err != nil {
		return errors.Join(fmt.Errorf("starting the origin: %w", err), listener.Close())
	}
	o := New(config) // only now, so that the replay is not shortened by reading
	base := "http://" + listener.Addr().String() + "/"
	for _, h := range histories {
		if err := o.Add(h.Name, h, c.Options); err != nil {
			return errors.Join(err, listener.Close())
		}
		first, last := h.Snapshots[0].Time, h.Snapshots[len(h.Snapshots)-1].Time
		c.Logger.Info("document", "url", base+h.Name, "states", len(h.Snapshots), "from", first, "to", last)
	}
	c.Logger.Info("origin listens", "url", base, "documents", len(histories), "speed", c.Speed)
	return o.Serve(ctx, listener)
}

// ListenAndServe serves at addr until ctx ends. When it listens it calls ready, which
// may be nil, with the address.
func (o *Origin) ListenAndServe(ctx context.Context, addr string, ready func(net.Addr)) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	if ready != nil {
		ready(listener.Addr())
	}
	return o.Serve(ctx, listener)
}

// Serve serves on l until ctx ends, and closes l. Requests under way are cut off after
// a second.
func (o *Origin) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           o,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // faults make errors on purpose
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(l)
	if stop() {
		return fmt.Errorf("serving: %w", err) // ctx had not ended
	}
	<-stopped
	return nil
}

// Load adds every history at path: a name.tar.bz2; a folder with the same layout (dense, sparse); a folder of such
// archives or folders; or a single document, which never changes. It returns the names of the documents.
func (o *Origin) Load(path string, opts Options) ([]string, error) {
	histories, err := readHistories(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range histories {
		if err := o.Add(h.Name, h, opts); err != nil {
			return nil, err
		}
		names = append(names, h.Name)
	}
	return names, nil
}

func readHistories(path string) ([]dataset.History, error) {
	files, err := findHistories(path)
	if err != nil {
		return nil, err
	}
	histories := make([]dataset.History, 0, len(files))
	for _, file := range files {
		h, err := readHistory(file)
		if err != nil {
			return nil, err
		}
		histories = append(histories, h)
	}
	return histories, nil
}

const archiveSuffix = ".tar.bz2"

// findHistories lists what readHistory can read.
func findHistories(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("looking for histories: %w", err)
	}
	if !info.IsDir() || isHistory(path) {
		return []string{path}, nil
	}
	inside, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("looking for histories: %w", err)
	}
	var files []string
	for _, entry := range inside {
		file := filepath.Join(path, entry.Name())
		if strings.HasSuffix(file, archiveSuffix) || entry.IsDir() && isHistory(file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no history in %s (want NAME%s, or folders with dense or sparse)", path, archiveSuffix)
	}
	return files, nil
}

func isHistory(dir string) bool {
	for _, run := range []string{"dense", "sparse"} {
		if info, err := os.Stat(filepath.Join(dir, run)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

func readHistory(file string) (dataset.History, error) {
	info, err := os.Stat(file)
	if err != nil {
		return dataset.History{}, fmt.Errorf("reading history: %w", err)
	}
	if info.IsDir() || strings.HasSuffix(file, archiveSuffix) {
		return dataset.ReadHistory(file)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return dataset.History{}, fmt.Errorf("reading document: %w", err)
	}
	only := dataset.Snapshot{N: 1, Time: info.ModTime(), Ext: strings.TrimPrefix(filepath.Ext(file), "."), Body: body}
	return dataset.History{Name: filepath.Base(file), Snapshots: []dataset.Snapshot{only}}, nil
}
