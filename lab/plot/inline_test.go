package plot

import (
	"encoding/xml"
	"strings"
	"testing"
)

func TestInlineHasVariablesForColours(t *testing.T) {
	for _, p := range gallery() {
		svg, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		page, err := Inline(svg)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page, ":#") || !strings.Contains(page, "var(--ink)") ||
			!strings.Contains(page, "var(--s0)") {
			t.Errorf("%s: colours are left that a page cannot change", p.Name)
		}
		if err := xml.Unmarshal([]byte(page), new(struct{})); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestInlineRefusesWhatIsNoPlot(t *testing.T) {
	for _, svg := range []string{
		"", "text", `<html></html>`, `<svg>`, `<svg/><svg/>`,
		`<svg><script>alert(1)</script></svg>`,
		`<svg><image href="http://evil.example/"/></svg>`,
		`<svg><path style="fill:url(http://evil.example/)"/></svg>`,
		`<svg><path d="&quot; onload=&quot;alert(1)"/></svg>`,
		`<svg><foreignObject/></svg>`, `<svg><a/></svg>`, `<svg><style>*{}</style></svg>`,
	} {
		if page, err := Inline([]byte(svg)); err == nil {
			t.Errorf("%q became %q", svg, page)
		}
	}
	page, err := Inline(
		[]byte(`<svg onload="alert(1)"><g onclick="x()"><text x="1" href="x">&lt;b&gt;</text></g></svg>`))
	if want := `<svg role="img"><g><text x="1">&lt;b&gt;</text></g></svg>`; err != nil || page != want {
		t.Errorf("got %q (%v), want %q", page, err, want)
	}
}

func FuzzInline(f *testing.F) {
	f.Add([]byte(`<svg viewBox="0 0 1 1"><title>t</title><path d="M1,2" style="fill:#0072B2"/></svg>`))
	f.Fuzz(func(t *testing.T, svg []byte) {
		page, err := Inline(svg)
		if err != nil {
			return
		}
		for _, bad := range []string{"<script", "href", "url(", "<image", "<style", "<a>"} {
			if strings.Contains(strings.ToLower(page), bad) {
				t.Fatalf("%q holds %q", page, bad)
			}
		}
	})
}
