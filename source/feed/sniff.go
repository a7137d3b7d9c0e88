package feed

import "strings"

// Format is what a document is, judged by its content.
type Format string

const (
	Unknown  Format = ""          // nothing known
	RSS      Format = "rss"       // 0.91 to 2.x
	RDF      Format = "rdf"       // RSS 0.90, 1.0 and 1.1
	Atom     Format = "atom"      // 0.3 and 1.0
	CDF      Format = "cdf"       // Channel Definition Format, or an RSS channel without its root
	JSONFeed Format = "json feed" // 1.0 and 1.1
	JSONList Format = "json list" // any other JSON that is plainly a list of news; only Parse decides
	JSON     Format = "json"      // may be a JSONList
	HTML     Format = "html"
	XML      Format = "xml" // any other XML
)

// String names the format in plain words.
func (f Format) String() string {
	switch f {
	case Unknown:
		return "no known format"
	case HTML:
		return "a web page"
	case XML:
		return "XML of another kind"
	}
	return string(f)
}

// IsFeed reports whether Parse reads documents of this format.
func (f Format) IsFeed() bool {
	switch f {
	case RSS, RDF, Atom, CDF, JSONFeed, JSONList:
		return true
	}
	return false
}

const (
	// sniffed bounds how much of a document is looked at to decide its format, from where something begins in it.
	sniffed = 16 << 10
	// maxLead bounds the white space and comments before that, where the whole document is not at hand.
	maxLead = 1 << 20
)

// Sniff returns what a document is. The content decides; contentType only says how
// its characters are encoded where the content does not.
func Sniff(doc []byte, contentType string) Format {
	for size := 4 * sniffed; ; size *= 4 { // at most four bytes a character
		text, _ := Decode(doc[:min(size, len(doc))], contentType)
		lead, ends := leadOf(text)
		if format, _ := sniff(text); format != Unknown || size >= min(maxLead, len(doc)) ||
			ends && len(text) > lead+sniffed {
			return format
		}
	}
}

// leadOf returns where something begins in a document behind white space, comments and instructions. ends is false if
// it is a comment or instruction that does not end.
func leadOf(text string) (at int, ends bool) {
	for {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n\uFEFF"))
		end := ""
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "<!--"):
			end = "-->"
		case strings.HasPrefix(rest, "<?"):
			end = "?>"
		default:
			return at, true
		}
		n := strings.Index(text[at:], end)
		if n < 0 {
			return at, false
		}
		at += n + len(end)
	}
}

// sniff returns the format, and where the feed starts behind what does not belong to it.
func sniff(text string) (Format, int) {
	at, _ := leadOf(text)
	head := text[at:]
	if len(head) > sniffed {
		head = head[:sniffed]
	}
	if head != "" && (head[0] == '{' || head[0] == '[') {
		return sniffJSON(head), at
	}
	format := sniffRoot(head)
	if format.IsFeed() || format == HTML && isWholePage(head) {
		return format, 0
	}
	// Something else stands before the feed, such as the warnings of the program
	// that should have written nothing but the feed.
	for _, root := range []string{"<?xml", "<rss", "<feed", "<rdf:RDF"} {
		if i := strings.Index(head, root); i > 0 {
			if f := sniffRoot(head[i:]); f.IsFeed() {
				return f, at + i
			}
		}
	}
	return format, 0
}

// sniffRoot returns the format by the first element.
func sniffRoot(head string) Format {
	sc := scanner{src: head, maxAttrs: 1000, maxTag: sniffed}
	for {
		tok, err := sc.next()
		if err != nil {
			return Unknown
		}
		switch tok.kind {
		case tokenEnd:
			return Unknown
		case tokenDoctype:
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(tok.text)), "html") {
				return HTML
			}
		case tokenStart:
			return rootFormat(tok, sc.attrs, head[tok.start:])
		}
	}
}

func rootFormat(tok token, attrs []attr, rest string) Format {
	prefix, local := splitName(tok.name)
	switch strings.ToLower(local) {
	case "rss":
		return RSS
	case "rdf":
		for _, sign := range []string{"purl.org/rss/1.", "my.netscape.com/rdf", "channel.netscape.com/rdf",
			"purl.org/net/rss1.1", "<item", "<channel"} {
			if strings.Contains(rest, sign) {
				return RDF
			}
		}
		return XML
	case "feed", "entry":
		space := ""
		for _, a := range attrs {
			if a.name == "xmlns" && prefix == "" || a.name == "xmlns:"+prefix {
				space = a.value
			}
		}
		if known, ok := spaces[strings.ToLower(space)]; ok && known == "" || space == "" ||
			strings.Contains(rest, "<entry") {
			return Atom
		}
		return XML
	case "channel", "item":
		return CDF
	case "html", "head", "body", "title", "meta", "script", "link", "div", "p", "br", "b", "a", "table", "span", "h1":
		return HTML
	}
	return XML
}

// isWholePage reports whether an HTML document announces itself as such, rather than
// being a few tags before a feed.
func isWholePage(head string) bool {
	lower := strings.ToLower(head)
	return strings.Contains(lower, "<html") || strings.Contains(lower, "<!doctype html") ||
		strings.Contains(lower, "<head")
}

func sniffJSON(head string) Format {
	if i := strings.Index(head, "jsonfeed.org"); i > 0 && strings.Contains(head[:i], `"version"`) {
		return JSONFeed
	}
	return JSON
}
