package node

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/pieces"
	"tidings/view"
)

// filesBlog is a blog with files in its items.
type filesBlog struct {
	*blog
	dir   string
	items []string // the newest first
}

// newFilesBlog makes the first node publish a blog, and the others follow it.
func newFilesBlog(w *together) *filesBlog {
	w.t.Helper()
	b := &filesBlog{blog: newBlog(w, 0), dir: w.t.TempDir()}
	b.publishText("First")
	for i := 1; i < len(w.nodes); i++ {
		w.follow(i, b.url)
		w.awaitPush(i, b.url, tidings.PushGood)
	}
	return b
}

func (b *filesBlog) publishText(title string) {
	b.t.Helper()
	b.issue(entry(title, title, "text"))
}

// publishFile publishes an item with a file, of which the feed has the address.
func (b *filesBlog) publishFile(name string, body []byte) {
	b.t.Helper()
	file := filepath.Join(b.dir, "media", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, body, 0o600)); err != nil {
		b.t.Fatal(err)
	}
	b.issue(fmt.Sprintf(`<item><guid>%s</guid><title>%s</title><description>listen</description><enclosure url="%s" type="audio/mpeg" length="%d"/></item>`,
		name, name, fileAddress(name), len(body)))
}

// fileAddress returns the address of a file, or of a page: that has a slash at its end.
func fileAddress(name string) string {
	if strings.HasSuffix(name, "/") {
		return "https://blog.example/" + name
	}
	return "https://blog.example/media/" + name
}

func (b *filesBlog) issue(item string) {
	b.t.Helper()
	b.items = slices.Insert(b.items, 0, item)
	writeFile(b.t, b.file, rssOf("", b.items...))
	issued, err := b.nodes[b.publisher].Publish(b.t.Context(),
		view.PublishOrder{Source: b.file, Channel: b.url, FullContent: b.dir})
	if err != nil || len(issued.Items) != 1 {
		b.t.Fatalf("%d items were published: %v", len(issued.Items), err)
	}
}

// copyAt returns what a node reports of its copy of a file; nil if it reports none.
func (b *filesBlog) copyAt(i int, name string) (c *tidings.Copy) {
	b.t.Helper()
	for _, u := range b.updates(i) {
		for _, item := range u.Items {
			for _, e := range item.Enclosures {
				if e.URL == fileAddress(name) {
					c = e.Copy
				}
			}
		}
	}
	return c
}

func (b *filesBlog) awaitCopy(i int, name string, state tidings.CopyState) *tidings.Copy {
	b.t.Helper()
	await(b.t, fmt.Sprintf("node %d has %s: %s", i, name, state), func() bool {
		c := b.copyAt(i, name)
		return c != nil && c.State == state
	})
	return b.copyAt(i, name)
}

// get asks a node's page for something.
func (b *filesBlog) get(i int, path string, header ...string) (*http.Response, []byte) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.nodes[i].URL()+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for j := 0; j < len(header); j += 2 {
		r.Header.Set(header[j], header[j+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, body
}

// downloads fails the test unless a node hands out a file, whole and in part.
func (b *filesBlog) downloads(i int, name string, want []byte) {
	b.t.Helper()
	c := b.awaitCopy(i, name, tidings.CopyHere)
	if c.Percent != 100 || c.Length != int64(len(want)) || !strings.HasSuffix(c.Path, "/"+name) {
		b.t.Errorf("node %d has %+v", i, c)
	}
	res, got := b.get(i, c.Path)
	h := res.Header
	if res.StatusCode != http.StatusOK || !bytes.Equal(got, want) || h.Get("Content-Type") != "audio/mpeg" ||
		h.Get("X-Content-Type-Options") != "nosniff" ||
		h.Get("Content-Disposition") != "attachment; filename="+name {
		b.t.Errorf("node %d answers %d with %d bytes, %v", i, res.StatusCode, len(got), h)
	}
	from := len(want) - 100_000
	res, got = b.get(i, c.Path, "Range", fmt.Sprintf("bytes=%d-%d", from, from+70_000))
	if res.StatusCode != http.StatusPartialContent || !bytes.Equal(got, want[from:from+70_001]) {
		b.t.Errorf("of a part node %d answers %d with %d bytes", i, res.StatusCode, len(got))
	}
}

func randomBody(seed uint64, length int) []byte {
	b := make([]byte, length)
	chance := rand.New(rand.NewPCG(seed, 2))
	for i := range b {
		b[i] = byte(chance.Uint32())
	}
	return b
}

// An item carries a file of 5 MB. It reaches the readers' nodes, and their people, from the publisher's node. When that
// is gone, a node that was away gets it from the others. No node gets it without following the channel.
func TestFilesTravelInPieces(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	w := pollTogether(t, 4, time.Hour, func(c *Config) { c.FilesRate = 16 << 20 })
	b := newFilesBlog(w)
	const late = 3
	w.nodes[late].stop()
	body := randomBody(1, 5_000_000)
	b.publishFile("one.mp3", body)
	began := time.Now()
	for _, reader := range []int{1, 2} {
		b.downloads(reader, "one.mp3", body)
	}
	t.Logf("both readers had the file %v after it was published", time.Since(began))
	w.nodes[b.publisher].stop()
	w.nodes[late].start()
	began = time.Now()
	b.downloads(late, "one.mp3", body)
	t.Logf("who was away had it %v after it was back", time.Since(began))

	c := b.copyAt(late, "one.mp3")
	if res, feed := b.get(late, "/feed?url="+url.QueryEscape(b.url)); res.StatusCode != http.StatusOK ||
		!bytes.Contains(feed, []byte(`href="`+w.nodes[late].URL()+c.Path+`"`)) {
		t.Errorf("the proxy does not name the file here: %s", feed)
	}
	if entries, err := w.client(late).Entries(t.Context(), tidings.EntryQuery{}); err != nil ||
		!slices.ContainsFunc(entries, func(e tidings.Entry) bool {
			return e.Content.ID == "one.mp3" && e.Content.Enclosures[0].Copy != nil
		}) {
		t.Errorf("the entry does not tell of the file: %v", err)
	}
	if s, err := w.nodes[late].Status(t.Context()); err != nil || s.Files.Items != 1 ||
		s.Files.Bytes != int64(len(body)) {
		t.Errorf("it is not counted: %+v, %v", s.Files, err)
	}
	// A page that is long goes as a file beside its item.
	page := []byte("<html><body><article>" + strings.Repeat("<p>A long story.</p>", 40_000) +
		"</article></body></html>")
	writeFile(t, filepath.Join(b.dir, "story", "index.html"), string(page))
	w.nodes[b.publisher].start()
	b.issue(`<item><guid>story</guid><link>https://blog.example/story/</link><title>Story</title><description>in short</description></item>`)
	told := b.awaitCopy(late, "story/", tidings.CopyHere)
	if res, got := b.get(late, told.Path); !bytes.Equal(got, page) || res.Header.Get("Content-Type") != "text/html" ||
		res.Header.Get("Content-Disposition") != "attachment; filename=story.html" {
		t.Errorf("the page is %d bytes, %v", len(got), res.Header)
	}

	if _, err := w.client(late).Unsubscribe(t.Context(), b.url); err != nil {
		t.Fatal(err)
	}
	if res, _ := b.get(late, c.Path); res.StatusCode != http.StatusNotFound {
		t.Errorf("who does not follow the channel is answered %d", res.StatusCode)
	}
}

// A reader that is stopped in the middle goes on where it was.
func TestAFileIsResumed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	var came atomic.Int64 // at the only node that fetches
	w := pollTogether(t, 2, time.Hour, func(c *Config) {
		c.FilesRate = 256 << 10
		c.Trace = func(event any) {
			if _, is := event.(pieces.Came); is {
				came.Add(1)
			}
		}
	})
	b := newFilesBlog(w)
	body := randomBody(2, 5_000_000)
	b.publishFile("one.mp3", body)
	all := (len(body) + pieces.MinPiece - 1) / pieces.MinPiece
	await(t, "a part is here", func() bool { return came.Load() > int64(all/8) })
	w.nodes[1].stop()
	before := came.Load()
	w.nodes[1].start()
	b.downloads(1, "one.mp3", body)
	after := came.Load() - before
	if inFlight := pieces.Default().Window; before == 0 || after == 0 || before+after > int64(all+inFlight) {
		t.Errorf("%d pieces came before, %d after, of %d", before, after, all)
	}
}

// forgingStore has a content of which every piece is false.
type forgingStore struct {
	env      engine.Env
	manifest *pieces.Manifest
}

func (f *forgingStore) Open(ref pieces.Ref, opened func([]byte, pieces.Bits)) {
	var manifest []byte
	var bits pieces.Bits
	if f.manifest != nil && f.manifest.Ref() == ref {
		manifest, bits = f.manifest.Bytes(), pieces.NewBits(f.manifest.Count())
		for i := range f.manifest.Count() {
			bits.Set(i)
		}
	}
	f.env.After(0, func() { opened(manifest, bits) })
}

func (f *forgingStore) Get(_ pieces.Ref, index int, got func([]byte)) {
	f.env.After(0, func() { got(make([]byte, f.manifest.SizeOf(index))) })
}

func (f *forgingStore) Begin(_ pieces.Ref, _ []byte, begun func(bool)) {
	f.env.After(0, func() { begun(false) })
}

func (f *forgingStore) Put(_ pieces.Ref, _ int, _ []byte, kept func(bool)) {
	f.env.After(0, func() { kept(false) })
}

// Hostile 42: pieces that a peer makes up are refused, and had from another.
func TestFalsePiecesAreRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	w := pollTogether(t, 2, time.Hour, func(c *Config) { c.FilesRate = 1 << 20 })
	b := newFilesBlog(w)
	w.nodes[1].stop()
	body := randomBody(3, 5_000_000)
	forger := newSpeaker(t, "forger")
	forger.joins(w.nodes[0])
	manifest, err := pieces.Make(bytes.NewReader(body), int64(len(body)), nil)
	if err != nil {
		t.Fatal(err)
	}
	forger.do(func() {
		forged := &forgingStore{forger.env, manifest}
		node := pieces.New(forger.env, forger.ring, forged, pieces.Default())
		forger.ring.Handle(engine.Pieces, node.Routed())
		forger.stack.Add(engine.Pieces, node)
		node.Announce(manifest.Ref())
	})
	b.publishFile("one.mp3", body)
	w.nodes[1].start()
	b.downloads(1, "one.mp3", body)
	w.awaitRefused(1, forger)
	reach(t, w.nodes[1].connections, w.nodes[0].address()) // the publisher is listened to
}

// What is kept stays within the quota. The latest files are kept, and the others can be had from the origin.
func TestFilesStayWithinTheQuota(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	const publisher, reader, none = 0, 1, 2
	w := pollTogether(t, 3, time.Hour, func(c *Config) { c.FilesRate, c.FilesQuota = 16<<20, 6<<20 })
	w.nodes[none].stop()
	w.nodes[none].config.FilesQuota = 0
	w.nodes[none].start()
	b := newFilesBlog(w)
	bodies := map[string][]byte{"one.mp3": randomBody(4, 3<<20), "two.mp3": randomBody(5, 2<<20),
		"three.mp3": randomBody(6, 3<<20), "large.mp3": randomBody(7, 7<<20)}
	for _, name := range []string{"one.mp3", "two.mp3", "three.mp3"} {
		b.publishFile(name, bodies[name])
		b.awaitCopy(reader, name, tidings.CopyHere)
	}
	b.publishFile("large.mp3", bodies["large.mp3"])
	w.awaitItem(reader, "large.mp3")
	b.downloads(reader, "three.mp3", bodies["three.mp3"])
	b.downloads(reader, "two.mp3", bodies["two.mp3"])
	if c := b.awaitCopy(reader, "one.mp3", tidings.CopyNowhere); c.Path != "" {
		t.Errorf("what is here no longer is %+v", c)
	}
	if c := b.copyAt(reader, "large.mp3"); c != nil {
		t.Errorf("a file that its publisher cannot keep is %+v", c)
	}
	w.awaitItem(none, "large.mp3")
	b.awaitCopy(none, "three.mp3", tidings.CopyNowhere) // its item may come after that of the large one
	for i, n := range w.nodes {
		kept, err := n.store.Large.Contents(t.Context(), nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, l := range kept {
			sum += l.Length
		}
		if sum > n.config.FilesQuota || i == publisher && len(kept) == 0 {
			t.Errorf("node %d keeps %d bytes, of %d", i, sum, n.config.FilesQuota)
		}
	}
}

// A person can request a file again that had to make room: then it is here as if it had just come.
func TestAFileIsAskedForAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	const reader, none = 1, 2
	w := pollTogether(t, 3, time.Hour, func(c *Config) { c.FilesRate = 16 << 20 })
	for i, quota := range map[int]int64{reader: 3 << 20, none: 0} {
		w.nodes[i].stop()
		w.nodes[i].config.FilesQuota = quota
		w.nodes[i].start()
	}
	b := newFilesBlog(w)
	body := randomBody(8, 2<<20)
	b.publishFile("one.mp3", body)
	b.awaitCopy(reader, "one.mp3", tidings.CopyHere)
	b.publishFile("two.mp3", randomBody(9, 2<<20))
	b.awaitCopy(reader, "two.mp3", tidings.CopyHere)
	b.awaitCopy(reader, "one.mp3", tidings.CopyNowhere)

	if c, err := w.client(reader).FetchFile(t.Context(), fileAddress("one.mp3")); err != nil ||
		c.State != tidings.CopyWaiting && c.State != tidings.CopyFetching {
		t.Errorf("asked again it is %+v: %v", c, err)
	}
	b.downloads(reader, "one.mp3", body)
	b.awaitCopy(reader, "two.mp3", tidings.CopyNowhere)
	if c, err := w.client(reader).FetchFile(t.Context(), b.copyAt(reader, "one.mp3").Ref); err != nil ||
		c.State != tidings.CopyHere {
		t.Errorf("asked for what is here it is %+v: %v", c, err)
	}
	s, err := w.client(reader).State(t.Context(), b.url, 0)
	if err != nil || !slices.ContainsFunc(s.Items, func(i tidings.Item) bool {
		return i.ID == "one.mp3" && i.Enclosures[0].Copy != nil && i.Enclosures[0].Copy.State == tidings.CopyHere
	}) {
		t.Errorf("the channel's content does not tell of it: %+v, %v", s.Items, err)
	}

	w.awaitItem(none, "two.mp3")
	if _, err := w.client(none).FetchFile(t.Context(), fileAddress("one.mp3")); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("without a quota: %v", err)
	}
	if _, err := w.client(reader).FetchFile(t.Context(), fileAddress("other.mp3")); !errors.Is(err,
		tidings.ErrNotFound) {
		t.Errorf("of what no item carries: %v", err)
	}
}
