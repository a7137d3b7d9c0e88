package page

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

const shop = `<h1>Shop</h1><nav><a>Home</a></nav>
<div id=prices><p>Tea 2.50 <span class=stock>12 left</span><p>Last updated 3 May 2024<aside class=top-ad>Buy!</aside></div>
<p>Total 5 items<p class=b>Coffee 3.00 <time>3 hours ago</time><p hidden id=secret>hidden`

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		o    tidings.PageOptions
		want string
	}{
		{"defaults", tidings.PageOptions{}, "# Shop|Tea 2.50 12 left|Total 5 items|Coffee 3.00"},
		{"select", tidings.PageOptions{Select: []string{"#prices"}}, "Tea 2.50 12 left"},
		{"several, in document order, no part twice",
			tidings.PageOptions{Select: []string{"p.b", "#prices", "#prices p"}}, "Tea 2.50 12 left|Coffee 3.00"},
		{"select what the defaults ignore", tidings.PageOptions{Select: []string{"nav", "#secret"}}, "Home|hidden"},
		{"ignore by selector", tidings.PageOptions{Ignore: []string{".stock", "h1, time"}},
			"Tea 2.50|Total 5 items|Coffee 3.00"},
		{"ignore by expression", tidings.PageOptions{Ignore: []string{`\d+ left`, "Total.*"}},
			"# Shop|Tea 2.50|Coffee 3.00"},
		{"words are an expression", tidings.PageOptions{Ignore: []string{"Total"}},
			"# Shop|Tea 2.50 12 left|5 items|Coffee 3.00"},
		{"slashes make an expression", tidings.PageOptions{Ignore: []string{"/p/"}},
			"# Sho|Tea 2.50 12 left|Total 5 items|Coffee 3.00"},
		{"keep by selector", tidings.PageOptions{Keep: []string{"nav", "time", "#secret", ".top-ad"}},
			"# Shop|Home|Tea 2.50 12 left|Buy!|Total 5 items|Coffee 3.00 3 hours ago|hidden"},
		{"keep by expression", tidings.PageOptions{Keep: []string{"Last updated", "^Home"}},
			"# Shop|Home|Tea 2.50 12 left|Last updated 3 May 2024|Total 5 items|Coffee 3.00"},
		{"keep wins over ignore", tidings.PageOptions{Ignore: []string{"nav"}, Keep: []string{"nav"}},
			"# Shop|Home|Tea 2.50 12 left|Total 5 items|Coffee 3.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := Validate(c.o); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(read(t, shop, c.o).Lines, "|"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	many := make([]string, maxOptions+1)
	for i := range many {
		many[i] = "p"
	}
	for _, c := range []struct {
		o    tidings.PageOptions
		want string
	}{
		{tidings.PageOptions{Select: []string{"p["}}, `--select "p[": not a CSS selector`},
		{tidings.PageOptions{Select: []string{""}}, `--select "": empty`},
		{tidings.PageOptions{Ignore: []string{"a("}}, "as a regular expression: missing closing )"},
		{tidings.PageOptions{Ignore: []string{"x*"}}, "matches every line"},
		{tidings.PageOptions{Keep: []string{" "}}, "empty"},
		{tidings.PageOptions{Keep: []string{strings.Repeat("x", maxOption+1)}}, "too long"},
		{tidings.PageOptions{Ignore: []string{`/(x{1000}){1000}/`}}, "as a regular expression"},
		{tidings.PageOptions{Select: []string{strings.Repeat("p ", maxOption)}}, "too long"},
		{tidings.PageOptions{Select: many}, "at most 32"},
	} {
		err := Validate(c.o)
		if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60v: %v, want %q", c.o, err, c.want)
		}
	}
}

func TestSelectorOrExpression(t *testing.T) {
	for s, want := range map[string]bool{ // true: an expression
		"table": false, "#clock": false, ".ad": false, "div.a > p": false, "time, .x": false, "my-element": false,
		"*":              false,
		`a[href*="x y"]`: false, "li:nth-child(2n+1)": false, "TABLE": false,
		"Last updated.*": true, "Last updated": true, "Total": true, "/table/": true, `\d+`: true, "Figure 3": true,
		"^x": true, "Stand": true,
	} {
		if got := isPattern(s); got != want {
			t.Errorf("isPattern(%q) = %v", s, got)
		}
	}
}

func FuzzValidate(f *testing.F) {
	seeds := []string{"p", "a[b=c]", ":has(", "/x/", "Last updated.*", ":nth-child(2n+1)", "\\"}
	if len(seeds) < 7 {
		f.Fatal("the seeds are gone")
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o := tidings.PageOptions{Select: []string{s}, Ignore: []string{s}, Keep: []string{s}}
		if Validate(o) != nil {
			return
		}
		if _, err := Extract([]byte(shop), "text/html", "", o, Noise{}, Default()); errors.Is(err, tidings.ErrInvalid) {
			t.Fatal(err)
		}
	})
}
