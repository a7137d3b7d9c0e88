package published_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/store/published"
	"tidings/store/storetest"
)

const publishedURL = "https://example.org/published"

// Items that other nodes have are to be put into the archive, once; they are listed page by page.
func TestWhatIsToBeArchived(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	ctx := t.Context()
	p, err := s.Published.Publish(ctx, published.Publication{Channel: publishedURL, Key: "me", Topic: [20]byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	issue := published.Issue{Channel: publishedURL, Key: "me", Time: time.Now()}
	for n := range uint64(5) {
		issue.Items =
			append(issue.Items, published.Item{Number: n + 1, Topic: p.Topic, Signed: fmt.Appendf(nil, "item %d", n+1)})
	}
	if err := s.Published.Issue(ctx, issue); err != nil {
		t.Fatal(err)
	}
	left := func(after published.Unarchived, limit int) (all []published.Unarchived, text string) {
		t.Helper()
		all, err := s.Published.Unarchived(ctx, after, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			text += fmt.Sprint(i.Number, " ", string(i.Signed), " ", i.Topic[0], "; ")
		}
		return all, text
	}
	if _, text := left(published.Unarchived{}, 9); text != "" {
		t.Errorf("what nobody has is to be archived: %s", text)
	}
	if err := s.Published.Sent(ctx, publishedURL, "me", 1, 2, 4); err != nil {
		t.Fatal(err)
	}
	page, text := left(published.Unarchived{}, 2)
	if text != "1 item 1 1; 2 item 2 1; " {
		t.Fatalf("the first page is %s", text)
	}
	if _, text := left(page[1], 2); text != "4 item 4 1; " {
		t.Errorf("the second page is %s", text)
	}
	if err := s.Published.NoteArchived(ctx, page[:1]); err != nil {
		t.Fatal(err)
	}
	if _, text := left(published.Unarchived{}, 9); text != "2 item 2 1; 4 item 4 1; " {
		t.Errorf("what is left is %s", text)
	}
}
