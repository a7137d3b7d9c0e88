package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// channelDraft is what the feed says of itself, as gathered so far.
type channelDraft struct {
	title     string
	link      string // of RSS, else Atom's alternate
	icon      link   // with one of the ranks of icons
	authors   people
	period    time.Duration
	frequency int
}

// Ranks of a feed's pictures as its icon, best last: small square ones are.
const (
	iconLogo  = iota + 1 // Atom: twice as wide as high
	iconCover            // of a podcast
	iconImage            // RSS
	iconOwn              // Atom: square
)

// icon notes a picture of the feed itself.
func (r *xmlReader) icon(base, ref string, rank int) {
	if ref = strings.TrimSpace(ref); ref != "" {
		r.chann.icon.better(r.address(base, ref), rank)
	}
}

// maxHubs bounds Document.Hubs.
const maxHubs = 10

// channelText stores a text element of the feed itself.
func (r *xmlReader) channelText(f frame, t construct) {
	c := &r.chann
	text := strings.TrimSpace(t.text)
	switch f.el {
	case elTitle:
		if c.title == "" {
			c.title = t.title(r.strict(), r.cfg.MaxTitle)
		}
	case elLink:
		if c.link == "" {
			c.link = r.address(f.base, text)
		}
	case elLanguage:
		r.doc.Language = cutText(text, 64)
	case elIcon:
		r.icon(f.base, text, iconOwn)
	case elLogo:
		r.icon(f.base, text, iconLogo)
	case elName, elEmail:
		r.person(f.el, text)
	case elTTL, elHour, elDay, elUpdatePeriod, elUpdateFrequency:
		r.hint(f.el, text)
	case elRotation, elRevocation:
		r.statement(f.el, text)
	}
}

// hint stores an element that says how often to poll.
func (r *xmlReader) hint(el element, text string) {
	h := &r.doc.Hints
	number, err := strconv.Atoi(text)
	switch el {
	case elTTL:
		if err == nil && number > 0 && number <= maxTTLMinutes {
			h.TTL = time.Duration(number) * time.Minute
		}
	case elHour:
		if hour := number % 24; err == nil && r.in[elSkipHours] > 0 && number >= 0 && number <= 24 &&
			!slices.Contains(h.SkipHours, hour) {
			h.SkipHours = append(h.SkipHours, hour)
		}
	case elDay:
		if day, ok := weekday(text); ok && r.in[elSkipDays] > 0 && !slices.Contains(h.SkipDays, day) {
			h.SkipDays = append(h.SkipDays, day)
		}
	case elUpdatePeriod:
		r.chann.period = periods[strings.ToLower(text)]
	case elUpdateFrequency:
		if err == nil && number > 0 {
			r.chann.frequency = number
		}
	}
}

// maxTTLMinutes is ten years; a longer one is an error of the feed.
const maxTTLMinutes = 10 * 366 * 24 * 60

const day = 24 * time.Hour

// periods are the values of the syndication module's updatePeriod.
var periods = map[string]time.Duration{
	"hourly": time.Hour, "daily": day, "weekly": 7 * day, "monthly": 30 * day, "yearly": 365 * day,
}

func weekday(name string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if len(name) >= 3 && strings.EqualFold(name[:3], d.String()[:3]) {
			return d, true
		}
	}
	return 0, false
}

// channelRel stores a link element of the feed itself.
func (r *xmlReader) channelRel(rel, href string, f frame) {
	url := r.address(f.base, href)
	if url == "" {
		return
	}
	d := r.doc
	switch rel {
	case "", "alternate":
		// In RSS the channel's own <link> comes first if there is one.
		if typ := f.attr.typ; d.Site == "" && (typ == "" || strings.Contains(typ, "html")) {
			d.Site = url
		}
	case "self":
		setOnce(&d.Self, url)
	case "hub":
		if len(d.Hubs) < maxHubs && !slices.Contains(d.Hubs, url) {
			d.Hubs = append(d.Hubs, url)
		}
	case "prev-archive":
		setOnce(&d.PrevArchive, url)
	case "next-archive":
		setOnce(&d.NextArchive, url)
	case "next":
		setOnce(&d.Next, url)
	}
}

func setOnce(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// finish hands over what was gathered of the feed itself.
func (r *xmlReader) finish() {
	d, c := r.doc, &r.chann
	d.Title, d.Icon = c.title, c.icon.url
	if c.link != "" {
		d.Site = c.link
	}
	if c.period > 0 {
		d.Hints.UpdatePeriod = c.period / time.Duration(max(c.frequency, 1))
	}
	slices.Sort(d.Hints.SkipHours)
	slices.Sort(d.Hints.SkipDays)
	// RFC 4287, 4.2.1: an entry without an author has the feed's.
	if name := c.authors.label(r.cfg); name != "" && d.Format == Atom {
		for i := range d.Items {
			if d.Items[i].Author == "" {
				d.Items[i].Author = name
			}
		}
	}
}
