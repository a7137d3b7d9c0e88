package main

import (
	"errors"
	"time"

	"tidings"
	"tidings/cmd/tidings/demo"
)

type demoCmd struct {
	HTTP     string `name:"http" default:"127.0.0.1:0" help:"Address of the first node's page; default ${default}, where port 0 stands for any free one." placeholder:"HOST:PORT"`
	Interval span   `default:"10s" help:"How often a node that checks alone would check a channel; default ${default}." placeholder:"DURATION"`
	Every    span   `default:"3s" help:"About how often something changes; default ${default}." placeholder:"DURATION"`
	Open     bool   `default:"true" negatable:"" help:"Open the page in the browser, if the output is a terminal."`
}

func (c *demoCmd) Run(p *program) error {
	config := demo.Default()
	config.HTTP, config.Interval, config.Every = c.HTTP, time.Duration(c.Interval), time.Duration(c.Every)
	config.Open, config.Out = c.Open && p.out.Terminal, p.out.Out
	err := demo.Run(p.ctx, config)
	if errors.Is(err, tidings.ErrInvalid) {
		return usage(err.Error(), "see: tidings demo --help")
	}
	return err
}
