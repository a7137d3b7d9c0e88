package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// aPage is a page and how to get to it.
type aPage struct {
	name, path string
	fake       func() *fake
	steps      []step // after the page is loaded
}

func somePages() []aPage {
	look := []step{typed(`main input[name=url]`, "orchard.example"), click(`main form button`), visible(`.preview`)}
	return []aPage{
		{"river", "/", sample, nil},
		{"river-open", "/", sample, []step{click(`#e26 .open`), visible(`#e26 .reading`)}},
		{"unread", "/?show=unread&folder=Programming", sample, nil},
		{"starred", "/?show=starred", sample, nil},
		{"entry", "/entry/25", sample, nil},
		{"entry-revised", "/entry/26", sample, nil},
		{"entry-page", "/entry/30", sample, nil},
		{"update", "/update/11", sample, nil},
		{"state", "/version?url=https://museum.example/tickets&v=2", sample, nil},
		{"channels", "/channels", sample, nil},
		{"channel-feed", "/channel?url=https://lwn.example/headlines/rss", sample, nil},
		{"channel-page", "/channel?url=https://museum.example/tickets", sample, []step{click(`.edit summary`)}},
		{"channel-failing", "/channel?url=https://lab.example/journal.json", sample, nil},
		{"add", "/add", sample, nil},
		{"add-preview", "/add", sample, look},
		{"search", "/search?q=kernel", sample, nil},
		{"search-found", "/search?q=the", sample, nil},
		{"opml", "/opml", sample, nil},
		{"settings", "/settings", sample, []step{typed(`[name=label]`, "newsboat on the laptop"), click(`.row-form button`), visible(`.secret`)}},
		{"status", "/status", sample, nil},
		{"help", "/help", sample, nil},
		{"keys", "/", sample, []step{chromedp.KeyEvent("?"), visible(`#keys-dialog`)}},
		{"welcome", "/", newFake, nil},
		{"missing", "/no/such/page", sample, nil},
	}
}

// Every page is looked at in both themes, wide and narrow; the pictures are kept.
func TestPictures(t *testing.T) {
	ctx := browser(t)
	look := func(p aPage, base string) {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				t.Run(fmt.Sprintf("%s-%s-%d", p.name, theme, width), func(t *testing.T) {
					do(t, ctx, append([]step{size(width, theme), open(base + p.path)}, p.steps...)...)
					savePicture(t, ctx, fmt.Sprintf("%s-%s-%d", p.name, theme, width))
				})
			}
		}
	}
	for _, p := range somePages() {
		look(p, serve(t, p.fake(), false, nil))
	}
	look(aPage{name: "login", path: "/login"}, serve(t, newFakeWithPassword(t), true, nil))
	look(aPage{name: "login-none", path: "/login"}, serve(t, newFake(), true, nil))
}
