package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/lab/cost"
	"tidings/lab/cpu"
)

// extractMasked extracts html with noise.
func extractMasked(t testing.TB, html string, n Noise) Document {
	t.Helper()
	doc, err := Extract([]byte(html), "text/html; charset=utf-8", "", tidings.PageOptions{}, n, Default())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const newsPage = `<h1>News</h1><ul class=news><li>%s<li>Prices rise<li>Rain expected in the valleys, snow above</ul><p>All the news of the day, from all over the country.
<p class=quote>%s</p><p class=note>Poll: %s of readers agree</p><div class=weather><p>%s</p></div><p>%s</p><p>Contact us`

// TestHostile13 is hostile 13, the page's side: what differs per request is learned,
// and later changes elsewhere are seen all the same.
func TestHostile13(t *testing.T) {
	first := fmt.Sprintf(newsPage, "Bridge opens", "To be or not to be", "57", "sunny, 21 degrees", "a8f3c2")
	second := fmt.Sprintf(newsPage, "Bridge opens", "I think, therefore I am", "58", "cloudy", "99b1de")
	noise, err := Learn(read(t, first, tidings.PageOptions{}), read(t, second, tidings.PageOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	a, b := extractMasked(t, first, noise), extractMasked(t, second, noise)
	want := "# News|- Bridge opens|- Prices rise|- Rain expected in the valleys, snow above|All the news of the day, from all over the country.|Poll: … of readers agree|Contact us"
	if got := strings.Join(a.Lines, "|"); got != want || !slices.Equal(a.Lines, b.Lines) {
		t.Errorf("masked\n%q\n%q, want\n%q", a.Lines, b.Lines, want)
	}
	if noise, err = DecodeNoise(noise.Encode()); err != nil {
		t.Fatal(err)
	}
	// Later: other noise, and news above, which moves everything down.
	third := strings.Replace(fmt.Sprintf(newsPage, "Ferry sinks<li>Bridge opens", "Panta rhei", "61", "storm warning",
		"0c0c0c"), "Contact us", "Contact them", 1)
	want = "# News|- Ferry sinks|- Bridge opens|- Prices rise|- Rain expected in the valleys, snow above|All the news of the day, from all over the country.|Poll: … of readers agree|Contact them"
	got := extractMasked(t, third, noise).Lines
	// Where the token stands is known by its neighbours, one of which changed: it shows again.
	if got = slices.DeleteFunc(got, func(l string) bool { return l == "0c0c0c" }); strings.Join(got, "|") != want {
		t.Errorf("later: %q, want %q", got, want)
	}
}

func TestLearnIsNarrow(t *testing.T) {
	// Only the number of one of several lines alike differs: the others stay visible.
	page := "<ul><li>Alpha has 5 seats<li>Beta has %d seats<li>Gamma has 7 seats</ul><p>text around it"
	noise, err := Learn(read(t, fmt.Sprintf(page, 1), tidings.PageOptions{}),
		read(t, fmt.Sprintf(page, 2), tidings.PageOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(extractMasked(t, strings.Replace(fmt.Sprintf(page, 3), "Gamma has 7", "Gamma has 8", 1),
		noise).Lines, "|")
	if want := "- Alpha has 5 seats|- Beta has … seats|- Gamma has 8 seats|text around it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// A bare number among stable bare numbers is masked where it is, not everywhere.
	page = "<p>first line<p>10<p>second line<p>%d<p>third line<p>30<p>fourth line, the end"
	if noise, err = Learn(read(t, fmt.Sprintf(page, 1), tidings.PageOptions{}),
		read(t, fmt.Sprintf(page, 2), tidings.PageOptions{})); err != nil {
		t.Fatal(err)
	}
	got = strings.Join(extractMasked(t, strings.Replace(fmt.Sprintf(page, 3), ">30<", ">31<", 1), noise).Lines, "|")
	if want := "first line|10|second line|third line|31|fourth line, the end"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// What a person keeps is not masked.
	doc, err := Extract(fmt.Appendf(nil, page, 9), "text/html", "", tidings.PageOptions{Keep: []string{"^9$"}}, noise,
		Default())
	if err != nil || !slices.Contains(doc.Lines, "9") {
		t.Errorf("kept line is masked: %q, %v", doc.Lines, err)
	}
}

func TestTooNoisyToLearn(t *testing.T) {
	a := read(t, "<h1>a b c</h1><p>"+strings.Repeat("old words ", 20), tidings.PageOptions{})
	b := read(t, "<h1>a b c</h1><p>"+strings.Repeat("new ones ", 20), tidings.PageOptions{})
	if n, err := Learn(a, b); !errors.Is(err, ErrNoisy) || n.Len() != 0 {
		t.Errorf("got %d rules, %v; want ErrNoisy", n.Len(), err)
	}
	if n, err := Learn(a, a); err != nil || n.Len() != 0 {
		t.Errorf("equal documents: %d rules, %v", n.Len(), err)
	}
}

// TestLearningIsBounded learns from the largest pages, where every fifth line differs.
func TestLearningIsBounded(t *testing.T) {
	if cost.RaceDetector() {
		t.Skip("measures time, which the race detector makes long")
	}
	page := func(noise string) Document {
		var b strings.Builder
		for i := range 100_000 {
			text := fmt.Sprint("line ", i)
			if i%5 == 0 {
				text = fmt.Sprint(noise, i*7)
			}
			b.WriteString("<p>" + text)
		}
		return read(t, b.String(), tidings.PageOptions{})
	}
	a, b := page("x"), page("y")
	start := cpu.Time()
	if _, err := Learn(a, b); !errors.Is(err, ErrNoisy) {
		t.Errorf("got %v, want ErrNoisy", err)
	}
	if took := cpu.Time() - start; took > 10*time.Second {
		t.Errorf("took %v", took)
	} else {
		t.Log(took)
	}
}

// TestLearnedMaskMakesFetchesEqual is the property that the masks are made for.
func TestLearnedMaskMakesFetchesEqual(t *testing.T) {
	words := []string{"alpha", "beta 5", "gamma: 17 of 20", "7", "x1y2z3", "the weather is fine", "the weather is bad",
		""}
	classes := []string{"", " class=a", " class=b", " id=c"}
	tried, learned := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var first, second strings.Builder
		for i := range rapid.IntRange(5, 25).Draw(t, "lines") {
			open := "<p" + rapid.SampledFrom(classes).Draw(t, "class") + ">"
			stable := fmt.Sprintf("%s stable line number %d</p>", open, rapid.IntRange(0, 30).Draw(t, "stable"))
			switch {
			case i%3 == 0 && rapid.Bool().Draw(t, "noise"):
				first.WriteString(open + rapid.SampledFrom(words).Draw(t, "a") + "</p>")
				second.WriteString(open + rapid.SampledFrom(words).Draw(t, "b") + "</p>")
			default:
				first.WriteString(stable)
				second.WriteString(stable)
			}
		}
		a, errA := Extract([]byte(first.String()), "text/html", "", tidings.PageOptions{}, Noise{}, Default())
		b, errB := Extract([]byte(second.String()), "text/html", "", tidings.PageOptions{}, Noise{}, Default())
		if errA != nil || errB != nil {
			t.Skip("no text")
		}
		tried++
		noise, err := Learn(a, b)
		if err != nil {
			return
		}
		learned++
		if noise, err = DecodeNoise(noise.Encode()); err != nil {
			t.Fatal(err)
		}
		x, errX := Extract([]byte(first.String()), "text/html", "", tidings.PageOptions{}, noise, Default())
		y, errY := Extract([]byte(second.String()), "text/html", "", tidings.PageOptions{}, noise, Default())
		if errX != nil || errY != nil || !slices.Equal(x.Lines, y.Lines) {
			t.Fatalf("with the mask they still differ:\n%q\n%q", x.Lines, y.Lines)
		}
		for _, l := range a.Lines {
			if strings.HasPrefix(l, "stable") && slices.Contains(b.Lines, l) && !slices.Contains(x.Lines, l) {
				t.Fatalf("the mask hides %q, which both have", l)
			}
		}
	})
	if 2*learned < tried {
		t.Errorf("only %d of %d pages were learned from", learned, tried)
	}
}

func TestNoiseCodec(t *testing.T) {
	if (Noise{}).Encode() != "" {
		t.Error("no rules have an encoding")
	}
	for _, bad := range []string{"x", "{}", `{"v":2,"rules":[{"p":[1,2,3,4]}]}`, `{"v":1,"rules":[]}`,
		`{"v":1,"rules":[{}]}`,
		`{"v":1,"rules":[{"t":{"p":[1,2,3,4],"s":["a"],"k":"#"}}]}`,
		`{"v":1,"rules":[{"t":{"p":[1,2,3,4],"s":["a","b"],"k":"?"}}]}`,
		`{"v":1,"rules":[{"g":{"b":{"n":9,"h":1},"a":{"n":0,"h":1},"n":1}}]}`, `{"v":1,"rules":[{"g":{"n":1000}}]}`,
		`{"v":1,"rules":[` + strings.Repeat(`{"p":[1,2,3,4]},`, MaxRules) + `{"p":[1,2,3,4]}]}`,
		strings.Repeat(" ", maxEncoded+1)} {
		if _, err := DecodeNoise(bad); !errors.Is(err, ErrNoise) {
			t.Errorf("%.60q: %v, want ErrNoise", bad, err)
		}
	}
	var many Noise
	for i := range 2 * MaxRules {
		many = many.Merge(Noise{rules: []rule{{Place: &path{uint32(i)}}, {Place: &path{uint32(i)}}}})
	}
	if many.Len() != MaxRules || many.rules[MaxRules-1].Place[0] != 2*MaxRules-1 {
		t.Errorf("merged to %d rules", many.Len())
	}
}

func FuzzDecodeNoise(f *testing.F) {
	seeds := []string{"", `{"v":1,"rules":[{"p":[1,2,3,4]}]}`,
		`{"v":1,"rules":[{"t":{"p":[1,2,3,4],"s":["a",""],"k":"#"}}]}`,
		`{"v":1,"rules":[{"g":{"b":{"n":1,"h":18446744073709551615},"a":{"n":0,"h":0},"n":3}}]}`}
	for _, s := range seeds {
		if _, err := DecodeNoise(s); err != nil {
			f.Fatalf("a seed cannot be read: %v", err)
		}
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := DecodeNoise(text)
		if err != nil {
			return
		}
		again, err := DecodeNoise(n.Encode())
		if err != nil || again.Encode() != n.Encode() {
			t.Fatalf("not read again as written: %v", err)
		}
		extractMasked(t, shop+"<p>a", n)
	})
}
