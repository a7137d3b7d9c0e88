package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/lab/browser"
	"tidings/lab/stats"
)

// ReaderConfig says what a browser is to read, and how often.
type ReaderConfig struct {
	Feeds    int    // that are followed
	Items    int    // of each feed
	Repeats  int    // of each measurement
	Data     string // folder of Tidings' data, which stays and is used again; "": a temporary one
	Miniflux string // program of Miniflux; "": Tidings is measured alone
	// address of an empty PostgreSQL database for Miniflux, or of one that it has filled by an earlier run
	Database string
}

// DefaultReader returns the sizes that documents name.
func DefaultReader() ReaderConfig { return ReaderConfig{Feeds: 1000, Items: 100, Repeats: 10} }

// Validate reports sizes that measure nothing.
func (c ReaderConfig) Validate() error {
	switch {
	case min(c.Feeds, c.Items, c.Repeats) < 1:
		return fmt.Errorf("%w benchmark: every size must be positive", tidings.ErrInvalid)
	case (c.Miniflux == "") != (c.Database == ""):
		return fmt.Errorf("%w benchmark: Miniflux needs both its program and a database", tidings.ErrInvalid)
	}
	return nil
}

// Bounds on what is waited for.
const (
	fillPatience  = time.Hour   // until all feeds were polled once
	visitPatience = time.Minute // until a page is painted
)

// readerPassword is what the browser signs in with, at either site.
const readerPassword = "long enough for both"

// site is a reader on the web, and where in it things are.
type site struct {
	name  string
	base  string
	pages map[string]string // addresses of the pages of pagesRead
	first string            // CSS selector of the link to the first unread article in the list
	text  string            // of an article's text
	place bool              // an article opens in its list, and not on a page of its own
	find  string            // CSS selector of the field that finds channels while one types; "": there is none
	form  string            // address of the page with the form to sign in
	login string            // JavaScript that fills it in
}

// pagesRead are the pages that are measured, as the table names them.
var pagesRead = []string{"unread list", "a channel’s list", "channels", "search"}

// Reader measures in chromium how long pages take until they are first painted, with nothing in the browser's cache and
// with what it has kept, and how long it takes until an article is painted that is opened or comes next. All is done
// with Tidings and, if there is one, with Miniflux, in turns, on the same made-up feeds. It prints a table of medians
// and of what nine of ten stay below.
func Reader(ctx context.Context, c ReaderConfig, out io.Writer) (err error) {
	if err := c.Validate(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "tidings-reader-")
	if err != nil {
		return fmt.Errorf("making a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	data := c.Data
	if data == "" {
		data = filepath.Join(folder, "data")
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("making the folder of the data: %w", err)
	}
	b, err := newBedIn(ctx, data, 24*time.Hour)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	l := library{feeds: c.Feeds, items: c.Items, bytes: 1200, made: time.Now()}
	fmt.Fprintf(out, "%s, %d cores; %d feeds of %d items; %d repeats\n", runtime.GOOS+"/"+runtime.GOARCH,
		runtime.NumCPU(), c.Feeds, c.Items, c.Repeats)
	offer := sync.OnceValue(func() error { return l.offer(b.origin) })
	sites := make([]site, 1)
	if c.Miniflux != "" {
		sites = make([]site, 2)
	}
	fill, filling := errgroup.WithContext(ctx)
	fill.Go(func() (err error) {
		sites[0], err = l.tidings(filling, b, offer)
		return err
	})
	if c.Miniflux == "" {
		fmt.Fprintln(out, "Miniflux is left out: --miniflux and --database name its program and a database for it.")
	} else {
		m, stop, err := startMiniflux(ctx, c.Miniflux, c.Database)
		if err != nil {
			return errors.Join(err, fill.Wait())
		}
		defer stop()
		fill.Go(func() (err error) {
			sites[1], err = l.miniflux(filling, m, b.base, offer)
			return err
		})
	}
	if err := fill.Wait(); err != nil {
		return err
	}
	if err := l.withdraw(b.origin); err != nil {
		return err
	}
	chromium, stop, err := browser.Launch(ctx, filepath.Join(folder, "profile"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	m, err := readSites(chromium, sites, c.Repeats)
	if err != nil {
		return err
	}
	return m.print(out, sites)
}

// tidings has a node follow the library, which is offered before, unless it does already. It describes the node's
// pages.
func (l library) tidings(ctx context.Context, b *bed, offer func() error) (site, error) {
	ctx, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	followed, err := b.client.Channels(ctx)
	if err != nil {
		return site{}, err
	}
	if len(followed) < l.feeds {
		if err := offer(); err != nil {
			return site{}, err
		}
		if err := l.follow(ctx, b); err != nil {
			return site{}, err
		}
		if followed, err = b.client.Channels(ctx); err != nil {
			return site{}, err
		}
	}
	if err := b.client.SetPassword(ctx, readerPassword); err != nil {
		return site{}, err
	}
	return site{
		name: "Tidings", base: b.node.URL(), place: true,
		pages: map[string]string{
			pagesRead[0]: "/?show=unread", pagesRead[1]: "/channel?url=" + url.QueryEscape(followed[l.feeds/2].URL),
			pagesRead[2]: "/channels",
			pagesRead[3]: "/search?q=" + soughtWord,
		},
		first: ".line:not(.read) .open",
		text:  ".reading",
		find:  "#find",
		form:  "/login",
		login: fmt.Sprintf(`document.querySelector("[name=password]").value = %q`, readerPassword),
	}, nil
}

// soughtWord is a word that one item in about 100 has.
var soughtWord = parts[1] + parts[2] + parts[3]

// measured are the samples of all sites: by measurement and site.
type measured struct {
	order   []string
	samples map[string]map[string]*samples
}

// samples are those of one measurement at one site.
type samples struct {
	times []float64 // milliseconds until it was painted
	reply []float64 // milliseconds until the first byte of the document; nil: there was none
	last  visit
}

func (m *measured) add(name, site string, v visit) {
	if m.samples[name] == nil {
		m.order = append(m.order, name)
		m.samples[name] = make(map[string]*samples)
	}
	s := m.samples[name][site]
	if s == nil {
		s = &samples{}
		m.samples[name][site] = s
	}
	s.times, s.last = append(s.times, v.Paint), v
	if v.Reply > 0 {
		s.reply = append(s.reply, v.Reply)
	}
}

// readSites does all measurements, and repeats them: the sites take turns, and each begins in half of them.
func readSites(ctx context.Context, sites []site, repeats int) (*measured, error) {
	m := &measured{samples: make(map[string]map[string]*samples)}
	for _, s := range sites {
		if err := s.signIn(ctx); err != nil {
			return nil, fmt.Errorf("signing in at %s: %w", s.name, err)
		}
	}
	for round := range repeats {
		for _, page := range pagesRead {
			for i := range sites {
				s := sites[(i+round)%len(sites)]
				cold, warm, err := s.read(ctx, s.pages[page])
				if err != nil {
					return nil, fmt.Errorf("reading %s of %s: %w", page, s.name, err)
				}
				m.add(page+", cold", s.name, cold)
				m.add(page+", warm", s.name, warm)
			}
		}
		for i := range sites {
			s := sites[(i+round)%len(sites)]
			for name, v := range s.articles(ctx) {
				if v.err != nil {
					return nil, fmt.Errorf("%s at %s: %w", name, s.name, v.err)
				}
				m.add(name, s.name, v.visit)
			}
		}
	}
	return m, nil
}

// print prints a table. The ratio is that of the medians.
func (m *measured) print(out io.Writer, sites []site) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"first paint of"}
	for _, s := range sites {
		head = append(head, s.name+": median", "90 %", "first byte", "document", "before paint", "all")
	}
	if len(sites) > 1 {
		head = append(head, "ratio")
	}
	fmt.Fprintln(table, strings.Join(head, "\t")+"\t")
	for _, name := range m.order {
		row, medians := []string{name}, []float64(nil)
		for _, s := range sites {
			one := m.samples[name][s.name]
			if one == nil {
				row = append(row, "", "", "", "", "", "")
				continue
			}
			medians = append(medians, stats.QuantileOf(one.times, 0.5))
			row = append(row, fmt.Sprintf("%.0f ms", medians[len(medians)-1]),
				fmt.Sprintf("%.0f ms", stats.QuantileOf(one.times, 0.9)), "", "", "", "")
			if len(one.reply) > 0 {
				row[len(row)-4] = fmt.Sprintf("%.0f ms", stats.QuantileOf(one.reply, 0.5))
			}
			if one.last.Document > 0 {
				row[len(row)-3], row[len(row)-2], row[len(row)-1] = kilobytes(one.last.Document),
					kilobytes(one.last.Document+one.last.Blocking), kilobytes(one.last.All)
			}
		}
		if len(medians) > 1 {
			row = append(row, fmt.Sprintf("%.2f", medians[0]/medians[1]))
		}
		fmt.Fprintln(table, strings.Join(row, "\t")+"\t")
	}
	return table.Flush()
}

func kilobytes(n float64) string { return fmt.Sprintf("%.1f kB", n/1000) }
