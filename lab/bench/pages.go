package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/lab/cpu"
)

// PagesConfig says how much a node has stored whose pages are requested, and how often they are.
type PagesConfig struct {
	Feeds   int    // that are followed
	Items   int    // of each feed
	Repeats int    // of each measurement
	Data    string // folder of the data, which stays and is used again; "": a temporary one
}

// DefaultPages returns the sizes that documents name.
func DefaultPages() PagesConfig { return PagesConfig{Feeds: 1000, Items: 50, Repeats: 9} }

// Validate reports sizes that measure nothing.
func (c PagesConfig) Validate() error {
	if min(c.Feeds, c.Items, c.Repeats) < 1 {
		return fmt.Errorf("%w benchmark: every size must be positive", tidings.ErrInvalid)
	}
	return nil
}

// pagesRequested are the pages that are measured, as the table names them, in the order in which they are requested. A
// word of the library is in one text of 100. The first search waits until the index of words is checked, which goes on
// beside the pages before it.
var pagesRequested = [][2]string{
	{"the first search after the start", "/search?q=belcordun"},
	{"first page of the river", "/"},
	{"unread", "/?show=unread"},
	{"a folder", "/?folder=Folder+07"},
	{"channels", "/channels"},
	{"search: a rare word", "/search?q=belcordun"},
	{"search: the begin of words", "/search?q=bel*"},
	{"search: two words", "/search?q=belcordun+elfargil"},
}

// Pages measures a node that has stored many items: how long it takes from its start until it has sent the first page,
// and how long single pages take from then on. Clients are in the same process. It prints medians, and the longest.
func Pages(ctx context.Context, c PagesConfig, out io.Writer) (err error) {
	if err := c.Validate(); err != nil {
		return err
	}
	data := c.Data
	if data == "" {
		if data, err = os.MkdirTemp("", "tidings-pages-"); err != nil {
			return fmt.Errorf("making a folder to work in: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	}
	fmt.Fprintf(out, "%s, %d cores; %d feeds of %d items; %d repeats\n\n", runtime.GOOS+"/"+runtime.GOARCH,
		runtime.NumCPU(), c.Feeds, c.Items, c.Repeats)
	v := &visitor{}
	if err := c.fill(ctx, data, v); err != nil {
		return err
	}
	first := make([]duration, 0, c.Repeats)
	pages := make([][]duration, len(pagesRequested))
	for range c.Repeats {
		if err := c.visit(ctx, data, v, &first, pages); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tmedian\tlongest\tprocessor\t")
	row := func(name string, all []duration) {
		slices.SortFunc(all, func(a, b duration) int { return int(a.wall - b.wall) })
		middle := all[len(all)/2]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n", name, round(middle.wall), round(all[len(all)-1].wall),
			round(middle.cpu))
	}
	row("from the start to the first page", first)
	for i, page := range pagesRequested {
		row(page[0], pages[i])
	}
	return table.Flush()
}

// duration is how long something took.
type duration struct {
	wall time.Duration
	cpu  time.Duration // processor time of the whole process
}

// timed measures f.
func timed(f func() error) (d duration, err error) {
	began, used := time.Now(), cpu.Time()
	err = f()
	return duration{time.Since(began), cpu.Time() - used}, err
}

// fill has a node store the library and gives it a password, unless it has been done in that folder.
func (c PagesConfig) fill(ctx context.Context, data string, v *visitor) (err error) {
	filled := filepath.Join(data, "filled")
	known, err := os.ReadFile(filled)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("reading which library is stored: %w", err)
	}
	which := fmt.Sprintf("%d feeds of %d items", c.Feeds, c.Items)
	if len(known) > 0 && string(known) != which {
		return fmt.Errorf("%w benchmark: %s holds %s", tidings.ErrInvalid, data, known)
	}
	b, err := newBedIn(ctx, data, 24*time.Hour)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	if len(known) == 0 {
		l := library{feeds: c.Feeds, items: c.Items, bytes: 1200, made: time.Now()}
		if err := l.offer(b.origin); err != nil {
			return err
		}
		if err := l.follow(ctx, b); err != nil {
			return err
		}
		if err := b.client.SetPassword(ctx, readerPassword); err != nil {
			return err
		}
		if err := os.WriteFile(filled, []byte(which), 0o600); err != nil {
			return fmt.Errorf("noting which library is stored: %w", err)
		}
	}
	if err := v.signIn(ctx, b.node.URL()); err != nil {
		return err
	}
	// the index of words is complete from here on
	return v.request(ctx, b.node.URL()+pagesRequested[len(pagesRequested)-1][1])
}

// visit starts a node, and requests all pages once.
func (c PagesConfig) visit(ctx context.Context, data string, v *visitor, first *[]duration,
	pages [][]duration) (err error) {
	var b *bed
	d, err := timed(func() (err error) {
		if b, err = newBedIn(ctx, data, 24*time.Hour); err != nil {
			return err
		}
		return v.request(ctx, b.node.URL()+"/")
	})
	if b != nil {
		defer func() { err = errors.Join(err, b.stop()) }()
	}
	if err != nil {
		return err
	}
	*first = append(*first, d)
	for i, page := range pagesRequested {
		d, err := timed(func() error { return v.request(ctx, b.node.URL()+page[1]) })
		if err != nil {
			return err
		}
		pages[i] = append(pages[i], d)
	}
	return nil
}

// visitor requests pages as the owner.
type visitor struct{ cookie *http.Cookie }

func (v *visitor) signIn(ctx context.Context, base string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/login",
		strings.NewReader(url.Values{"password": {readerPassword}}.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("signing in: %w", err)
	}
	for _, c := range resp.Cookies() {
		if c.Name == auth.CookieName {
			v.cookie = c
		}
	}
	if err := resp.Body.Close(); v.cookie == nil || err != nil {
		return fmt.Errorf("signing in: %s", resp.Status)
	}
	return nil
}

// request reads a page to its end.
func (v *visitor) request(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Encoding", "gzip")
	r.AddCookie(v.cookie)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("requesting %s: %w", address, err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("reading %s: %w", address, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("requesting %s: %s", address, resp.Status)
	}
	return nil
}
