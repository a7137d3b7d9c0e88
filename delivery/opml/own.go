package opml

import (
	"encoding/xml"
	"fmt"
	"strings"

	"tidings"
)

// Namespace is that of the attributes in which Tidings says what OPML has no words for:
//
//	kind             "page": lines are watched, and there is no feed; "h-feed": the entries that a page marks up are its feed
//	select, ignore,  how a page is read ([tidings.PageOptions]), one value a line
//	keep
//	prices           "true": the prices and stock that a page states are watched
//	notifyIf         conditions on changes, one a line
//	privacy          the class ([tidings.Privacy])
//	name             the account's own name for the channel
//	fullText         "true": the full text of each new item is fetched for the account
//	pictures         "always" or "never": whether its pictures are shown to the account
//
// Other readers ignore them. A list that declares the namespace says with name which of its titles are the account's
// own; in any other list all are. So a feed keeps the name that the person chose in another reader.
const Namespace = "https://tidings.example/ns/opml"

// prefix stands for Namespace in what is written; lists may use another.
const prefix = "tidings"

// kindEntries is the kind of a page that is read as a feed of its entries.
const kindEntries = "h-feed"

// maxOptionsText bounds the options of one kind in bytes, far above what a page may have.
const maxOptionsText = 64 << 10

// EntryOf is how a followed channel stands in a list.
func EntryOf(f tidings.Subscription) Entry {
	e := Entry{URL: f.Origin(), Title: f.Label(), Site: f.Site, Folder: f.Folder, Tags: f.Tags, Name: f.Name,
		Privacy:  f.Privacy,
		FullText: f.FullText, Pictures: f.Pictures}
	if f.Kind != tidings.KindFeed {
		e.Options = f.Options
		e.Page = f.Kind == tidings.KindPage || !f.Options.IsZero()
	}
	e.Options.Entries = f.Options.Entries
	if e.Page && e.Site == "" {
		e.Site = e.URL
	}
	return e
}

// Order is what an account says to follow the entry.
func (e Entry) Order() tidings.SubscribeRequest {
	order := tidings.SubscribeRequest{URL: e.URL, Title: e.Title, Name: e.Name, Folder: e.Folder, Tags: e.Tags,
		Options: e.Options, AsPage: e.Page, Privacy: e.Privacy}
	if e.FullText { // a list that does not say so leaves a channel that is followed as it is
		order.FullText = &e.FullText
	}
	if e.Pictures != tidings.PicturesAsSet {
		order.Pictures = &e.Pictures
	}
	return order
}

// own returns e's attributes in Namespace, those without a value too.
func (e Entry) own() [][2]string {
	kind := ""
	switch {
	case e.Options.Entries:
		kind = kindEntries
	case e.Page:
		kind = "page"
	}
	return [][2]string{
		{"kind", kind},
		{"select", optionLines(e.Options.Select)},
		{"ignore", optionLines(e.Options.Ignore)},
		{"keep", optionLines(e.Options.Keep)},
		{"notifyIf", optionLines(e.Options.NotifyIf)},
		{"prices", trueText(e.Options.Prices)},
		{"privacy", string(e.Privacy)},
		{"name", cleanText(e.Name)},
		{"fullText", trueText(e.FullText)},
		{"pictures", string(e.Pictures)},
	}
}

// trueText writes what is true, and nothing for what is not.
func trueText(is bool) string {
	if is {
		return "true"
	}
	return ""
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

// readOwn adds to e what attributes in Namespace say. It returns what is wrong with
// them: that part is left out.
func (e *Entry) readOwn(own map[string]string) (problems []string) {
	e.Page, e.Options.Entries = own["kind"] == "page", own["kind"] == kindEntries
	e.Options.Prices = own["prices"] == "true"
	e.Name = cleanText(own["name"])
	e.FullText = own["fulltext"] == "true"
	if e.Pictures = tidings.PicturesWish(own["pictures"]); e.Pictures.Validate() != nil {
		problems = append(problems,
			fmt.Sprintf("has a setting %q for pictures that is not known, so that they are shown as everywhere",
				shortText(string(e.Pictures))))
		e.Pictures = tidings.PicturesAsSet
	}
	for _, kind := range []struct {
		name string
		into *[]string
	}{{"select", &e.Options.Select}, {"ignore", &e.Options.Ignore}, {"keep", &e.Options.Keep},
		{"notifyif", &e.Options.NotifyIf}} {
		text := own[kind.name]
		if len(text) > maxOptionsText {
			problems = append(problems, fmt.Sprintf("has %d bytes of %q (at most %d can be used)", len(text), kind.name,
				maxOptionsText))
			continue
		}
		*kind.into = optionsOf(text)
	}
	switch p := tidings.Privacy(own["privacy"]); p {
	case "", tidings.Public, tidings.Unlisted, tidings.Credentialed:
		e.Privacy = p
	default:
		e.Privacy = tidings.Unlisted
		problems = append(problems, fmt.Sprintf("has a privacy class %q that is not known, so it is unlisted",
			shortText(string(p))))
	}
	return problems
}

// ownName returns the name of a channel in a list of another program. If a person has set no name, programs write the
// channel's address or that of its page. For these it returns the empty string.
func ownName(label, address, site string) string {
	if bare := bareAddress(label); bare == bareAddress(address) || bare == bareAddress(site) {
		return ""
	}
	return label
}

// bareAddress is an address without what differs between ways of writing it.
func bareAddress(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	return strings.TrimSuffix(strings.TrimPrefix(withoutCredentials("//" + s)[2:], "www."), "/")
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
