// Package clustertest lets the binary of a package's tests stand for the program, where these start nodes that are processes of
// their own (cluster.Process).
package clustertest

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"testing"
	"time"

	"tidings/network"
	"tidings/node"
)

// Main is the TestMain of such a package: it runs a node if the binary was started as "tidings up" is, and else the tests.
func Main(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "up" {
		os.Exit(m.Run())
	}
	if err := up(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// up runs a node as the command of that name does, as far as cluster.Process asks for it.
func up(args []string) error {
	c := node.Default()
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
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
	c.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	n, err := node.New(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return n.Run(ctx)
}
