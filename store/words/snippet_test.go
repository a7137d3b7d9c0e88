package words

import (
	"fmt"
	"strings"
	"testing"

	"tidings"
)

// A snippet has at most so many words, and marks at its ends what is left out, and only that.
func TestSnippetsAtTheirBounds(t *testing.T) {
	t.Parallel()
	for before := range snippetLead + 3 {
		for _, after := range []int{0, snippetWords - snippetLead - 2, snippetWords - snippetLead - 1,
			snippetWords - snippetLead, snippetWords - 1, snippetWords, snippetWords + 1} {
			id := fmt.Sprintf("needle%dx%d", before, after)
			words := strings.Repeat("before ", before) + id + strings.Repeat(" after", after)
			entry := tidings.Entry{Kind: tidings.KindFeed, Content: tidings.Item{Title: "Story", Content: words}}
			all := strings.Fields(words)
			from := max(0, before-snippetLead)
			to := min(len(all), from+snippetWords)
			want := strings.Replace(strings.Join(all[from:to], " "), id, "\x02"+id+"\x03", 1)
			if from > 0 {
				want = "… " + want
			}
			if to < len(all) {
				want += " …"
			}
			if got := Parse(id).Snippet(&entry); got != want {
				t.Errorf("%d before, %d after: %q, not %q", before, after, got, want)
			}
		}
	}
}
