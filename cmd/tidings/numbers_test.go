package main

import (
	"bytes"
	"strings"
	"testing"

	"tidings/cmd/cli"
)

// A text that is no number, or none that is possible, is refused in plain words, whatever it looks like.
func TestNumbersThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"up --port -1":                         "--port must be between 0 and 65535, not -1",
		"up --port=65536":                      "--port must be between 0 and 65535, not 65536",
		"up --port http":                       `--port must be a whole number, not "http"`,
		"up --port 1.5":                        `--port must be a whole number, not "1.5"`,
		"up --port":                            "--port: a value is missing",
		"doctor --port -1":                     "--port must be between 0 and 65535, not -1",
		"up --keep-versions -1":                "--keep-versions must be 0 or more, not -1",
		"up --interval -1s":                    `--interval: "-1s" is no duration such as 90s, 30m, 2h or 2d`,
		"up --keep-age -1d":                    `--keep-age: "-1d" is no duration`,
		"up --body-limit -1":                   `--body-limit: "-1" is no size`,
		"updates --limit -3":                   "--limit must be 0 or more, not -3",
		"updates --limit 99999999999999999999": "--limit 99999999999999999999 is too large",
		"updates --since-id -1":                "--since-id must be 0 or more, not -1",
		"show x --version -1":                  "--version must be 0 or more, not -1",
	} {
		var errOut bytes.Buffer
		status := run(t.Context(), strings.Fields(args), strings.NewReader(""), &bytes.Buffer{}, &errOut,
			func(string) string { return "" })
		if got := errOut.String(); status != cli.Misused || !strings.HasPrefix(got, "tidings: "+want) ||
			strings.Count(got, "\n") != 1 {
			t.Errorf("%s: status %d, %q, want %q", args, status, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	given, _, err := parsed(t, "up", nil, nil)
	if err != nil || given.Up.Port != 7601 || given.Up.KeepVersions == 0 {
		t.Errorf("%+v, %v", given.Up, err)
	}
}

// Every number of the command line is of a kind that number reads, and has bounds.
func TestEveryNumberHasBounds(t *testing.T) {
	p := &program{env: func(string) string { return "" }}
	parser, _, err := newParser(new(commands), p, &bytes.Buffer{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := cli.CheckNumbers(parser.Model); err != nil || seen < 10 {
		t.Errorf("%d numbers, %v", seen, err)
	}
}
