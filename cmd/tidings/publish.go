package main

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/node/keyring"
	"tidings/node/publish"
	"tidings/view"
)

type publishCmd struct {
	Feed []string `arg:"" optional:"" name:"feed" help:"File or URL of a feed, or of news in NITF, NewsML-G2 or ninjs; - for the standard input. Whatever is new in it is published." placeholder:"FEED_URL_OR_FILE"`

	Key         string `help:"Name of the key that signs; default: the only one there is." placeholder:"NAME"`
	FeedURL     string `name:"feed-url" help:"Address at which readers find the feed, where the feed does not say it." placeholder:"URL"`
	Watch       bool   `help:"Go on whenever the file or URL changes. The node reads it, also after its next start: it must be able to."`
	ThirdParty  bool   `help:"The feed is somebody else's: its server is asked once an interval of the node and no more, and only readers that trust your key for it accept the items."`
	FullContent string `help:"Directory with whole contents, by the paths of items' links, such as the one that a site is built into." placeholder:"DIR"`
	MaxSilence  *span  `help:"Promise readers a word within this time, so that they notice what they miss; 0: promise nothing. Default 1h." placeholder:"DURATION"`

	Announce string `help:"Write into this feed's file that its items are pushed, and by which key. Needs --feed-url and no node." placeholder:"FILE"`
	List     bool   `help:"List what the node publishes."`
	Stop     string `help:"Publish this feed no longer." placeholder:"URL"`
	Resume   string `help:"Go on publishing this feed, which was stopped because another node published it with the same key." placeholder:"URL"`

	onceFlags       `embed:""`
	passphraseFlags `embed:""`
	JSON            bool `name:"json" help:"Print JSON, one object a line."`
}

func (c *publishCmd) Run(p *program) error {
	asked := 0
	for _, one := range []bool{len(c.Feed) > 0, c.Announce != "", c.List, c.Stop != "", c.Resume != ""} {
		if one {
			asked++
		}
	}
	switch {
	case asked > 1:
		return usage("feeds, --announce, --list, --stop and --resume are for one at a time",
			"see: tidings publish --help")
	case c.List:
		return c.list(p)
	case c.Stop != "":
		return c.stop(p)
	case c.Resume != "":
		return c.resume(p)
	case c.Announce != "":
		return c.announce(p)
	case asked == 0:
		return usage("there is nothing to publish", "name a feed's file or URL: tidings publish FEED_URL_OR_FILE")
	case len(c.Feed) > 1 && c.FeedURL != "":
		return usage("--feed-url is the address of one feed, and there are "+strconv.Itoa(len(c.Feed)),
			"publish them one by one")
	}
	if c.Once {
		return c.once(p)
	}
	_, err := c.publish(p, 0)
	return err
}

// publish has the node publish what is new in each feed, and returns the publications. silence is what is promised
// unless a flag says it, as in an order.
func (c *publishCmd) publish(p *program, silence int64) (all []view.Publication, err error) {
	o := view.PublishOrder{Channel: c.FeedURL, Key: c.Key, Watch: c.Watch, ThirdParty: c.ThirdParty,
		MaxSilence: silence}
	if o.Passphrase, err = c.secret(p); err != nil {
		return nil, err
	}
	if o.FullContent, err = absolute(c.FullContent); err != nil {
		return nil, err
	}
	if c.MaxSilence != nil {
		if o.MaxSilence = int64(time.Duration(*c.MaxSilence) / time.Second); o.MaxSilence == 0 {
			o.MaxSilence = -1
		}
	}
	for _, source := range c.Feed {
		if o.Source, o.Document, err = sourceOf(p, source, !c.Watch); err != nil {
			return nil, err
		}
		issued, err := c.patiently(p, o)
		if err != nil {
			return nil, err
		}
		all = append(all, issued.Publication)
		if c.JSON {
			err = p.out.JSON(issued)
		} else {
			printIssued(p, issued, o)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// waitingEvery is how often the node is asked for what it waits.
const waitingEvery = time.Second

// patiently publishes at the node, and says what it waits for if that lasts long: before a key's first items go out it
// queries the network for many seconds.
func (c *publishCmd) patiently(p *program, o view.PublishOrder) (issued view.Issued, err error) {
	publish := func() (err error) { issued, err = p.client.Publish(p.ctx, o); return err }
	if c.Once {
		order := publish
		publish = func() error { return steadily(p, order) }
	}
	if c.JSON {
		err = publish()
		return issued, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = publish()
	}()
	waiting, began := p.errors.Waiting(), time.Now()
	defer waiting.Clear()
	every := time.NewTicker(waitingEvery)
	defer every.Stop()
	for {
		select {
		case <-done:
			return issued, err
		case <-every.C:
			waiting.Show(c.waitsFor(p), time.Since(began))
		}
	}
}

// waitsFor returns what the node waits for with what it publishes; "" if for nothing, or if that is unknown.
func (c *publishCmd) waitsFor(p *program) string {
	all, err := p.client.Publications(p.ctx)
	if err != nil {
		return ""
	}
	for _, a := range all {
		if a.Waiting != "" && (c.Key == "" || c.Key == a.Key) {
			return a.Waiting
		}
	}
	return ""
}

// absolute returns a path as a node can use it, which runs elsewhere; nothing for nothing.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}

// secret returns the passphrase of the key that signs, if it needs one that the node may not know.
func (c *publishCmd) secret(p *program) (string, error) {
	key, err := keyring.In(p.data).Pick(c.Key)
	if err != nil || !key.Encrypted {
		return "", nil // what is wrong with the key the node says
	}
	return c.passphrase(p, key.Name)
}

func printIssued(p *program, issued view.Issued, o view.PublishOrder) {
	out, about := p.out, issued.Publication
	changed, nodes := 0, 0
	for i, item := range issued.Items {
		if item.Change == tidings.Changed {
			changed++
		}
		if i == len(issued.Items)-1 {
			nodes = item.Nodes
		}
	}
	switch fresh := len(issued.Items) - changed; {
	case len(issued.Items) == 0 && !issued.Embargoed.IsZero():
		out.Printf("Nothing published of %s yet: an item is under embargo until %s, and is published then\n",
			out.Paint(console.Bold, console.Neutral(about.Channel)),
			issued.Embargoed.Local().Format("2006-01-02 15:04"))
	case len(issued.Items) == 0:
		out.Printf("Nothing new in %s\n", out.Paint(console.Bold, console.Neutral(about.Channel)))
	default:
		out.Printf("Published %s of %s\n  %s\n", console.Of(len(issued.Items), "item"),
			out.Paint(console.Bold, console.Neutral(about.Channel)),
			strings.Join(nonEmpty(some(fresh, "new"), some(changed, "changed"), "up to number "+
				console.Count(int64(about.Items)), reached(nodes)), ", "))
	}
	if o.Watch {
		out.Printf("  watching %s\n", console.Neutral(about.Watched))
	}
	if about.ThirdParty {
		out.Printf("  as a third party; who trusts you takes it: tidings trust %s %s --third-party\n",
			console.Neutral(about.Channel), about.Fingerprint)
	} else if !issued.Announced {
		p.complain("the feed does not say that its items are pushed, or names another key: readers will not find them",
			"announce it: tidings publish --announce FILE --feed-url "+about.Channel+" --key "+about.Key)
	}
}

// reached says how many nodes forward an item.
func reached(nodes int) string {
	if nodes == 0 {
		return "taken by no other node so far; it is kept, and sent again"
	}
	return "taken by " + console.Of(nodes, "node") + " that hand it on"
}

func some(n int, what string) string {
	if n == 0 {
		return ""
	}
	return console.Count(int64(n)) + " " + what
}

func nonEmpty(words ...string) []string {
	var all []string
	for _, w := range words {
		if w != "" {
			all = append(all, w)
		}
	}
	return all
}

func (c *publishCmd) list(p *program) error {
	all, err := p.client.Publications(p.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printLines(p.out, all)
	}
	if len(all) == 0 {
		p.out.Printf("Nothing is published yet. Begin with: tidings publish FEED_URL_OR_FILE\n")
		return nil
	}
	rows := make([][]console.Cell, len(all))
	for i, a := range all {
		state, style := publicationState(p.out, a)
		rows[i] = []console.Cell{{Text: console.Neutral(a.Channel), Style: console.Bold}, {Text: a.Key},
			{Text: console.Count(int64(a.Items)), Style: console.Plain}, {Text: p.out.Relative(a.Last)},
			{Text: state, Style: style},
			{Text: console.Neutral(a.Watched), Style: console.Dim}}
	}
	p.out.Table([]console.Column{{Title: "FEED", Least: 24}, {Title: "KEY"}, {Title: "ITEMS", Right: true},
		{Title: "LAST"},
		{Title: "STATE", Least: 12}, {Title: "WATCHED", Least: 16, Spare: true}}, rows)
	return nil
}

func publicationState(out *console.Console, a view.Publication) (string, console.Style) {
	switch {
	case !a.Stopped.IsZero():
		return "stopped " + out.Relative(a.Stopped), console.Dim
	case a.Trouble != "":
		return console.Neutral(a.Trouble), console.Red
	case a.Waiting != "":
		return console.Neutral(a.Waiting), console.Yellow
	case a.Unsent > 0:
		return console.Of(a.Unsent, "item") + " to send", console.Yellow
	}
	return "good", console.Green
}

func (c *publishCmd) stop(p *program) error {
	if err := p.client.StopPublishing(p.ctx, c.Stop); err != nil {
		return err
	}
	p.out.Printf("No longer publishing %s\n", console.Neutral(c.Stop))
	return nil
}

func (c *publishCmd) resume(p *program) error {
	if err := p.client.ResumePublishing(p.ctx, c.Resume); err != nil {
		return err
	}
	p.out.Printf("Publishing %s again. On the other node it must stay stopped\n", console.Neutral(c.Resume))
	return nil
}

// announce writes into a feed's document by which key it is published. It needs no node.
func (c *publishCmd) announce(p *program) error {
	if c.FeedURL == "" {
		return usage("the address at which readers find the feed is missing", "give it with --feed-url")
	}
	key, err := keyring.In(p.data).Pick(c.Key)
	if err != nil {
		return keyFailure(err)
	}
	silence := publish.UsualSilence
	if c.MaxSilence != nil {
		silence = time.Duration(*c.MaxSilence)
	}
	done, err := publish.Announce(c.Announce, c.FeedURL, key, silence)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(done)
	}
	word := "It says so already: "
	if done.Changed {
		word = "Announced in "
	}
	p.out.Printf("%s%s\n  feed        %s\n  topic       %s\n  fingerprint %s\nWhoever makes the feed anew each "+
		"time can paste this %s:\n\n%s\n", word, console.Neutral(c.Announce),
		console.Neutral(done.Channel), done.Topic, done.Fingerprint, cmp.Or(done.Where, "into it"), done.Snippet)
	return nil
}
