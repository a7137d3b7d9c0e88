package commands

import (
	"tidings/cmd/cli"
	"tidings/cmd/console"
	"tidings/lab/benchmarks"
	"tidings/lab/experiments"
)

// checkout is the root of the project, where results are recorded: the program runs there.
const checkout = "."

type benchmarksCmd struct {
	Check bool   `xor:"do" help:"Say which rows were measured before their experiments changed, and change no file."`
	Stale string `xor:"do" help:"Mark these rows as stale, for this reason." placeholder:"WHY"`
}

// Run makes docs/benchmarks.md of the rows of docs/results, and sees to rows that may not hold any more if asked to.
func (c *benchmarksCmd) Run(p *program) error {
	if !c.Check && c.Stale == "" {
		return benchmarks.Write(checkout)
	}
	rows, err := benchmarks.Load(checkout)
	if err != nil {
		return err
	}
	changed, err := benchmarks.ChangedSince(p.ctx, experiments.All(), rows)
	if err != nil {
		return err
	}
	for _, row := range changed {
		p.out.Printf("%s\n", console.Neutral(row.String()))
		if c.Check {
			continue
		}
		row.Stale = c.Stale
		if err := row.Save(); err != nil {
			return err
		}
	}
	if c.Check && len(changed) > 0 {
		return cli.Failure("changed since it was measured: "+console.Of(len(changed), "row"),
			"measure it again, or mark it by: tidings-lab benchmarks --stale WHY")
	}
	if c.Check {
		return nil
	}
	return benchmarks.Write(checkout)
}
