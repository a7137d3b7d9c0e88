package commands

import (
	"fmt"
	"os"
	"time"

	"tidings/cmd/cli"
	"tidings/lab/bench"
)

type benchCmd struct {
	Net    benchNetCmd    `cmd:"" help:"What an idle node costs that belongs to a network: processor, memory, messages."`
	Pages  benchPagesCmd  `cmd:"" help:"The time from a node's start to its first page, and the times of pages, with many items stored."`
	Poll   benchPollCmd   `cmd:"" help:"Polls a second, memory, and the time from a change to a listener, against an origin on loopback."`
	Push   benchPushCmd   `cmd:"" help:"The time from an update to the last of many receivers on loopback: webhooks, subscribers of the hub, open streams."`
	Reader benchReaderCmd `cmd:"" help:"The time until pages and articles are painted in chromium, beside Miniflux if you name its program and a database."`
	Soak   benchSoakCmd   `cmd:"" help:"Keep nodes under load for long, with faults, and see whether memory, descriptors, goroutines or databases grow."`
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
	config.Nodes, config.For, config.Settle, config.Program = c.Nodes, time.Duration(c.For), time.Duration(c.Settle),
		self
	return bench.Network(p.ctx, config, p.out.Out)
}

type benchPagesCmd struct {
	Feeds   int    `default:"1000" least:"1" most:"10000" help:"Feeds that are followed; default ${default}."`
	Items   int    `default:"50" least:"1" most:"1000" help:"Items of each feed; default ${default}."`
	Repeats int    `default:"9" least:"1" help:"Repeats of each measurement; default ${default}."`
	Data    string `placeholder:"FOLDER" help:"Keep what is stored here, and use it again."`
}

func (c *benchPagesCmd) Run(p *program) error {
	return bench.Pages(p.ctx, bench.PagesConfig(*c), p.out.Out)
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

type benchPushCmd struct {
	Webhooks    int `default:"1000" least:"1" most:"50000" help:"Webhooks of people; default ${default}."`
	Subscribers int `default:"10000" least:"1" most:"50000" help:"Subscribers of one topic of the hub; default ${default}."`
	Streams     int `default:"5000" least:"1" most:"9000" help:"Open live streams; default ${default}."`
	Updates     int `default:"5" least:"1" most:"150" help:"Updates of each measurement; default ${default}."`
}

func (c *benchPushCmd) Run(p *program) error {
	return bench.Push(p.ctx, bench.PushConfig(*c), p.out.Out)
}

type benchReaderCmd struct {
	Feeds    int    `default:"1000" least:"1" most:"10000" help:"Feeds that are followed; default ${default}."`
	Items    int    `default:"100" least:"1" most:"1000" help:"Items of each feed; default ${default}."`
	Repeats  int    `default:"10" least:"1" help:"Repeats of each measurement; default ${default}."`
	Data     string `placeholder:"FOLDER" help:"Keep what Tidings has stored here, and use it again."`
	Miniflux string `placeholder:"PROGRAM" help:"Program of Miniflux, to be measured in turns."`
	Database string `placeholder:"URL" help:"PostgreSQL database for Miniflux: empty, or filled by an earlier run."`
}

func (c *benchReaderCmd) Run(p *program) error {
	return bench.Reader(p.ctx, bench.ReaderConfig(*c), p.out.Out)
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
