// Package processtest lets the binary of a package's tests stand for the program, where these start nodes that are
// processes of their own (process.Process).
package processtest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"

	"tidings/lab/process"
)

// Main is the TestMain of such a package. It runs a node if the binary was started as "tidings up" is, and else the
// tests.
func Main(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "up" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := process.Up(ctx, os.Args[2:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
