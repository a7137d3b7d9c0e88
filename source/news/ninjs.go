package news

import (
	"fmt"
	"html"
	"sort"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// json reads ninjs: one object, or a list of them.
func (p *parser) json(text string) error {
	p.doc.Format = Ninjs
	value, err := decodeJSON(text, p.cfg)
	if err != nil {
		return err
	}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	var failed error
	for i, v := range list {
		path := "$"
		if isList {
			path = fmt.Sprintf("$[%d]", i)
		}
		it, err := p.ninjs(v, path)
		p.addItem(it, err, &failed)
	}
	switch {
	case len(p.doc.Items) > 0:
		return nil
	case failed == nil:
		return &SyntaxError{Format: Ninjs, Line: 1, Column: 1, Path: "$", Problem: "is an empty list",
			Err: ErrIncomplete}
	}
	return failed
}

// ninjs reads one object.
func (p *parser) ninjs(v any, path string) (*Item, error) {
	fields, ok := v.(map[string]any)
	fail := func(kind error, problem string, args ...any) (*Item, error) {
		return nil, &SyntaxError{Format: Ninjs, Path: path, Problem: fmt.Sprintf(problem, args...), Err: kind}
	}
	if !ok {
		return fail(ErrNotNews, "want an object, found %s", kindOf(v))
	}
	o, it := object{p, fields, path}, &Item{}
	uri, err := o.must("uri")
	if err != nil {
		return nil, err
	}
	it.News.GUID = p.id(uri)
	switch {
	case len(uri) > p.cfg.MaxID:
		return fail(ErrLimit, "its uri is longer than %d bytes", p.cfg.MaxID)
	case it.News.GUID == "":
		return fail(ErrIncomplete, "has no uri")
	}
	if err := o.lifecycle(&it.News); err != nil {
		return nil, err
	}
	o.description(it)
	it.Content = o.content()
	o.renditions(it)
	return it, nil
}

// lifecycle reads what decides whether and when the item may be shown.
func (o object) lifecycle(n *tidings.News) error {
	statusKeys, embargoKeys := []string{"pubStatus", "pubstatus"}, []string{"embargoedUntil", "embargoed"}
	version, err1 := o.must("version")
	status, err2 := o.must(statusKeys...)
	embargo, err3 := o.must(embargoKeys...)
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return err
		}
	}
	n.Version = o.version(o.path+".version", version)
	n.Status = o.status(o.where(statusKeys...), status)
	o.embargo(n, o.where(embargoKeys...), embargo)
	n.Expires = o.dateOf("expires")
	n.Created = o.dateOf("firstCreated", "firstcreated")
	n.Revised = o.dateOf("versionCreated", "versioncreated")
	for _, a := range o.list("associations") {
		if n.Signal == "" && a.text("uri") == n.GUID { // see writeNinjs
			n.Signal = signal(a.text("name"))
		}
	}
	return nil
}

func (o object) dateOf(keys ...string) time.Time { return o.date(o.where(keys...), o.text(keys...)) }

// description reads what the item says of itself.
func (o object) description(it *Item) {
	n := &it.News
	n.Urgency = o.urgency(o.path+".urgency", o.text("urgency"))
	n.Language = o.language(o.path+".language", o.text("language"))
	headline, _ := o.main("headline", "headlines")
	n.Headline = o.line(firstOf(headline, o.text("title")))
	n.Slugline = o.line(o.text("slugline"))
	n.Byline = o.line(o.text("by", "byline"))
	n.Note = o.line(o.text("edNote", "ednote"))
	for _, g := range o.list("genres", "genre") {
		if n.Genre == "" {
			n.Genre = o.line(firstOf(g.concept().Code, g.text("name")))
		}
	}
	for _, s := range o.list("infoSources", "infosources", "infosource") {
		// One with a role is a witness or a press office, not the item's provider.
		if role, _ := s.field("rel", "role"); role == nil && n.Publisher == "" {
			n.Publisher = o.line(firstOf(s.text("name"), s.concept().Code))
		}
	}
	n.Publisher = firstOf(n.Publisher, o.line(o.text("copyrightHolder", "copyrightholder")))
	for _, keys := range [][]string{{"subjects", "subject"}, {"people", "person"}, {"organisations", "organisation"},
		{"objects", "object"}, {"events", "event"}} {
		for _, s := range o.list(keys...) {
			o.add(&n.Subjects, s.concept())
		}
	}
	for _, s := range o.list("places", "place") {
		o.add(&n.Places, s.concept())
	}
	o.add(&n.Places, tidings.Subject{Name: o.text("located")})
	description, kind := o.main("description", "descriptions")
	if strings.Contains(kind, "text") && !strings.Contains(kind, "html") {
		description = html.EscapeString(description)
	}
	it.Summary = o.summary(description)
}

// concept reads what a concept is known by: uri and literal in 2.x and 3.x, scheme and code in 1.x, or a name.
func (o object) concept() tidings.Subject {
	s := tidings.Subject{Scheme: o.text("scheme"), Code: o.text("code"), Name: o.text("name")}
	if s.Code == "" {
		s.Scheme, s.Code = fromURI(o.text("uri"), o.text("literal"))
	} else if s.Scheme == "" {
		s.Scheme, s.Code = fromURI(s.Code, "")
	}
	return s
}

// main returns the main headline or description, and of what kind it is: in 1.x one of the fields that begin with name,
// in 2.x and 3.x an element of the list many.
func (o object) main(name, many string) (text, kind string) {
	elements := o.list(many)
	sort.SliceStable(elements, func(i, j int) bool {
		return elements[i].text("role") == "main" && elements[j].text("role") != "main"
	})
	for _, e := range elements {
		if s := e.text("value"); s != "" {
			return s, bodyKind(e)
		}
	}
	for _, key := range append([]string{name, name + "_main", name + "_text"}, o.keys(name+"_")...) {
		if s := o.text(key); s != "" {
			return s, strings.TrimPrefix(key, name+"_")
		}
	}
	return "", ""
}

// bodyKind returns what kind of text an element of a list holds: its media type, else its role where that says it.
func bodyKind(o object) string {
	if kind := o.text("contentType", "contenttype"); kind != "" {
		return strings.ToLower(kind)
	}
	if role := o.text("role"); role == "text" || strings.Contains(role, "html") {
		return role
	}
	return ""
}

// content reads the body: markup rather than plain text.
func (o object) content() string {
	best, plain := "", ""
	take := func(kind, value string) {
		switch {
		case strings.Contains(kind, "html") || strings.Contains(kind, "richtext") ||
			kind == "" && strings.Contains(value, "</"):
			best = firstOf(best, value)
		case kind == "" || strings.Contains(kind, "text"):
			plain = firstOf(plain, value)
		}
	}
	for _, b := range o.list("bodies") {
		take(bodyKind(b), b.text("value"))
	}
	for _, key := range o.keys("body_") {
		kind := strings.TrimPrefix(key, "body_")
		if kind != "text" && !strings.Contains(kind, "html") && kind != "richtext" {
			kind = ""
		}
		take(kind, o.text(key))
	}
	if best != "" {
		return o.markup(best)
	}
	return o.plain(plain)
}

// renditions reads the files: an object by name in 1.x, a list in 2.x and 3.x.
func (o object) renditions(it *Item) {
	list := o.list("renditions")
	if byName, ok := o.fields["renditions"].(map[string]any); ok {
		list = nil
		all := object{o.parser, byName, o.path + ".renditions"}
		for _, key := range all.keys("") {
			list = append(list, all.list(key)...)
		}
	}
	for _, r := range list {
		size, _ := strconv.ParseInt(r.text("sizeInBytes", "sizeinbytes"), 10, 64)
		kind, href := r.text("contentType", "contenttype", "mimetype"), webURL(r.text("href"))
		if kind == "text/html" && it.URL == "" {
			it.URL = href
			continue
		}
		o.enclose(it, tidings.Enclosure{URL: href, Type: kind, Length: max(size, 0)})
	}
}
