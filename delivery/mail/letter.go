package mail

import (
	"html"
	"html/template"
	"strings"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
	"tidings/markup"
)

// Bounds on what a letter shows. With all of them used up it is below MaxMessage.
const (
	maxContent = 128 << 10 // bytes of an item's HTML, before it is sanitised
	maxPlain   = 64 << 10  // bytes of an item's text
	maxDelta   = 32 << 10  // bytes of a page's changes
	maxEntries = 200       // of all sections; more are counted
)

// letter is what a mail says.
type letter struct {
	Subject  string // one line
	Link     string // of its only item; "": there is none, or several items
	Sections []section
	Left     int // entries for which there is no room

	Asks bool   // it asks for confirmation
	Code string // by which
	Open string // link that does the same; "": there is none
	Who  string // has added the address; "": nobody that is known

	say *locale.Locale // its language; nil: English
}

// section is what is new of a channel.
type section struct {
	Channel string // its title; "": none is shown
	Link    string
	Entries []entry
}

// entry is an item, or the changes of a page.
type entry struct {
	Title string // "": that of the letter
	Link  string
	Text  string // lines
	HTML  template.HTML
}

// letterOf words a message: an item as a whole, of several what each begins with.
func letterOf(t tidings.Target, m outbox.Message) letter {
	w := notify.Word(t, m)
	l := letter{Subject: w.Title, say: m.Language}
	if t.Text.Body != "" {
		l.Link = w.Link
		l.Sections = []section{{Entries: []entry{{Text: w.Text, HTML: paragraph(w.Text)}}}}
		return l
	}
	if m.Digest != nil {
		l.Sections, l.Left = sectionsOf(m.Language, m.Updates())
		return l
	}
	s := section{Channel: w.Channel, Link: notify.Link(m.Update.Channel)}
	switch {
	case m.Item != nil:
		l.Link = w.Link
		s.Entries = []entry{whole(m.Item)}
	case m.Update.Kind == tidings.KindPage:
		l.Link = w.Link
		s.Entries = []entry{changes(m.Language, m.Update.Delta)}
	default:
		s.Entries, l.Left = entriesOf(m.Language, m.Update, maxEntries)
	}
	l.Sections = []section{s}
	return l
}

// sectionsOf returns what is new of each channel of a digest, and how many entries more there are.
func sectionsOf(say *locale.Locale, updates []tidings.Update) (all []section, left int) {
	at := make(map[string]int) // by the channel's URL
	room := maxEntries
	for _, u := range updates {
		entries, more := entriesOf(say, u, room)
		room -= len(entries)
		if left += more; len(entries) == 0 {
			continue
		}
		i, known := at[u.Channel]
		if !known {
			i = len(all)
			at[u.Channel] = i
			all = append(all, section{Channel: notify.Word(tidings.Target{}, outbox.Message{Update: u}).Channel,
				Link: notify.Link(u.Channel)})
		}
		all[i].Entries = append(all[i].Entries, entries...)
	}
	return all, left
}

// entriesOf returns what is new of an update, at most so many entries, and how many more there are.
func entriesOf(say *locale.Locale, u tidings.Update, most int) (entries []entry, left int) {
	if u.Kind == tidings.KindPage {
		if most == 0 {
			return nil, 1
		}
		return []entry{brief(say, u, nil)}, 0
	}
	for i := range u.Items {
		if len(entries) == most {
			return entries, len(u.Items) - i
		}
		entries = append(entries, brief(say, u, &u.Items[i]))
	}
	return entries, 0
}

// brief is what an item, or a page, begins with.
func brief(say *locale.Locale, u tidings.Update, i *tidings.Item) entry {
	w := notify.Word(tidings.Target{}, outbox.Message{Update: u, Item: i, Language: say})
	text := strings.TrimPrefix(strings.TrimPrefix(w.Text, w.Channel), "\n")
	return entry{Title: w.Title, Link: w.Link, Text: text, HTML: paragraph(text)}
}

// whole is all of an item, up to the bounds.
func whole(i *tidings.Item) entry {
	content := i.Content
	if strings.TrimSpace(content) == "" {
		content = i.Summary
	}
	content = cutMarkup(content, maxContent)
	return entry{Text: lines(markup.Text(content, maxPlain)), HTML: contentOf(content)}
}

// changes are those of a page, with a sign before each line.
func changes(say *locale.Locale, delta string) entry {
	var text, marked strings.Builder
	for l := range strings.Lines(delta) {
		if text.Len() > maxDelta {
			text.WriteString("…\n")
			marked.WriteString("<p>…</p>")
			break
		}
		sign, line, found := strings.Cut(l, " ")
		line = markup.Line(line, len(line)+1)
		switch {
		case found && sign == ">":
			text.WriteString("+ " + line + "\n")
			marked.WriteString("<p><ins>" + html.EscapeString(line) + "</ins></p>")
		case found && sign == "<":
			text.WriteString("- " + line + "\n")
			marked.WriteString("<p><del>" + html.EscapeString(line) + "</del></p>")
		}
	}
	if text.Len() == 0 {
		text := say.Text("The page changed.")
		return entry{Text: text, HTML: paragraph(text)}
	}
	return entry{Text: strings.TrimSuffix(text.String(), "\n"), HTML: template.HTML(marked.String())}
}

// paragraph returns text as HTML, with its lines.
func paragraph(text string) template.HTML {
	if text == "" {
		return ""
	}
	return template.HTML("<p>" + strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") + "</p>")
}

// lines returns text without control characters and blank lines.
func lines(text string) string {
	var kept []string
	for l := range strings.Lines(text) {
		if l = markup.Line(l, len(l)+1); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}
