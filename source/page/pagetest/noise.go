package pagetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// noise is what differs from fetch to fetch and has no meaning for readers.
type noise struct {
	name  string
	learn bool // only two fetches of one state show it
	alone bool // it cannot be together with others
	// make puts it into the nth state.
	make func(r *rand.Rand, p *page, n int)
}

// now is the time of the nth state, to the second different at each fetch.
func now(r *rand.Rand, n int) time.Time {
	return time.Date(2024, 5, 6+n, r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC)
}

func hash(r *rand.Rand) string { return fmt.Sprintf("%016x", r.Uint64()) }

// chance returns words that nothing else has: what two fetches have in common counts as a part that stays.
func chance(r *rand.Rand, n int) string {
	var out []string
	for range n {
		word := make([]byte, 5+r.IntN(5))
		for i := range word {
			word[i] = byte('a' + r.IntN(26))
		}
		out = append(out, string(word))
	}
	return strings.Join(out, " ")
}

// stamped makes noise of a line at the end of the core that says when the page was made.
func stamped(format, layout string) func(*rand.Rand, *page, int) {
	return func(r *rand.Rand, p *page, n int) {
		p.last += "<p>" + fmt.Sprintf(format, now(r, n).Format(layout)) + "</p>"
	}
}

// noises are the kinds of noise.
var noises = []noise{
	// What nobody sees.
	{name: "build stamps in comments", make: func(r *rand.Rand, p *page, n int) {
		p.head += "<meta name=generator content='x " + hash(r) + "'><!-- built " + now(r, n).String() + " -->"
		p.bottom += "<!-- rendered in " + fmt.Sprint(r.IntN(999)) + " ms -->"
	}},
	{name: "hashes of assets", make: func(r *rand.Rand, p *page, _ int) {
		p.head += `<link rel=stylesheet href="/s.` + hash(r) + `.css"><script src="/a.` + hash(r) + `.js"></script>`
		p.top += `<img src="/logo.` + hash(r) + `.png" alt="">`
	}},
	{name: "data in scripts", make: func(r *rand.Rand, p *page, n int) {
		p.bottom += `<script>window.state = {"at": "` + now(r, n).String() + `", "tag": "<p>` + hash(r) +
			`</p>"}</script><template><p>` + hash(r) + `</p></template><style>.x` + hash(r) + `{}</style>`
	}},
	{name: "tokens in forms", make: func(r *rand.Rand, p *page, _ int) {
		p.head += `<meta name=csrf-token content="` + hash(r) + `">`
		p.last += `<form action="/x"><input type=hidden name=csrf value="` + hash(r) + `"><input type=submit value=` +
			hash(r) + `></form>`
	}},
	{name: "attributes in another order", make: func(r *rand.Rand, p *page, _ int) {
		p.attrs = func() string {
			parts := []string{` class="a b"`, ` title="t"`, ` data-x=1`, ` lang=en`}
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			return strings.Join(parts, "")
		}
	}},
	{name: "names of each build", make: func(r *rand.Rand, p *page, _ int) {
		p.attrs = func() string {
			return fmt.Sprintf(` class="css-%s" id="r%d" data-reactid="%s"`, hash(r)[:6], r.IntN(1000), hash(r))
		}
	}},
	{name: "hidden elements", make: func(r *rand.Rand, p *page, _ int) {
		p.last += "<p hidden>" + hash(r) + `</p><div style="display: none">` + hash(r) + "</div><p aria-hidden=true>" +
			hash(r) + "</p>"
	}},
	{name: "sessions in addresses", make: func(r *rand.Rand, p *page, _ int) {
		p.decorate = func(word string) string {
			return `<a href="/` + hash(r)[:4] + `?sid=` + hash(r) + `">` + word + `</a>`
		}
	}},
	{name: "markup of another build", make: func(r *rand.Rand, p *page, n int) {
		p.pretty = n%2 == 1
		p.wrap = []string{"", "div", "section"}[r.IntN(3)]
	}, alone: true},
	{name: "characters as references", make: func(_ *rand.Rand, p *page, n int) {
		p.decorate = func(word string) string {
			if n%2 == 0 {
				return word
			}
			var b strings.Builder
			for _, c := range word {
				fmt.Fprintf(&b, "&#%d;", c)
			}
			return b.String()
		}
	}, alone: true},
	{name: "emphasis", make: func(_ *rand.Rand, p *page, n int) {
		p.decorate = func(word string) string {
			return []string{word, "<b>" + word + "</b>", "<span class=x>" + word + "</span>"}[n%3]
		}
	}, alone: true},

	// The frame of the site.
	{name: "menus", make: func(r *rand.Rand, p *page, _ int) {
		p.top += "<header><a href=/>Site</a></header><nav><ul><li>Home<li>" + hash(r) + "</ul></nav>"
	}},
	{name: "footers", make: func(r *rand.Rand, p *page, n int) {
		p.bottom += fmt.Sprintf("<footer><p>© %d</p><p>%s</p></footer>", 2020+n, hash(r))
	}},
	{name: "cookie banners", make: func(r *rand.Rand, p *page, n int) {
		if n%2 == 0 {
			p.bottom += `<div id="cookie-banner"><p>We and our ` + fmt.Sprint(r.IntN(1000)) +
				` partners value your privacy</p></div>`
		}
	}},
	{name: "adverts", make: func(r *rand.Rand, p *page, n int) {
		p.top += `<div class="top-ad"><p>Buy ` + hash(r) + `</p></div>`
		p.last += `<ins class=adsbygoogle>` + hash(r) + `</ins><div aria-label=Advertisement><p>` + hash(r) +
			`</p></div>`
	}},

	// What people see, and is no news.
	{name: "last updated", make: stamped("Last updated: %s", "January 2, 2006 15:04 MST")},
	{name: "generated at", make: stamped("This page was generated on %s UTC.", "2006-01-02 15:04:05")},
	{name: "letzte Aktualisierung", make: stamped("Letzte Aktualisierung: %s Uhr", "02.01.2006 15:04")},
	{name: "as of", make: stamped("As of %s", "2 January 2006")},
	{name: "最終更新", make: stamped("最終更新：%s", "2006-01-02T15:04:05Z")},
	{name: "clocks", make: func(r *rand.Rand, p *page, n int) {
		p.last += "<p>" + now(r, n).Format("Monday, 2 January 2006 15:04:05") + "</p>"
	}},
	{name: "how long it took", make: func(r *rand.Rand, p *page, _ int) {
		p.last += fmt.Sprintf("<p>Page generated in 0.%03d seconds</p>", r.IntN(1000))
	}},
	{name: "times that pass", make: func(r *rand.Rand, p *page, _ int) {
		p.after = func() string { return fmt.Sprintf(" <span>(%d hours ago)</span>", 2+r.IntN(100)) }
	}, alone: true},
	{name: "counters", make: func(r *rand.Rand, p *page, _ int) {
		p.after = func() string { return fmt.Sprintf(" | %d comments", 2+r.IntN(100)) }
		p.last += fmt.Sprintf("<p>%d views</p>", r.IntN(100_000))
	}, alone: true},
	{name: "names of requests", make: func(r *rand.Rand, p *page, _ int) {
		p.last += "<p>Request ID: " + hash(r) + "</p>"
	}},

	// What looks like news, until it is fetched again.
	{name: "quotes of chance", learn: true, make: func(r *rand.Rand, p *page, _ int) {
		p.last += "<div><p>" + chance(r, 6) + "</p></div>"
	}},
	{name: "adverts without a name", learn: true, make: func(r *rand.Rand, p *page, _ int) {
		p.last += "<div class=x9><h4>" + chance(r, 3) + "</h4><p>" + chance(r, 8) + "</p></div>"
	}},
	{name: "numbers of chance", learn: true, make: func(r *rand.Rand, p *page, _ int) {
		p.last += fmt.Sprintf("<p>Temperature in the harbour: %d degrees</p>", r.IntN(1000))
	}},
	{name: "tokens as text", learn: true, make: func(r *rand.Rand, p *page, _ int) {
		p.last += "<p>" + hash(r) + "</p>"
	}},
}
