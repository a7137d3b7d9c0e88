package web

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"

	"tidings"
)

// hostile 22, 23: such titles and links on the pages themselves.
func TestHostileTitlesAndLinks(t *testing.T) {
	f := newFake()
	const evil = "https://feed.example/?a=\"><script>alert(1)</script>"
	length := 1 << 17 // words; far more than a page may show
	if testing.Short() {
		length = 1 << 15
	}
	title := "\u202e\"><script>alert(1)</script><img src=x onerror=alert(2)> {{.}} " + strings.Repeat("long ", length)
	f.follow(tidings.Subscription{Folder: title[:200], Health: "\"><b>",
		Channel: tidings.Channel{URL: evil, Title: title, Site: "javascript:alert(3)", Kind: tidings.KindFeed,
			Privacy: tidings.Public}})
	for _, address := range []string{"javascript:alert(4)", "http://user:hunter2@host.example/",
		"data:text/html,<script>", "x:y"} {
		item := tidings.Item{Title: title, URL: address, Author: title, Summary: title,
			Enclosures: []tidings.Enclosure{{URL: address, Type: title}}}
		f.arrive(evil, 2, tidings.Entry{Content: item, Before: &tidings.Item{Title: "Before"}, Change: tidings.Changed})
	}
	f.preview = tidings.Preview{Channel: evil, Title: title, Kind: tidings.KindFeed, Privacy: tidings.Public,
		Items:   []tidings.Item{{Title: title, URL: "javascript:alert(5)"}},
		Choices: []tidings.Choice{{URL: "javascript:alert(6)", Title: title}}, Notes: []string{title},
		Fetched: []tidings.Fetched{{URL: evil, Error: title}}}
	v := visit(t, f, false)
	pages := map[string]string{"preview": v.post("/add/preview", "url", "\"><script>alert(7)</script>").Body.String()}
	for _, path := range []string{"/", "/entry/1", "/entry/2", "/entry/3", "/channels", shell.ChannelPath(evil),
		"/update/1", "/version?url=" + strings.TrimPrefix(shell.ChannelPath(evil), "/channel?url="), "/search?q=long",
		"/search?q=%22%3E%3Cscript%3E", "/?folder=%22%3E%3Cscript%3E"} {
		pages[path] = v.get(path).Body.String()
	}
	for path, text := range pages {
		sound(t, path, text)
		for _, bad := range []string{"<script>", "<img", "\u202e", `href="javascript`, `href="data`, "hunter2"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", path, bad)
			}
		}
		if len(text) > 100<<10 && !strings.HasPrefix(path, "/entry/") { // there the text itself is shown whole
			t.Errorf("%s has %d bytes", path, len(text))
		}
	}
}

func TestATitleShowsWhatDiffers(t *testing.T) {
	long := strings.Repeat("words that stay as they are ", 10)
	for _, c := range []struct{ delta, want string }{
		{"1a2\n> ## News of the day\n", "News of the day"},
		{"1d0\n< an old line\n", "Removed: an old line"},
		{"1c1\n< " + long + "until noon\n---\n> " + long + "until midnight\n", "until midnight"},
		{"1c1\n< " + strings.Repeat("ä", 200) + "x\n---\n> " + strings.Repeat("ä", 200) + "y\n", "…"},
	} {
		got := firstChange(wording.Words{}, c.delta, 120)
		if !strings.Contains(got, c.want) || len(got) > 400 || !utf8.ValidString(got) {
			t.Errorf("%.60q gives the title %q, want %q in it", c.delta, got, c.want)
		}
	}
}
