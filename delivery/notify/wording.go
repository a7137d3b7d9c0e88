package notify

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/outbox"
	"tidings/markup"
)

const (
	maxTitle   = 250  // characters
	maxText    = 4000 // characters of a text that the owner worded
	maxSummary = 300  // characters of an item that the default wording shows
	maxListed  = 5    // items of several that the default wording names
	maxLink    = 2048 // bytes

	maxDigestListed = 20 // items of a digest that the default wording names
)

// note is a message as people read it.
type note struct {
	title      string // one line, never empty
	text       string // never empty
	link       string // http or https; "": there is none
	channel    string // its title, else its host
	channelURL string
	id         string
	time       time.Time
}

// Wording is a message as people read it.
type Wording struct {
	Title string // one line, never empty
	Text  string // lines, never empty
	Link  string // http or https; "": there is none

	Channel string // title of the channel, else its host; "": of several
}

// Word words a message for a target: as its owner has it, else in the usual way. Texts are bounded, and hold no control
// characters.
func Word(t tidings.Target, m outbox.Message) Wording {
	w := compose(t, m)
	return Wording{w.title, w.text, w.link, w.channel}
}

// compose words a message for a target.
func compose(t tidings.Target, m outbox.Message) note {
	w := defaultNote(m)
	values := w.values()
	if t.Text.Title != "" {
		if title, err := expand(t.Text.Title, values, asIs); err == nil && oneLine(title) != "" {
			w.title = oneLine(title)
		}
	}
	if t.Text.Body != "" {
		if text, err := expand(t.Text.Body, values, asIs); err == nil && lines(text) != "" {
			w.text = lines(text)
		}
	}
	w.title = cut(w.title, maxTitle, characters)
	w.text = cut(w.text, maxText, characters)
	return w
}

func defaultNote(m outbox.Message) note {
	if m.Digest != nil {
		return digestNote(m)
	}
	u := m.Update
	w := note{channel: oneLine(u.Title), channelURL: u.Channel, id: m.ID, time: u.Time}
	if w.channel == "" {
		w.channel = hostOf(u.Channel)
	}
	w.channel = cut(w.channel, maxTitle, characters)
	if w.time.IsZero() {
		w.time = m.Made
	}
	switch {
	case m.Item != nil:
		w.title, w.text = itemWording(m.Language, m.Item, w.channel)
		w.link = linkOf(m.Item.URL)
	case u.Kind == tidings.KindPage:
		w.title, w.text = pageWording(m.Language, u, w.channel)
		w.link = linkOf(u.Channel)
	default:
		w.title, w.text = itemsWording(m.Language, u.Items, w.channel)
	}
	if w.link == "" {
		w.link = linkOf(u.Channel)
	}
	if u.Withdrawn != nil {
		w.title = m.Language.Text("Withdrawn: %s", w.title)
	}
	return w
}

// digestNote lists what a digest has, by channels.
func digestNote(m outbox.Message) note {
	say := m.Language
	w := note{id: m.ID, time: m.Made}
	var text []string
	var channels []string // their URLs
	added, changed, listed := 0, 0, 0
	for _, u := range m.Updates() {
		if u.Time.After(w.time) {
			w.time = u.Time
		}
		one := defaultNote(outbox.Message{Update: u, Language: say})
		if len(channels) == 0 || channels[len(channels)-1] != u.Channel {
			if listed < maxDigestListed {
				text = append(text, one.channel)
			}
			if !slices.Contains(channels, u.Channel) {
				w.channel, w.channelURL = one.channel, u.Channel
			}
			channels = append(channels, u.Channel)
		}
		if u.Kind == tidings.KindPage {
			changed++
			if listed++; listed <= maxDigestListed {
				text = append(text, "• "+say.Text("The page changed."))
			}
			continue
		}
		more := changedItems(u.Items)
		changed, added = changed+more, added+len(u.Items)-more
		for i := range u.Items {
			if listed++; listed <= maxDigestListed {
				text = append(text, "• "+nameOf(say, &u.Items[i]))
			}
		}
	}
	if listed > maxDigestListed {
		text = append(text, say.Text("and %d more", listed-maxDigestListed))
	}
	w.title = counts(say, added, changed)
	slices.Sort(channels)
	if n := len(slices.Compact(channels)); n > 1 {
		w.title = say.Text("%s in %d channels", w.title, n)
		w.channel, w.channelURL = say.Count(int64(n), "channel", "channels"), ""
	}
	w.link = linkOf(w.channelURL)
	w.text = strings.Join(text, "\n")
	return w
}

func itemWording(say *locale.Locale, i *tidings.Item, channel string) (title, text string) {
	title, text = oneLine(i.Title), channel
	summary := summaryOf(i)
	switch {
	case title == "" && summary != "":
		title, text = channel, summary
	case title == "":
		title = channel
	case summary != "":
		text += "\n" + summary
	}
	switch {
	case i.News.Withdrawn():
		title = say.Text("Withdrawn: %s", title)
	case i.Change == tidings.Changed:
		title = say.Text("Changed: %s", title)
	}
	return title, text
}

// summaryOf returns what an item begins with, as one line.
func summaryOf(i *tidings.Item) string {
	for _, html := range []string{i.Summary, i.Content} {
		if s := markup.Line(markup.Text(html, 16*maxSummary), maxSummary); s != "" {
			return s
		}
	}
	return ""
}

func itemsWording(say *locale.Locale, items []tidings.Item, channel string) (title, text string) {
	changed := changedItems(items)
	all := []string{channel}
	for i := range items[:min(len(items), maxListed)] {
		all = append(all, "• "+nameOf(say, &items[i]))
	}
	if rest := len(items) - maxListed; rest > 0 {
		all = append(all, say.Text("and %d more", rest))
	}
	return counts(say, len(items)-changed, changed), strings.Join(all, "\n")
}

func changedItems(items []tidings.Item) (changed int) {
	for i := range items {
		if items[i].Change == tidings.Changed {
			changed++
		}
	}
	return changed
}

// nameOf returns the title of an item in a list.
func nameOf(say *locale.Locale, i *tidings.Item) string {
	name := oneLine(i.Title)
	if name == "" {
		name = summaryOf(i)
	}
	if name == "" {
		name = say.Text("(no title)")
	}
	return cut(name, maxTitle, characters)
}

// counts returns "3 new and 1 changed item".
func counts(say *locale.Locale, added, changed int) string {
	different := say.Count(int64(changed), "changed item", "changed items")
	switch {
	case changed == 0:
		return say.Count(int64(added), "new item", "new items")
	case added == 0:
		return different
	}
	return say.Text("%d new and %s", added, different)
}

// pageWording shows what a page has more, else what it has less.
func pageWording(say *locale.Locale, u tidings.Update, channel string) (title, text string) {
	var added, removed strings.Builder
	for l := range strings.Lines(u.Delta) {
		switch {
		case strings.HasPrefix(l, "> ") && added.Len() < 4*maxSummary:
			added.WriteString(l[2:])
		case strings.HasPrefix(l, "< ") && removed.Len() < 4*maxSummary:
			removed.WriteString(l[2:])
		}
	}
	text = say.Text("The page changed.")
	if s := cut(lines(added.String()), maxSummary, characters); s != "" {
		text = s
	} else if s := cut(lines(removed.String()), maxSummary, characters); s != "" {
		text = say.Text("Removed: %s", s)
	}
	return say.Text("Changed: %s", channel), text
}

// values are what the placeholders stand for.
func (w note) values() map[string]string {
	return map[string]string{
		"title": w.title, "link": w.link, "text": w.text, "channel": w.channel, "channel_url": w.channelURL,
		"id":   w.id,
		"time": w.time.UTC().Format(time.RFC3339),
	}
}

// Link returns an address that is fit to be followed: http or https, ASCII, without blanks and credentials, of at most
// 2048 bytes; else "".
func Link(address string) string { return linkOf(address) }

func linkOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.User = nil
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	if b.Len() > maxLink {
		return ""
	}
	return b.String()
}
