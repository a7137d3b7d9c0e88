package networkroom

import (
	"embed"
	"html/template"

	"tidings"
	"tidings/delivery/locale"
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
		"reach":            func(r view.Reach) wording.Word { return reachText(w, r) },
		"nat":              func(n view.Network) string { return natText(w, n) },
		"way":              func(way view.Way) string { return wayText(w, way) },
		"join":             func(j view.JoinState) wording.Word { return joinText(w, j) },
		"clock":            func(c view.Clock) string { return clockText(w, c) },
		"duplicateKeyGone": func() string { return w.Span(view.DuplicateKeyGone) },
		"place":            placeOf,
		"rtt":              func(ms float64) string { return rttText(w, ms) },
		"band":             bandOf,
		"bands":            func() []band { return bands(w) },
		"key":              keyOf,
		"lost":             func(t view.Traffic) uint64 { return t.Dropped + t.Refused },
		"abs":              func(n int) int { return max(n, -n) },
		"zonePath":         zonePath,
		"believed":         func(t tidings.TrustLevel) wording.Word { return standingWord(w, t) },
		"shownPenalties":   shownPenalties,
		"morePenalties":    morePenalties,
		"opinion":          func(node, do, name string) opinionForm { return opinionForm{node, do, name} },
	}
})
