package commands

import (
	"log/slog"
	"time"

	"tidings/cmd/cli"
	"tidings/lab/origin"
	"tidings/lab/process"
)

type originCmd struct {
	Replay        string   `required:"" type:"existingpath" placeholder:"FILE_OR_DIR" help:"A history (name.tar.bz2, or a folder with dense and sparse), a folder of these, or one plain document."`
	Speed         float64  `default:"0" help:"Seconds of history that pass in a second; 0: states change by hand (POST /-/step?name=NAME). Default ${default}."`
	Listen        string   `default:"127.0.0.1:7700" help:"Address to serve at; default ${default}. Whoever reaches it controls it." placeholder:"HOST:PORT"`
	MaxAge        cli.Span `help:"Cache-Control: max-age of every document." placeholder:"DURATION"`
	NoValidators  bool     `help:"Send neither ETag nor Last-Modified."`
	NoCompression bool     `help:"Send everything as it is."`
	Delta         bool     `help:"Answer A-IM: feed with what is new alone (226)."`
}

func (c *originCmd) Run(p *program) error {
	return origin.Run(p.ctx, origin.RunConfig{
		Replay: c.Replay, Speed: c.Speed, Listen: c.Listen,
		Options: origin.Options{
			MaxAge: time.Duration(c.MaxAge), NoETag: c.NoValidators, NoLastModified: c.NoValidators,
			NoCompression: c.NoCompression, Delta: c.Delta,
		},
		Logger: slog.New(slog.NewTextHandler(p.errors.Out, nil)),
	})
}

type upCmd struct {
	Args []string `arg:"" optional:""`
}

// Run runs the node in which an experiment sees the program.
func (c *upCmd) Run(p *program) error { return process.Up(p.ctx, c.Args, p.errors.Out) }
