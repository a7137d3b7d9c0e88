package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tidings/cmd/console"
	"tidings/delivery/diffview"
)

// parsed reads a command line with files and an environment. Files are named relative to
// a folder that stands for $HOME in args and env too.
func parsed(t *testing.T, args string, files, env map[string]string) (cli commands, home string, err error) {
	t.Helper()
	home = t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	get := func(name string) string {
		if name == "HOME" {
			return home
		}
		return strings.ReplaceAll(env[name], "$HOME", home)
	}
	var out bytes.Buffer
	p := &program{ctx: t.Context(), out: console.New(&out, get), errors: console.New(&out, get), env: get}
	parser, _, err := newParser(&cli, p, &out, &out)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(strings.Fields(strings.ReplaceAll(args, "$HOME", home)))
	return cli, home, err
}

func TestSettingsPrecedence(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the places are those of Linux")
	}
	const (
		own  = ".config/tidings/tidings.toml"
		data = ".local/share/tidings/tidings.toml"
	)
	for name, test := range map[string]struct {
		args       string
		files, env map[string]string
		want       int // --limit of updates
	}{
		"default": {args: "updates"},
		"own file": {args: "updates", files: map[string]string{own: "limit = 1"},
			want: 1},
		"a command's table": {args: "updates",
			files: map[string]string{own: "limit = 1\n[updates]\nlimit = 2\n[list]\njson = true"}, want: 2},
		"file with the data": {args: "updates",
			files: map[string]string{own: "limit = 1", data: "limit = 3"}, want: 3},
		"data named by the own file": {args: "updates", files: map[string]string{own: "data = '~'\nlimit=1",
			data: "limit = 3"}, want: 1},
		"data named by a flag": {args: "updates --data $HOME/d",
			files: map[string]string{data: "limit = 3", "d/tidings.toml": "limit = 4"}, want: 4},
		"data named before the command": {args: "--data $HOME/d updates",
			files: map[string]string{"d/tidings.toml": "limit = 4"}, want: 4},
		"data named by the environment": {args: "updates", env: map[string]string{"TIDINGS_DATA": "$HOME/d"},
			files: map[string]string{"d/tidings.toml": "limit = 4"}, want: 4},
		"environment before files": {args: "updates", env: map[string]string{"TIDINGS_LIMIT": "5"},
			files: map[string]string{own: "limit = 1", data: "limit = 3"}, want: 5},
		"command line before all": {args: "updates --limit 6",
			env: map[string]string{"TIDINGS_LIMIT": "5"}, files: map[string]string{own: "limit = 1"}, want: 6},
		"a file named by a flag is the only one": {args: "updates --config $HOME/c",
			files: map[string]string{"c": "follow=true", data: "limit = 3"}},
		"a file named by the environment": {args: "updates", env: map[string]string{"TIDINGS_CONFIG": "$HOME/c"},
			files: map[string]string{"c": "limit = 7"}, want: 7},
		"other places for files": {args: "updates", env: map[string]string{"XDG_CONFIG_HOME": "$HOME/x",
			"XDG_DATA_HOME": "$HOME/y"}, files: map[string]string{own: "limit=1", "x/tidings/tidings.toml": "limit=8",
			"y/tidings/other": ""}, want: 8},
	} {
		t.Run(name, func(t *testing.T) {
			cli, _, err := parsed(t, test.args, test.files, test.env)
			if err != nil || cli.Updates.Limit != test.want {
				t.Errorf("got %d, want %d (%v)", cli.Updates.Limit, test.want, err)
			}
		})
	}
}

func TestSettingsOfEveryType(t *testing.T) {
	file := "[subscribe]\nselect = ['#a', 'b, c']\npage = true\n[updates]\nsince-id = 7\n[token.list]\njson = true\n"
	cli, _, err := parsed(t, "subscribe u --config $HOME/c", map[string]string{"c": file}, map[string]string{
		"TIDINGS_IGNORE": "one, and\ntwo", "TIDINGS_NAME": "N"})
	got := cli.Subscribe
	if err != nil || len(got.Select) != 2 || got.Select[1] != "b, c" || len(got.Ignore) != 2 ||
		got.Ignore[0] != "one, and" || !got.Page || got.Name != "N" {
		t.Errorf("got %+v, %v", got, err)
	}
	cli, _, err = parsed(t, "updates --config $HOME/c", map[string]string{"c": file},
		map[string]string{"TIDINGS_JSON": "1", "TIDINGS_SINCE": "2026-01-02"})
	if err != nil || cli.Updates.SinceID == nil || *cli.Updates.SinceID != 7 || !cli.Updates.JSON ||
		cli.Updates.Since.Year() != 2026 {
		t.Errorf("got %+v, %v", cli.Updates, err)
	}
	cli, _, err = parsed(t, "token list --config $HOME/c", map[string]string{"c": file}, nil)
	if err != nil || !cli.Token.List.JSON {
		t.Errorf("got %+v, %v", cli.Token.List, err)
	}
}

func TestSettingsThatAreNone(t *testing.T) {
	for file, want := range map[string]string{
		"json = true\nlimt = 3":              `line 2: there is no setting "limt"`,
		"[updates]\n\nlimt = 3":              `line 3: there is no setting "updates.limt"`,
		"[list]\nlimit = 3":                  `line 2: there is no setting "list.limit"`,
		"[token]\nlist.limit = 3":            `line 2: there is no setting "token.list.limit"`,
		"updates.limit = 1\nupdates.lim = 3": `line 2: there is no setting "updates.lim"`,
		"help = true":                        `line 1: there is no setting "help"`,
		"config = 'x'":                       `line 1: there is no setting "config"`,
		"nothing = {a = 1}":                  `line 1: there is no setting "nothing.a"`,
		"\nupdates = {limit = 1}\nlist = {json = true, limit = 3}": `line 3: there is no setting "list.limit"`,
		"a b":                                   `line 1: `,
		"limit = 1\nlimit = 2":                  `line 2: `,
		"limit = " + strings.Repeat("1", 1<<20): `larger than`,
	} {
		_, _, err := parsed(t, "updates --config $HOME/c", map[string]string{"c": file}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", file, err, want)
		}
	}
	if _, _, err := parsed(t, "updates --config $HOME/none", nil, nil); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestSystemDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are written as on Unix")
	}
	for _, test := range []struct {
		goos, want string
		env        map[string]string
	}{
		{"linux", "/home/x/.local/share/tidings", map[string]string{"HOME": "/home/x"}},
		{"linux", "/data/tidings", map[string]string{"HOME": "/home/x", "XDG_DATA_HOME": "/data"}},
		{"linux", "/home/x/.local/share/tidings", map[string]string{"HOME": "/home/x", "XDG_DATA_HOME": "relative"}},
		{"linux", "", nil},
		{"darwin", "/Users/x/Library/Application Support/Tidings", map[string]string{"HOME": "/Users/x"}},
		{"windows", "/AppData/Local/Tidings", map[string]string{"LOCALAPPDATA": "/AppData/Local"}},
	} {
		got := systemDir(test.goos, func(name string) string { return test.env[name] }, "XDG_DATA_HOME", ".local/share")
		if got != test.want {
			t.Errorf("%s %v: got %q, want %q", test.goos, test.env, got, test.want)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"65536": 65536, "64KiB": 65536, "5MiB": 5 << 20, "1GiB": 1 << 30} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "5 MB", "99999999999999999999"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestNeutralWriterKeepsLines(t *testing.T) {
	var b bytes.Buffer
	w := &neutralWriter{out: &b}
	for _, part := range []string{"a\x1b[1m", "b\n\nc", "d\u202e\n", "e"} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.flush(); err != nil || b.String() != "a[1mb\n\ncd\ne\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestARewrittenLine(t *testing.T) {
	long := strings.Repeat("x ", 100)
	for _, test := range []struct{ before, after, plain, painted string }{
		{"tea costs 3 today", "tea costs 4 today", "≠ tea costs [-3-]{+4+} today\n",
			"\x1b[33m≠\x1b[0m tea costs \x1b[9;31m3\x1b[0m\x1b[4;32m4\x1b[0m today\n"},
		{"", "new", "+ new\n", "\x1b[32m+ new\x1b[0m\n"},
		{"old", "", "- old\n", "\x1b[31m- old\x1b[0m\n"},
		{long + "a " + long, long + "b " + long, "≠ …" + long[len(long)-60:] + "[-a-]{+b+} " + long[:59] + "…\n", ""},
		{evil + " tea 3", evil + " tea 4", "≠ [31mred[0m evil2J tea [-3-]{+4+}\n", ""},
	} {
		for _, painted := range []bool{false, true} {
			want := map[bool]string{false: test.plain, true: test.painted}[painted]
			var b bytes.Buffer
			printHunks(&console.Console{Out: &b, Terminal: true, Colour: painted}, "",
				diffview.Texts(test.before, test.after))
			if b.String() != want && want != "" {
				t.Errorf("%q, %q: got %q, want %q", test.before, test.after, b.String(), want)
			}
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"", "json = true", "[updates]\nlimit = 3", "updates = {limit = 3, limt = 4}",
		"a.b.c = 1", "[[list]]\njson = true",
		"\"\" = 1", "[token.new]\n", "data = [1, [2]]", "limit = 1979-05-27"} {
		f.Add(seed)
	}
	var cli commands
	p := &program{env: func(string) string { return "" }}
	parser, _, err := newParser(&cli, p, io.Discard, io.Discard)
	if err != nil {
		f.Fatal(err)
	}
	known := knownSettings(parser.Model)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := parseSettings(parser.Model, settingsName, []byte(text))
		for key := range values {
			if err == nil && !known[key] {
				t.Fatalf("%q let %q through", text, key)
			}
		}
	})
}
