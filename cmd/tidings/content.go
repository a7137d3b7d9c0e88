package main

import (
	"strings"

	"golang.org/x/net/html"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
	"tidings/delivery/diffview"
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
		p.out.Paint(console.Dim, console.Of(len(s.Items), "item")+", version "+console.Count(int64(s.Version))+" · "+
			p.out.Relative(s.Time)))
	if s.FoundBy == p.lone() {
		s.FoundBy = ""
	}
	v := vouching{s.FoundBy, s.SignedBy, s.ConfirmedBy, s.ThirdParty, s.Withdrawn}
	if words := v.whence(); words != "" {
		p.out.Printf("%s\n", p.out.Paint(console.Dim, words))
	}
	printFalse(p.out, v)
	if f.Push != nil {
		printPush(p.out, f)
	}
	if words := hubWords(p.out, f.Hub); words != "" {
		p.out.Printf("%s\n", p.out.Paint(console.Dim, words))
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
	URL   address         `arg:"" help:"Address of the channel, or of the page that it belongs to."`
	From  tidings.Version `arg:"" optional:"" help:"The earlier version; default: the one before the later."`
	To    tidings.Version `arg:"" optional:"" help:"The later version; default: the latest."`
	Patch bool            `help:"Print the change of a page as diff does, for patch to read."`
}

func (c *diffCmd) Run(p *program) error {
	d, err := p.client.Diff(p.ctx, string(c.URL), c.From, c.To)
	switch {
	case err != nil:
		return err
	case d.Kind == tidings.KindPage && c.Patch:
		printDelta(p.out, d.Delta)
	case d.Kind == tidings.KindPage:
		printHunks(p.out, "", diffview.View(d.Delta))
	case c.Patch:
		return usage("--patch is for pages, and this is a feed", "leave it out")
	}
	for _, change := range d.Items {
		printItemChange(p.out, d, change)
	}
	return nil
}

// printDelta prints POSIX diff's normal output.
func printDelta(out *console.Console, delta string) {
	for line := range strings.Lines(delta) {
		line = strings.TrimSuffix(line, "\n")
		style := console.Dim
		switch {
		case strings.HasPrefix(line, "<"):
			style = console.Red
		case strings.HasPrefix(line, ">"):
			style = console.Green
		}
		out.Printf("%s\n", out.Paint(style, outsideLine(out, line)))
	}
}

// printHunks prints what changed, one line a row, after an indent. Lines that were rewritten have what was removed and
// added marked, by colours or, without them, as [-removed-] and {+added+}.
func printHunks(out *console.Console, indent string, hunks []diffview.Hunk) {
	for i, h := range hunks {
		if i > 0 {
			out.Printf("%s%s\n", indent, out.Paint(console.Dim, "…"))
		}
		for _, r := range h.Rows {
			switch {
			case r.Old == nil:
				out.Printf("%s%s\n", indent, out.Paint(console.Green, "+ "+console.NeutralLine(r.New.Text())))
			case r.New == nil:
				out.Printf("%s%s\n", indent, out.Paint(console.Red, "- "+console.NeutralLine(r.Old.Text())))
			default:
				out.Printf("%s%s %s\n", indent, out.Paint(console.Yellow, "≠"), rewrittenLine(out, r))
			}
		}
	}
}

// keptShown is how many characters of an unchanged part of a line are shown before and after a change.
const keptShown = 60

// rewrittenLine draws a line that was rewritten.
func rewrittenLine(out *console.Console, r diffview.Row) string {
	var b strings.Builder
	parts := r.Inline()
	for i, part := range parts {
		text := console.NeutralLine(part.Text)
		switch part.Fate {
		case diffview.Removed:
			b.WriteString(out.Mark(console.Removed, text, "[-", "-]"))
		case diffview.Added:
			b.WriteString(out.Mark(console.Added, text, "{+", "+}"))
		default:
			b.WriteString(aroundChange(text, i > 0, i < len(parts)-1))
		}
	}
	return b.String()
}

// aroundChange leaves out most of a long unchanged text: all but the lines after a change before it, and those before
// one after it.
func aroundChange(text string, after, before bool) string {
	all := []rune(text)
	head, tail := 0, 0
	if after {
		head = keptShown
	}
	if before {
		tail = keptShown
	}
	if len(all) <= head+tail+keptShown {
		return text
	}
	return string(all[:head]) + "…" + string(all[len(all)-tail:])
}

// printItemChange prints what a reader would notice of one item.
func printItemChange(out *console.Console, d api.Difference, change api.ItemChange) {
	item := change.Item
	item.Change = change.Change
	printItem(out, item, vouching{}, console.Neutral(d.Title), "between versions "+console.Count(int64(d.From))+" and "+
		console.Count(int64(d.To)))
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
	out.Printf("    %s\n", out.Paint(console.Dim, what+":"))
	printHunks(out, "    ", diffview.Texts(before, after))
}
