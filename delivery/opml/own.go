package opml

import (
	"encoding/xml"
	"fmt"
	"strings"

	"tidings"
)

// Namespace is that of the attributes in which Tidings says what OPML has no words for:
//
//	kind             "page": lines are watched, and there is no feed
//	select, ignore,  how a page is read ([tidings.PageOptions]), one value a line
//	keep
//	privacy          the class ([tidings.Privacy])
//	name             the account's own name for the channel
//
// Other readers pass them over.
const Namespace = "https://tidings.example/ns/opml"

// prefix stands for Namespace in what is written; lists may use another.
const prefix = "tidings"

// maxOptionsText bounds the options of one kind in bytes, far above what a page may have.
const maxOptionsText = 64 << 10

// EntryOf is how a followed channel stands in a list.
func EntryOf(f tidings.Subscription) Entry {
	e := Entry{URL: f.Origin(), Title: f.Label(), Site: f.Site, Folder: f.Folder, Name: f.Name, Privacy: f.Privacy}
	if f.Kind != tidings.KindFeed {
		e.Options = f.Options
		e.Page = f.Kind == tidings.KindPage || !f.Options.IsZero()
	}
	if e.Page && e.Site == "" {
		e.Site = e.URL
	}
	return e
}

// SubscribeRequest is what an account says to follow the entry. The title of a list is what others
// call the channel; only a name that Tidings wrote is the account's own.
func (e Entry) Order() tidings.SubscribeRequest {
	return tidings.SubscribeRequest{URL: e.URL, Title: e.Title, Name: e.Name, Folder: e.Folder,
		Options: e.Options, AsPage: e.Page, Privacy: e.Privacy}
}

// hasOwn reports whether e is written with attributes in Namespace.
func (e Entry) hasOwn() bool {
	return e.Page || !e.Options.IsZero() || e.Privacy != "" || e.Name != ""
}

// own returns e's attributes in Namespace, those without a value too.
func (e Entry) own() [][2]string {
	kind := ""
	if e.Page {
		kind = "page"
	}
	return [][2]string{
		{"kind", kind},
		{"select", optionLines(e.Options.Select)},
		{"ignore", optionLines(e.Options.Ignore)},
		{"keep", optionLines(e.Options.Keep)},
		{"privacy", string(e.Privacy)},
		{"name", cleanText(e.Name)},
	}
}

// optionLines writes options one a line. A line break within one means a blank: neither
// a selector nor what is looked for in a line can have it.
func optionLines(options []string) string {
	lines := make([]string, len(options))
	for i, o := range options {
		lines[i] = strings.NewReplacer("\r", " ", "\n", " ").Replace(o)
	}
	return strings.Join(lines, "\n")
}

// optionsOf reads optionLines.
func optionsOf(text string) []string {
	var options []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			options = append(options, line)
		}
	}
	return options
}

// takeOwn adds to e what attributes in Namespace say. It returns what is wrong with
// them: that part is left out.
func (e *Entry) takeOwn(own map[string]string) (problems []string) {
	e.Page = own["kind"] == "page"
	e.Name = cleanText(own["name"])
	for _, kind := range []struct {
		name string
		into *[]string
	}{{"select", &e.Options.Select}, {"ignore", &e.Options.Ignore}, {"keep", &e.Options.Keep}} {
		text := own[kind.name]
		if len(text) > maxOptionsText {
			problems = append(problems, fmt.Sprintf("has %d bytes of %q (at most %d can be used)", len(text), kind.name, maxOptionsText))
			continue
		}
		*kind.into = optionsOf(text)
	}
	switch p := tidings.Privacy(own["privacy"]); p {
	case "", tidings.Public, tidings.Unlisted, tidings.Credentialed:
		e.Privacy = p
	default:
		e.Privacy = tidings.Unlisted
		problems = append(problems, fmt.Sprintf("has a privacy class %q that is not known, so it is unlisted", shortText(string(p))))
	}
	return problems
}

func shortText(s string) string {
	runes := []rune(cleanText(s))
	return string(runes[:min(len(runes), 40)])
}

// ownPrefix returns the prefix that an element declares for Namespace, if it does.
func ownPrefix(attrs []xml.Attr) (declared string, ok bool) {
	for _, a := range attrs {
		if a.Name.Space == "xmlns" && a.Value == Namespace {
			return a.Name.Local, true
		}
	}
	return "", false
}

// withoutCredentials cuts the user name and password out of an address. It works on the
// text, so that an address that cannot be read loses them as well.
func withoutCredentials(address string) string {
	start := strings.Index(address, "//") + 2
	if start < 2 {
		return address
	}
	authority := address[start:]
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	return address[:start] + address[start+at+1:]
}
