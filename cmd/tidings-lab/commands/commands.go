// Package commands is the command line of tidings-lab.
package commands

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/alecthomas/kong"

	"tidings"
	"tidings/cmd/cli"
	"tidings/cmd/console"
)

// commands is the command line. A new command is one line here, of a type with a method Run(*program) error.
type commands struct {
	List     listCmd     `cmd:"" help:"List the experiments."`
	Run      runCmd      `cmd:"" help:"Run experiments: a table, plots, and a file of figures for each."`
	Report   reportCmd   `cmd:"" help:"Make one page of all results in a folder."`
	Net      netCmd      `cmd:"" help:"Run many nodes in one process, on loopback: a network to explore."`
	Origin   originCmd   `cmd:"" help:"Serve recorded histories as an origin that can misbehave on request."`
	Campaign campaignCmd `cmd:"" help:"Run random worlds with faults, without end, and judge each."`
	Bench    benchCmd    `cmd:"" help:"Measure this program on this machine."`

	Benchmarks benchmarksCmd `cmd:"" help:"Make docs/benchmarks.md of recorded results, in a checkout."`

	Up upCmd `cmd:"" hidden:"" passthrough:"" help:"Run one node, for an experiment that starts it as a process of its own."`
}

// program is what commands are given of the world.
type program struct {
	ctx    context.Context
	out    *console.Console
	errors *console.Console
}

const (
	name        = "tidings-lab"
	description = "Experiments with Tidings: what papers claim, tried in a simulator and on whole nodes; benchmarks; origins that misbehave."
)

// Parser returns the parser of the command line, for what names commands.
func Parser(out, errOut io.Writer) (*kong.Kong, error) {
	return parserOf(new(commands), out, errOut)
}

func parserOf(into *commands, out, errOut io.Writer) (*kong.Kong, error) {
	return kong.New(into, cli.Options(name, description, out, errOut)...)
}

// Run is the program.
func Run(ctx context.Context, args []string, _ io.Reader, out, errOut io.Writer, env func(string) string) int {
	return cli.Status(func() int {
		p := &program{ctx: ctx, out: console.New(out, env), errors: console.New(errOut, env)}
		parser, err := Parser(out, errOut)
		if err != nil {
			return p.fail(err)
		}
		parsed, err := parser.Parse(args)
		if err != nil {
			cli.Complain(p.errors, name, cli.Reason(err), cmp.Or(tidings.HintOf(err), "see: tidings-lab --help"))
			return cli.Misused
		}
		if err := parsed.Run(p); err != nil {
			return p.fail(err)
		}
		return 0
	})
}

// fail says in one line what went wrong.
func (p *program) fail(err error) int {
	if p.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return 0 // a person ended it
	}
	cli.Complain(p.errors, name, tidings.Reason(err), tidings.HintOf(err))
	if errors.As(err, new(*cli.Misuse)) {
		return cli.Misused
	}
	return cli.Failed
}
