package store

import (
	"fmt"
	"testing"
)

// What others have is to be put into the archive, once; it is told page by page.
func TestWhatIsToBeArchived(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, Default(dataDir(t)))
	defer s.Close()
	ctx := t.Context()
	mustPublish(t, s, 1)
	mustIssue(t, s, 5)
	left := func(after Unarchived, limit int) (all []Unarchived, text string) {
		t.Helper()
		all, err := s.Unarchived(ctx, after, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			text += fmt.Sprint(i.Number, " ", string(i.Item), " ", i.Topic[0], "; ")
		}
		return all, text
	}
	if _, text := left(Unarchived{}, 9); text != "" {
		t.Errorf("what nobody has is to be archived: %s", text)
	}
	if err := s.Sent(ctx, publishedURL, "me", 1, 2, 4); err != nil {
		t.Fatal(err)
	}
	page, text := left(Unarchived{}, 2)
	if text != "1 item 1 1; 2 item 2 1; " {
		t.Fatalf("the first page is %s", text)
	}
	if _, text := left(page[1], 2); text != "4 item 4 1; " {
		t.Errorf("the second page is %s", text)
	}
	if err := s.NoteArchived(ctx, page[:1]); err != nil {
		t.Fatal(err)
	}
	if _, text := left(Unarchived{}, 9); text != "2 item 2 1; 4 item 4 1; " {
		t.Errorf("what is left is %s", text)
	}
}
