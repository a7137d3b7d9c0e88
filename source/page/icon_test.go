package page

import (
	"strings"
	"testing"
)

func TestIconOf(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"none":     {`<title>x</title>`, ""},
		"relative": {`<link rel="icon" href="/i.png">`, "https://example.org/i.png"},
		"below a base": {`<base href="https://cdn.example.net/a/"><link rel=icon href=i.png>`,
			"https://cdn.example.net/a/i.png"},
		"old words":        {`<LINK REL="Shortcut Icon" HREF="i.ico">`, "https://example.org/blog/i.ico"},
		"of a phone alone": {`<link rel="apple-touch-icon" href="/touch.png">`, "https://example.org/touch.png"},
		"of a phone as well": {`<link rel="apple-touch-icon" href="/touch.png"><link rel="icon" href="/i.png">`,
			"https://example.org/i.png"},
		"the smallest of good": {`<link rel=icon sizes=16x16 href=/16><link rel=icon sizes=512x512 href=/512><link rel=icon sizes=32x32 href=/32>`, "https://example.org/32"},
		"lines alone": {`<link rel="icon" type="image/svg+xml" href="/i"><link rel="icon" href="/i.svg?v=2">`,
			""},
		"lines beside others": {`<link rel="icon" href="/i.svg"><link rel="icon" href="/i.ico" sizes="any">`,
			"https://example.org/i.ico"},
		"mask":         {`<link rel="mask-icon" href="/i.png">`, ""},
		"no address":   {`<link rel="icon" href="data:image/png;base64,AAAA"><link rel=icon href="javascript:alert(1)"><link rel=icon>`, ""},
		"credentials":  {`<link rel="icon" href="https://a:b@example.org/i.png">`, ""},
		"in the body":  {`<body><link rel="icon" href="/i.png">`, ""},
		"in a comment": {`<!-- <link rel="icon" href="/i.png"> -->`, ""},
		"in a script":  {`<script>"<link rel=icon href=/i.png>"</script>`, ""},
		"after too many": {strings.Repeat(`<link rel=stylesheet href=x>`, maxIconLinks) +
			`<link rel=icon href=/i.png>`, ""},
	} {
		if got := IconOf([]byte(c.doc), "https://example.org/blog/"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzIconOf(f *testing.F) {
	f.Add(`<base href="//x"><link rel="icon" href="/i.png" sizes="32x32">`)
	f.Fuzz(func(t *testing.T, doc string) {
		if got := IconOf([]byte(doc), "https://example.org/"); got != "" && !strings.HasPrefix(got, "http://") &&
			!strings.HasPrefix(got, "https://") {
			t.Errorf("%q", got)
		}
	})
}
