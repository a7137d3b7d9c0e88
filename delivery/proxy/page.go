package proxy

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"tidings"
)

// maxLines is how many changed lines of a page are shown; the rest are counted.
const maxLines = 2000

// pageEntry shows one version of a page: what changed, as insertions and deletions.
func pageEntry(channel tidings.Subscription, e tidings.Entry) entry {
	content, added, removed := showDelta(e.Delta, e.Version == 1)
	label := oneLine(channel.Label(), maxTitle)
	title := label + ": " + countLines(added, removed)
	if e.Version == 1 {
		title = label + ": first version"
	}
	link := webURL(e.Content.URL)
	if link == "" {
		link = webURL(channel.URL)
	}
	return entry{
		row:     e.ID,
		id:      entryID(channel.URL, "version", int64(e.Version)),
		title:   title,
		link:    link,
		updated: e.Received,
		content: content,
	}
}

func countLines(added, removed int) string {
	lines := func(n int) string {
		if n == 1 {
			return "1 line"
		}
		return fmt.Sprintf("%d lines", n)
	}
	switch {
	case added > 0 && removed > 0:
		return fmt.Sprintf("%s added, %d removed", lines(added), removed)
	case added > 0:
		return lines(added) + " added"
	case removed > 0:
		return lines(removed) + " removed"
	}
	return "changed"
}

// hunkCommand is the line that opens a hunk in the normal output format of diff.
var hunkCommand = regexp.MustCompile(`^[0-9]+(?:,[0-9]+)?[acd][0-9]+(?:,[0-9]+)?$`)

// showDelta turns a delta in diff's normal output format into HTML. A plus or minus
// stands before each line, for readers that know neither ins nor del; of a first
// version the lines stand as they are.
func showDelta(delta string, whole bool) (content string, added, removed int) {
	var b strings.Builder
	open := false
	for line := range strings.SplitSeq(delta, "\n") {
		tag, sign, text := "", "", ""
		switch {
		case strings.HasPrefix(line, "> "):
			tag, sign, text = "ins", "+", line[2:]
			added++
		case strings.HasPrefix(line, "< "):
			tag, sign, text = "del", "−", line[2:]
			removed++
		case hunkCommand.MatchString(line):
			if open {
				b.WriteString("</pre>\n")
			}
			open = false
			continue
		default: // between the two halves of a hunk, or no part of a delta
			continue
		}
		if added+removed > maxLines {
			continue
		}
		if !open {
			b.WriteString("<pre>")
			open = true
		}
		text = html.EscapeString(clean(text))
		if whole {
			b.WriteString(text + "\n")
			continue
		}
		fmt.Fprintf(&b, "<%s>%s %s</%s>\n", tag, sign, text, tag)
	}
	if open {
		b.WriteString("</pre>\n")
	}
	if more := added + removed - maxLines; more > 0 {
		fmt.Fprintf(&b, "<p>… and %d more lines</p>\n", more)
	}
	if added+removed == 0 {
		b.WriteString("<p>No lines.</p>\n")
	}
	return b.String(), added, removed
}
