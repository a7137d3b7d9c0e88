package condition

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

func TestMet(t *testing.T) {
	for _, c := range []struct {
		condition     string
		before, after string // lines, parted by slashes
		want          bool
	}{
		{"appears in stock", "Sold out", "Pot/IN STOCK", true},
		{"appears in stock", "in stock", "in stock now", false},
		{"appears in stock", "in stock", "sold out", false},
		{"appears /v\\d+\\.0/", "v1.2", "v2.0", true},
		{"appears /V/", "a", "v", false},
		{"vanishes sold out", "Pot/sold out", "Pot", true},
		{"vanishes sold out", "Pot", "Pot/new", false},
		{"below 20", "Price: 25.00", "Price: 19.99", true},
		{"below 20", "Price: 19.00", "Price: 18", false},
		{"below 20", "Price: 20", "Price: 20", false},
		{"below 20", "no price", "Price: 19", true},
		{"below 20", "Price: 25", "no price", false},
		{"above -3", "-4°", "-2°", true},
		{"above 1000", "999", "1,299.50", true},
		{"below 1300", "1.300,01", "1.299,50", true},
		{"above 1000000", "1", "1'234'567", true},
		{"above 2", "1", "v 2.5.", true},
		{"passes 10", "9", "11", true},
		{"passes 10", "11", "9", true},
		{"passes 10", "11", "12", false},
		{"passes 10", "none", "12", false},
		{"changes 5%", "100", "105", true},
		{"changes 5%", "100", "95", true},
		{"changes 5%", "100", "104.9", false},
		{"changes 5%", "0", "0.1", true},
		{"changes 0.1%", "5", "5", false},
		{"below 3 of Tea", "Coffee 2/Tea 4", "Coffee 2/Tea 2.50", true},
		{"below 3 of Tea", "Coffee 4/Tea 4", "Coffee 2/Tea 4", false},
		{"below 3 of /Tea \\(\\d+ g\\): ([\\d.]+)/", "Tea (100 g): 4", "Tea (100 g): 2.5", true},
		{"BELOW 3 of tea", "Tea 4", "Tea 2", true},
	} {
		parsed, err := Parse(c.condition)
		if err != nil {
			t.Errorf("%s: %v", c.condition, err)
			continue
		}
		if got := parsed.Met(strings.Split(c.before, "/"), strings.Split(c.after, "/")); got != c.want {
			t.Errorf("%q, from %q to %q: %v", c.condition, c.before, c.after, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "begins with none", "rises 3": "begins with none", "appears": "lacks the text",
		"vanishes ": "lacks the text",
		"below":     "lacks the number", "below x": "lacks the number", "above NaN": "lacks the number",
		"above Inf": "lacks the number",
		"changes 5": "percentage", "changes -5%": "above 0", "below 3 Tea": "may stand a text",
		"below 3 of":  "may stand a text",
		"appears /(/": "regular expression", "appears " + strings.Repeat("x", 600): "bytes",
	} {
		if _, err := Parse(text); !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v", text, err)
		}
	}
	if _, err := ParseAll(make([]string, Most+1)); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("too many: %v", err)
	}
	if !AnyMet(nil, nil, nil) {
		t.Error("without conditions not every change counts")
	}
}

// What rises above a number and falls below it comes by turns, whatever the numbers.
func TestRisesAndFallsComeByTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(-50, 50).Draw(t, "limit")
		above, _ := Parse("above " + decimal(limit))
		values := rapid.SliceOfN(rapid.IntRange(-100, 100), 2, 20).Draw(t, "values")
		is := values[0] > limit
		for i, v := range values[1:] {
			got := above.Met([]string{decimal(values[i])}, []string{decimal(v)})
			if want := !is && v > limit; got != want {
				t.Fatalf("from %d to %d, limit %d: %v", values[i], v, limit, got)
			}
			is = v > limit
		}
	})
}

func decimal(n int) string { return strings.TrimSpace(strings.Join([]string{sign(n), digits(n)}, "")) }

func sign(n int) string {
	if n < 0 {
		return "-"
	}
	return ""
}

func digits(n int) string {
	n = max(n, -n)
	return string(rune('0'+n/100)) + string(rune('0'+n/10%10)) + string(rune('0'+n%10)) + ".0"
}

func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/fuzz/FuzzParse/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("the seeds are gone: %v", err)
	}
	f.Fuzz(func(t *testing.T, text, before, after string) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
		if c.Met(is, is) {
			t.Fatalf("%q is met by %q, which has not changed", text, after)
		}
		c.Met(was, is)
	})
}
