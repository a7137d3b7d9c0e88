package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tidings/cluster"
)

type netCmd struct {
	Nodes int    `default:"60" least:"1" most:"500" help:"How many; default ${default}."`
	HTTP  string `name:"http" default:"127.0.0.1:7600" help:"Address of the first node's page; default ${default}." placeholder:"HOST:PORT"`
	Dir   string `type:"existingdir" help:"Folder for the nodes' data; default: one that is removed at the end." placeholder:"DIR"`
	Seed  uint64 `default:"1" help:"Of who joins by whom; default ${default}."`
}

func (c *netCmd) Run(p *program) error {
	config := cluster.Default()
	config.Nodes, config.HTTP, config.Dir, config.Seed = c.Nodes, c.HTTP, c.Dir, c.Seed
	return show(p, config)
}

// show runs a cluster for a person to look at, until the person ends it.
func show(p *program, c cluster.Config) (err error) {
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "tidings-cluster-"); err != nil {
			return fmt.Errorf("making a folder to work in: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	began := time.Now()
	nodes, err := cluster.Start(p.ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, nodes.Close()) }()
	p.out.Printf("%d nodes started in %.1f s\n", c.Nodes, time.Since(began).Seconds())
	forming, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	if err := nodes.Await(forming); err != nil {
		return err
	}
	p.out.Printf("one ring after %.1f s · check: %s/network · end with Ctrl-C\n",
		time.Since(began).Seconds(), nodes.Members()[0].Node().URL())
	<-p.ctx.Done()
	return nil
}
