package main

import (
	"strconv"

	"tidings"
	"tidings/cmd/console"
)

type fetchCmd struct {
	File string `arg:"" help:"Its address at its origin, as tidings show prints it, or the ref of its copy."`
	JSON bool   `name:"json" help:"Print JSON: how the file is here."`
}

func (c *fetchCmd) Run(p *program) error {
	copied, err := p.client.FetchFile(p.ctx, c.File)
	if err != nil {
		return err
	}
	if c.JSON {
		return p.out.JSON(copied)
	}
	p.out.Printf("%s\n  %s\n", console.Neutral(c.File), copyWords(&copied, p.page()))
	return nil
}

// page returns the address of the node's page, below which files are; empty where that is not known.
func (p *program) page() string {
	s, err := p.client.Status(p.ctx)
	if err != nil {
		return ""
	}
	return s.Page
}

// copyWords says which copy of an item's file is here.
func copyWords(c *tidings.Copy, page string) string {
	switch c.State {
	case tidings.CopyHere:
		return "on this node: " + page + c.Path
	case tidings.CopyFetching:
		return "on its way to this node: " + strconv.Itoa(c.Percent) + " %"
	case tidings.CopyWaiting:
		return "not on this node so far; others are asked for it"
	default:
		return "not on this node: nobody has it, or there is no room (to ask again: tidings fetch)"
	}
}

// printFiles prints the files that an item carries.
func printFiles(out *console.Console, files []tidings.Enclosure, page string) {
	for _, f := range files {
		about := console.Neutral(f.Type)
		if f.Length > 0 {
			about += " " + console.Bytes(f.Length)
		}
		out.Printf("  %s %s\n", out.Paint(console.Blue, console.Neutral(f.URL)), out.Paint(console.Dim, about))
		if f.Copy != nil {
			out.Printf("    %s\n", out.Paint(console.Dim, copyWords(f.Copy, page)))
		}
	}
}

// hasCopies reports whether any file of items may be on the node.
func hasCopies(items []tidings.Item) bool {
	for i := range items {
		for _, f := range items[i].Enclosures {
			if f.Copy != nil {
				return true
			}
		}
	}
	return false
}
