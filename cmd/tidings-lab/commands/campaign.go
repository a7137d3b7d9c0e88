package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tidings/cmd/cli"
	"tidings/cmd/console"
	"tidings/lab"
	"tidings/lab/campaign"
)

type campaignCmd struct {
	Time   cli.Span `default:"30m" help:"How long to go on, 60m at most: longer campaigns are resumed; default ${default}." placeholder:"30m"`
	Seed   *uint64  `help:"The first world's; the others have those after it; default 1, or the resumed campaign's."`
	Resume string   `help:"Go on with the campaign of this log." placeholder:"FILE"`
	Out    string   `default:"lab-results" help:"Folder for the log, and for the scenes of worlds that fail; default ${default}." placeholder:"DIR"`
	Worlds int      `default:"0" least:"0" most:"1000000" help:"How many worlds to run at most; default: as many as there is time for." placeholder:"K"`
	Scene  string   `help:"Run the world of this file alone, as a campaign has written it." placeholder:"FILE"`
	JSON   bool     `name:"json" help:"Print JSON: one object a line for each world, and the summary."`
}

// shrinking is how long a failing world is made smaller.
const shrinking = 2 * time.Minute

// Run runs worlds until its time is over. It fails if a world does.
func (c *campaignCmd) Run(p *program) error {
	if c.Time <= 0 || time.Duration(c.Time) > campaign.MaxTime {
		return cli.Usage(fmt.Sprintf("--time is more than 0 and at most %v, not %v", campaign.MaxTime,
			time.Duration(c.Time)), "a longer campaign is resumed: --resume FILE")
	}
	if c.Scene != "" {
		return c.runScene(p)
	}
	log, path, err := c.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(p.ctx, time.Duration(c.Time))
	defer cancel()
	run := &campaign.Campaign{Log: log, Scenes: filepath.Dir(path), Worlds: c.Worlds, Shrink: shrinking,
		Show: func(e campaign.Entry) { c.show(p, e) }}
	err = errors.Join(run.Run(ctx), log.Close())
	if err != nil {
		return err
	}
	s := campaign.Summarize(log.Entries)
	if c.JSON {
		if err := p.out.JSON(s); err != nil {
			return err
		}
	} else {
		printSummary(p.out, s, path)
	}
	if s.Failed > 0 {
		return cli.Failure(fmt.Sprintf("%d of %s failed", s.Failed, console.Of(s.Worlds, "world")),
			"each is repeated by: tidings-lab campaign --scene FILE")
	}
	return nil
}

// open opens the log.
func (c *campaignCmd) open() (log *campaign.Log, path string, err error) {
	if c.Resume != "" {
		log, err = campaign.Resume(c.Resume)
		if err != nil {
			return nil, "", cli.Usage(err.Error(), "begin anew without --resume")
		}
		if c.Seed != nil && *c.Seed != log.Seed {
			return nil, "", cli.Usage(fmt.Sprintf("%s is of seed %d, not %d", c.Resume, log.Seed, *c.Seed),
				"leave out --seed")
		}
		return log, c.Resume, nil
	}
	seed := uint64(1)
	if c.Seed != nil {
		seed = *c.Seed
	}
	if err := lab.MakeDir(c.Out); err != nil {
		return nil, "", err
	}
	path = filepath.Join(c.Out, fmt.Sprintf("campaign-%d.jsonl", seed))
	log, err = campaign.Begin(path, seed)
	if errors.Is(err, campaign.ErrExists) {
		return nil, "", cli.Usage(err.Error(), "go on with it by --resume "+path+", or choose another --seed")
	}
	return log, path, err
}

// show prints a world that has ended.
func (c *campaignCmd) show(p *program, e campaign.Entry) {
	if c.JSON {
		_ = p.out.JSON(e) // if the reader has gone, the log is kept all the same
		return
	}
	p.out.Printf("world %d  %s  %d nodes, %s, %s, %v in %.1f s\n", e.Seed, e.Result, e.Drawn.Nodes, e.Drawn.Router,
		console.Of(e.Drawn.Channels, "channel"), e.Virtual.D().Round(time.Second), e.Seconds)
	printFailures(p.out, e.Failures)
	if e.Scene != "" {
		p.out.Printf("  repeat it with: tidings-lab campaign --scene %s\n", console.Neutral(e.Scene))
	}
}

func printFailures(out *console.Console, failures []campaign.Failure) {
	for _, f := range failures {
		first, _, _ := strings.Cut(f.What, "\n")
		out.Printf("  %s: %s\n", out.Paint(console.Red, f.Oracle), console.Neutral(first))
	}
}

// runScene runs one world.
func (c *campaignCmd) runScene(p *program) error {
	text, err := os.ReadFile(c.Scene)
	if err != nil {
		return cli.Failure("reading a scene: "+err.Error(), "")
	}
	w, err := campaign.Parse(text)
	if err != nil {
		return cli.Usage(c.Scene+": "+err.Error(), "a campaign writes scenes of worlds that fail")
	}
	ctx, cancel := context.WithTimeout(p.ctx, time.Duration(c.Time))
	defer cancel()
	o, err := campaign.Run(ctx, w)
	if err != nil {
		return cli.Failure("the world did not end: "+err.Error(), "give it a longer --time")
	}
	if c.JSON {
		if err := p.out.JSON(o); err != nil {
			return err
		}
	} else {
		p.out.Printf("%s", w.Scene())
		for _, f := range o.Failures {
			p.out.Printf("%s: %s\n", p.out.Paint(console.Red, f.Oracle), console.Neutral(f.What))
		}
		p.out.Printf("%d events, %v, trace %016x %s\n", o.Events, o.Virtual.D(), o.Hash, o.Bounded)
	}
	if len(o.Failures) > 0 {
		return cli.Failure(fmt.Sprintf("%s failed", console.Of(len(o.Failures), "oracle")), "")
	}
	return nil
}

// printSummary prints how many worlds there were, what befell them, and which failed.
func printSummary(out *console.Console, s campaign.Summary, path string) {
	out.Printf("\n%s, %d failed, %d bounded; %.0f s of processor time, %s events. Log: %s\n",
		console.Of(s.Worlds, "world"), s.Failed, s.Bounded, s.CPU,
		lab.Quantity(float64(s.Events), ""), console.Neutral(path))
	out.Printf("At rest a minute after healing: %d.\n", s.Quiet)
	for _, part := range []struct {
		title string
		rows  []campaign.Counted
	}{{"ROUTER", s.Routers}, {"NODES", s.Sizes}, {"FAULT", s.Kinds}} {
		var rows [][]console.Cell
		for _, r := range part.rows {
			rows = append(rows, []console.Cell{{Text: r.Name}, {Text: fmt.Sprint(r.Worlds)},
				{Text: fmt.Sprint(r.Faults)}, {Text: fmt.Sprint(r.Failed)}})
		}
		out.Printf("\n")
		out.Table([]console.Column{{Title: part.title}, {Title: "WORLDS", Right: true}, {Title: "FAULTS", Right: true},
			{Title: "FAILED", Right: true}}, rows)
	}
	if len(s.Failures) > 0 {
		out.Printf("\nFailed:\n")
	}
	for _, e := range s.Failures {
		out.Printf("world %d: tidings-lab campaign --scene %s\n", e.Seed, console.Neutral(e.Scene))
		printFailures(out, e.Failures)
	}
}
