package files

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tidings/lab/unsynced"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/pastry"
	"tidings/network/pieces"
	"tidings/store"
)

func TestMain(m *testing.M) {
	unsynced.Install()
	os.Exit(m.Run())
}

// loop is a node without others.
type loop struct{ mu sync.Mutex }

func (l *loop) InLoop(_ context.Context, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (l *loop) Refuse(engine.Peer, string) {}

// start returns files at work in a new store.
func start(t *testing.T) *Files {
	t.Helper()
	s, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	f := New(&loop{}, Config{Quota: 1 << 30, Rate: 1 << 20, Large: s.Large, Pushed: s.Pushed, Published: s.Published,
		Logger: slog.New(slog.DiscardHandler)})
	env := enginetest.NewEnv(enginetest.NewPeer("a"))
	f.Start(env, pastry.New(env, pastry.Default()), engine.NewStack(env))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { f.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// keep has files keep one with a text, as it is published.
func keep(t *testing.T, f *Files, text string) pieces.Ref {
	t.Helper()
	name := filepath.Join(t.TempDir(), "1.mp3")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	ref, fresh, err := f.Keep(t.Context(), file, info)
	if err != nil || !fresh {
		t.Fatalf("fresh: %v, %v", fresh, err)
	}
	if again, fresh, err := f.Keep(t.Context(), file, info); again != ref || fresh || err != nil {
		t.Errorf("kept once more it is %v, fresh: %v, %v", again, fresh, err)
	}
	return ref
}

// A damaged piece is not lent: its sender would be believed a liar.
func TestADamagedPieceIsNotLent(t *testing.T) {
	t.Parallel()
	f := start(t)
	defer f.Publish()()
	ref := keep(t, f, "what there is to hear")
	blocks := blockStore{files: f, manifests: newManifests(f.large)}
	lent := func() []byte {
		t.Helper()
		piece := make(chan []byte, 1)
		blocks.Get(ref, 0, func(b []byte) { piece <- b })
		return <-piece
	}
	if got := lent(); string(got) != "what there is to hear" {
		t.Errorf("lent is %q", got)
	}
	if err := f.large.PutPiece(t.Context(), ref, 0, []byte("what there was to hear")); err != nil {
		t.Fatal(err)
	}
	if got := lent(); got != nil {
		t.Errorf("lent is %q", got)
	}
}

// A file that is kept for a publication is not removed before the store knows that it is published. It is removed if
// the publication fails.
func TestFilesStayWhileTheyArePublished(t *testing.T) {
	t.Parallel()
	f := start(t)
	end := f.Publish()
	keep(t, f, "one")
	if err := f.tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		t.Helper()
		all, err := f.large.Contents(t.Context(), nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if n := kept(); n != 1 {
		t.Errorf("%d files are kept while they are being published", n)
	}
	end()
	for deadline := time.After(10 * time.Minute); kept() > 0; {
		done := make(chan struct{})
		f.workers.Do(func(context.Context) { close(done) })
		select {
		case <-done:
		case <-deadline:
			t.Fatal("what was not published stays")
		}
	}
}

// A check for files that are no longer published waits for publications under way. It is made anew after one that began
// meanwhile.
func TestPublicationsPutChecksOff(t *testing.T) {
	var p publishing
	checks := 0
	check := func(count uint64) bool { return p.changed(count, func() { checks++ }) }
	if check(p.count()) || checks != 1 {
		t.Errorf("where nothing is published %d checks were made", checks)
	}
	before := p.count()
	p.begin()
	p.begin()
	if check(before) || check(p.count()) || checks != 1 {
		t.Error("a check was made during a publication")
	}
	if p.end() || !p.end() {
		t.Error("the end of the last one alone asks for the check")
	}
	if !check(before) || checks != 1 {
		t.Error("a check does not notice a publication")
	}
	p.begin()
	if p.end() {
		t.Error("a check is asked for twice")
	}
	if check(p.count()) || checks != 2 {
		t.Error("no check is made any more")
	}
}
