package markup

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestCandidate(t *testing.T) {
	for srcset, want := range map[string]string{
		"":                   "",
		" , ,":               "",
		"a.jpg":              "a.jpg",
		"a.jpg 2x, b.jpg 1x": "a.jpg",
		"a.jpg 0.5x, b.jpg":  "b.jpg",
		"a.jpg 150w, b.jpg 300w,c.jpg 600w, d.jpg 1200w":      "c.jpg",
		"a.jpg 150w, b.jpg 300w":                              "b.jpg",
		"b.jpg 300w, a.jpg 150w":                              "b.jpg",
		"https://x.example/w_300,h_200/a.jpg 300w 200h, b 1w": "https://x.example/w_300,h_200/a.jpg",
		"a.jpg, b.jpg 2x":                                     "a.jpg",
		"\n a.jpg\t600w ,":                                    "a.jpg",
		"a.jpg -5w, b.jpg NaNw, c.jpg hugew":                  "a.jpg",
	} {
		if got := Candidate(srcset); got != want {
			t.Errorf("%q gives %q, want %q", srcset, got, want)
		}
	}
	if got := Candidate(strings.Repeat("a 1w,", 200_000) + "b 2w"); got != "b" {
		t.Errorf("of many: %q", got)
	}
}

func TestAddresses(t *testing.T) {
	for tag, want := range map[string]string{
		`<img src="a.gif" data-src="b.jpg">`:                                 "[b.jpg a.gif] 1",
		`<img data-srcset="c.jpg 600w" srcset="d.jpg 1x" src="a.gif">`:       "[c.jpg a.gif d.jpg] 1",
		`<img data-lazy="true" data-src="" data-srcset="" src="a.gif">`:      "[a.gif] 0",
		`<img data-original="/o.jpg" data-lazy-srcset="/s.jpg" alt="b.jpg">`: "[/o.jpg /s.jpg] 2",
		`<img alt="a.jpg">`: "[] 0",
	} {
		z := html.NewTokenizer(strings.NewReader(tag))
		z.Next()
		addresses, lazy := Addresses(z.Token().Attr)
		if got := fmt.Sprint(addresses, lazy); got != want {
			t.Errorf("%s gives %s, want %s", tag, got, want)
		}
	}
}
