package pictures

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"tidings"
	"tidings/node/wholefile"
	"tidings/source/picture"
)

// Bounds of icons.
const (
	// for each request that a search has made: an origin gets one a week for a channel or site
	iconEvery   = 7 * 24 * time.Hour
	iconAgain   = 24 * time.Hour   // after a search that no origin has answered
	iconBusy    = 10 * time.Minute // after one that found no turn
	maxWanted   = 512              // icons that wait to be searched for; others are wanted again by a later page
	iconWorkers = 4                // searches at a time
	noIcon      = "-"              // in the place of a content: the search found nothing
	favicon     = "/favicon.ico"   // where an icon is of which no page says anything
)

// ErrUnanswered says that no origin answered a request.
var ErrUnanswered = errors.New("no answer")

// search is a search for an icon: the picture that a channel's document names, or that of a site.
type search struct {
	key      string // in the index
	declared string // address; empty: the site's is searched for
	site     string // its first page
}

// searchesOf returns the searches that can find a channel's icon, the better first.
func searchesOf(c tidings.Channel) (list []search) {
	if !c.Kind.HasOrigin() {
		return nil
	}
	public := tidings.PublicURL(c.URL)
	if declared := clean(c.Icon); declared != "" {
		list = append(list, search{key: hashOf("icon of " + public), declared: declared})
	}
	u, err := url.Parse(clean(cmp.Or(c.Site, public)))
	if err != nil || u.Host == "" {
		return list
	}
	site := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
	return append(list, search{key: hashOf("icon of site " + site), site: site})
}

// Icon returns the tag by which [Cache.IconBytes] returns a channel's icon; "" if none is kept. It does not wait. If
// none is kept it starts a search for one, by at most three requests, and a later call returns that. What a search
// found stays for a week for each of its requests, and so does that it found nothing.
func (p *Cache) Icon(c tidings.Channel) string {
	now := time.Now()
	for _, s := range searchesOf(c) {
		content, due := p.iconOf(s, now)
		if !due.After(now) {
			p.want(s, now)
		}
		if content != "" && content != noIcon {
			return content
		}
	}
	return ""
}

// iconOf returns the content that a search has found, noIcon if it found nothing, "" if there was no search. It also
// returns when the next is due.
func (p *Cache) iconOf(s search, now time.Time) (content string, due time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.entries[s.key]; e != nil {
		p.view(s.key, e, now)
		content = e.content
	}
	return content, p.due(s)
}

// due returns when the next search is due. The caller holds mu.
func (p *Cache) due(s search) time.Time {
	if e := p.entries[s.key]; e != nil {
		return later(e.due, p.searched[s.key])
	}
	return p.searched[s.key]
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// want has a search made, unless too many wait, or it was made since the caller has seen that it is due.
func (p *Cache) want(s search, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted[s.key] || p.due(s).After(now) {
		return
	}
	select {
	case p.searches <- s:
		p.wanted[s.key] = true
	default:
	}
}

// searchIcons makes searches until the cache is closed.
func (p *Cache) searchIcons() {
	defer p.workers.Done()
	for {
		select {
		case <-p.stop.Done():
			return
		case s := <-p.searches:
			p.search(s)
		}
	}
}

// search makes a search, and keeps what it finds. Until that is kept, the search counts as under way: otherwise a page
// that is shown meanwhile has it made again.
func (p *Cache) search(s search) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.wanted, s.key)
	}()
	found, requests, err := p.findIcon(s)
	wait := time.Duration(max(requests, 1)) * iconEvery
	switch {
	case p.stop.Err() != nil:
		return
	case errors.Is(err, errBusy) && requests <= 1:
		p.delay(s, iconBusy)
		return
	// else an origin has answered, and is not to be asked again soon
	case errors.Is(err, ErrUnanswered) && requests <= 1:
		p.delay(s, iconAgain)
		return
	case err != nil:
		p.config.Log.Debug("no icon is found", "address", cmp.Or(s.declared, s.site), "error", err)
		found = picture.Picture{}
	}
	if err := p.keepIcon(s.key, found, time.Now().Add(wait)); err != nil {
		p.config.Log.Warn("an icon is not kept", "error", err)
		p.delay(s, iconAgain)
	}
}

// delay has no search made for a while. What an earlier one found stays.
func (p *Cache) delay(s search, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.searched) >= maxFailed {
		clear(p.searched)
	}
	p.searched[s.key] = time.Now().Add(wait)
}

// keepIcon stores what a search has found; without bytes: nothing. Where it found nothing, what an earlier one found
// stays.
func (p *Cache) keepIcon(key string, found picture.Picture, due time.Time) error {
	p.mu.Lock()
	before := p.entries[key]
	p.mu.Unlock()
	if found.Bytes == nil && before != nil && before.content != noIcon {
		data, err := p.content(before.content)
		if err == nil {
			found = picture.Picture{Type: before.Type, Bytes: data, Width: before.Width, Height: before.Height}
		}
	}
	return p.keep(key, found, due)
}

// findIcon searches for an icon, and returns how many requests it needed.
func (p *Cache) findIcon(s search) (found picture.Picture, requests int, err error) {
	if s.declared != "" {
		found, err = p.fetch(s.declared, picture.Icon)
		return found, 1, err
	}
	named, err := p.iconNamed(s.site)
	requests = 1
	if errors.Is(err, errBusy) || errors.Is(err, ErrUnanswered) { // the next request would fare no better
		return found, requests, err
	}
	if named = clean(named); named != "" {
		requests++
		if found, err = p.fetch(named, picture.Icon); err == nil {
			return found, requests, nil
		}
	}
	if usual := strings.TrimSuffix(s.site, "/") + favicon; usual != named {
		requests++
		found, err = p.fetch(usual, picture.Icon)
	}
	return found, requests, err
}

// iconNamed returns the address of the icon that a site's first page names.
func (p *Cache) iconNamed(site string) (string, error) {
	leave, err := p.turn(site)
	if err != nil {
		return "", err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(p.stop, fetchTime)
	defer cancel()
	return p.config.IconNamed(ctx, site)
}

// IconBytes returns the icon with a tag, a PNG of at most picture.IconBytes; tidings.ErrInvalid if it is not kept.
func (p *Cache) IconBytes(tag string) ([]byte, error) {
	p.mu.Lock()
	known := p.uses[tag] > 0
	p.mu.Unlock()
	if known {
		if data, err := p.content(tag); err == nil {
			return data, nil
		}
	}
	return nil, tidings.Invalidf("this icon is not kept any more")
}

// content reads a content that is kept. One that cannot be read is forgotten.
func (p *Cache) content(name string) ([]byte, error) {
	data, err := wholefile.Read(filepath.Join(p.config.Dir, contentsDir, name), picture.MaxBytes)
	if err == nil && hashOf(string(data)) != name {
		err = errors.New("a picture is damaged")
	}
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lose(name) // it is fetched anew
	}
	return data, err
}
