package nearjson

import (
	"encoding/json"
	"strings"
	"testing"
)

var mended = []struct{ src, want string }{
	{`{"a":"b","c":[1,2]}`, `{"a":"b","c":[1,2]}`},
	{"{\"a\":\"one\ntwo\tthree\r\n\x01\"}", `{"a":"one\ntwo\tthree\r\n"}`},
	{`{"a":[1,2,],}`, `{"a":[1,2]}`},
	{"[1 , \n ]", "[1  \n ]"},
	{`[,1,,2]`, `[1,2]`},
	{`{"a":"it\'s \d \u00e9 \u00z \\ \" \/"}`, `{"a":"it's \\d \u00e9 \\u00z \\ \" \/"}`},
	{`["a,]","[,\",]"]`, `["a,]","[,\",]"]`},
	{"[\"a\\\nb\"]", `["a\\\nb"]`},
	{`[1],`, `[1]`},
	{"", ""},
}

func TestMend(t *testing.T) {
	for _, c := range mended {
		got := Mend(c.src)
		if got != c.want || c.want != "" && !json.Valid([]byte(got)) {
			t.Errorf("%q gives %q, want %q", c.src, got, c.want)
		}
		if err := Wrong(c.src); c.src != "" && err != nil {
			t.Errorf("%q: %v", c.src, err)
		}
	}
}

func TestWrong(t *testing.T) {
	for src, want := range map[string]string{
		"{\"a\":\"x\ny\",\n \"b\": oops}": "line 3, column 7: ",
		`{"a":"say "hi" now"}`:            "line 1, column 12: ",
		"[1,\n2":                          "line 2, column 1: ",
		`{"a" 1}`:                         "line 1, column 6: ",
		`["a`:                             "line 1, column 3: ",
		``:                                "line 1, column 1: ",
		"[\"\\'\\q\n\",}":                 "line 2, column 3: ",
	} {
		if err := Wrong(src); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

// What is JSON stays as it is; what is mended stays so.
func FuzzMend(f *testing.F) {
	for _, c := range mended {
		f.Add(c.src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := Mend(src)
		switch {
		case len(got) > 2*len(src):
			t.Errorf("%q gives %d bytes of %d", src, len(got), len(src))
		case json.Valid([]byte(src)) && got != src:
			t.Errorf("%q, which is JSON, gives %q", src, got)
		case json.Valid([]byte(got)) && Mend(got) != got:
			t.Errorf("%q gives %q, and that %q", src, got, Mend(got))
		case json.Valid([]byte(got)) != (Wrong(src) == nil):
			t.Errorf("%q gives %q, and %v", src, got, Wrong(src))
		}
	})
}
