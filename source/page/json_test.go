package page

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tidings"
)

func jsonDocument(t *testing.T, text, contentType string) []string {
	t.Helper()
	doc, err := Extract([]byte(text), contentType, "https://x.example/", tidings.PageOptions{}, Noise{}, Default())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc.Lines
}

// In which order the members of an object stand, and with which blanks, is no news; what they are is, and so is the
// order of a list.
func TestOrderOfJSONIsNoNews(t *testing.T) {
	const before = `{"name":"Pump","price":12.50,"stock":{"oslo":3,"bergen":0},"a b":1,"a":[{"y":1,"x":[2,1]},{"x":{},"y":""}]}`
	want := jsonDocument(t, before, "application/json")
	for _, contentType := range []string{"application/json", "application/ld+json; charset=utf-8", "text/plain",
		"application/octet-stream", ""} {
		for _, same := range []string{before,
			`{"stock": {"bergen":0,"oslo":3},` + "\n\t" +
				`"a":[{"x":[2,1],"y":1},{"y":"","x":{}}],"price":12.50, "a b":1,"name":"Pump"}`} {
			if got := jsonDocument(t, same, contentType); !slices.Equal(got, want) {
				t.Errorf("%s, as %q:\ngot  %q\nwant %q", same, contentType, got, want)
			}
		}
	}
	for old, now := range map[string]string{`12.50`: `12.90`, `[2,1]`: `[1,2]`, `"oslo":3`: `"oslo":0`,
		`"y":""`: `"z":""`, `"x":{}`: `"x":[]`} {
		got := jsonDocument(t, strings.Replace(before, old, now, 1), "application/json")
		if slices.Equal(got, want) {
			t.Errorf("%s for %s is no news", now, old)
		}
		if old == `12.50` && !slices.Contains(got, `  "price": 12.90,`) {
			t.Errorf("%q", got)
		}
	}
}

// Whatever the order, and however deep, the lines are those of the document in the order of its names.
func TestOrderOfLargeJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var write func(depth int) (sorted, shuffled string)
	write = func(depth int) (string, string) {
		if depth == 0 {
			return "1", "1"
		}
		var sorted, shuffled []string
		for i := range 4 {
			a, b := write(depth - 1)
			name := `"` + string(rune('a'+i)) + `":`
			sorted, shuffled = append(sorted, name+a), append(shuffled, name+b)
		}
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		return "{" + strings.Join(sorted, ",") + "}", "{" + strings.Join(shuffled, ",\n") + "}"
	}
	sorted, shuffled := write(6)
	if !slices.Equal(jsonDocument(t, sorted, "application/json"), jsonDocument(t, shuffled, "application/json")) {
		t.Error("a shuffled document gives other lines")
	}
	if lines := jsonDocument(t, `{"a":1,"b":[1,{"c":{}}]}`, "application/json"); strings.Join(lines, "\n") !=
		"{\n  \"a\": 1,\n  \"b\": [\n    1,\n    {\n      \"c\": {}\n    }\n  ]\n}" {
		t.Errorf("%q", lines)
	}
}
