package commands

import (
	"fmt"
	"os"
	"time"

	"tidings/cmd/cli"
	"tidings/lab/bench"
)

type benchCmd struct {
	Net  benchNetCmd  `cmd:"" help:"What an idle node costs that belongs to a network: processor, memory, messages."`
	Poll benchPollCmd `cmd:"" help:"Polls a second, memory, and the time from a change to a listener, against an origin on loopback."`
	Soak benchSoakCmd `cmd:"" help:"Keep nodes under load for long, with faults, and see whether memory, descriptors, goroutines or databases grow."`
}

type benchNetCmd struct {
	Nodes  int      `default:"50" least:"2" most:"500" help:"Nodes of the network; default ${default}."`
	For    cli.Span `default:"1m" help:"How long the idle node is measured; default ${default}." placeholder:"DURATION"`
	Settle cli.Span `default:"3m" help:"How long it comes to rest before; default ${default}." placeholder:"DURATION"`
}

func (c *benchNetCmd) Run(p *program) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	config := bench.DefaultNetwork()
	config.Nodes, config.For, config.Settle, config.Program = c.Nodes, time.Duration(c.For), time.Duration(c.Settle), self
	return bench.Network(p.ctx, config, p.out.Out)
}

type benchPollCmd struct {
	Channels int      `default:"4000" least:"1" help:"Channels that are always due; default ${default}."`
	Held     int      `default:"10000" least:"1" help:"Channels to hold in memory; default ${default}."`
	For      cli.Span `default:"8s" help:"How long each kind of poll is measured; default ${default}." placeholder:"DURATION"`
	Changes  int      `default:"200" least:"1" help:"Changes to wait for; default ${default}."`
}

func (c *benchPollCmd) Run(p *program) error {
	config := bench.Default()
	config.Channels, config.Held, config.For, config.Changes = c.Channels, c.Held, time.Duration(c.For), c.Changes
	return bench.Poll(p.ctx, config, p.out.Out)
}

type benchSoakCmd struct {
	Nodes    int      `default:"3" least:"1" most:"50" help:"Whole nodes in this process that poll together; default ${default}."`
	Channels int      `default:"400" least:"1" help:"Channels that every node follows; default ${default}."`
	For      cli.Span `default:"20m" help:"How long they are under load; default ${default}. Growth is judged from 5m on." placeholder:"DURATION"`
	Clients  int      `default:"4" least:"0" most:"100" help:"Clients of each of five kinds at each node; default ${default}."`
}

func (c *benchSoakCmd) Run(p *program) error {
	config := bench.DefaultSoak()
	config.Nodes, config.Channels, config.For, config.Clients = c.Nodes, c.Channels, time.Duration(c.For), c.Clients
	return bench.Soak(p.ctx, config, p.out.Out)
}
