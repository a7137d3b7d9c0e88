package main

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"tidings/lab/bench"
	"tidings/lab/cluster"
	"tidings/lab/origin"
)

// labCmd holds the commands for experiments.
type labCmd struct {
	List   labListCmd   `cmd:"" help:"List the experiments."`
	Run    labRunCmd    `cmd:"" help:"Run experiments: a table, plots, and a file of figures for each."`
	Report labReportCmd `cmd:"" help:"Make one page of all results in a folder."`
	Net    labNetCmd    `cmd:"" help:"Run many nodes in one process, on loopback: a network to explore."`
	Origin labOriginCmd `cmd:"" help:"Serve recorded histories as an origin that can misbehave on request."`
	Bench  labBenchCmd  `cmd:"" help:"Measure this program on this machine."`
}

type labNetCmd struct {
	Nodes int    `default:"60" least:"1" most:"500" help:"How many; default ${default}."`
	HTTP  string `name:"http" default:"127.0.0.1:7600" help:"Address of the first node's page; default ${default}." placeholder:"HOST:PORT"`
	Dir   string `type:"existingdir" help:"Folder for the nodes' data; default: one that is removed at the end." placeholder:"DIR"`
	Seed  uint64 `default:"1" help:"Of who joins by whom; default ${default}."`
}

func (c *labNetCmd) Run(p *program) error {
	config := cluster.Default()
	config.Nodes, config.HTTP, config.Dir, config.Seed = c.Nodes, c.HTTP, c.Dir, c.Seed
	return cluster.Show(p.ctx, config, p.out.Out)
}

type labOriginCmd struct {
	Replay        string  `required:"" type:"existingpath" placeholder:"FILE_OR_DIR" help:"A history (name.tar.bz2, or a folder with dense and sparse), a folder of these, or one plain document."`
	Speed         float64 `default:"0" help:"Seconds of history that pass in a second; 0: states change by hand (POST /-/step?name=NAME). Default ${default}."`
	Listen        string  `default:"127.0.0.1:7700" help:"Address to serve at; default ${default}. Whoever reaches it controls it." placeholder:"HOST:PORT"`
	MaxAge        span    `help:"Cache-Control: max-age of every document." placeholder:"DURATION"`
	NoValidators  bool    `help:"Send neither ETag nor Last-Modified."`
	NoCompression bool    `help:"Send everything as it is."`
	Delta         bool    `help:"Answer A-IM: feed with what is new alone (226)."`
}

func (c *labOriginCmd) Run(p *program) error {
	return origin.Run(p.ctx, origin.RunConfig{
		Replay: c.Replay, Speed: c.Speed, Listen: c.Listen,
		Options: origin.Options{
			MaxAge: time.Duration(c.MaxAge), NoETag: c.NoValidators, NoLastModified: c.NoValidators,
			NoCompression: c.NoCompression, Delta: c.Delta,
		},
		Logger: slog.New(slog.NewTextHandler(p.errors.Out, nil)),
	})
}

type labBenchCmd struct {
	Net  labBenchNetCmd  `cmd:"" help:"What an idle node costs that belongs to a network: processor, memory, messages."`
	Poll labBenchPollCmd `cmd:"" help:"Polls a second, memory, and the time from a change to a listener, against an origin on loopback."`
	Soak labBenchSoakCmd `cmd:"" help:"Keep nodes under load for long, with faults, and see whether memory, descriptors, goroutines or databases grow."`
}

type labBenchNetCmd struct {
	Nodes  int  `default:"50" least:"2" most:"500" help:"Nodes of the network; default ${default}."`
	For    span `default:"1m" help:"How long the idle node is measured; default ${default}." placeholder:"DURATION"`
	Settle span `default:"3m" help:"How long it comes to rest before; default ${default}." placeholder:"DURATION"`
}

func (c *labBenchNetCmd) Run(p *program) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	config := bench.DefaultNetwork()
	config.Nodes, config.For, config.Settle, config.Program = c.Nodes, time.Duration(c.For), time.Duration(c.Settle), self
	return bench.Network(p.ctx, config, p.out.Out)
}

type labBenchPollCmd struct {
	Channels int  `default:"4000" least:"1" help:"Channels that are always due; default ${default}."`
	Held     int  `default:"10000" least:"1" help:"Channels to hold in memory; default ${default}."`
	For      span `default:"8s" help:"How long each kind of poll is measured; default ${default}." placeholder:"DURATION"`
	Changes  int  `default:"200" least:"1" help:"Changes to wait for; default ${default}."`
}

func (c *labBenchPollCmd) Run(p *program) error {
	config := bench.Default()
	config.Channels, config.Held, config.For, config.Changes = c.Channels, c.Held, time.Duration(c.For), c.Changes
	return bench.Poll(p.ctx, config, p.out.Out)
}

type labBenchSoakCmd struct {
	Nodes    int  `default:"3" least:"1" most:"50" help:"Whole nodes in this process that poll together; default ${default}."`
	Channels int  `default:"400" least:"1" help:"Channels that every node follows; default ${default}."`
	For      span `default:"20m" help:"How long they are under load; default ${default}. Growth is judged from 5m on." placeholder:"DURATION"`
	Clients  int  `default:"4" least:"0" most:"100" help:"Clients of each of five kinds at each node; default ${default}."`
}

func (c *labBenchSoakCmd) Run(p *program) error {
	config := bench.DefaultSoak()
	config.Nodes, config.Channels, config.For, config.Clients = c.Nodes, c.Channels, time.Duration(c.For), c.Clients
	return bench.Soak(p.ctx, config, p.out.Out)
}
