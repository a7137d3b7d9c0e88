package xmpp

import (
	"fmt"
	"strings"

	"tidings"
	"tidings/delivery/outbox"
)

// word words a message for a target. A digest names each of its parts with its link, as many as there is room for.
func (b *Bot) word(t tidings.Target, m outbox.Message) Wording {
	if m.Digest == nil {
		return b.c.Word(t, m)
	}
	w := Wording{Title: "1 update"}
	if n := len(m.Digest); n != 1 {
		w.Title = fmt.Sprintf("%d updates", n)
	}
	var lines []string
	room := MaxBody - 200 // for the title, and what is said of the rest
	for i, part := range m.Digest {
		one := b.c.Word(tidings.Target{Kind: t.Kind}, outbox.Message{ID: m.ID, Update: part.Update, Item: part.Item,
			Made: m.Made})
		line := "• " + cut(oneLine(one.Title), 250)
		if one.Link != "" {
			line += "\n" + one.Link
		}
		if room -= len(line) + 1; room < 0 {
			lines = append(lines, fmt.Sprintf("and %d more: write list, and latest with a number", len(m.Digest)-i))
			break
		}
		lines = append(lines, line)
	}
	w.Text = strings.Join(lines, "\n")
	return w
}
