package pictures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/source/picture"
)

// origin has a picture for each address, and counts how often it was asked.
type origin struct {
	mu    sync.Mutex
	asked []string
	fail  error
	data  func(address string) []byte
	named string // icon that pages name
}

func (o *origin) fetch(_ context.Context, address string) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, address)
	if o.fail != nil {
		return nil, o.fail
	}
	return o.data(address), nil
}

// iconNamed says that each page names an icon of its own, unless there is nothing to say.
func (o *origin) iconNamed(ctx context.Context, page string) (string, error) {
	if _, err := o.fetch(ctx, page); err != nil {
		return "", err
	}
	return o.named, nil
}

func (o *origin) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.asked)
}

// dot is a picture of its own for each shade.
func dot(shade byte) []byte {
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	m.SetGray(1, 1, color.Gray{Y: shade})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// wide is a picture of a size.
func wide(width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func byLength(address string) []byte { return dot(byte(len(address))) }

func open(t *testing.T, dir string, o *origin, quota int64) *Cache {
	t.Helper()
	p, err := Open(Config{Dir: dir, Quota: quota, Fetch: o.fetch, IconNamed: o.iconNamed,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func files(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, part := range []string{indexDir, contentsDir} {
		list, err := os.ReadDir(filepath.Join(dir, part))
		if err != nil {
			t.Fatal(err)
		}
		n += len(list)
	}
	return n
}

// A picture is fetched once, also after a restart, without what counts readers; its size is known from then on.
func TestPicturesAreKept(t *testing.T) {
	dir, o := t.TempDir(), &origin{data: byLength}
	p := open(t, dir, o, 1<<20)
	const address = "https://user:secret@img.example/a.png?w=9&utm_source=feed&fbclid=x#part"
	if w, h := p.Size(address); w != 0 || h != 0 {
		t.Errorf("it is %d × %d before it was fetched", w, h)
	}
	media, tag, data, err := p.Picture(t.Context(), address)
	if err != nil || media != "image/png" || len(tag) != 64 || len(data) == 0 {
		t.Fatal(media, tag, len(data), err)
	}
	if o.asked[0] != "https://img.example/a.png?w=9" {
		t.Errorf("the origin was asked for %s", o.asked[0])
	}
	p.Close()
	p = open(t, dir, o, 1<<20)
	again, tag2, data2, err := p.Picture(t.Context(), "https://img.example/a.png?w=9")
	if err != nil || again != media || tag2 != tag || !bytes.Equal(data2, data) || o.count() != 1 {
		t.Errorf("after a restart: %s, %s, %v; %d requests", again, tag2, err, o.count())
	}
	if w, h := p.Size(address); w != 3 || h != 2 {
		t.Errorf("it is %d × %d", w, h)
	}
	for _, bad := range []string{"", "/a.png", "ftp://img.example/a", "javascript:alert(1)", "data:image/png;base64,xx",
		"http://", "https://x.example/" + strings.Repeat("a", maxAddress)} {
		if _, _, _, err := p.Picture(t.Context(), bad); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%.40s: %v", bad, err)
		}
	}
	if o.count() != 1 {
		t.Error("an address that has no picture was asked for")
	}
}

// What was looked at longest ago goes first, and a content stays while an address has it.
func TestPicturesKeepToTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// four contents
		dir, o := t.TempDir(), &origin{data: func(address string) []byte { return dot(address[len(address)-1] % 4) }}
		size := int64(len(dot(0)))
		p := open(t, dir, o, 5*(entryBytes+size))
		for i := range 10 {
			if _, _, _, err := p.Picture(t.Context(), fmt.Sprintf("https://img.example/%d", i)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * usedStep)
			if _, _, _, err := p.Picture(t.Context(), "https://img.example/0"); err != nil { // looked at all the time
				t.Fatal(err)
			}
		}
		used, quota := p.Used()
		if used > quota || used < quota-entryBytes-size {
			t.Errorf("%d of %d bytes are used", used, quota)
		}
		if o.count() != 10 {
			t.Errorf("%d requests: what is looked at was removed", o.count())
		}
		if w, _ := p.Size("https://img.example/1"); w != 0 {
			t.Error("what was looked at longest ago is there still")
		}
		n := files(t, dir)
		if len(p.entries)+len(p.sizes) != n {
			t.Errorf("%d entries and %d contents in %d files", len(p.entries), len(p.sizes), n)
		}
		want := int64(len(p.entries)) * entryBytes
		for _, size := range p.sizes {
			want += size
		}
		if want != used {
			t.Errorf("%d bytes are counted, %d are used", used, want)
		}
		p.Close()
		if q := open(t, dir, o, 5*(entryBytes+size)); q.used != used {
			t.Errorf("after a restart %d bytes are used, before %d", q.used, used)
		}
		if q := open(t, dir, o, 2*(entryBytes+size)); q.used > 2*(entryBytes+size) || files(t, dir) > 4 {
			t.Error("a smaller quota is not kept to")
		}
	})
}

// What is damaged or belongs to nothing is removed, and fetched anew.
func TestDamagedPicturesAreFetchedAnew(t *testing.T) {
	dir, o := t.TempDir(), &origin{data: byLength}
	p := open(t, dir, o, 1<<20)
	const address = "https://img.example/a"
	get := func() {
		t.Helper()
		if _, _, data, err := p.Picture(t.Context(), address); err != nil || !bytes.Equal(data, byLength(address)) {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
	}
	get()
	content := filepath.Join(dir, contentsDir, p.entries[hashOf(address)].content)
	for i, damage := range []func() error{
		func() error { return os.WriteFile(content, []byte("other"), 0o600) },
		func() error { return os.Remove(content) },
		func() error { return os.WriteFile(filepath.Join(dir, indexDir, hashOf(address)), []byte("x"), 0o600) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if i == 2 { // an index is read at the start alone
			p.Close()
			p = open(t, dir, o, 1<<20)
		}
		get()
		if o.count() != i+2 {
			t.Errorf("after damage %d there were %d requests", i, o.count())
		}
	}
	for _, name := range []string{filepath.Join(indexDir, "stray"), filepath.Join(contentsDir, "stray")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Close()
	if p = open(t, dir, o, 1<<20); files(t, dir) != 2 {
		t.Errorf("%d files are there", files(t, dir))
	}
}

// A content that several addresses have is fetched anew once for each when its file is damaged, and kept then.
func TestADamagedContentOfSeveral(t *testing.T) {
	dir, o := t.TempDir(), &origin{data: func(string) []byte { return dot(5) }}
	p := open(t, dir, o, 1<<20)
	look := func() {
		t.Helper()
		for _, address := range []string{"https://img.example/a", "https://img.example/b"} {
			if _, _, data, err := p.Picture(t.Context(), address); err != nil || !bytes.Equal(data, dot(5)) {
				t.Fatalf("%s: %d bytes, %v", address, len(data), err)
			}
		}
	}
	look()
	content := filepath.Join(dir, contentsDir, p.entries[hashOf("https://img.example/a")].content)
	if err := os.WriteFile(content, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	look()
	look()
	if n := o.count(); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

// A host that does not answer keeps out no other, and what was not asked for is no failure.
func TestASilentHostKeepsOutNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := Open(Config{Dir: t.TempDir(), Quota: 1 << 20, Log: slog.New(slog.DiscardHandler),
			IconNamed: new(origin).iconNamed, Fetch: func(ctx context.Context, address string) ([]byte, error) {
				if strings.Contains(address, "silent") {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return dot(9), nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				if _, _, _, err := p.Picture(t.Context(), fmt.Sprintf("https://silent.example/%d", i)); err == nil {
					t.Error("a silent host has a picture")
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		if _, _, _, err := p.Picture(t.Context(), "https://good.example/a"); err != nil || time.Since(began) > 0 {
			t.Errorf("another host's picture: %v after %v", err, time.Since(began))
		}
		all.Wait()
		p.mu.Lock()
		failed := len(p.failed)
		p.mu.Unlock()
		if most := hostFetches * int(1+queueTime/fetchTime); failed == 0 || failed > most {
			t.Errorf("%d are noted as failed, at most %d were asked for", failed, most)
		}
		if n := len(p.hosts.turns); n != 0 {
			t.Errorf("%d hosts are remembered", n)
		}
	})
}

// A failed request is repeated after a pause. Many callers for the same picture cause one request, and one that leaves
// ends it for no other.
func TestFailuresAndCrowds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{fail: errors.New("gone"), data: byLength}
		p := open(t, t.TempDir(), o, 1<<20)
		for range 3 {
			if _, _, _, err := p.Picture(t.Context(), "https://img.example/a"); err == nil {
				t.Fatal("it was shown")
			}
		}
		if o.count() != 1 {
			t.Errorf("%d requests for what fails", o.count())
		}
		time.Sleep(failedFor)
		o.fail = nil
		if _, _, _, err := p.Picture(t.Context(), "https://img.example/a"); err != nil {
			t.Error(err)
		}
		o.data = func(string) []byte { return []byte("<svg/>") }
		if _, _, _, err := p.Picture(t.Context(), "https://img.example/svg"); !errors.Is(err, picture.ErrKind) {
			t.Errorf("an SVG: %v", err)
		}

		var requests atomic.Int32
		began, proceed := make(chan struct{}), make(chan struct{})
		slow, err := Open(Config{Dir: t.TempDir(), Quota: 1 << 20, Log: slog.New(slog.DiscardHandler),
			IconNamed: new(origin).iconNamed, Fetch: func(context.Context, string) ([]byte, error) {
				requests.Add(1)
				close(began)
				<-proceed
				return dot(7), nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		impatient, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, _, _, err := slow.Picture(impatient, "https://img.example/slow")
			left <- err
		}()
		<-began
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, _, _, err := slow.Picture(t.Context(), "https://img.example/slow"); err != nil {
					t.Error(err)
				}
			})
		}
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the one that left: %v", err)
		}
		synctest.Wait()
		close(proceed)
		all.Wait()
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests for one picture", n)
		}
		slow.Close()
		p.Close()
	})
}
