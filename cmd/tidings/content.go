package main

import (
	"strings"

	"golang.org/x/net/html"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
)

type showCmd struct {
	URL     address         `arg:"" help:"Address of the channel, or of the page that it belongs to."`
	Version tidings.Version `help:"Which version; default: the latest." placeholder:"N"`
	JSON    bool            `name:"json" help:"Print JSON."`
}

func (c *showCmd) Run(p *program) error {
	s, err := p.client.State(p.ctx, string(c.URL), c.Version)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(s)
	}
	if s.Kind == tidings.KindPage {
		for _, line := range s.Lines {
			p.out.Printf("%s\n", outsideLine(p.out, line))
		}
		return nil
	}
	f, err := p.client.Channel(p.ctx, string(c.URL))
	if err != nil {
		return err
	}
	p.out.Printf("%s\n%s\n", p.out.Paint(console.Bold, console.Neutral(s.Title)),
		p.out.Paint(console.Dim, console.Of(len(s.Items), "item")+", version "+console.Count(int64(s.Version))+" · "+p.out.Relative(s.Time)))
	v := vouching{s.FoundBy, s.SignedBy, s.ConfirmedBy, s.ThirdParty, s.Withdrawn}
	if words := v.whence(); words != "" {
		p.out.Printf("%s\n", p.out.Paint(console.Dim, words))
	}
	printFalse(p.out, v)
	if f.Push != nil {
		printPush(p.out, f)
	}
	p.out.Printf("\n")
	page := ""
	if hasCopies(s.Items) {
		page = p.page()
	}
	for _, item := range s.Items {
		printStateItem(p.out, item, page)
	}
	return nil
}

// maxTextShown is how many characters of an item's text are printed; --json has all of it.
const maxTextShown = 4000

// printStateItem prints an item; page is the address of the node's.
func printStateItem(out *console.Console, item tidings.Item, page string) {
	out.Printf("%s\n", out.Paint(console.Bold, console.Neutral(item.Title)))
	var about []string
	if !item.Published.IsZero() {
		about = append(about, item.Published.Local().Format("2006-01-02 15:04"))
	}
	if item.Author != "" {
		about = append(about, console.Neutral(item.Author))
	}
	if len(about) > 0 {
		out.Printf("  %s\n", out.Paint(console.Dim, strings.Join(about, " · ")))
	}
	if link := console.Neutral(item.URL); link != "" {
		out.Printf("  %s\n", out.Paint(console.Blue, link))
	}
	text := item.Content
	if text == "" {
		text = item.Summary
	}
	if text = console.Cut(htmlText(text), maxTextShown); text != "" {
		for _, line := range console.Wrap(text, min(max(out.Width-2, 0), 100)) {
			out.Printf("  %s\n", line)
		}
	}
	printFiles(out, item.Enclosures, page)
	out.Printf("\n")
}

// htmlText is the words of sanitised HTML, as one neutral line.
func htmlText(markup string) string {
	var text strings.Builder
	for z := html.NewTokenizer(strings.NewReader(markup)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return console.Neutral(text.String())
		case html.TextToken:
			text.Write(z.Text())
		default:
			text.WriteByte(' ')
		}
	}
}

// outsideLine is a line of a page. It goes as it is where no person reads it, because
// programs such as patch need every byte of it.
func outsideLine(out *console.Console, line string) string {
	if out.Terminal {
		return console.NeutralLine(line)
	}
	return line
}

type diffCmd struct {
	URL  address         `arg:"" help:"Address of the channel, or of the page that it belongs to."`
	From tidings.Version `arg:"" optional:"" help:"The earlier version; default: the one before the later."`
	To   tidings.Version `arg:"" optional:"" help:"The later version; default: the latest."`
}

func (c *diffCmd) Run(p *program) error {
	d, err := p.client.Diff(p.ctx, string(c.URL), c.From, c.To)
	if err != nil {
		return err
	}
	if d.Kind == tidings.KindPage {
		printDelta(p.out, d.Delta, outsideLine)
		return nil
	}
	for _, change := range d.Items {
		printItemChange(p.out, d, change)
	}
	return nil
}

// printDelta prints POSIX diff's normal output, its lines in the form that clean gives them.
func printDelta(out *console.Console, delta string, clean func(*console.Console, string) string) {
	for line := range strings.Lines(delta) {
		line = strings.TrimSuffix(line, "\n")
		style := console.Dim
		switch {
		case strings.HasPrefix(line, "<"):
			style = console.Red
		case strings.HasPrefix(line, ">"):
			style = console.Green
		}
		out.Printf("%s\n", out.Paint(style, clean(out, line)))
	}
}

// printItemChange prints what a reader would notice of one item.
func printItemChange(out *console.Console, d api.Difference, change api.ItemChange) {
	item := change.Item
	item.Change = change.Change
	printItem(out, item, vouching{}, console.Neutral(d.Title), "between versions "+console.Count(int64(d.From))+" and "+console.Count(int64(d.To)))
	if change.Before == nil {
		return
	}
	printChangedText(out, "title", console.Neutral(change.Before.Title), console.Neutral(item.Title))
	printChangedText(out, "link", console.Neutral(change.Before.URL), console.Neutral(item.URL))
	printChangedText(out, "author", console.Neutral(change.Before.Author), console.Neutral(item.Author))
	printChangedText(out, "summary", htmlText(change.Before.Summary), htmlText(item.Summary))
	printChangedText(out, "content", htmlText(change.Before.Content), htmlText(item.Content))
	out.Printf("\n")
}

func printChangedText(out *console.Console, what, before, after string) {
	if before == after {
		return
	}
	before, after = aroundChange(before, after)
	out.Printf("    %s\n", out.Paint(console.Dim, what+":"))
	for _, side := range []struct {
		sign, text string
		style      console.Style
	}{{"< ", before, console.Red}, {"> ", after, console.Green}} {
		for _, line := range console.Wrap(side.text, min(max(out.Width-6, 0), 100)) {
			out.Printf("    %s\n", out.Paint(side.style, side.sign+line))
		}
	}
}

// aroundChange leaves out most of what two texts have in common at their ends.
func aroundChange(a, b string) (string, string) {
	const context = 5 // words
	x, y := strings.Fields(a), strings.Fields(b)
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	cut := func(words []string) string {
		first, last := max(0, head-context), min(len(words), len(words)-tail+context)
		text := strings.Join(words[first:last], " ")
		if first > 0 {
			text = "… " + text
		}
		if last < len(words) {
			text += " …"
		}
		return text
	}
	return cut(x), cut(y)
}
