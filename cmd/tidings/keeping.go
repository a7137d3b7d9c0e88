package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/auth"
	"tidings/view"
)

type statusCmd struct {
	JSON bool `name:"json" help:"Print JSON: one object."`
}

func (c *statusCmd) Run(p *program) error {
	s, err := p.client.Status(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(s)
	}
	printStatus(p.out, s)
	return nil
}

func printStatus(out *console.Console, s view.Status) {
	printNodeProblems(out, s.Problems)
	for _, l := range []struct{ name, value string }{
		{"node", s.ID},
		{"version", s.Version},
		{"page", s.Page},
		{"data", s.DataDir + ", " + console.Bytes(s.StoreBytes)},
		{"running since", s.Started.Local().Format("2006-01-02 15:04") + " (" + out.Relative(s.Started) + ")"},
		{"follows", console.Of(s.Channels, "channel") + " for " + console.Of(s.Subscriptions, "subscription") + ", " +
			console.Of(s.Items, "item")},
		{"health", counts(s.ByHealth)},
		{"latest update", strconv.FormatInt(s.LatestUpdate, 10)},
		{"interval", s.Interval},
		{"checks", console.Count(s.Polls) + " (" + counts(s.ByOutcome) + ")"},
		{"together", watching(s.CoopChannels)},
		{"policy", policyWords(s.Coop)},
		{"router", routerWords(s.Coop)},
		{"checks in 24 h", workWords(s.Coop.Day)},
		{"altogether", workWords(s.Coop.All)},
		{"saved", savedWords(s.Coop)},
		{"detection", detectionWords(s.Coop.Detection)},
		{"pushes", pushingWords(s.Coop.Pushes)},
		{"alarms", alarmWords(s.Coop.Pushes)},
		{"believing", republishingWords(s.Coop.Republishers)},
		{"hub", hubStatusWords(s.Hub)},
		{"archive", keepingWords(s.Archive)},
		{"files", filesWords(s.Files)},
		{"now", console.Of(s.PollingNow, "check") + " under way, " + console.Count(s.Overdue) + " overdue; next " +
			out.Relative(s.NextPoll)},
		{"trouble", slotWords(s)},
		{"received", console.Bytes(s.Bytes) + " from origins"},
		{"found", console.Of(s.Updates, "update")},
		{"memory", console.Bytes(int64(s.MemoryBytes))},
	} {
		if l.value == "" && (l.name == "router" || l.name == "hub") {
			continue
		}
		if s.Coop.Since.IsZero() && (l.name == "checks in 24 h" || l.name == "altogether" || l.name == "saved") {
			continue // it works alone
		}
		if l.name == "trouble" && l.value == "" {
			continue
		}
		if l.name == "pushes" && s.Off || l.name == "alarms" && s.Coop.Pushes.Alarms == 0 {
			continue
		}
		if r := s.Coop.Republishers; l.name == "believing" && r.Preferred+r.Distrusted == 0 {
			continue
		}
		line(out, l.name, l.value)
	}
	printNetwork(out, s.Network)
	printDetection(out, s.Coop.Detection)
}

// slotWords says whether channels are not polled in time; empty: they are.
func slotWords(s view.Status) string {
	var words []string
	if s.Slots.All > 0 && s.PollingNow >= s.Slots.All && s.Overdue > 0 {
		words = append(words, "all "+console.Of(s.Slots.All, "slot")+" for polls held")
	}
	if s.Slots.Waited >= time.Minute {
		words = append(words, "a channel has waited for its turn for "+s.Slots.Waited.Round(time.Second).String())
	}
	if s.Slots.Overran > 0 {
		words = append(words, console.Of(s.Slots.Overran, "check")+" overran and given up, "+
			console.Count(s.Slots.Hanging)+" hang still")
	}
	return strings.Join(words, "; ")
}

func keepingWords(k view.StorageUse) string {
	if k.Quota == 0 {
		return "nothing is kept for others"
	}
	return console.Of(k.Items, "item") + " kept for the network, " + console.Bytes(k.Bytes) + " of at most " +
		console.Bytes(k.Quota)
}

func filesWords(k view.StorageUse) string {
	if k.Quota == 0 {
		return "none are kept"
	}
	return console.Of(k.Items, "file") + " of items kept, " + console.Bytes(k.Bytes) + " of at most " +
		console.Bytes(k.Quota)
}

// line prints a name and what it has, which may come from outside.
func line(out *console.Console, name, value string) {
	out.Printf("%s %s\n", out.Paint(console.Dim, fmt.Sprintf("%-14s", name)), console.Neutral(value))
}

// nameOf is the name before the i-th of several values: it stands before the first alone.
func nameOf(i int, name string) string {
	if i == 0 {
		return name
	}
	return ""
}

// counts lists numbers with their names, the largest first.
func counts[K ~string, N int | int64](by map[K]N) string {
	names := slices.Collect(maps.Keys(by))
	slices.SortFunc(names, func(a, b K) int {
		if by[a] != by[b] {
			return int(by[b] - by[a])
		}
		return strings.Compare(string(a), string(b))
	})
	var parts []string
	for _, name := range names {
		if by[name] > 0 {
			parts = append(parts, console.Count(by[name])+" "+string(name))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

type passwordCmd struct {
	Clear bool `help:"Take the password away. The page then opens to this machine alone."`
}

func (c *passwordCmd) Run(p *program) error {
	if c.Clear {
		if err := p.client.SetPassword(p.ctx, ""); err != nil {
			return err
		}
		p.out.Printf("The page has no password now.\n")
		return nil
	}
	password, err := p.askPassword()
	if err != nil {
		return err
	}
	if err := p.client.SetPassword(p.ctx, password); err != nil {
		return err
	}
	p.out.Printf("The page's password is set. Sessions of before have ended, and passkeys are removed.\n")
	return nil
}

// maxPasswordLine bounds the line of the standard input that holds a password.
const maxPasswordLine = 4096

// askPassword reads a password twice from a terminal, without showing it, else the first line.
func (p *program) askPassword() (string, error) {
	terminal, ok := p.in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(p.in, maxPasswordLine)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the password: %w", err)
		}
		return checkPassword(strings.TrimRight(line, "\r\n"))
	}
	var typed [2]string
	for i, prompt := range []string{"New password: ", "Once more: "} {
		p.errors.Printf("%s", prompt)
		text, err := term.ReadPassword(int(terminal.Fd()))
		p.errors.Printf("\n")
		if err != nil {
			return "", fmt.Errorf("reading the password: %w", err)
		}
		typed[i] = string(text)
	}
	if typed[0] != typed[1] {
		return "", failure("the two are not the same", "nothing was changed")
	}
	return checkPassword(typed[0])
}

func checkPassword(password string) (string, error) {
	if password == "" {
		return "", failure("the password is empty", "to have none: tidings password --clear")
	}
	return password, nil
}

type tokenCmd struct {
	New    tokenNewCmd    `cmd:"" help:"Make a token and print it; it is shown only this once. Use it as a feed reader's password, or as a bearer token of the API."`
	List   tokenListCmd   `cmd:"" help:"List tokens, and when they were used last."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token. It stops working at once."`
}

type tokenNewCmd struct {
	Label string  `arg:"" help:"What it is for, in your words."`
	Fever *string `xor:"for" help:"Make it for a reader that speaks Fever, under this user name: it is good for nothing else." placeholder:"USER"`
	Posts *string `xor:"for" help:"Make it for a program that posts items to your channel of this name: it is good for nothing else." placeholder:"CHANNEL"`
}

func (c *tokenNewCmd) Run(p *program) error {
	token := tidings.Token{Label: c.Label}
	var err error
	if c.Fever != nil {
		token.FeverUser, err = *c.Fever, auth.CheckFeverUser(*c.Fever)
	}
	if c.Posts != nil {
		token.Posts, err = tidings.CleanPostedName(*c.Posts)
	}
	if err != nil {
		return err
	}
	secret, err := p.client.NewToken(p.ctx, token)
	if err != nil {
		return err
	}
	p.out.Printf("%s\n", secret)
	page := p.pageAddress()
	switch {
	case c.Posts != nil:
		p.errors.Printf(postsHelp, page)
		return nil
	case c.Fever != nil:
		p.errors.Printf(feverHelp, page, *c.Fever)
	default:
		p.errors.Printf(readerHelp, page, page)
	}
	p.errors.Printf("%s", addressHelp)
	return nil
}

// What to type into a feed reader. It goes to standard error, so that the token can be used in a script.
const (
	readerHelp = `
In a feed reader, add an account:
  kind       server address
  FreshRSS   %s/api/greader.php  (also called Google Reader API)
  Miniflux   %s/
  user name  any, such as owner
  password   the token above; for Miniflux also as API key
`
	feverHelp = `
In the feed reader, add an account of the kind Fever:
  server     %s/fever
  user name  %s, exactly so
  password   the token above
`
	postsHelp = `
A program posts with it, and the first item makes the channel:
  curl %s/api/v1/items -H "Authorization: Bearer TOKEN" --json '{"items": [{"title": "Done", "text": "3 files"}]}'
`
	addressHelp = `From a phone the address is that of the proxy with TLS before the node. See docs/phones.md.
`
)

type tokenListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one token a line."`
}

func (c *tokenListCmd) Run(p *program) error {
	all, err := p.client.Tokens(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	rows := make([][]console.Cell, len(all))
	for i, t := range all {
		label := t.Label
		if t.FeverUser != "" {
			label += " (Fever, as " + t.FeverUser + ")"
		}
		if t.Posts != "" {
			label += " (posts to " + t.Posts + ")"
		}
		rows[i] = []console.Cell{{Text: strconv.FormatInt(t.ID, 10)}, {Text: console.Neutral(label)},
			{Text: p.out.Relative(t.Created)}, {Text: p.out.Relative(t.LastUsed)}}
	}
	p.out.Table([]console.Column{{Title: "ID", Right: true}, {Title: "LABEL", Least: 16}, {Title: "MADE"},
		{Title: "LAST USED"}}, rows)
	return nil
}

type tokenRevokeCmd struct {
	ID int64 `arg:"" help:"Its number in tidings token list."`
}

func (c *tokenRevokeCmd) Run(p *program) error {
	if err := p.client.DeleteToken(p.ctx, c.ID); err != nil {
		return err
	}
	p.out.Printf("Token %d revoked.\n", c.ID)
	return nil
}
