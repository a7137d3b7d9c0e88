package opml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"tidings"
)

// Parse reads an OPML document. It fails when r does, with ErrTooLarge and with
// ErrNotOPML; everything less is a Problem in the List. Of equal addresses the first
// is kept.
func Parse(r io.Reader, limits Limits) (List, error) { return read(r, limits, false) }

// ParseWithPages is Parse for users that watch pages as well. An outline may have only a page (htmlUrl, or url) and no
// feed. It is then an Entry with Page, not a Problem, unless it is a folder.
func ParseWithPages(r io.Reader, limits Limits) (List, error) { return read(r, limits, true) }

func read(r io.Reader, limits Limits, pages bool) (List, error) {
	limits = limits.orDefault()
	raw, err := readAll(r, limits.Bytes)
	if err != nil {
		return List{}, err
	}
	text, notes := decodeText(raw)
	blankAttributes(text)
	p := parser{text: text, limits: limits, pages: pages, seen: make(map[string]int)}
	for _, note := range notes {
		p.problem(1, "the document: "+note)
	}
	p.run()
	if !p.opml {
		return List{}, ErrNotOPML
	}
	if p.untold > 0 {
		p.list.Problems = append(p.list.Problems, Problem{Text: fmt.Sprintf("and %d more problems", p.untold)})
	}
	return p.list, nil
}

// parser makes a List of tokens. A document of any depth costs one small frame an
// open outline.
type parser struct {
	text   []byte
	limits Limits
	pages  bool // outlines that have only a page are entries
	list   List

	opml     bool   // an opml element or an outline was seen
	own      string // prefix of Namespace; empty: not declared so far
	inTitle  bool   // of the head
	title    []byte
	open     []frame // open outlines
	outlines int
	elements int            // of any name
	seen     map[string]int // address to line
	untold   int            // problems above the limit
}

// frame is an open outline: the folder that its children are in.
type frame struct {
	folder string
	depth  int // names in folder

	onlyPage *Entry // of an outline that has a page and no feed, unless it is a folder; nil: none
	line     int    // of that outline
}

// inside returns the frame of a folder called label, which is one name, in f.
func (f frame) inside(label string) frame {
	if label == "" || f.depth == maxFolderDepth {
		return f
	}
	path := tidings.FolderPath(label)
	if f.depth > 0 {
		path = f.folder + "/" + path
	}
	return frame{folder: path, depth: f.depth + 1}
}

// folderOr returns f's folder; outside of all, the first of an outline's categories, in which slashes stand between
// names.
func (f frame) folderOr(categories string) string {
	if f.folder != "" {
		return f.folder
	}
	category, _, _ := strings.Cut(categories, ",")
	return tidings.FolderPath(cleanNames(strings.Split(category, "/"))...)
}

// tags returns the categories besides the folder. In a list of another program, the first category is the folder of an
// outline that is in none. In a list of Tidings all categories are tags.
func (f frame) tags(categories string, own bool) []string {
	if f.folder == "" && !own {
		_, categories, _ = strings.Cut(categories, ",")
	}
	return tidings.SplitTags(categories)
}

// run reads all tokens. After a place that cannot be read it goes on at the next
// outline: each restart is further on, so that the whole stays linear.
func (p *parser) run() {
	for start, line := 0, 1; ; {
		d := xml.NewDecoder(bytes.NewReader(p.text[start:]))
		d.Strict = false
		d.Entity = xml.HTMLEntity
		err := p.tokens(d, line)
		if err == nil {
			p.closeAll()
			return
		}
		stop := start + int(d.InputOffset())
		at, _ := d.InputPos()
		p.problem(line+at-1, "cannot be read: "+syntaxText(err))
		next := bytes.Index(p.text[max(stop-1, start+1):], []byte("<outline"))
		if p.outlines++; next < 0 || p.outlines >= p.limits.Outlines {
			p.closeAll()
			return
		}
		next += max(stop-1, start+1)
		line += bytes.Count(p.text[start:next], []byte("\n"))
		start = next
	}
}

func syntaxText(err error) string {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return cleanText(syntax.Msg)
	}
	return cleanText(err.Error())
}

// tokens reads until the end, the limit of outlines (nil), or what cannot be read.
func (p *parser) tokens(d *xml.Decoder, firstLine int) error {
	for {
		at, _ := d.InputPos()
		token, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !p.start(t, firstLine+at-1) {
				return nil
			}
		case xml.EndElement:
			p.end(t)
		case xml.CharData:
			if p.inTitle && len(p.title) < 4*maxText {
				p.title = append(p.title, t...)
			}
		}
	}
}

// maxElements bounds the elements of a document, of which outlines are nearly all.
const maxElements = 400_000

// start opens an element; false ends the reading.
func (p *parser) start(t xml.StartElement, line int) bool {
	if declared, ok := ownPrefix(t.Attr); ok {
		p.own = declared
	}
	if p.elements++; p.elements > maxElements {
		p.problem(line, fmt.Sprintf("only the first %d elements are read", maxElements))
		return false
	}
	switch strings.ToLower(t.Name.Local) {
	case "opml":
		p.opml = true
	case "title":
		p.inTitle = p.opml && len(p.open) == 0
	case "outline":
		p.opml, p.inTitle = true, false
		if p.outlines == p.limits.Outlines {
			p.problem(line, fmt.Sprintf("only the first %d outlines are read", p.limits.Outlines))
			return false
		}
		p.outlines++
		p.outline(t.Attr, line)
	}
	return true
}

func (p *parser) end(t xml.EndElement) {
	switch strings.ToLower(t.Name.Local) {
	case "title":
		if p.inTitle {
			p.inTitle = false
			p.list.Title = cleanText(string(p.title))
		}
	case "outline":
		p.closeOutline()
	}
}

// closeOutline ends the innermost open outline.
func (p *parser) closeOutline() {
	n := len(p.open)
	if n == 0 {
		return
	}
	if f := p.open[n-1]; f.onlyPage != nil {
		p.onlyPage(*f.onlyPage, f.line)
	}
	p.open = p.open[:n-1]
}

// closeAll ends the outlines that the document leaves open.
func (p *parser) closeAll() {
	for len(p.open) > 0 {
		p.closeOutline()
	}
}

// outline handles one outline: a subscription, a folder, or something to report.
func (p *parser) outline(attrs []xml.Attr, line int) {
	a, own := p.attributes(attrs)
	var f frame
	if n := len(p.open); n > 0 {
		p.open[n-1].onlyPage = nil // it is a folder
		f = p.open[n-1]
	}
	kind := strings.ToLower(strings.TrimSpace(a["type"]))
	label := cleanText(first(a["text"], a["title"]))
	address := first(a["xmlurl"], a["feedurl"])
	if address == "" && isFeedType(kind) {
		address = a["url"]
	}
	switch {
	case address != "":
		e := Entry{URL: address, Title: label, Site: a["htmlurl"], Folder: f.folder,
			Tags: f.tags(a["category"], p.own != "")}
		if p.own == "" {
			e.Folder = f.folderOr(a["category"])
		}
		for _, problem := range e.readOwn(own) {
			p.problem(line, named(label)+" "+problem)
		}
		if p.own == "" {
			e.Name = ownName(label, address, e.Site)
		}
		p.entry(e, line)
	case kind == "include", kind == "link":
		p.problem(line, fmt.Sprintf("%s is a link to another document (type %q), which is not followed", named(label),
			kind))
	case first(a["htmlurl"], a["url"]) != "":
		address = first(a["htmlurl"], a["url"])
		page := &Entry{URL: address, Title: label, Site: address, Folder: f.folderOr(a["category"]),
			Tags: f.tags(a["category"], p.own != ""), Page: true}
		if p.own == "" {
			page.Name = ownName(label, address, "")
		}
		f = f.inside(label)
		f.onlyPage, f.line = page, line
	case isFeedType(kind):
		p.problem(line, named(label)+" has no address (xmlUrl)")
	default:
		f = f.inside(label)
	}
	p.open = append(p.open, f)
}

func (p *parser) entry(e Entry, line int) {
	address, err := channelAddress(e.URL)
	if err != nil {
		if !p.isFull() {
			e.Title = first(e.Title, shown(e.URL))
		}
		p.problem(line, named(e.Title)+" "+err.Error())
		return
	}
	if earlier, ok := p.seen[address]; ok {
		p.problem(line, fmt.Sprintf("%s is already in line %d", shown(address), earlier))
		return
	}
	p.seen[address] = line
	e.URL = address
	if e.Site, err = webAddress(e.Site); err != nil {
		e.Site = ""
	}
	p.list.Entries = append(p.list.Entries, e)
}

// onlyPage handles an outline that names no feed but a page, in which a feed may be found.
func (p *parser) onlyPage(e Entry, line int) {
	page, err := webAddress(e.URL)
	if p.pages && err == nil {
		p.entry(e, line)
		return
	}
	problem := named(e.Title) + " has no address of a feed (xmlUrl)"
	if err == nil {
		problem += "; add its page to find one: " + shown(page)
	}
	p.problem(line, problem)
}

// isFull reports whether further problems are only counted.
func (p *parser) isFull() bool { return len(p.list.Problems) == p.limits.Problems }

func (p *parser) problem(line int, text string) {
	if p.isFull() {
		p.untold++
		return
	}
	p.list.Problems = append(p.list.Problems, Problem{Line: line, Text: text})
}

// attributes returns what is used of an outline's attributes, by names in lower case;
// of equal names the first with a value. Those in Namespace are apart.
func (p *parser) attributes(attrs []xml.Attr) (used, own map[string]string) {
	used = make(map[string]string, 6)
	for _, a := range attrs {
		name := strings.ToLower(a.Name.Local)
		if p.own != "" && a.Name.Space == p.own {
			if own == nil {
				own = make(map[string]string, 6)
			}
			own[name] = first(own[name], a.Value)
			continue
		}
		switch name {
		case "text", "title", "type", "xmlurl", "feedurl", "url", "htmlurl", "category":
			used[name] = first(used[name], a.Value)
		}
	}
	return used, own
}

func isFeedType(kind string) bool {
	switch kind {
	case "rss", "atom", "feed", "rss1", "rdf", "json", "jsonfeed":
		return true
	}
	return false
}

func first(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// named quotes what an outline is called.
func named(label string) string {
	if label == "" {
		return "an outline without a name"
	}
	return `"` + label + `"`
}

// channelAddress returns the address of a channel: of the web, or of a query or zone, which Tidings alone knows.
func channelAddress(s string) (string, error) {
	if path, is := tidings.ZonePath(strings.TrimSpace(s)); is && len(s) <= maxURL {
		return tidings.ZoneURL(path), nil
	}
	if text, is := tidings.QueryText(strings.TrimSpace(s)); is && len(s) <= maxURL {
		return tidings.QueryURL(text), nil
	}
	return webAddress(s)
}

// webAddress returns an http or https address of what an attribute holds. The "feed"
// scheme stands before a whole address (feed:https://…) or in place of http
// (feed://…).
func webAddress(s string) (string, error) {
	s = strings.Join(strings.Fields(s), "") // line breaks inside of a long attribute
	if rest, ok := cutPrefixFold(s, "feed:"); ok {
		s = rest
		if strings.HasPrefix(s, "//") {
			s = "http:" + s
		}
	}
	if len(s) > maxURL {
		return "", fmt.Errorf("has an address of %d bytes (at most %d can be used)", len(s), maxURL)
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", errors.New("has an address that cannot be read")
	}
	if scheme := strings.ToLower(u.Scheme); scheme != "http" && scheme != "https" {
		return "", errors.New("has an address that is neither http nor https")
	}
	if u.Hostname() == "" {
		return "", errors.New("has an address without a host")
	}
	return s, nil
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// shown is an address fit for a problem's text: without credentials, in one line.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	return cleanText(u.String())
}
