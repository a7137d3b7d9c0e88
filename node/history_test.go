package node

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/source/feed"
	"tidings/store/published"
	"tidings/view"
)

// blog is a feed at the origin that one of the nodes publishes.
type blog struct {
	*together
	publisher int
	url, file string
	key       keyring.Key
	stories   []string // the newest first
}

// newBlog serves a feed that names the key of a node.
func newBlog(w *together, publisher int) *blog {
	w.t.Helper()
	b := &blog{together: w, publisher: publisher, url: w.base + "blog", file: filepath.Join(w.t.TempDir(), "feed.xml")}
	b.key = mustKey(w.t, w.nodes[publisher], "blog")
	s := &speaker{t: w.t, url: b.url, silence: time.Hour}
	topic := b.topic()
	announcement := fmt.Sprintf(`<tidings:push xmlns:tidings="%s" topic="%x" fingerprint="%s" silence="3600"/>`,
		feed.AnnouncementSpace, topic[:], b.key.Fingerprint)
	s.serve(w.origin, w.base, "blog", rssOf(announcement, entry("old", "Old", "o")))
	return b
}

func (b *blog) topic() engine.ID {
	return feedtree.TopicOf(engine.ID(tidings.IDOf(b.url)), b.key.Fingerprint)
}

// publish publishes so many more stories at once.
func (b *blog) publish(count int) {
	b.t.Helper()
	for range count {
		i := len(b.stories)
		b.stories = slices.Insert(b.stories, 0,
			entry(fmt.Sprint(i), fmt.Sprint("Story ", i), fmt.Sprint("What happened on day ", i)))
	}
	writeFile(b.t, b.file, rssOf("", b.stories...))
	issued, err := b.nodes[b.publisher].Publish(b.t.Context(), view.PublishOrder{Source: b.file, Channel: b.url})
	if err != nil || len(issued.Items) != count {
		b.t.Fatalf("%d of %d stories were published: %v", len(issued.Items), count, err)
	}
}

// awaitArchived waits until the archive keeps all that was published.
func (b *blog) awaitArchived() {
	b.t.Helper()
	n := b.nodes[b.publisher]
	await(b.t, "the archive has everything", func() bool {
		p, err := n.store.Published.Publication(b.t.Context(), b.url, "blog")
		if err != nil {
			b.t.Fatal(err)
		}
		unsent, err := n.store.Published.Unsent(b.t.Context(), b.url, "blog", 1)
		if err != nil {
			b.t.Fatal(err)
		}
		left, err := n.store.Published.Unarchived(b.t.Context(), published.Unarchived{}, 1)
		if err != nil {
			b.t.Fatal(err)
		}
		return p.Next > uint64(len(b.stories)) && len(unsent) == 0 && len(left) == 0
	})
}

// A reader was away for more items than any buffer holds. When it returns it has them all, each once, from the archive.
// By then the publisher is away, and no other node follows it.
func TestAReaderCatchesUpFromTheArchive(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items, and for a reader to ask everybody")
	}
	const reader = 3
	w := pollTogether(t, 4, time.Hour)
	b := newBlog(w, 1)
	b.publish(2)
	w.follow(reader, b.url)
	w.awaitPush(reader, b.url, tidings.PushGood)
	b.publish(1)
	w.awaitItem(reader, "2")
	await(t, "all up to it are had", func() bool { return w.pushed(reader, b.url).Number == 3 })

	w.nodes[reader].stop()
	b.publish(320)
	b.awaitArchived()
	w.nodes[b.publisher].stop()
	w.nodes[reader].start()
	await(t, "all up to the last are had", func() bool {
		return w.pushed(reader, b.url).Number == uint64(len(b.stories))
	})
	shown := w.shown(reader)
	for i := 2; i < len(b.stories); i++ {
		if shown[fmt.Sprint(i)] != 1 {
			t.Errorf("story %d was shown %d times", i, shown[fmt.Sprint(i)])
		}
	}

	// A node that follows it only now can read the earlier items.
	const late = 2
	w.follow(late, b.url)
	var all []string
	var times []time.Time
	older := func(since time.Time) {
		t.Helper()
		await(t, "the archive is read to its end", func() bool {
			all, times = nil, nil
			missing, err := w.client(late).Older(t.Context(), b.url, view.ArchiveQuery{Since: since},
				func(a view.Archived) error {
					if a.SignedBy != b.key.Fingerprint.String() || len(a.Items) != 1 ||
						a.Items[0].Title != fmt.Sprint("Story ", a.Items[0].ID) {
						t.Errorf("%+v", a)
					}
					all, times = append(all, a.Items[0].ID), append(times, a.Time)
					return nil
				})
			switch {
			case err != nil && strings.Contains(err.Error(), "do not answer"): // nodes on a busy machine
				return false
			case err != nil || missing != 0:
				t.Fatalf("%d are missing: %v", missing, err)
			}
			return true
		})
	}
	older(time.Time{})
	if len(all) != len(b.stories) {
		t.Fatalf("%d of %d stories are in the archive: %v", len(all), len(b.stories), all)
	}
	for i, id := range all {
		if id != fmt.Sprint(len(all)-1-i) {
			t.Fatalf("they are not in order: %v", all)
		}
	}
	var turned []string
	q := view.ArchiveQuery{Lacking: true}
	for pages := 1; len(turned) < len(all); pages++ {
		enough, before := errors.New("enough"), len(turned)
		_, err := w.nodes[late].Older(t.Context(), b.url, q, func(a view.Archived) error {
			q = q.Behind(a)
			if len(a.Items) == 0 {
				return nil
			}
			if turned = append(turned, a.Items[0].ID); len(turned)-before == 100 {
				return enough
			}
			return nil
		})
		if err == nil {
			break
		}
		if strings.Contains(err.Error(), "do not answer") {
			pages--
			continue
		}
		if !errors.Is(err, enough) || pages > len(all)/100+1 {
			t.Fatalf("page %d: %v", pages, err)
		}
	}
	if here := len(w.shown(late)); len(turned)+here < len(all) ||
		!slices.IsSortedFunc(turned, func(a, b string) int { return len(b) - len(a) }) {
		t.Errorf("page by page, %d stories are in the archive beside %d that are here", len(turned), here)
	}
	second := times[len(times)-3] // of the first that was published while the reader followed
	if older(second); len(all) != len(b.stories)-2 {
		t.Errorf("%d of %d stories are since then", len(all), len(b.stories)-2)
	}
}

// A feed without pushes is read back by the archive documents that it names, if they are of its own origin.
func TestArchiveDocumentsAreRead(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	dated := func(id string, year int) string {
		at := time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC1123Z)
		return "<item><guid>" + id + "</guid><title>" + id + "</title><pubDate>" + at + "</pubDate></item>"
	}
	before := func(url string) string {
		return `<link xmlns="http://www.w3.org/2005/Atom" rel="prev-archive" href="` + url + `"/>`
	}
	s := &speaker{t: t}
	s.serve(w.origin, w.base, "plain", rssOf("", dated("alone", 2026)))
	s.serve(w.origin, w.base, "elsewhere", rssOf(before("http://elsewhere.example/1"), dated("here", 2026)))
	s.serve(w.origin, w.base, "2023", rssOf(before(w.base+"2024"), dated("d", 2023))) // a circle
	s.serve(w.origin, w.base, "2024", rssOf(before(w.base+"2023"), dated("c", 2024), dated("b", 2024)))
	s.serve(w.origin, w.base, "feed", rssOf(before(w.base+"2024"), dated("a", 2026)))
	older := func(name string, since int) (ids string, err error) {
		w.follow(0, w.base+name)
		_, err = w.client(0).Older(t.Context(), w.base+name,
			view.ArchiveQuery{Since: time.Date(since, 1, 1, 0, 0, 0, 0, time.UTC)}, func(a view.Archived) error {
				ids += a.Items[0].ID
				return nil
			})
		return ids, err
	}
	_, err := older("plain", 2020)
	if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), "not pushed") {
		t.Errorf("a feed without an archive: %v", err)
	}
	if ids, err := older("elsewhere", 2020); ids != "" || err != nil {
		t.Errorf("a document elsewhere: %s, %v", ids, err)
	}
	if ids, err := older("feed", 2020); ids != "cbd" || err != nil {
		t.Errorf("the archive has %s, %v", ids, err)
	}
}

// Archive documents are read on behind an entry, also after a restart, and through no circle twice. A document to which
// the feed does not lead is not requested, even if another document names it.
func TestArchiveDocumentsAreReadOn(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	listing := func(before string, ids ...string) string {
		all := ""
		if before != "" {
			all = `<link xmlns="http://www.w3.org/2005/Atom" rel="prev-archive" href="` + w.base + before + `"/>`
		}
		for _, id := range ids {
			all += entry(id, id, "text of "+id)
		}
		return rssOf(all)
	}
	s := &speaker{t: t}
	s.serve(w.origin, w.base, "secret", listing("", "secret"))
	s.serve(w.origin, w.base, "1", listing("2", "d"))
	s.serve(w.origin, w.base, "2", listing("1", "a", "c", "b"))
	s.serve(w.origin, w.base, "feed", listing("2", "a"))
	w.follow(0, s.url)
	n := w.nodes[0]
	var last view.Archived
	read := func(q view.ArchiveQuery, most int) (ids string, err error) {
		enough := errors.New("enough")
		_, err = w.client(0).Older(t.Context(), s.url, q, func(a view.Archived) error {
			if last = a; len(a.Items) == 0 {
				return nil
			}
			if ids += a.Items[0].ID; len(ids) == most {
				return enough
			}
			return nil
		})
		if errors.Is(err, enough) {
			err = nil
		}
		return ids, err
	}
	q := view.ArchiveQuery{Lacking: true}
	for _, want := range []string{"c", "b", "d", ""} {
		ids, err := read(q, 1)
		if ids != want || err != nil {
			t.Errorf("behind %+v: %q, want %q; %v", q, ids, want, err)
		}
		q = q.Behind(last)
	}
	page := readPage(t, n.URL()+"/older?url="+url.QueryEscape(s.url))
	if shown := regexp.MustCompile(`>(\w)</span></h3>`).FindAllStringSubmatch(page, -1); len(shown) != 3 ||
		shown[0][1] != "c" || !strings.Contains(page, "That is all.") {
		t.Errorf("the page shows %q\n%s", shown, page)
	}
	n.stop()
	n.start()
	if ids, err := read(view.ArchiveQuery{Document: w.base + "1"}, 9); ids != "d" || err != nil {
		t.Errorf("a way that was forgotten: %q, %v", ids, err)
	}
	if ids, err := read(view.ArchiveQuery{Document: w.base + "2", Places: 1}, 9); ids != "cbd" || err != nil {
		t.Errorf("behind the first: %q, %v", ids, err)
	}
	if ids, err := read(view.ArchiveQuery{Document: w.base + "secret"}, 9); ids != "" ||
		!errors.Is(err, tidings.ErrInvalid) || len(w.origin.Requests("secret")) > 0 {
		t.Errorf("a document that somebody names: %q, %v", ids, err)
	}
}

// readPage returns what the page answers with.
func readPage(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, res.Status, err)
	}
	return string(text)
}

// Items that the archive has not accepted are put there after a restart. A node that is to keep nothing for others
// forgets what it has.
func TestTheArchiveOutlivesRestarts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a publisher's first items")
	}
	w := pollTogether(t, 2, time.Hour)
	b := newBlog(w, 0)
	b.publish(5)
	b.awaitArchived()
	kept := func(i int) view.StorageUse { return w.nodes[i].archive.Usage(t.Context()) }
	await(t, "both keep everything", func() bool { return kept(0).Items == 5 && kept(1).Items == 5 })

	w.nodes[0].stop()
	w.nodes[1].stop()
	w.nodes[1].config.ArchiveQuota = 0
	w.nodes[0].start()
	w.nodes[1].start()
	await(t, "the one keeps everything, the other nothing", func() bool {
		left, err := w.nodes[1].store.Shared.Archived(t.Context(), nil, 1)
		return err == nil && kept(0).Items == 5 && kept(1).Items == 0 && len(left) == 0
	})
}

func keyFrom(seed string) ed25519.PrivateKey {
	sum := sha256.Sum256([]byte(seed))
	return ed25519.NewKeyFromSeed(sum[:])
}
