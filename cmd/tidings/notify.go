package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/cli"
	"tidings/cmd/console"
	"tidings/delivery/api"
)

type notifyCmd struct {
	Add     notifyAddCmd     `cmd:"" help:"Send updates of what you follow to an address: a phone by ntfy, mail, a chat, a program."`
	Change  notifyChangeCmd  `cmd:"" help:"Change an address, or what is sent to it."`
	List    notifyListCmd    `cmd:"" help:"List the addresses, and the state of each."`
	Confirm notifyConfirmCmd `cmd:"" help:"Confirm a mail address with the code that was sent to it."`
	Test    notifyTestCmd    `cmd:"" help:"Send a test message to an address, and show any error."`
	Remove  notifyRemoveCmd  `cmd:"" help:"Remove an address, with its pending messages."`
}

// targetFlags are what people choose of a target, beside its name.
type targetFlags struct {
	Kind       string   `help:"ntfy, mail, push (a browser, or an app of UnifiedPush), xmpp (chat, where the node is given an account for it), gotify, matrix, telegram, discord, slack, pushover, webhook (signed JSON for a program) or generic (a request of your own). Default: from the URL; else generic with --method, --header or --body, else webhook." placeholder:"KIND"`
	Channel    string   `help:"Only updates of this channel." placeholder:"URL" xor:"selection"`
	Folder     string   `help:"Only updates of channels in this folder." placeholder:"NAME" xor:"selection"`
	SecretFile string   `help:"File whose first line is the access token or signing key, - for the standard input." placeholder:"FILE"`
	Title      *string  `help:"Title of messages: {title}, {link}, {text}, {channel}, {channel_url}, {id} and {time} stand for parts of the update. Empty: the usual one." placeholder:"TEXT"`
	Text       *string  `help:"Text of messages, with the same names in braces." placeholder:"TEXT"`
	Quiet      string   `help:"Hours of the day in which nothing is sent, as 22:00-07:00; none ends them." placeholder:"FROM-TO"`
	Digest     string   `help:"Time of day at which all of a day is sent in one message, as 08:00; none ends that." placeholder:"TIME"`
	Zone       string   `help:"Time zone of --quiet and --digest, as Europe/Berlin. Default: that of this machine." placeholder:"ZONE"`
	Pause      string   `help:"How long nothing is sent from now on, as 8h or 7d; none ends a pause." placeholder:"DURATION"`
	Method     *string  `help:"Method of a generic request: POST, PUT, PATCH or GET. Default: POST." placeholder:"METHOD"`
	Header     []string `help:"Header of a generic request, as NAME: VALUE. May be repeated; replaces all of before." placeholder:"HEADER" sep:"none"`
	Body       *string  `help:"Body of a generic request, with the same names in braces." placeholder:"TEXT"`
}

// settings returns what the flags say of a target; before is the present one. What they do not say is nil.
func (f *targetFlags) settings(p *program, before tidings.Target) (s api.TargetSettings, err error) {
	if f.Kind != "" {
		kind, err := tidings.ParseTargetKind(f.Kind)
		if err != nil {
			return s, usage(tidings.Reason(err), "see: tidings notify add --help")
		}
		s.Kind = &kind
	}
	if f.Channel != "" || f.Folder != "" { // one ends the other
		s.Channel, s.Folder = &f.Channel, &f.Folder
	}
	if f.SecretFile != "" {
		secret, err := p.firstLine(f.SecretFile)
		if err != nil {
			return s, err
		}
		s.Secret = &secret
	}
	if s.Schedule, err = f.schedule(before.Schedule, time.Now()); err != nil {
		return s, err
	}
	if f.Title != nil || f.Text != nil {
		text := before.Text
		replace(&text.Title, f.Title)
		replace(&text.Body, f.Text)
		s.Text = &text
	}
	if f.Method == nil && len(f.Header) == 0 && f.Body == nil {
		return s, nil
	}
	s.Form = &tidings.Form{}
	if before.Form != nil {
		*s.Form = *before.Form
	}
	replace(&s.Form.Method, f.Method)
	replace(&s.Form.Body, f.Body)
	s.Form.Method = strings.ToUpper(s.Form.Method)
	if len(f.Header) > 0 {
		s.Form.Headers = make(map[string]string)
		for _, line := range f.Header {
			name, value, found := strings.Cut(line, ":")
			if !found {
				return s, usage(tidings.Quote(line)+" is no header", "write --header 'NAME: VALUE'")
			}
			s.Form.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return s, nil
}

// none is what people write to end what a schedule has.
const none = "none"

// schedule returns the schedule that the flags make of one; nil if they say nothing of it.
func (f *targetFlags) schedule(before tidings.Schedule, now time.Time) (*tidings.Schedule, error) {
	if f.Quiet+f.Digest+f.Zone+f.Pause == "" {
		return nil, nil
	}
	s := before
	if err := f.hours(&s); err != nil {
		return nil, usage(tidings.Reason(err), "see: tidings notify add --help")
	}
	switch {
	case f.Pause == none:
		s.Paused = time.Time{}
	case f.Pause != "":
		pause, err := cli.ParseSpan(f.Pause)
		if err != nil || pause <= 0 {
			return nil, usage(tidings.Quote(f.Pause)+" is no duration of a pause", "write it as 8h or 7d")
		}
		s.Paused = now.Add(pause).UTC().Truncate(time.Second)
	}
	switch {
	case f.Zone != "":
		s.Zone = f.Zone
	case s.Quiet == nil && s.Digest == nil:
		s.Zone = ""
	case s.Zone == "":
		s.Zone = zoneOfMachine()
	}
	return &s, nil
}

// hours sets the quiet hours and the digest of a schedule as the flags say.
func (f *targetFlags) hours(s *tidings.Schedule) error {
	switch f.Quiet {
	case "":
	case none:
		s.Quiet = nil
	default:
		q, err := tidings.ParseHours(f.Quiet)
		if err != nil {
			return err
		}
		s.Quiet = &q
	}
	switch f.Digest {
	case "":
	case none:
		s.Digest = nil
	default:
		d, err := tidings.ParseTimeOfDay(f.Digest)
		if err != nil {
			return err
		}
		s.Digest = &d
	}
	return nil
}

// zoneOfMachine returns the IANA name of this machine's time zone; "" for UTC, and where it cannot be found.
func zoneOfMachine() string {
	name := os.Getenv("TZ")
	if name == "" {
		link, err := os.Readlink("/etc/localtime")
		if err != nil {
			return ""
		}
		_, name, _ = strings.Cut(filepath.ToSlash(link), "zoneinfo/")
	}
	if (tidings.Schedule{Zone: name}).Validate() != nil || name == "UTC" || name == "Etc/UTC" {
		return ""
	}
	return name
}

func replace(value, by *string) {
	if by != nil {
		*value = *by
	}
}

// firstLine returns the first line of a file; - is the standard input. It is not empty.
func (p *program) firstLine(file string) (string, error) {
	in := p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", &tidings.Failure{Op: "reading the secret", Err: err}
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPasswordLine))
	if err != nil {
		return "", &tidings.Failure{Op: "reading the secret", Err: err}
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", failure("the secret is empty", "it stands on the first line of "+file)
	}
	return line, nil
}

// kindOf guesses the kind of a target by its address.
func kindOf(address string) tidings.TargetKind {
	u, err := url.Parse(address)
	if err != nil {
		return tidings.Webhook
	}
	switch strings.ToLower(u.Scheme) {
	case "xmpp":
		return tidings.XMPP
	case "mailto":
		return tidings.Mail
	}
	switch host := strings.ToLower(u.Hostname()); {
	case host == "ntfy.sh" || strings.HasPrefix(host, "ntfy."):
		return tidings.Ntfy
	case strings.HasPrefix(host, "gotify."):
		return tidings.Gotify
	case host == "api.telegram.org":
		return tidings.Telegram
	case host == "api.pushover.net":
		return tidings.Pushover
	case host == "discord.com" || host == "discordapp.com":
		return tidings.Discord
	case host == "hooks.slack.com":
		return tidings.Slack
	case strings.HasPrefix(host, "matrix."):
		return tidings.Matrix
	}
	return tidings.Webhook
}

type notifyAddCmd struct {
	Name string `arg:"" help:"Name of the address."`
	URL  string `arg:"" help:"Its address, such as https://ntfy.sh/TOPIC, mailto:you@example.org, https://HOMESERVER/ROOM or a webhook's."`
	targetFlags
}

func (c *notifyAddCmd) Run(p *program) error {
	s, err := c.settings(p, tidings.Target{})
	if err != nil {
		return err
	}
	if strings.Contains(c.URL, "@") && !strings.Contains(c.URL, ":") {
		c.URL = "mailto:" + c.URL
	}
	s.Name, s.URL = &c.Name, &c.URL
	if s.Kind == nil {
		kind := kindOf(c.URL)
		if s.Form != nil {
			kind = tidings.Generic
		}
		s.Kind = &kind
	}
	added, err := p.client.Notify().Add(p.ctx, s)
	if err != nil {
		return err
	}
	if added.Standing.Unconfirmed {
		p.out.Printf("%s gets %s, once the address is confirmed: a mail with a code was sent there.\n",
			console.Neutral(added.Name), selectionWords(added.Selector))
		if added.Standing.Problem != "" {
			p.out.Printf("%s\n", console.Neutral("So far: "+added.Standing.Problem))
		}
		p.out.Printf("Confirm it: tidings notify confirm %s CODE\n", shellWord(added.Name))
		return nil
	}
	p.out.Printf("%s gets %s from now on, by %s%s.\n", console.Neutral(added.Name), selectionWords(added.Selector),
		added.Kind,
		whenWords(added.Schedule))
	p.printKey(added.Secret)
	p.out.Printf("Try it: tidings notify test %s\n", shellWord(added.Name))
	return nil
}

// whenWords says when messages are sent, behind a comma; "" if that is at once.
func whenWords(s tidings.Schedule) string {
	var words strings.Builder
	if s.Digest != nil {
		words.WriteString(", daily at " + s.Digest.String())
	}
	if s.Quiet != nil {
		words.WriteString(", not in " + s.Quiet.String())
	}
	if words.Len() > 0 {
		words.WriteString(" (" + cmp.Or(s.Zone, "UTC") + ")")
	}
	return console.Neutral(words.String())
}

// printKey prints a signing key that was made; "": none was.
func (p *program) printKey(key string) {
	if key != "" {
		p.out.Printf("Its signing key, which is not shown again: %s\n", key)
	}
}

// shellWord quotes a name where a shell would not read it as one word.
func shellWord(name string) string {
	name = console.Neutral(name)
	if strings.ContainsAny(name, " \t'\"\\$`&|;<>()*?[]#~!{}") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

func selectionWords(s tidings.Selector) string {
	switch {
	case s.Channel != "":
		return "updates of " + console.Neutral(s.Channel)
	case s.Folder != "":
		return "updates in folder " + console.Neutral(tidings.FolderLabel(s.Folder))
	}
	return "all updates"
}

type notifyChangeCmd struct {
	Name   string `arg:"" help:"Name of the address."`
	Rename string `help:"New name." placeholder:"NAME"`
	URL    string `name:"url" help:"New URL. At another server the secret has to be given again. The kind stays." placeholder:"URL"`
	All    bool   `help:"All updates, not only those of a channel or folder." xor:"selection"`
	targetFlags
}

func (c *notifyChangeCmd) Run(p *program) error {
	t, err := p.target(c.Name)
	if err != nil {
		return err
	}
	s, err := c.settings(p, t)
	if err != nil {
		return err
	}
	if c.Rename != "" {
		s.Name = &c.Rename
	}
	if c.URL != "" {
		s.URL = &c.URL
	}
	if c.All {
		s.Channel, s.Folder = new(string), new(string)
	}
	if s == (api.TargetSettings{}) {
		return usage("say what to change", "see: tidings notify change --help")
	}
	changed, err := p.client.Notify().Change(p.ctx, t.ID, s)
	if err != nil {
		return err
	}
	p.out.Printf("%s is changed.\n", console.Neutral(changed.Name))
	if changed.Standing.Unconfirmed {
		p.out.Printf("Its address is not confirmed. With the code that was sent there: tidings notify confirm %s "+
			"CODE\n",
			shellWord(changed.Name))
	}
	p.printKey(changed.Secret)
	return nil
}

// target returns the target of a name.
func (p *program) target(name string) (t tidings.Target, err error) {
	all, err := p.client.Notify().Targets(p.ctx)
	if err != nil {
		return t, err
	}
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
	}
	return t, failure("no address of yours is named "+tidings.Quote(name), "list them: tidings notify list")
}

type notifyListCmd struct {
	JSON bool `name:"json" help:"Print JSON, one address a line."`
}

func (c *notifyListCmd) Run(p *program) error {
	all, err := p.client.Notify().Targets(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	if len(all) == 0 {
		p.out.Printf("You have no addresses yet. To begin: tidings notify add NAME URL\n")
		return nil
	}
	rows := make([][]console.Cell, len(all))
	for i, t := range all {
		rows[i] = []console.Cell{{Text: console.Neutral(t.Name), Style: console.Bold}, {Text: string(t.Kind)},
			{Text: selectionWords(t.Selector) + whenWords(t.Schedule)}, {Text: fmt.Sprint(t.Standing.Pending)},
			{Text: p.state(t)}}
	}
	p.out.Table([]console.Column{{Title: "NAME", Least: 8}, {Title: "KIND"}, {Title: "GETS", Least: 11},
		{Title: "PENDING"},
		{Title: "STATE", Least: 20}}, rows)
	return nil
}

// state words the state of a target briefly.
func (p *program) state(t tidings.Target) string {
	switch {
	case t.Standing.Unconfirmed:
		return console.Neutral("not confirmed: " + t.Standing.Problem)
	case t.Schedule.Paused.After(time.Now()):
		return "paused, until " + p.out.Relative(t.Schedule.Paused)
	}
	return p.standing(t.Standing)
}

// standing words briefly how deliveries to a target fare.
func (p *program) standing(s tidings.Standing) string {
	var words []string
	switch {
	case s.Suspended:
		words = append(words, "stopped until you run tidings outbox retry --to NAME: "+s.Problem)
	case s.Problem != "":
		words = append(words, s.Problem)
	case s.Delivered.IsZero():
		words = append(words, "nothing sent so far")
	default:
		words = append(words, "delivered "+p.out.Relative(s.Delivered))
	}
	if s.Failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", s.Failed))
	}
	if s.Dropped > 0 {
		words = append(words, fmt.Sprintf("%d dropped", s.Dropped))
	}
	return console.Neutral(strings.Join(words, "; "))
}

type notifyConfirmCmd struct {
	Name string `arg:"" help:"Name of the address."`
	Code string `arg:"" help:"Code from the mail that was sent there."`
}

func (c *notifyConfirmCmd) Run(p *program) error {
	t, err := p.target(c.Name)
	if err != nil {
		return err
	}
	if err := p.client.Notify().Confirm(p.ctx, t.ID, c.Code); err != nil {
		return err
	}
	p.out.Printf("%s is confirmed, and gets %s from now on.\n", console.Neutral(t.Name),
		selectionWords(t.Selector)+whenWords(t.Schedule))
	return nil
}

type notifyTestCmd struct {
	Name string `arg:"" help:"Name of the address."`
}

func (c *notifyTestCmd) Run(p *program) error {
	t, err := p.target(c.Name)
	if err != nil {
		return err
	}
	if err := p.client.Notify().Test(p.ctx, t.ID); err != nil {
		return err
	}
	p.out.Printf("Sent. %s has accepted the message.\n", console.Neutral(t.Name))
	return nil
}

type notifyRemoveCmd struct {
	Name string `arg:"" help:"Name of the address."`
}

func (c *notifyRemoveCmd) Run(p *program) error {
	t, err := p.target(c.Name)
	if err != nil {
		return err
	}
	if err := p.client.Notify().Remove(p.ctx, t.ID); err != nil {
		return err
	}
	p.out.Printf("%s is removed.\n", console.Neutral(t.Name))
	return nil
}

type outboxCmd struct {
	List  outboxListCmd  `cmd:"" help:"List what is pending and what has failed, with the reason."`
	Retry outboxRetryCmd `cmd:"" help:"Try again now what is pending or has failed."`
	Drop  outboxDropCmd  `cmd:"" help:"Drop what has failed or is pending."`
}

type outboxListCmd struct {
	Limit int  `default:"100" help:"Show at most so many. Default ${default}." placeholder:"N"`
	JSON  bool `name:"json" help:"Print JSON, one delivery a line."`
}

func (c *outboxListCmd) Run(p *program) error {
	all, err := p.client.Notify().Deliveries(p.ctx, 0, c.Limit)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	if len(all) == 0 {
		p.out.Printf("The outbox is empty.\n")
		return nil
	}
	rows := make([][]console.Cell, len(all))
	for i, d := range all {
		state := "pending"
		switch {
		case d.Failed:
			state = "failed: " + d.Problem
		case d.Stopped:
			state = "stopped"
		case d.Problem != "" && !d.Due.IsZero():
			state = "next try " + p.out.Relative(d.Due) + ": " + d.Problem
		}
		rows[i] = []console.Cell{{Text: fmt.Sprint(d.ID)}, {Text: console.Neutral(d.Name), Style: console.Bold},
			{Text: console.Neutral(cmp.Or(d.Title, d.Channel, "(deleted here)"))}, {Text: p.out.Relative(d.Made)},
			{Text: console.Neutral(state)}}
	}
	p.out.Table([]console.Column{{Title: "ID"}, {Title: "TO", Least: 8}, {Title: "WHAT", Least: 16}, {Title: "SINCE"},
		{Title: "STATE", Least: 20}}, rows)
	return nil
}

// whichDeliveries are the flags that select deliveries.
type whichDeliveries struct {
	ID int64  `arg:"" optional:"" help:"One delivery by its ID in tidings outbox list."`
	To string `help:"Those to the address of this name." placeholder:"NAME"`
}

func (w whichDeliveries) selection(p *program) (which tidings.DeliverySelection, err error) {
	which.Delivery = w.ID
	if w.To == "" {
		return which, nil
	}
	t, err := p.target(w.To)
	which.Target = t.ID
	return which, err
}

type outboxRetryCmd struct{ whichDeliveries }

func (c *outboxRetryCmd) Run(p *program) error {
	which, err := c.selection(p)
	if err != nil {
		return err
	}
	n, err := p.client.Notify().Retry(p.ctx, which)
	if err != nil {
		return err
	}
	p.out.Printf("%s sent again, the oldest first.\n", messages(n))
	return nil
}

func messages(n int) string {
	if n == 1 {
		return "1 message is"
	}
	return fmt.Sprintf("%d messages are", n)
}

type outboxDropCmd struct {
	whichDeliveries
	Failed bool `help:"Only those that have failed."`
	All    bool `help:"All of yours, pending ones too."`
}

func (c *outboxDropCmd) Run(p *program) error {
	which, err := c.selection(p)
	if err != nil {
		return err
	}
	if which.Failed = c.Failed; which == (tidings.DeliverySelection{}) && !c.All {
		return usage("say what is to be dropped", "tidings outbox drop --failed, or ID, --to NAME, --all")
	}
	n, err := p.client.Notify().Drop(p.ctx, which)
	if err != nil {
		return err
	}
	p.out.Printf("%s dropped.\n", messages(n))
	return nil
}
