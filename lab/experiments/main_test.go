package experiments

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	"tidings/node"
)

// TestMain lets the tests' binary stand for the program where an experiment starts nodes that are
// processes of their own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "up" {
		if err := up(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// up runs a node as the command of that name does, as far as experiments ask for it.
func up(args []string) error {
	c := node.Default()
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.StringVar(&c.Data, "data", "", "")
	flags.StringVar(&c.HTTP, "http", "", "")
	flags.BoolVar(&c.LabOrigins, "lab-origins", false, "")
	flags.BoolVar(&c.NoMDNS, "no-mdns", false, "")
	flags.DurationVar(&c.Interval, "interval", time.Minute, "")
	_ = flags.String("log-level", "", "")
	listen, join := flags.String("listen", "", ""), flags.String("join", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c.Listen, c.Join = []string{*listen}, []string{*join}
	n, err := node.New(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return n.Run(ctx)
}
