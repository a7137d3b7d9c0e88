package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Show runs a cluster for a person to look at until ctx ends, and tells out where.
func Show(ctx context.Context, c Config, out io.Writer) (err error) {
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "tidings-cluster-"); err != nil {
			return fmt.Errorf("making a folder to work in: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	began := time.Now()
	cluster, err := Start(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	fmt.Fprintf(out, "%d nodes started in %.1f s\n", c.Nodes, time.Since(began).Seconds())
	forming, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := cluster.Await(forming); err != nil {
		return err
	}
	fmt.Fprintf(out, "one ring after %.1f s · check: %s/network · end with Ctrl-C\n",
		time.Since(began).Seconds(), cluster.members[0].node.URL())
	<-ctx.Done()
	return nil
}
