package process

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"time"

	"tidings/network"
	"tidings/node"
)

// Up runs a node as "tidings up" does, as far as experiments and benchmarks need it. A program that starts nodes as
// processes of their own has this as its command "up": the nodes are of the same code as the program. The log goes to
// log.
func Up(ctx context.Context, args []string, log io.Writer) error {
	c := node.Default()
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // an error says what is wrong
	flags.StringVar(&c.Data, "data", "", "")
	flags.StringVar(&c.HTTP, "http", "", "")
	flags.BoolVar(&c.LabOrigins, "lab-origins", false, "")
	flags.BoolVar(&c.NoMDNS, "no-mdns", false, "")
	flags.DurationVar(&c.Interval, "interval", time.Minute, "")
	flags.BoolVar(&c.Relay, "relay", false, "")
	var level slog.Level
	flags.TextVar(&level, "log-level", slog.LevelError, "")
	add := func(to *[]string) func(string) error {
		return func(text string) error { *to = append(*to, text); return nil }
	}
	flags.Func("listen", "", add(&c.Listen))
	flags.Func("join", "", add(&c.Join))
	flags.Func("router", "", func(name string) (err error) { c.Router, err = network.ParseRouter(name); return err })
	if err := flags.Parse(args); err != nil {
		return err
	}
	c.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))
	n, err := node.New(c)
	if err != nil {
		return err
	}
	return n.Run(ctx)
}
