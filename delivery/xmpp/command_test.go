package xmpp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tidings"
)

// show returns a command as a test writes it.
func show(c command) string {
	text := string(c.verb)
	if c.url != "" {
		text += " " + c.url
	}
	if c.number != 0 {
		text += fmt.Sprint(" #", c.number)
	}
	if c.count != 0 {
		text += fmt.Sprint(" x", c.count)
	}
	if c.pause != 0 {
		text += " " + c.pause.String()
	}
	if c.at != nil {
		text += " " + c.at.String()
	}
	if c.hours != nil {
		text += " " + c.hours.From.String() + "-" + c.hours.To.String()
	}
	if c.zone != "" {
		text += " " + c.zone
	}
	return text
}

func TestCommands(t *testing.T) {
	for text, want := range map[string]string{
		"subscribe https://example.org/feed":         "subscribe https://example.org/feed",
		"  SUBSCRIBE\t<https://example.org/feed> \n": "subscribe https://example.org/feed",
		"Subscribe: example.org/feed":                "subscribe https://example.org/feed",
		"subscribe to //example.org":                 "subscribe https://example.org",
		"/subscribe \"HTTP://Example.org/a?b=c#d\"":  "subscribe HTTP://Example.org/a?b=c#d",
		"subscribe localhost:8080/feed":              "subscribe https://localhost:8080/feed",
		"subscribe feed://example.org/rss":           "subscribe https://example.org/rss",
		"subscribe feed:https://example.org/rss":     "subscribe https://example.org/rss",
		"+https://example.org":                       "subscribe https://example.org",
		"+ example.org":                              "subscribe https://example.org",
		"https://example.org/feed":                   "subscribe https://example.org/feed",
		"<https://example.org/feed>":                 "subscribe https://example.org/feed",
		"unsubscribe https://example.org/feed":       "unsubscribe https://example.org/feed",
		"unsubscribe 2":                              "unsubscribe #2",
		"unsubscribe from example.org":               "unsubscribe https://example.org",
		"-example.org":                               "unsubscribe https://example.org",
		"list":                                       "list",
		"List!":                                      "list",
		"latest example.org":                         "latest https://example.org x3",
		"latest 1 5":                                 "latest #1 x5",
		"pause":                                      "pause",
		"pause 8h":                                   "pause 8h0m0s",
		"PAUSE for 2 days":                           "pause 48h0m0s",
		"mute 1w":                                    "pause 168h0m0s",
		"resume":                                     "resume",
		"digest daily":                               "digest 08:00",
		"digest daily 7:30":                          "digest 07:30",
		"digest daily at 7pm Europe/Berlin":          "digest 19:00 Europe/Berlin",
		"digest 21:00 UTC":                           "digest 21:00 UTC",
		"digest at 6:15":                             "digest 06:15",
		"digest off":                                 "digest",
		"quiet 22:00-7:00":                           "quiet 22:00-07:00",
		"quiet 22 7 Europe/Berlin":                   "quiet 22:00-07:00 Europe/Berlin",
		"quiet 11pm to 6am":                          "quiet 23:00-06:00",
		"quiet off":                                  "quiet",
		"zone America/New_York":                      "zone America/New_York",
		"forget me":                                  "forget",
		"help":                                       "help",
		"?":                                          "help",
		"Hi":                                         "help",
		"subscribe":                                  "! one URL",
		"subscribe a b":                              "! one URL",
		"subscribe 7":                                "! no URL",
		"subscribe nothing":                          "! no URL",
		"subscribe ftp://example.org/":               "! begins with https",
		"subscribe javascript:alert(1)":              "! begins with https",
		"subscribe https://user:secret@example.org/": "! password",
		"subscribe https://example.org/ %":           "! one URL",
		"subscribe xmpp:a@example.org":               "! ",
		"subscribe " + strings.Repeat("x", 2500):     "! ",
		strings.Repeat("x", MaxCommand+1):            "! at most",
		"unsubscribe 0":                              "! no channel",
		"latest 1 11":                                "! 1 to 10",
		"pause 9999w":                                "! up to a year",
		"pause 0h":                                   "! up to a year",
		"pause forever":                              "! up to a year",
		"digest":                                     "! digest daily",
		"digest weekly":                              "! digest daily",
		"digest daily at":                            "! digest daily",
		"digest off 7:00":                            "! digest daily",
		"digest 25:00":                               "! digest daily",
		"digest 7:00 Nowhere/Atall":                  "! no time zone",
		"quiet 7:00-7:00":                            "! quiet 22:00",
		"quiet late":                                 "! quiet 22:00",
		"zone":                                       "! time zone",
		"zone Local":                                 "! no time zone",
		"forget":                                     "! forget me",
		"forget you":                                 "! forget me",
		"what is this":                               "! no command",
		"":                                           "! no command",
		"see https://example.org":                    "! no command",
		"\x00":                                       "! no command",
	} {
		c, err := parse(text)
		if reason, fails := strings.CutPrefix(want, "! "); fails {
			if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), reason) {
				t.Errorf("%q: %q, %v; want an error with %q", text, show(c), err, reason)
			}
			continue
		}
		if got := show(c); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzCommand parses whatever strangers write. A command that was read can be done.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"subscribe <example.org>", "+x.y", "pause 8h", "digest daily at 7:30 UTC",
		"quiet 22-7 UTC", "latest 1 2", "-", "+", "/", "forget me", "zone ../../etc/passwd"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse(text)
		if err != nil {
			if !errors.Is(err, tidings.ErrInvalid) || len(err.Error()) > 400 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if c.url != "" && (strings.ContainsAny(c.url, " \n\t") || len(c.url) > maxURL ||
			!strings.Contains(c.url, "://")) {
			t.Errorf("%q: URL %q", text, c.url)
		}
		s := tidings.Schedule{Zone: c.zone, Digest: c.at, Quiet: c.hours}
		if err := s.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if c.pause < 0 || c.pause > maxPause || c.count > MaxLatest || c.number < 0 {
			t.Errorf("%q: %+v", text, c)
		}
	})
}
