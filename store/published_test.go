package store

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/large"
	"tidings/store/published"
)

const publishedURL = "https://example.org/published"

// issue publishes n items at once, with the numbers that the publication has next.
func issue(t testing.TB, s *Store, n int) (published.Issue, error) {
	t.Helper()
	p, err := s.Published.Publication(t.Context(), publishedURL, "me")
	if err != nil {
		t.Fatal(err)
	}
	i := published.Issue{Channel: publishedURL, Key: "me", Time: s.DB.Now().Truncate(time.Millisecond)}
	for k := range n {
		number := p.Next + uint64(k)
		i.Items = append(i.Items,
			published.Item{Number: number, Topic: p.Topic, Signed: fmt.Appendf(nil, "item %d", number)})
		i.Marks = append(i.Marks,
			published.Mark{KnownItem: tidings.KnownItem{ItemIdentity: tidings.ItemIdentity{ID: number}},
				Content: hashed(byte(number))})
	}
	return i, s.Published.Issue(t.Context(), i)
}

func mustIssue(t testing.TB, s *Store, n int) published.Issue {
	t.Helper()
	i, err := issue(t, s, n)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func mustPublish(t testing.TB, s *Store, topic byte) published.Publication {
	t.Helper()
	p, err := s.Published.Publish(t.Context(), published.Publication{Channel: publishedURL, Key: "me",
		Fingerprint: hashed(topic), Topic: [20]byte{topic},
		Silence: time.Hour, Watched: "/feed.xml"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func numbersOf(items []published.Item, err error) string {
	var numbers []uint64
	for _, i := range items {
		numbers = append(numbers, i.Number)
		if string(i.Signed) != fmt.Sprint("item ", i.Number) {
			return fmt.Sprintf("number %d is %q", i.Number, i.Signed)
		}
	}
	return fmt.Sprint(numbers, err)
}

// Numbers go on from 1 without a gap or a repeat, over a stop, another key and another process.
func TestPublicationNumbersGoOn(t *testing.T) {
	t.Parallel()
	config := Default(dataDir(t))
	s := mustOpen(t, config)
	ctx := t.Context()
	if p := mustPublish(t, s, 1); p.Next != 1 || !p.Last.IsZero() || p.Silence != time.Hour ||
		p.Watched != "/feed.xml" || p.Unsent != 0 {
		t.Errorf("begun: %+v", p)
	}
	first := mustIssue(t, s, 3)
	if got, want := numbersOf(s.Published.Unsent(ctx, publishedURL, "me", 10)), "[1 2 3] <nil>"; got != want {
		t.Errorf("unsent %s, want %s", got, want)
	}
	if err := s.Published.Sent(ctx, publishedURL, "me", 3, 1); err != nil {
		t.Fatal(err)
	}
	mustErr(t, s.Published.Issue(ctx, first), tidings.ErrStale)
	late := first
	late.Items = []published.Item{{Number: 4, Signed: []byte("item 4")}}
	late.Time = late.Time.Add(-time.Millisecond)
	mustErr(t, s.Published.Issue(ctx, late), tidings.ErrStale)
	late.Items[0].Number, late.Time = 5, late.Time.Add(time.Second)
	mustErr(t, s.Published.Issue(ctx, late), tidings.ErrStale)

	if err := s.Published.StopPublishing(ctx, publishedURL); err != nil {
		t.Fatal(err)
	}
	mustErr(t, s.Published.StopPublishing(ctx, publishedURL), tidings.ErrNotFound)
	_, err := issue(t, s, 1)
	mustErr(t, err, tidings.ErrNotFound)
	if p, err := s.Published.Publication(ctx, publishedURL, "me"); err != nil || p.Stopped.IsZero() || p.Unsent != 1 {
		t.Errorf("stopped: %+v, %v", p, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, config)
	defer s.Close()
	if p := mustPublish(t, s, 2); p.Next != 4 || p.Last != first.Time || !p.Stopped.IsZero() || p.Topic != [20]byte{2} {
		t.Errorf("taken up: %+v", p)
	}
	mustIssue(t, s, 2)
	for topic, want := range map[byte]string{1: "[1 2 3] <nil>", 2: "[4 5] <nil>", 3: "[] <nil>"} {
		if got := numbersOf(s.Published.Items(ctx, [20]byte{topic}, 0, 1<<64-1, 10)); got != want {
			t.Errorf("of topic %d: %s, want %s", topic, got, want)
		}
	}
	if got, want := numbersOf(s.Published.Items(ctx, [20]byte{1}, 2, 3, 1)), "[2] <nil>"; got != want {
		t.Errorf("of a range: %s, want %s", got, want)
	}
	if got, want := numbersOf(s.Published.Unsent(ctx, publishedURL, "me", 10)), "[2 4 5] <nil>"; got != want {
		t.Errorf("unsent %s, want %s", got, want)
	}
	if all, err := s.Published.Publications(ctx); err != nil || len(all) != 1 || all[0].Next != 6 {
		t.Errorf("listed: %+v, %v", all, err)
	}
	mustBeSound(t, config.Dir)
}

// What no other node has can be signed anew, and numbered anew above what others have given.
func TestResignAndRenumber(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	mustPublish(t, s, 1)
	mustIssue(t, s, 3)
	if err := s.Published.Sent(ctx, publishedURL, "me", 1); err != nil {
		t.Fatal(err)
	}
	var anew []published.Item
	for n := range uint64(3) {
		anew = append(anew, published.Item{Number: n + 1, Topic: [20]byte{2}, Signed: fmt.Appendf(nil, "item %d", n+1)})
	}
	if err := s.Published.Resign(ctx, publishedURL, "me", anew); err != nil {
		t.Fatal(err)
	}
	for topic, want := range map[byte]string{1: "[1] <nil>", 2: "[2 3] <nil>"} {
		if got := numbersOf(s.Published.Items(ctx, [20]byte{topic}, 0, 9, 9)); got != want {
			t.Errorf("of topic %d: %s, want %s", topic, got, want)
		}
	}
	r := published.Renumbering{Channel: publishedURL, Key: "me", Gone: []uint64{2, 3}, Next: 8, Time: s.DB.Now(),
		Items: []published.Item{{Number: 8, Topic: [20]byte{2}, Signed: []byte("item 8")},
			{Number: 9, Topic: [20]byte{2}, Signed: []byte("item 9")}}}
	if err := s.Published.Renumber(ctx, r); err != nil {
		t.Fatal(err)
	}
	if got, want := numbersOf(s.Published.Unsent(ctx, publishedURL, "me", 9)), "[8 9] <nil>"; got != want {
		t.Errorf("unsent %s, want %s", got, want)
	}
	mustErr(t, s.Published.Renumber(ctx, r), tidings.ErrStale)
	r.Gone = nil
	mustErr(t, s.Published.Renumber(ctx, r), tidings.ErrStale)
	if p, err := s.Published.Publication(ctx, publishedURL, "me"); err != nil || p.Next != 10 {
		t.Errorf("%+v, %v", p, err)
	}
}

// What an item is known by is kept with it, replaced by row, and of other publications left alone.
func TestPublishedMarks(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	mustPublish(t, s, 1)
	mustIssue(t, s, 2)
	marks, err := s.Published.Marks(ctx, publishedURL, "me")
	if err != nil || len(marks) != 2 || !marks[0].Listed || marks[1].ItemIdentity.ID != 2 ||
		marks[1].Content != hashed(2) {
		t.Fatalf("%+v, %v", marks, err)
	}
	for like, want := range map[tidings.ItemIdentity]int{{ID: 2}: 1, {ID: 9}: 0, {ID: 9, Link: 7}: 0, {}: 0} {
		if got, err := s.Published.MarksLike(ctx, publishedURL, "me", like); err != nil || len(got) != want {
			t.Errorf("like %+v are %+v, %v", like, got, err)
		}
	}
	changed := marks[0]
	changed.Print, changed.Content = 9, hashed(9)
	if _, err := s.Published.Publish(ctx, published.Publication{Channel: publishedURL, Key: "other"}); err != nil {
		t.Fatal(err)
	}
	for _, i := range []published.Issue{
		{Channel: publishedURL, Key: "me", Marks: []published.Mark{changed}, Listed: []int64{}},
		{Channel: publishedURL, Key: "other", Marks: []published.Mark{marks[1]}, Listed: []int64{marks[0].Row}},
	} {
		if err := s.Published.Issue(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	after, err := s.Published.Marks(ctx, publishedURL, "me")
	marks[1].Listed, changed.Listed = false, true
	if want := []published.Mark{changed, marks[1]}; err != nil || !slices.Equal(after, want) {
		t.Errorf("%+v, %v; want %+v", after, err, want)
	}
}

// TestPublishingChild is a process of its own, which publishes until it is killed and says each number that
// was acknowledged.
func TestPublishingChild(t *testing.T) {
	dir := os.Getenv(publishingDir)
	if dir == "" {
		t.Skip("it is the child process of another test")
	}
	s := mustOpen(t, Config{Dir: dir})
	mustPublish(t, s, 1)
	for n := 1; ; n = n%3 + 1 {
		i := mustIssue(t, s, n)
		if _, err := fmt.Printf("update %d\n", i.Items[len(i.Items)-1].Number); err != nil {
			return
		}
	}
}

const publishingDir = "TIDINGS_STORE_PUBLISHING_CHILD"

// kill -9 at random moments: the numbers of published items go on without a gap or a repeat, and
// all that was acknowledged is there to be sent. hostile 51.
func TestKillWhilePublishing(t *testing.T) {
	const seed = 20260707
	r := rand.New(rand.NewPCG(seed, seed))
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	dir := dataDir(t)
	for range rounds {
		c := publishingChild(t, dir)
		time.Sleep(time.Duration(r.IntN(30_000)) * time.Microsecond) // the moment is the point of the test
		last := c.killed(t)
		checkPublished(t, dir, last)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func publishingChild(t *testing.T, dir string) *child {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "-test.run=^TestPublishingChild$", fmt.Sprint("-test.short=", testing.Short()))
	cmd.Env = append(os.Environ(), publishingDir+"="+dir)
	return startProcess(t, cmd)
}

// killed kills the child and returns the last number that it acknowledged.
func (c *child) killed(t *testing.T) (last int64) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c.out)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // it says that it was killed
	for line := range bytes.Lines(append(c.said, rest...)) {
		if _, err := fmt.Sscanf(string(line), "update %d\n", &last); err != nil {
			t.Errorf("the child says %q", line)
		}
	}
	return last
}

func checkPublished(t *testing.T, dir string, acknowledged int64) {
	t.Helper()
	opened.RLock()
	defer opened.RUnlock()
	s := mustOpen(t, Config{Dir: dir})
	defer s.Close()
	p, err := s.Published.Publication(t.Context(), publishedURL, "me")
	if err != nil || int64(p.Next) <= acknowledged {
		t.Errorf("the next number is %d, and %d was acknowledged: %v", p.Next, acknowledged, err)
	}
	items, err := s.Published.Unsent(t.Context(), publishedURL, "me", 1<<30)
	if err != nil || len(items) != int(p.Next-1) {
		t.Errorf("%d items to send, and %d published: %v", len(items), p.Next-1, err)
	}
	for i, item := range items {
		if want := fmt.Sprint("item ", i+1); item.Number != uint64(i+1) || string(item.Signed) != want {
			t.Errorf("in place %d is number %d, %q", i+1, item.Number, item.Signed)
		}
	}
}

// However many items were published, one more costs about the same.
func TestPublishingOneOfMany(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	mustPublish(t, s, 1)
	for range 3 {
		i := mustIssue(t, s, 4000)
		numbers := make([]uint64, len(i.Items))
		for k := range i.Items {
			numbers[k] = i.Items[k].Number
		}
		if err := s.Published.Sent(t.Context(), publishedURL, "me", numbers...); err != nil {
			t.Fatal(err)
		}
	}
	for sql, most := range map[string]int{
		`SELECT p.next, p.last FROM publication p WHERE channel = 'c'
			AND key = 'k'`: 0,
		`SELECT i.number FROM published i JOIN publication p ON p.id = i.publication WHERE p.channel = 'c'
			AND p.key = 'k' AND i.sent = 0 ORDER BY i.number LIMIT 9`: 0,
		`SELECT number FROM published WHERE topic = x'01' AND number BETWEEN 1 AND 2 ORDER BY number
			LIMIT 9`: 0,
	} {
		if scans := fullScans(t, s, sql); scans > most {
			t.Errorf("%d tables are read as a whole for %s", scans, sql)
		}
	}
	if got, want := numbersOf(s.Published.Unsent(t.Context(), publishedURL, "me", 9)), "[] <nil>"; got != want {
		t.Errorf("unsent %s", got)
	}
}

// fullScans counts the tables that SQLite would read as a whole.
func fullScans(t *testing.T, s *Store, sql string) (n int) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		return db.Each(conn, "EXPLAIN QUERY PLAN "+sql, func(r *sqlite.Stmt) error {
			if strings.HasPrefix(r.ColumnText(3), "SCAN") {
				n++
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Which files belong to what is published: those of an item as it was published last. They do as long as its
// publication is active, and the feed lists the item or the file is new.
func TestPublishedFiles(t *testing.T) {
	t.Parallel()
	config := Default(dataDir(t))
	s := mustOpen(t, config)
	defer s.Close()
	ctx := t.Context()
	mustPublish(t, s, 1)
	publish := func(row int64, guid uint64, files map[int][]large.Ref, listed ...int64) {
		t.Helper()
		p, err := s.Published.Publication(ctx, publishedURL, "me")
		if err != nil {
			t.Fatal(err)
		}
		i := published.Issue{Channel: publishedURL, Key: "me", Time: s.DB.Now().Truncate(time.Millisecond),
			Files: files, Listed: listed,
			Marks: []published.Mark{{KnownItem: tidings.KnownItem{Row: row,
				ItemIdentity: tidings.ItemIdentity{ID: guid}}}}}
		if files != nil {
			i.Items = []published.Item{{Number: p.Next, Topic: p.Topic, Signed: []byte("item")}}
		}
		if err := s.Published.Issue(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, want string, since time.Time) {
		t.Helper()
		all, err := s.Published.Files(ctx, since)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range all {
			got += fmt.Sprint(f.Ref[0], " ", f.Current, "; ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	later := time.Now().Add(time.Hour)
	publish(0, 1, map[int][]large.Ref{0: {{1}, {2}}})
	publish(0, 2, map[int][]large.Ref{0: {{2}}})
	check("two items", "1 true; 2 true; ", later)
	marks, err := s.Published.Marks(ctx, publishedURL, "me")
	if err != nil {
		t.Fatal(err)
	}
	one, two := marks[0].Row, marks[1].Row
	publish(one, 1, nil)
	check("an item that is known otherwise", "1 true; 2 true; ", later)
	publish(one, 1, map[int][]large.Ref{0: {{3}}})
	check("another file in the place of two", "2 true; 3 true; ", later)
	publish(two, 2, nil, two)
	check("an item that is not listed", "2 true; 3 false; ", later)
	if err := s.Large.Begin(ctx, large.Content{Ref: large.Ref{3}, Length: 1, Own: true}, []byte{1}, 10); err != nil {
		t.Fatal(err)
	}
	check("its file that came just now", "2 true; 3 true; ", time.Now().Add(-time.Hour))
	publish(two, 2, map[int][]large.Ref{0: nil})
	check("an item without files", "3 true; ", time.Now().Add(-time.Hour))
	if err := s.Published.StopPublishing(ctx, publishedURL); err != nil {
		t.Fatal(err)
	}
	check("stopped", "3 false; ", time.Now().Add(-time.Hour))
}
