package store

import (
	"fmt"
	"testing"
	"time"

	"tidings"
	"tidings/store/large"
	"tidings/store/pushed"
)

// Only an account that follows a channel may have its files. They survive restarts and are removed with the channel's
// last follower.
func TestItemFiles(t *testing.T) {
	t.Parallel()
	config := Default(dataDir(t))
	s := mustOpen(t, config)
	ctx := t.Context()
	const one, other = "https://example.org/one", "https://example.org/other"
	numbers := make(map[string]uint64)
	carry := func(url string, files ...tidings.File) {
		t.Helper()
		numbers[url]++
		f := &tidings.Change{Kind: tidings.KindFeed, Partial: true, Found: time.Now(), Files: files}
		if _, err :=
			s.Apply(ctx, Push{pushed.Item{URL: url, Topic: [20]byte{1}, Number: numbers[url], Signed: []byte{1}},
				f}); err != nil {
			t.Fatal(err)
		}
	}
	for _, url := range []string{one, other} {
		if _, _, err := s.Subscribe(ctx, tidings.Owner, Subscription{URL: url, Privacy: tidings.Public}); err != nil {
			t.Fatal(err)
		}
		if err := s.Pushed.SetPin(ctx, pushed.Pin{Channel: url, Pinned: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	a := tidings.File{URL: "https://example.org/a.mp3", Ref: large.Ref{1}, Type: "audio/mpeg", Length: 5}
	b := tidings.File{URL: "https://example.org/b.mp3", Ref: large.Ref{2}}
	carry(one, a, b)
	carry(one, a, b)
	carry(other, a)
	if err := s.Pushed.GiveUp(ctx, b.Ref); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, config)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, config.Dir)
	}()
	told := func(files []pushed.File, err error) (text string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text += fmt.Sprint(f.Channel[len("https://example.org/"):], " ", f.Ref[0], " ", f.GivenUp, "; ")
		}
		return text
	}
	if all, err := s.Pushed.Files(ctx); err != nil || all[0].File != a {
		t.Errorf("the first file is %+v: %v", all[0], err)
	}
	if got := told(s.Pushed.Files(ctx)); got != "one 1 false; one 2 true; other 1 false; " {
		t.Errorf("all files: %s", got)
	}
	if got := told(s.Pushed.FilesFor(ctx, tidings.Owner, a.Ref)); got != "one 1 false; other 1 false; " {
		t.Errorf("of the owner: %s", got)
	}
	if got := told(s.Pushed.FilesFor(ctx, tidings.Owner+1, a.Ref)); got != "" {
		t.Errorf("of who follows nothing: %s", got)
	}

	if got := told(s.Pushed.FilesAt(ctx, tidings.Owner, b.URL)); got != "one 2 true; " {
		t.Errorf("by its address: %s", got)
	}
	if got := told(s.Pushed.FilesAt(ctx, tidings.Owner+1, b.URL)); got != "" {
		t.Errorf("by its address, of who follows nothing: %s", got)
	}

	// What was given up can be looked for again, as the latest.
	if err := s.Pushed.SearchAgain(ctx, b.Ref); err != nil {
		t.Fatal(err)
	}
	if got := told(s.Pushed.Files(ctx)); got != "one 1 false; other 1 false; one 2 false; " {
		t.Errorf("taken up again: %s", got)
	}

	// Another content in the place of one that was given up is looked for.
	b.Ref = large.Ref{3}
	carry(one, b)
	if _, err := s.Unsubscribe(ctx, tidings.Owner, other); err != nil {
		t.Fatal(err)
	}
	if got := told(s.Pushed.Files(ctx)); got != "one 1 false; one 3 false; " {
		t.Errorf("after a change: %s", got)
	}
	var many []tidings.File
	for i := range 200 + 5 {
		many = append(many, tidings.File{URL: fmt.Sprint("https://example.org/", i), Ref: large.Ref{9}})
	}
	carry(one, many...)
	if all, err := s.Pushed.Files(ctx); err != nil || len(all) != 200 {
		t.Errorf("%d files are known: %v", len(all), err)
	}
}

// A content that was given up stays so when the same file comes again, and begins anew when it becomes another's.
func TestAContentIsGivenUpOnce(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	pinned(t, s)
	number := uint64(4)
	carry := func(files ...tidings.File) {
		t.Helper()
		number++
		clk.add(time.Hour)
		f := &tidings.Change{Kind: tidings.KindFeed, Partial: true, Files: files}
		if _, err := s.Apply(ctx, Push{pushed.Item{URL: pinnedURL, Number: number, Signed: []byte{1}}, f}); err != nil {
			t.Fatal(err)
		}
	}
	file := tidings.File{URL: "https://example.org/a.mp3", Ref: large.Ref{1}}
	carry(file)
	first, err := s.Pushed.Files(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		if err := s.Pushed.GiveUp(ctx, file.Ref); err != nil {
			t.Fatal(err)
		}
		carry(file)
		if all, err := s.Pushed.Files(ctx); err != nil || len(all) != 1 || !all[0].GivenUp ||
			all[0].Since != first[0].Since {
			t.Errorf("round %d, the same again: %+v, %v", round, all, err)
		}
		file.Ref[0]++
		carry(file)
		if first, err = s.Pushed.Files(ctx); err != nil || len(first) != 1 || first[0].GivenUp ||
			first[0].Ref != file.Ref {
			t.Errorf("round %d, another: %+v, %v", round, first, err)
		}
	}
}
