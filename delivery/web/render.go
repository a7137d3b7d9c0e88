package web

import (
	"embed"
	"html/template"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/web/networkroom"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages are the templates of this room.
var pages = shell.Parse(templateFiles, func(l *locale.Locale) template.FuncMap {
	w := wording.Words{Locale: l}
	return template.FuncMap{
		"drawLine":        drawLine,
		"options":         func(o tidings.PageOptions) optionsForm { return optionsForm(o) },
		"content":         content,
		"clock":           clock,
		"inText":          func(p entryPage) func(address, kind string) *player { return p.InText },
		"playerOf":        func(p entryPage, e tidings.Enclosure) *player { return p.playerOf(e) },
		"textForm":        func(id int64, c *textChoice) textForm { return textForm{id, c} },
		"tally":           func(t tally) string { return shortTally(w, t) },
		"tallied":         func(t tally) string { return tallyText(w, t) },
		"revised":         func(l line) string { return revisedText(w, l) },
		"found":           func(p searchPage) string { return countText(w, p) },
		"enclosedPicture": enclosedPicture,
		"marked":          wording.Marked,
		"outcome":         w.Outcome,
		"privacy":         w.Privacy,
		"kind":            w.Kind,
		"queryOf":         queryOf,
		"copy":            func(c *tidings.Copy) string { return copyText(w, c) },
		"newsFacts":       func(n *tidings.News) []string { return newsFacts(w, n, time.Now()) },
		"newsNote":        func(n *tidings.News) string { return newsNote(w, n) },
		"newsTag":         func(n *tidings.News) string { return newsTag(w, n) },
		"labelPath":       func(label string) string { return river{Label: label}.path("") },
		"riverAt":         func(r river) string { return r.path("") },
		"standing":        func(n view.Network) wording.Word { return w.Standing(n, 0) },
		"filterText":      filterText,
		"healths":         func() []tidings.Health { return allHealths },
		"watched":         func(t tidings.PollingStats) string { return watchedText(w, t) },
		"carried":         func(t string) string { return carriedText(w, t) },
		"wayPath":         networkroom.WayPath,
		"hourly":          func(t tidings.PollingStats) string { return hourlyText(w, t) },
		"planned":         planned,
		"push":            func(p tidings.Push) wording.Word { return pushText(w, p) },
		"hub":             func(p tidings.HubPush) wording.Word { return hubText(w, p) },
		"alarm":           func(p tidings.Push) string { return alarmTitle(w, p) },
		"pusher":          func(p tidings.Push) string { return pusher(w, p) },
		"shownCategories": shownCategories,
		"searchPath":      searchPath,
		"browserName":     browserName,
	}
})
