package pictures

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/source/picture"
)

const week = 7 * 24 * time.Hour

func feedOf(url, icon string) tidings.Channel {
	return tidings.Channel{URL: url, Icon: icon, Kind: tidings.KindFeed}
}

// asks returns what an origin is asked until nothing is searched for any more.
func (o *origin) asks() []string {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := o.asked
	o.asked = nil
	return asked
}

func TestIconsAreSearchedForInOrder(t *testing.T) {
	const feed, declared, named, usual = "https://example.org/blog/feed", "https://cdn.example.net/me.png",
		"https://example.org/named.png", "https://example.org/favicon.ico"
	for name, c := range map[string]struct {
		declared, named string
		broken          []string
		asked           []string
		found           string
	}{
		"as the feed says":     {declared, named, nil, []string{declared}, declared},
		"as the page says":     {"", named, nil, []string{"https://example.org/", named}, named},
		"at the usual place":   {"", "", nil, []string{"https://example.org/", usual}, usual},
		"the page's is broken": {"", named, []string{named}, []string{"https://example.org/", named, usual}, usual},
		"all are broken":       {"", named, []string{named, usual}, []string{"https://example.org/", named, usual}, ""},
		"the page names the usual place, and it is broken": {"", usual, []string{usual},
			[]string{"https://example.org/", usual}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &origin{named: c.named, data: func(address string) []byte {
					if slices.Contains(c.broken, address) {
						return []byte("<html>")
					}
					return byLength(address)
				}}
				p := open(t, t.TempDir(), o, 1<<20)
				defer p.Close()
				if address := p.Icon(feedOf(feed, c.declared)); address != "" {
					t.Fatalf("an icon before any request: %q", address)
				}
				asked := o.asks()
				if c.declared != "" { // the site's icon is searched for beside the feed's, in any order
					ofSite := func(address string) bool { return address != c.declared }
					site := slices.DeleteFunc(slices.Clone(asked), func(address string) bool {
						return !ofSite(address)
					})
					if want := []string{"https://example.org/", named}; !slices.Equal(site, want) {
						t.Errorf("for the site asked %q, want %q", site, want)
					}
					asked = slices.DeleteFunc(asked, ofSite)
				}
				if !slices.Equal(asked, c.asked) {
					t.Errorf("asked %q, want %q", asked, c.asked)
				}
				address := p.Icon(feedOf(feed, c.declared))
				if (address != "") != (c.found != "") {
					t.Fatalf("the icon is %q, want that at %q", address, c.found)
				}
				if c.found == "" {
					return
				}
				data, err := p.IconBytes(address)
				want, wrong := picture.Icon(byLength(c.found))
				if err != nil || wrong != nil || !bytes.Equal(data, want.Bytes) {
					t.Errorf("%d bytes, %v, %v", len(data), err, wrong)
				}
			})
		})
	}
}

// An origin gets one request a week, for any outcome, however often a page is shown, also after a restart.
func TestIconsCostOneRequestAWeek(t *testing.T) {
	for name, broken := range map[string]bool{"found": false, "nothing found": true} {
		for _, declared := range []string{"", "https://example.org/icon.png"} {
			t.Run(fmt.Sprintf("%s %q", name, declared), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := &origin{named: "https://example.org/named.png", data: func(address string) []byte {
						if broken {
							return nil
						}
						return byLength(address)
					}}
					dir := t.TempDir()
					var asked []string
					const weeks = 12
					for range weeks {
						p := open(t, dir, o, 1<<20)
						for range 7 * 4 {
							p.Icon(feedOf("https://example.org/feed", declared))
							// an address that changes at each poll
							p.Icon(feedOf("https://example.org/feed", declared+"?changes"))
							p.Icon(feedOf("https://example.org/feed#~0123456789abcdef0123456789abcdef", declared))
							asked = append(asked, o.asks()...)
							time.Sleep(6 * time.Hour)
						}
						p.Close()
					}
					most := weeks + 2 // a search begins with all of its requests
					if declared != "" {
						most += weeks + 2 // its own, beside that of the site
					}
					if len(asked) > most || len(asked) < weeks-3 {
						t.Errorf("%d requests in %d weeks, want %d at most: %q", len(asked), weeks, most, asked)
					}
				})
			})
		}
	}
}

// A page that is shown while a search ends has seen that there is no icon, and wants one when it is kept already. The
// search is not made again.
func TestASearchThatHasJustEndedIsNotMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, data := range map[string]func(string) []byte{"found": byLength,
			"nothing found": func(string) []byte { return nil }} {
			o := &origin{data: data}
			p := open(t, t.TempDir(), o, 1<<20)
			s := searchesOf(feedOf("https://example.org/feed", ""))[0]
			now := time.Now()
			if _, due := p.iconOf(s, now); due.After(now) {
				t.Fatalf("%s: a first search is due at %v", name, due)
			}
			p.want(s, now)
			if asked := o.asks(); len(asked) == 0 {
				t.Fatalf("%s: nothing was searched for", name)
			}
			p.want(s, now)
			if asked := o.asks(); len(asked) != 0 {
				t.Errorf("%s: asked %q again", name, asked)
			}
			p.Close()
		}
	})
}

func TestIconsOfOneSiteAreSearchedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{data: byLength}
		p := open(t, t.TempDir(), o, 1<<20)
		defer p.Close()
		for i := range 100 {
			p.Icon(feedOf(fmt.Sprintf("https://example.org/feeds/%d", i), ""))
		}
		if asked := o.asks(); len(asked) != 2 {
			t.Errorf("asked %q", asked)
		}
	})
}

func TestChannelsWithoutAnOriginHaveNoIcon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{data: byLength}
		p := open(t, t.TempDir(), o, 1<<20)
		defer p.Close()
		for _, c := range []tidings.Channel{
			{URL: "query:words", Kind: tidings.KindQuery}, {URL: "posted:abc", Kind: tidings.KindPosted},
			{URL: "zone:/eu", Kind: tidings.KindZone},
			feedOf("ftp://example.org/feed", "javascript:alert(1)"),
			feedOf("https://"+strings.Repeat("x", maxAddress), ""),
		} {
			if address := p.Icon(c); address != "" {
				t.Errorf("%s has %q", c.URL, address)
			}
		}
		if asked := o.asks(); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
	})
}

// An origin that does not answer is asked again after a day: it had no request to serve. What was found before stays.
func TestIconsStayWhileNothingAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{data: byLength, fail: fmt.Errorf("%w: down", ErrUnanswered)}
		p := open(t, t.TempDir(), o, 1<<20)
		defer p.Close()
		c := feedOf("https://example.org/feed", "https://example.org/icon.png")
		for day := range 2 {
			for range 5 {
				p.Icon(c)
				synctest.Wait()
			}
			if asked := o.asks(); len(asked) != 2 {
				t.Errorf("day %d: asked %q", day, asked)
			}
			time.Sleep(iconAgain)
		}
		o.fail = nil
		p.Icon(c)
		o.asks()
		before := p.Icon(c)
		if before == "" {
			t.Fatal("none is found once the origin answers")
		}
		for _, broken := range []error{fmt.Errorf("%w: down", ErrUnanswered), errors.New("404")} {
			o.fail = broken
			time.Sleep(2*week + time.Hour)
			p.Icon(c)
			if len(o.asks()) == 0 {
				t.Error("it is not searched for again")
			}
			if address := p.Icon(c); address != before {
				t.Errorf("after %v the icon is %q, want %q", broken, address, before)
			}
			if _, err := p.IconBytes(before); err != nil {
				t.Errorf("after %v: %v", broken, err)
			}
		}
	})
}

func TestIconsKeepToTheQuotaAndAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		o := &origin{data: byLength}
		p := open(t, dir, o, 20*entryBytes)
		c := feedOf("https://example.org/feed", "https://example.org/icon.png")
		p.Icon(c)
		o.asks()
		address := p.Icon(c)
		for i := range 40 {
			p.Icon(feedOf(fmt.Sprintf("https://h%d.example/feed", i), ""))
			o.asks()
			time.Sleep(2 * usedStep)
		}
		if used, quota := p.Used(); used > quota {
			t.Errorf("%d bytes are kept, of %d", used, quota)
		}
		if n := files(t, dir); n > 40 {
			t.Errorf("%d files", n)
		}
		if _, err := p.IconBytes(address); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("what was viewed longest ago: %v", err)
		}
		newest := p.Icon(feedOf("https://h39.example/feed", ""))
		p.Close()
		p = open(t, dir, o, 20*entryBytes)
		if again := p.Icon(feedOf("https://h39.example/feed", "")); again != newest || newest == "" {
			t.Errorf("after a restart the icon is %q, want %q", again, newest)
		}
		if err := os.WriteFile(filepath.Join(dir, contentsDir, newest), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.IconBytes(newest); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("one that is damaged: %v", err)
		}
		for _, tag := range []string{"", noIcon, "../index/x", strings.Repeat("0", 64)} {
			if _, err := p.IconBytes(tag); !errors.Is(err, tidings.ErrInvalid) {
				t.Errorf("%q: %v", tag, err)
			}
		}
		p.Close()
	})
}

func TestIconsAreSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{data: func(string) []byte { return wide(300, 150) }}
		p := open(t, t.TempDir(), o, 1<<20)
		defer p.Close()
		c := feedOf("https://example.org/feed", "https://example.org/cover.png")
		p.Icon(c)
		o.asks()
		data, err := p.IconBytes(p.Icon(c))
		if err != nil {
			t.Fatal(err)
		}
		head, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || head.Width != picture.IconSide || head.Height != picture.IconSide/2 {
			t.Errorf("%d × %d, %v", head.Width, head.Height, err)
		}
	})
}
