package pictures

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"tidings"
	"tidings/markup"
	"tidings/node/wholefile"
	"tidings/source/picture"
)

// Bounds.
const (
	maxAddress  = 2048             // bytes of an address
	maxFetches  = 32               // pictures that are fetched at a time
	hostFetches = 4                // of them from one host, so that a silent host keeps out no other
	queueTime   = 2 * time.Minute  // for one picture to get its turn
	fetchTime   = time.Minute      // for its fetch
	failedFor   = 10 * time.Minute // for so long what failed is not asked for again
	maxFailed   = 4096             // addresses of which that is remembered
	entryBytes  = 4096             // what an entry of the index is counted as beside its content
	usedStep    = time.Hour        // how precisely the time of the last view is kept
	maxEntry    = 256              // bytes of a file of the index
	indexDir    = "index"
	contentsDir = "contents"
)

// Config says where pictures come from, and where they are kept.
type Config struct {
	Dir   string // made if it is missing
	Quota int64  // bytes that are kept
	// Fetch returns what an origin has at an address: at most picture.MaxBytes. It guards the network that the node is
	// in. It fails with ErrUnanswered if no origin answers.
	Fetch func(ctx context.Context, address string) ([]byte, error)
	// IconNamed returns the address of the icon that the page at an address names; "" if it names none. It fails as
	// Fetch does.
	IconNamed func(ctx context.Context, page string) (string, error)
	Log       *slog.Logger
}

// Cache has pictures. It may be used by several at a time.
type Cache struct {
	config  Config
	group   singleflight.Group
	fetches chan struct{} // holds one for each fetch under way
	decodes chan struct{} // holds one while a picture is decoded: that needs much memory
	hosts   hostTurns
	stop    context.Context
	end     context.CancelFunc

	mu      sync.Mutex
	entries map[string]*entry    // by the hash of the address
	uses    map[string]int       // of a content: by how many entries
	sizes   map[string]int64     // of a content, in bytes
	used    int64                // the sizes, and entryBytes for each entry
	failed  map[string]time.Time // hash of an address: when it failed

	searches chan search // for icons
	workers  sync.WaitGroup
	wanted   map[string]bool      // those in searches or under way, by their keys: as many as those hold
	searched map[string]time.Time // by key: until when none is made, after one that found no answer
}

// entry is what an address had.
type entry struct {
	Type          string
	Width, Height int
	content       string    // SHA-256 in hexadecimal: its file's name; noIcon: a search for an icon found nothing
	due           time.Time // of an icon: when it is searched for again; else zero
	viewed        time.Time // last, to usedStep
}

// Open returns the cache of a directory. What it cannot read there is removed.
func Open(c Config) (*Cache, error) {
	if c.Fetch == nil || c.IconNamed == nil || c.Log == nil || c.Quota <= 0 {
		return nil, errors.New("pictures: no way to fetch, no logger or no quota")
	}
	p := &Cache{config: c, fetches: make(chan struct{}, maxFetches), decodes: make(chan struct{}, 1),
		entries: make(map[string]*entry), uses: make(map[string]int), sizes: make(map[string]int64),
		failed:   make(map[string]time.Time),
		searches: make(chan search, maxWanted), wanted: make(map[string]bool), searched: make(map[string]time.Time)}
	p.stop, p.end = context.WithCancel(context.Background())
	for _, dir := range []string{indexDir, contentsDir} {
		if err := wholefile.MakeDir(filepath.Join(c.Dir, dir)); err != nil {
			return nil, fmt.Errorf("making the directory for pictures: %w", err)
		}
	}
	if err := p.load(); err != nil {
		return nil, fmt.Errorf("reading which pictures are kept: %w", err)
	}
	p.workers.Add(iconWorkers)
	for range iconWorkers {
		go p.searchIcons()
	}
	return p, nil
}

// Close ends the fetches under way, and waits for the searches for icons.
func (p *Cache) Close() {
	p.end()
	p.workers.Wait()
}

// load reads the index, and removes what belongs to nothing.
func (p *Cache) load() error {
	contents, err := os.ReadDir(filepath.Join(p.config.Dir, contentsDir))
	if err != nil {
		return err
	}
	for _, file := range contents {
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() {
			p.sizes[file.Name()] = info.Size()
		}
	}
	index, err := os.ReadDir(filepath.Join(p.config.Dir, indexDir))
	if err != nil {
		return err
	}
	for _, file := range index {
		e, err := p.read(file)
		if err != nil {
			p.drop(indexDir, file.Name())
			continue
		}
		p.entries[file.Name()] = e
		p.count(e, 1)
	}
	for content := range p.sizes {
		if p.uses[content] == 0 {
			delete(p.sizes, content)
			p.drop(contentsDir, content)
		}
	}
	p.keepToQuota()
	return nil
}

// read reads an entry of the index if its content is there.
func (p *Cache) read(file fs.DirEntry) (*entry, error) {
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	text, err := wholefile.Read(filepath.Join(p.config.Dir, indexDir, file.Name()), maxEntry)
	if err != nil {
		return nil, err
	}
	e := entry{viewed: info.ModTime()}
	var due int64
	n, err := fmt.Sscanf(string(text), "%s %d %d %s %d\n", &e.content, &e.Width, &e.Height, &e.Type, &due)
	switch {
	case n < 4:
		return nil, err
	case n > 4:
		e.due = time.Unix(due, 0)
	}
	if e.content == noIcon && !e.due.IsZero() {
		return &e, nil
	}
	if _, there := p.sizes[e.content]; !there {
		return nil, fs.ErrNotExist
	}
	return &e, nil
}

// count counts an entry in or, by -1, out. With the last entry of a content its size is forgotten, and true is
// returned.
func (p *Cache) count(e *entry, by int) (last bool) {
	p.used += int64(by) * entryBytes
	if e.content == noIcon {
		return false
	}
	before := p.uses[e.content]
	p.uses[e.content] += by
	switch {
	case before == 0:
		p.used += p.sizes[e.content]
	case p.uses[e.content] == 0:
		p.used -= p.sizes[e.content]
		delete(p.uses, e.content)
		delete(p.sizes, e.content)
		return true
	}
	return false
}

func (p *Cache) drop(dir, name string) {
	if err := os.Remove(filepath.Join(p.config.Dir, dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.config.Log.Warn("a picture that is not needed stays on the disk", "error", err)
	}
}

// keepToQuota removes what was viewed longest ago.
func (p *Cache) keepToQuota() {
	if p.used <= p.config.Quota {
		return
	}
	byAge := slices.SortedFunc(maps.Keys(p.entries), func(a, b string) int {
		return p.entries[a].viewed.Compare(p.entries[b].viewed)
	})
	for _, hash := range byAge {
		if p.used <= p.config.Quota {
			return
		}
		p.forget(hash)
	}
}

// lose removes all entries of a content that cannot be read.
func (p *Cache) lose(content string) {
	for hash, e := range p.entries {
		if e.content == content {
			p.forget(hash) // with the last one the file goes
		}
	}
}

// forget removes an entry, and its content if no other has it.
func (p *Cache) forget(hash string) {
	e := p.entries[hash]
	delete(p.entries, hash)
	p.drop(indexDir, hash)
	if p.count(e, -1) {
		p.drop(contentsDir, e.content)
	}
}

// clean returns an address as it is asked for: without what counts readers. It is "" for one that has no picture.
func clean(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.RawQuery = markup.Uncounted(u.RawQuery)
	return u.String()
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Size returns how large the picture at an address is, in pixels, if it is kept; zero if not.
func (p *Cache) Size(address string) (width, height int) {
	hash := hashOf(clean(address))
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.entries[hash]; e != nil {
		return e.Width, e.Height
	}
	return 0, 0
}

// Picture returns the picture at an address: its media type, a tag that changes with it, and its bytes. It fails with
// tidings.ErrInvalid for an address that cannot have one, and with another error if the origin has none that can be
// shown.
func (p *Cache) Picture(ctx context.Context, address string) (media, tag string, data []byte, err error) {
	address = clean(address)
	if address == "" {
		return "", "", nil, tidings.Invalidf("this address has no picture")
	}
	hash := hashOf(address)
	if e, data, ok := p.kept(hash); ok {
		return e.Type, e.content, data, nil
	}
	if p.failedLately(hash) {
		return "", "", nil, &tidings.Failure{Op: "fetching the picture", Address: address,
			Err: errors.New("it failed a moment ago")}
	}
	done := p.group.DoChan(hash, func() (any, error) {
		made, err := p.fetch(address, picture.Prepare)
		if err != nil {
			if !errors.Is(err, errBusy) {
				p.noteFailure(hash)
			}
			return nil, err
		}
		return made, p.keep(hash, made, time.Time{})
	})
	select {
	case <-ctx.Done():
		return "", "", nil, ctx.Err()
	case result := <-done:
		if made, ok := result.Val.(picture.Picture); ok { // one that could not be kept can be shown all the same
			if result.Err != nil {
				p.config.Log.Warn("a picture is not kept", "error", result.Err)
			}
			return made.Type, hashOf(string(made.Bytes)), made.Bytes, nil
		}
		return "", "", nil, &tidings.Failure{Op: "fetching the picture", Address: address, Err: result.Err}
	}
}

// errBusy says that a picture was not asked for, as too many others are.
var errBusy = errors.New("too many pictures are being fetched")

// fetch fetches a picture, and checks it by prepare.
func (p *Cache) fetch(address string, prepare func([]byte) (picture.Picture, error)) (picture.Picture, error) {
	data, err := p.download(address)
	if err != nil {
		return picture.Picture{}, err
	}
	queue, cancel := context.WithTimeout(p.stop, queueTime)
	defer cancel()
	if !enter(queue, p.decodes) {
		return picture.Picture{}, errBusy
	}
	defer func() { <-p.decodes }()
	return prepare(data)
}

// download fetches what is at an address.
func (p *Cache) download(address string) ([]byte, error) {
	leave, err := p.turn(address)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(p.stop, fetchTime)
	defer cancel()
	return p.config.Fetch(ctx, address)
}

// turn waits for a turn at the host of an address, and returns what ends it.
func (p *Cache) turn(address string) (leave func(), err error) {
	queue, cancel := context.WithTimeout(p.stop, queueTime)
	defer cancel()
	leaveHost, ok := p.hosts.enter(queue, hostOf(address))
	if !ok {
		return nil, errBusy
	}
	if !enter(queue, p.fetches) {
		leaveHost()
		return nil, errBusy
	}
	return func() { <-p.fetches; leaveHost() }, nil
}

// enter waits for a free place.
func enter(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// hostOf returns the host of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// hostTurns bounds the fetches from each host.
type hostTurns struct {
	mu    sync.Mutex
	turns map[string]*hostTurn
}

// hostTurn is a host with waiting requests.
type hostTurn struct {
	places chan struct{}
	users  int // those that have a place, or wait for one: without any it is forgotten
}

// enter waits for a turn at a host, and returns what ends it.
func (h *hostTurns) enter(ctx context.Context, host string) (leave func(), ok bool) {
	h.mu.Lock()
	turn := h.turns[host]
	if turn == nil {
		turn = &hostTurn{places: make(chan struct{}, hostFetches)}
		if h.turns == nil {
			h.turns = make(map[string]*hostTurn)
		}
		h.turns[host] = turn
	}
	turn.users++
	h.mu.Unlock()
	done := func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if turn.users--; turn.users == 0 {
			delete(h.turns, host)
		}
	}
	if !enter(ctx, turn.places) {
		done()
		return nil, false
	}
	return func() { <-turn.places; done() }, true
}

// kept returns what is kept of an address, and notes that it was viewed.
func (p *Cache) kept(hash string) (entry, []byte, bool) {
	p.mu.Lock()
	e := p.entries[hash]
	if e == nil {
		p.mu.Unlock()
		return entry{}, nil, false
	}
	p.view(hash, e, time.Now())
	found := *e
	p.mu.Unlock()
	data, err := p.content(found.content)
	return found, data, err == nil
}

// view notes that an entry was viewed.
func (p *Cache) view(hash string, e *entry, now time.Time) {
	if now.Sub(e.viewed) > usedStep {
		e.viewed = now
		_ = os.Chtimes(filepath.Join(p.config.Dir, indexDir, hash), now, now) // else it goes sooner after a restart
	}
}

// keep stores the picture of an address. For an icon it stores the result of the search, which may be nothing, and when
// the next is due.
func (p *Cache) keep(hash string, made picture.Picture, due time.Time) error {
	e := &entry{Type: made.Type, Width: made.Width, Height: made.Height, content: noIcon, viewed: time.Now(), due: due}
	if made.Bytes != nil {
		e.content = hashOf(string(made.Bytes))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.sizes[e.content]; !there && made.Bytes != nil {
		if err := wholefile.Write(filepath.Join(p.config.Dir, contentsDir, e.content), made.Bytes); err != nil {
			return fmt.Errorf("writing a picture: %w", err)
		}
		p.sizes[e.content] = int64(len(made.Bytes))
	}
	if err := wholefile.Write(filepath.Join(p.config.Dir, indexDir, hash), []byte(e.text())); err != nil {
		if p.uses[e.content] == 0 && made.Bytes != nil {
			delete(p.sizes, e.content)
			p.drop(contentsDir, e.content)
		}
		return fmt.Errorf("writing where a picture is: %w", err)
	}
	before := p.entries[hash]
	p.entries[hash] = e
	p.count(e, 1)
	if before != nil && p.count(before, -1) {
		p.drop(contentsDir, before.content)
	}
	p.keepToQuota()
	return nil
}

// text is the file of an entry.
func (e *entry) text() string {
	text := fmt.Sprintf("%s %d %d %s", e.content, e.Width, e.Height, cmp.Or(e.Type, noIcon))
	if !e.due.IsZero() {
		text += fmt.Sprintf(" %d", e.due.Unix())
	}
	return text + "\n"
}

func (p *Cache) failedLately(hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.failed[hash]) < failedFor
}

func (p *Cache) noteFailure(hash string) {
	if p.stop.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.failed) >= maxFailed {
		clear(p.failed)
	}
	p.failed[hash] = time.Now()
}

// Used returns how many bytes are kept, of how many that may be.
func (p *Cache) Used() (used, quota int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.config.Quota
}
