package crowd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Show runs a crowd for a person to look at until ctx ends, and tells out where.
func Show(ctx context.Context, c Config, out io.Writer) (err error) {
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "tidings-crowd-"); err != nil {
			return fmt.Errorf("making a folder to work in: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	began := time.Now()
	crowd, err := Start(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, crowd.Close()) }()
	fmt.Fprintf(out, "%d nodes started in %.1f s\n", c.Nodes, time.Since(began).Seconds())
	forming, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := crowd.Await(forming); err != nil {
		return err
	}
	fmt.Fprintf(out, "one ring after %.1f s · look: %s/network · end with Ctrl-C\n",
		time.Since(began).Seconds(), crowd.members[0].node.URL())
	<-ctx.Done()
	return nil
}
