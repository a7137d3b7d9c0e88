// Command tidings watches the web: it runs a node, and it speaks to one.
//
//	tidings up                       start a node here
//	tidings subscribe URL            follow a feed or a page
//	tidings updates --follow         get notified of changes
//
// Everything but up asks the node that runs on the same data directory, through the
// socket in it. Output is for people, or with --json for programs. The exit status is
// 0 if all went well, 1 if something failed, 2 if the command was not understood; 3 if
// tidings publish --once has found nobody for what it has published.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/alecthomas/kong"

	"tidings"
	"tidings/cmd/cli"
	"tidings/cmd/console"
	"tidings/delivery/api"
	"tidings/node/owner"
)

const exitUnsent = 3

func main() { cli.Main(run) }

// program is what commands are given of the world.
type program struct {
	ctx    context.Context
	in     io.Reader
	out    *console.Console
	errors *console.Console
	env    func(string) string
	data   string // the node's data directory, absolute
	client *api.Client
}

// commands is the command line.
type commands struct {
	Data   string `help:"Directory of the node's data; default: ${usual_data}." placeholder:"DIR"`
	Config string `help:"TOML file with settings: flags by their names, those of one command in a table of its name." placeholder:"FILE"`

	Up upCmd `cmd:"" help:"Start a node here: watch the web, serve the page and the API."`

	Subscribe   subscribeCmd   `cmd:"" help:"Follow a feed or a page."`
	Unsubscribe unsubscribeCmd `cmd:"" help:"Follow it no longer."`
	Query       queryCmd       `cmd:"" help:"Check a query, and list what it would have selected in the last week."`
	List        listCmd        `cmd:"" help:"List what is followed, how it is, and when it is checked next."`
	Updates     updatesCmd     `cmd:"" help:"Print updates: the newest, those since a time, or as they come."`
	Show        showCmd        `cmd:"" help:"Print a channel's content."`
	Diff        diffCmd        `cmd:"" help:"Print how a channel's content changed between two versions."`
	Trust       trustCmd       `cmd:"" help:"Accept pushes of a channel that this publisher's key signs; with --node, believe a node again."`
	Distrust    distrustCmd    `cmd:"" help:"Accept no more pushes from a channel's publisher; with --node, stop believing a node that finds changes."`
	Prefer      preferCmd      `cmd:"" help:"Always believe a node that finds changes; or list the nodes that you prefer and distrust."`
	Fetch       fetchCmd       `cmd:"" help:"Ask other nodes again for a file that an item carries."`
	Archive     archiveCmd     `cmd:"" help:"Print what was published of a channel before, the newest first, from the network's archive or the origin's."`
	Import      importCmd      `cmd:"" help:"Follow every channel of an OPML list."`
	Export      exportCmd      `cmd:"" help:"Write what is followed as an OPML list."`
	Preview     previewCmd     `cmd:"" help:"Check an address once and store nothing: what was fetched, how it was read, what would happen next."`

	Publish publishCmd `cmd:"" help:"Push what is new in a feed of your own to its readers, signed."`

	Peers peersCmd `cmd:"" help:"List the other live nodes that the node knows."`
	Zone  zoneCmd  `cmd:"" help:"The zones of the network: which the node is in, how nodes are certified, what zones compute."`
	Join  joinCmd  `cmd:"" help:"Join another node by its address, now and after every start."`
	Key   keyCmd   `cmd:"" help:"Keys to publish with, and keys for networks of one's own."`

	Status   statusCmd   `cmd:"" help:"Show the node's state, and its place among other nodes."`
	Backup   backupCmd   `cmd:"" help:"Write a copy of the node's data, with the keys that it publishes with."`
	Doctor   doctorCmd   `cmd:"" help:"Check the node and its machine, and name what is wrong."`
	Password passwordCmd `cmd:"" help:"Set the page's password, from the terminal or the first line of the standard input."`
	User     userCmd     `cmd:"" help:"The people who use the node: add, list, remove, their roles and passwords."`
	Session  sessionCmd  `cmd:"" help:"The browsers in which you are signed in at the page."`
	Token    tokenCmd    `cmd:"" help:"App passwords: for feed readers on phones and desktops, and for programs that use the API from elsewhere."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	Demo demoCmd `cmd:"" help:"See what it does: eight nodes, and an origin where something changes every few seconds."`
}

const description = `Get the changes of any feed or page within seconds.

Every flag can be set by the environment (--allow-private-origins by TIDINGS_ALLOW_PRIVATE_ORIGINS; ` +
	`of flags that may be repeated, one value a line) and by tidings.toml in the data directory or in ` +
	`$XDG_CONFIG_HOME/tidings. The command line goes before the environment, and that before the file.`

// run is the program: it returns the exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, env func(string) string) int {
	return cli.Status(func() int {
		p := &program{ctx: ctx, in: in, out: console.New(out, env), errors: console.New(errOut, env), env: env}
		return p.run(args, out, errOut)
	})
}

func (p *program) run(args []string, out, errOut io.Writer) int {
	var given commands
	parser, settings, err := newParser(&given, p, out, errOut)
	if err != nil {
		return p.fail(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return p.misused(err, settings)
	}
	if p.data, err = dataDir(given.Data, p.env); err != nil {
		return p.fail(err)
	}
	p.client = api.Dial(api.SocketPath(p.data))
	defer p.client.Close()
	if err := parsed.Run(p); err != nil {
		return p.fail(err)
	}
	return 0
}

func newParser(into *commands, p *program, out, errOut io.Writer) (*kong.Kong, *settings, error) {
	s := &settings{env: p.env}
	usual, err := dataDir("", p.env)
	if err != nil {
		usual = "none"
	}
	options := append(cli.Options("tidings", description, out, errOut),
		kong.Vars{"usual_data": usual},
		kong.Vars(defaults()),
		kong.WithBeforeResolve(s.load),
	)
	parser, err := kong.New(into, options...)
	return parser, s, err
}

// failure returns an error with what to do about it.
func failure(text, hint string) error { return cli.Failure(text, hint) }

// usage is failure for an error of whoever gave the command.
func usage(text, hint string) error { return cli.Usage(text, hint) }

// formerly begins kong's error of a command that is one of tidings-lab.
const formerly = "unexpected argument lab"

// misused tells that the command line, or a setting, was not understood.
func (p *program) misused(err error, s *settings) int {
	hint := "see: tidings --help"
	var parse *kong.ParseError
	switch known := tidings.HintOf(err); {
	case err.Error() == formerly || strings.HasPrefix(err.Error(), formerly+","):
		err, hint = errors.New("the laboratory is a program of its own, tidings-lab"), "see: tidings-lab --help"
	case known != "":
		hint = known
	case errors.As(err, &parse):
		hint = s.blame(err, hint)
	}
	p.complain(cli.Reason(err), hint)
	return cli.Misused
}

// fail tells in one line what went wrong, and what to do about it where that is known.
func (p *program) fail(err error) int {
	if p.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return 0 // a person ended it
	}
	if errors.Is(err, api.ErrNoNode) {
		err = failure("no node is running for "+p.data, "start one with: "+p.upCommand())
	} else if errors.Is(err, api.ErrNoAnswer) {
		err = tidings.WithHint(err, "look at its log, or start it again")
	} else {
		err = tidings.WithHint(err, closedHint(err, p.data))
	}
	p.complain(tidings.Reason(err), tidings.HintOf(err))
	switch {
	case errors.As(err, new(*cli.Misuse)):
		return cli.Misused
	case errors.As(err, new(*unsent)):
		return exitUnsent
	}
	return cli.Failed
}

// closedHint says what to do about an error that came of a data directory of another user; "" if it did not.
func closedHint(err error, data string) string {
	of, known := owner.Of(data)
	if can, failed := owner.Me().CanRead(data); !known || can || failed != nil || !errors.Is(err, fs.ErrPermission) {
		return ""
	}
	return fmt.Sprintf("%s belongs to %s: give the command as that user, or as root", data, of)
}

func (p *program) complain(text, hint string) { cli.Complain(p.errors, "tidings", text, hint) }

// upCommand is what starts a node on the data directory in use.
func (p *program) upCommand() string {
	if usual, err := dataDir("", p.env); err == nil && usual == p.data {
		return "tidings up"
	}
	return fmt.Sprintf("tidings up --data %s", p.data)
}
