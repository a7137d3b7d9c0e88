package files

import (
	"net/url"
	"path"
	"strings"

	"tidings"
	"tidings/network/pieces"
	"tidings/node/filename"
	"tidings/store/pushed"
)

// describe fills in how the files of a channel's items are here.
func (c *catalog) describe(channel string, items []tidings.Item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.carried[channel]
	if len(known) == 0 {
		return
	}
	for i := range items {
		item := &items[i]
		page, ok := known[item.URL]
		for j := range item.Enclosures {
			e := &item.Enclosures[j]
			if f, ok := known[e.URL]; ok {
				e.Copy = c.copyOf(f)
			}
			ok = ok && e.URL != item.URL
		}
		if ok { // its own page, which is too long to be its content
			item.Enclosures = append(item.Enclosures,
				tidings.Enclosure{URL: page.URL, Type: page.Type, Length: page.Length, Copy: c.copyOf(page)})
		}
	}
}

// copy returns how a file is here.
func (c *catalog) copy(f pushed.File) tidings.Copy {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.copyOf(f)
}

// copyOf returns how a file is here. The caller holds c.mu.
func (c *catalog) copyOf(f pushed.File) *tidings.Copy {
	here := &tidings.Copy{State: tidings.CopyNowhere, Length: f.Length, Ref: pieces.Ref(f.Ref).String()}
	known := c.contents[f.Ref]
	if known == nil {
		return here
	}
	if known.begun() {
		here.Percent = 100 * known.have / known.of
		here.Length = known.length
	}
	switch {
	case known.whole():
		here.State = tidings.CopyHere
		here.Path = c.path(here.Ref, nameOf(f.File))
	case known.fetching && known.have > 0:
		here.State = tidings.CopyFetching
	case known.wanted:
		here.State = tidings.CopyWaiting
	}
	return here
}

// nameOf returns the name by which a file is saved.
func nameOf(f tidings.File) string {
	name := "file"
	if u, err := url.Parse(f.URL); err == nil {
		if last := filename.Safe(path.Base(path.Clean("/" + u.Path))); strings.Trim(last, "-.") != "" &&
			last[0] != '.' {
			name = last
		}
	}
	if f.Type == "text/html" && path.Ext(name) == "" {
		name += ".html"
	}
	return name
}
