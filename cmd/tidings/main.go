// Command tidings watches the web: it runs a node, and it speaks to one.
//
//	tidings up                       start a node here
//	tidings subscribe URL            follow a feed or a page
//	tidings updates --follow         get notified of changes
//
// Everything but up asks the node that runs on the same data directory, through the socket in it. Output is for people,
// or with --json for programs. The exit status is 0 if all went well, 1 if something failed, and 2 if the command was
// not understood. It is 3 if tidings publish --once found no node for the entry that it published.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	_ "time/tzdata" // schedules name time zones, which not every machine knows

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/muesli/roff"

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

	Subscribe   subscribeCmd   `cmd:"" aliases:"add,follow" help:"Follow a feed or a page."`
	Unsubscribe unsubscribeCmd `cmd:"" aliases:"unfollow" help:"Stop following a channel."`
	Query       queryCmd       `cmd:"" help:"Check a query, and list the items of the last week that it selects."`
	List        listCmd        `cmd:"" help:"List the channels that you follow: their health, and when each is checked next."`
	Updates     updatesCmd     `cmd:"" help:"Print updates: the newest, those since a time, or each as it comes."`
	Search      searchCmd      `cmd:"" help:"Search all items; each has a number for read and star."`
	Read        readCmd        `cmd:"" help:"Mark items as read."`
	Filter      filterCmd      `cmd:"" help:"Filters: what is done to new articles of which a condition is true."`
	Star        starCmd        `cmd:"" help:"Star items. Starred items are never deleted for their age."`
	Check       checkCmd       `cmd:"" help:"Check channels now."`
	Show        showCmd        `cmd:"" help:"Print a channel's content."`
	Diff        diffCmd        `cmd:"" help:"Print how a channel's content changed between two versions."`
	Trust       trustCmd       `cmd:"" help:"Accept the pushes of a channel's publisher; with --node, trust a node again."`
	Distrust    distrustCmd    `cmd:"" help:"Accept no more pushes of a channel's publisher; with --node, check what a node reports first."`
	Prefer      preferCmd      `cmd:"" help:"Trust what a node reports; or list the nodes that you prefer and distrust."`
	Fetch       fetchCmd       `cmd:"" help:"Fetch a file of an item from other nodes again."`
	Archive     archiveCmd     `cmd:"" help:"Print earlier items of a channel, the newest first, from the archives of the network and the origin."`
	Import      importCmd      `cmd:"" help:"Import subscriptions: follow every channel of an OPML file."`
	Export      exportCmd      `cmd:"" help:"Export your subscriptions as an OPML file."`
	Preview     previewCmd     `cmd:"" help:"Check an address without following it: what was fetched, how it was read, what would happen next."`

	Notify notifyCmd `cmd:"" help:"Be notified of updates: by ntfy, Gotify, Matrix, Telegram, Discord, Slack, Pushover, or a webhook."`
	Outbox outboxCmd `cmd:"" help:"List, retry or drop notifications that are pending or have failed."`

	Publish publishCmd `cmd:"" help:"Push new items of your own feed to its readers, signed."`

	Peers peersCmd `cmd:"" help:"List the other nodes that are connected or known to be live."`
	Zone  zoneCmd  `cmd:"" help:"Manage zones of the network: membership, certificates, functions."`
	Join  joinCmd  `cmd:"" help:"Connect to another node by its address, now and after every start."`
	Key   keyCmd   `cmd:"" help:"Manage keys for publishing and for private networks."`

	Status   statusCmd   `cmd:"" help:"Show the state of the node and its place in the network."`
	Backup   backupCmd   `cmd:"" help:"Back up the node's data, including its publishing keys."`
	Doctor   doctorCmd   `cmd:"" help:"Find problems of the node and its machine."`
	Password passwordCmd `cmd:"" help:"Set the password of the page; asked at the terminal, or the first line of the standard input."`
	User     userCmd     `cmd:"" help:"Manage the people who use the node: add, list, remove, roles, passwords."`
	Session  sessionCmd  `cmd:"" help:"List or end your sessions in browsers."`
	Passkey  passkeyCmd  `cmd:"" help:"List or remove your passkeys, which sign you in without a password."`
	Token    tokenCmd    `cmd:"" help:"Manage app passwords for feed readers, and API tokens for programs on other machines."`
	Feed     feedCmd     `cmd:"" help:"Make feeds of your own from a folder, a search or all channels, at secret addresses for any feed reader."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Let an assistant read what you follow, by the Model Context Protocol on the standard streams."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	Completion kongcompletion.Completion `cmd:"" help:"Print how to set up completion for bash, zsh or fish."`
	Man        manCmd                    `cmd:"" help:"Print the manual page, for man."`

	Demo demoCmd `cmd:"" help:"Watch a demonstration: eight nodes, and a site that changes every few seconds."`
}

const description = `Get the changes of any feed or page within seconds.

Every flag can be set by the environment (--allow-private-origins by TIDINGS_ALLOW_PRIVATE_ORIGINS; ` +
	`of flags that may be repeated, one value a line) and by tidings.toml in the data directory or in ` +
	`$XDG_CONFIG_HOME/tidings. The command line overrides the environment, and the environment overrides the file.`

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
	if p.env("COMP_LINE") != "" {
		kongcompletion.Register(parser) // prints what the line can go on with, and ends the program
	}
	if len(args) == 0 {
		p.out.Printf("%s", firstSteps)
		return 0
	}
	args = asCommand(args)
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

// firstSteps is what the program says when it is given no command.
const firstSteps = `Get the changes of any feed or page within seconds.

  tidings up                             start a node; its page is http://127.0.0.1:7600
  tidings subscribe https://example.org  follow a feed or a page, in another terminal
  tidings updates --follow               print updates as they come

All commands: tidings --help
`

type manCmd struct{}

func (manCmd) Run(p *program, k *kong.Kong) error {
	p.out.Printf("%s", mangokong.NewManPage(1, k.Model).Build(roff.NewDocument()))
	return nil
}

// asCommand returns a command line in terms of this program: "help COMMAND" and "--version", which many programs have,
// become the flag and the command with the same meaning here.
func asCommand(args []string) []string {
	switch args[0] {
	case "help":
		return append(slices.Clone(args[1:]), "--help")
	case "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
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

// usage is failure for a user's error.
func usage(text, hint string) error { return cli.Usage(text, hint) }

// formerly begins kong's error of a command that is one of tidings-lab.
const formerly = "unexpected argument lab"

// misused reports that the command line, or a setting, was not understood.
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

// fail prints in one line what went wrong, and what to do about it where that is known.
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

// closedHint says what to do about an error that is due to a data directory of another user; "" if it is not.
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
