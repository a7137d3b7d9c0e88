package main

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tidings/lab"
	"tidings/lab/cluster"
)

// What is no number, or none that can be, is told in plain words, whatever it looks like.
func TestNumbersThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"up --port -1":                            "--port must be between 0 and 65535, not -1",
		"up --port=65536":                         "--port must be between 0 and 65535, not 65536",
		"up --port http":                          `--port must be a whole number, not "http"`,
		"up --port 1.5":                           `--port must be a whole number, not "1.5"`,
		"up --port":                               "--port: a value is missing",
		"doctor --port -1":                        "--port must be between 0 and 65535, not -1",
		"up --keep-versions -1":                   "--keep-versions must be 0 or more, not -1",
		"up --interval -1s":                       `--interval: "-1s" is no duration such as 90s, 30m, 2h or 2d`,
		"up --keep-age -1d":                       `--keep-age: "-1d" is no duration`,
		"up --body-limit -1":                      `--body-limit: "-1" is no size`,
		"updates --limit -3":                      "--limit must be 0 or more, not -3",
		"updates --limit 99999999999999999999":    "--limit 99999999999999999999 is too large",
		"updates --since-id -1":                   "--since-id must be 0 or more, not -1",
		"show x --version -1":                     "--version must be 0 or more, not -1",
		"lab net --nodes -1":                      "--nodes must be between 1 and 500, not -1",
		"lab net --seed -1":                       "--seed must be 0 or more, not -1",
		"lab run all --seed x":                    `--seed must be a whole number, not "x"`,
		"lab run all --seed 18446744073709551616": "--seed 18446744073709551616 is too large",
		"lab run all --seeds 0":                   "--seeds must be between 1 and 10000, not 0",
		"lab origin --replay . --speed -1":        "--speed must be 0 or more, not -1",
		"lab origin --replay . --speed NaN":       `--speed must be a number, not "NaN"`,
		"lab origin --replay . --speed Inf":       "--speed Inf is too large",
		"lab origin --replay . --max-age -1s":     `--max-age: "-1s" is no duration`,
		"lab bench net --nodes 1":                 "--nodes must be between 2 and 500, not 1",
		"lab bench net --settle -1s":              `--settle: "-1s" is no duration`,
		"lab bench soak --clients -1":             "--clients must be between 0 and 100, not -1",
		"lab bench poll --held 0":                 "--held must be 1 or more, not 0",
	} {
		var errOut bytes.Buffer
		status := run(t.Context(), strings.Fields(args), strings.NewReader(""), &bytes.Buffer{}, &errOut, func(string) string { return "" })
		if got := errOut.String(); status != exitUsage || !strings.HasPrefix(got, "tidings: "+want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: status %d, %q, want %q", args, status, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	cli, _, err := parsed(t, "lab run all --seed 18446744073709551615 --seeds 10000", nil, nil)
	if err != nil || cli.Lab.Run.Seed != 1<<64-1 || cli.Lab.Run.Seeds != lab.MaxSeeds {
		t.Errorf("%+v, %v", cli.Lab.Run, err)
	}
	cli, _, err = parsed(t, "lab origin --replay . --speed 0.5", nil, nil)
	if err != nil || cli.Lab.Origin.Speed != 0.5 {
		t.Errorf("%+v, %v", cli.Lab.Origin, err)
	}
	cli, _, err = parsed(t, "lab net --nodes 500", nil, nil)
	if err != nil || cli.Lab.Net.Nodes != cluster.MaxNodes {
		t.Errorf("%+v, %v", cli.Lab.Net, err)
	}
	cli, _, err = parsed(t, "up", nil, nil)
	if err != nil || cli.Up.Port != 7601 || cli.Up.KeepVersions == 0 {
		t.Errorf("%+v, %v", cli.Up, err)
	}
}

// Every number of the command line is of a kind that number reads, and has bounds.
func TestEveryNumberHasBounds(t *testing.T) {
	var cli commands
	p := &program{env: func(string) string { return "" }}
	parser, _, err := newParser(&cli, p, &bytes.Buffer{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	own := reflect.TypeFor[span]().PkgPath()
	seen := 0
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		var value *kong.Value
		switch node := node.(type) {
		case *kong.Flag:
			value = node.Value
		case *kong.Value:
			value = node
		default:
			return next(nil)
		}
		of := value.Target.Type()
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() < reflect.Int || of.Kind() > reflect.Float64 || of.PkgPath() == own { // own types read themselves
			return next(nil)
		}
		if least, most, err := boundsOf(value.Tag); err != nil || least > most || !slices.Contains(numberKinds, of.Kind()) {
			t.Errorf("%s of kind %s: from %v to %v, %v", value.Summary(), of.Kind(), least, most, err)
		}
		seen++
		return next(nil)
	})
	if err != nil || seen < 10 {
		t.Errorf("%d numbers, %v", seen, err)
	}
}
