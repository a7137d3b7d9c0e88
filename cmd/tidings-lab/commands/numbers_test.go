package commands

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"tidings/cluster"
	"tidings/cmd/cli"
	"tidings/lab"
)

// A value that is no number, or an impossible one, is refused in plain words, whatever it looks like.
func TestNumbersThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"net --nodes -1":                      "--nodes must be between 1 and 500, not -1",
		"net --seed -1":                       "--seed must be 0 or more, not -1",
		"run all --seed x":                    `--seed must be a whole number, not "x"`,
		"run all --seed 18446744073709551616": "--seed 18446744073709551616 is too large",
		"run all --seeds 0":                   "--seeds must be between 1 and 10000, not 0",
		"origin --replay . --speed -1":        "--speed must be 0 or more, not -1",
		"origin --replay . --speed NaN":       `--speed must be a number, not "NaN"`,
		"origin --replay . --speed Inf":       "--speed Inf is too large",
		"origin --replay . --max-age -1s":     `--max-age: "-1s" is no duration`,
		"bench net --nodes 1":                 "--nodes must be between 2 and 500, not 1",
		"bench net --settle -1s":              `--settle: "-1s" is no duration`,
		"bench soak --clients -1":             "--clients must be between 0 and 100, not -1",
		"bench push --streams 9001":           "--streams must be between 1 and 9000, not 9001",
		"bench reader --repeats 0":            "--repeats must be 1 or more, not 0",
		"bench poll --held 0":                 "--held must be 1 or more, not 0",
	} {
		var errOut bytes.Buffer
		status := Run(t.Context(), strings.Fields(args), strings.NewReader(""), io.Discard, &errOut,
			func(string) string { return "" })
		if got := errOut.String(); status != cli.Misused || !strings.HasPrefix(got, "tidings-lab: "+want) ||
			strings.Count(got, "\n") != 1 {
			t.Errorf("%s: status %d, %q, want %q", args, status, got, want)
		}
	}
}

// The bounds of the command line are those of what it runs.
func TestNumbers(t *testing.T) {
	for args, holds := range map[string]func(commands) bool{
		"run all --seed 18446744073709551615 --seeds 10000": func(c commands) bool {
			return c.Run.Seed == 1<<64-1 && c.Run.Seeds == lab.MaxSeeds
		},
		"origin --replay . --speed 0.5": func(c commands) bool { return c.Origin.Speed == 0.5 },
		"net --nodes 500": func(c commands) bool {
			return c.Net.Nodes == cluster.MaxNodes
		},
	} {
		var given commands
		parser, err := parserOf(&given, io.Discard, io.Discard)
		if err == nil {
			_, err = parser.Parse(strings.Fields(args))
		}
		if err != nil || !holds(given) {
			t.Errorf("%s: %+v, %v", args, given, err)
		}
	}
}

// Every number of the command line has bounds.
func TestEveryNumberHasBounds(t *testing.T) {
	parser, err := Parser(io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := cli.CheckNumbers(parser.Model); err != nil || seen < 8 {
		t.Errorf("%d numbers, %v", seen, err)
	}
}
