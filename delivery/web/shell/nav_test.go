package shell

import (
	"fmt"
	"testing"

	"tidings"
)

// Folders stand beside the page as a tree, each with the number of unread entries in it and below. The place of the
// page is marked. If there are many channels, only those in its folder are shown.
func TestFoldersAreATree(t *testing.T) {
	channel := func(folder string, n, unread int) tidings.Subscription {
		return tidings.Subscription{Folder: folder, Unread: unread,
			Channel: tidings.Channel{URL: fmt.Sprintf("https://x.example/%d", n)}}
	}
	few := []tidings.Subscription{channel("", 1, 1), channel("News", 2, 2), channel("News/Local", 3, 4),
		channel("News/Local/Sport", 4, 8), channel("Work", 5, 0)}
	var show func(b *branch) string
	show = func(b *branch) string {
		s := fmt.Sprintf("%s:%d", b.Name, b.Unread)
		if b.Here {
			s += "!"
		}
		if b.Open {
			s += "+"
		}
		for _, f := range b.Folders {
			s += " (" + show(f) + ")"
		}
		if n := len(b.Channels) + b.More; n > 0 {
			s += fmt.Sprintf(" %d/%d", len(b.Channels), n)
		}
		return s
	}
	for here, want := range map[string]string{
		"":                    ":0+ (News:14 (Local:12 (Sport:8 1/1) 1/1) 1/1) (Work:0 1/1) 1/1",
		"News/Local":          ":0+ (News:14+ (Local:12!+ (Sport:8 1/1) 1/1) 1/1) (Work:0 1/1) 1/1",
		"https://x.example/4": ":0+ (News:14+ (Local:12+ (Sport:8+ 1/1) 1/1) 1/1) (Work:0 1/1) 1/1",
	} {
		n := navOf(few, here)
		if got := show(n.Tree); got != want || n.Unread != 15 {
			t.Errorf("at %q:\n got %s, %d\nwant %s", here, got, n.Unread, want)
		}
	}
	var many []tidings.Subscription
	for i := range 300 {
		many = append(many, channel([]string{"", "A", "B"}[i/100], i, 1))
	}
	if got, want := show(navOf(many, "B").Tree), ":0+ (A:100 0/100) (B:100!+ 60/100) 60/100"; got != want {
		t.Errorf("of many: %s, want %s", got, want)
	}
	var folders []tidings.Subscription // 100 of them, with three folders in each
	for i := range 300 {
		folders = append(folders, channel(fmt.Sprintf("F%02d/In %d", i/3, i%3), i, 1))
	}
	tree := navOf(folders, "F90/In 1").Tree
	if n := len(tree.Folders); n != maxNavFolders+1 || tree.Others != 100-n || tree.Folders[0].Others != 3 ||
		len(tree.Folders[0].Folders) != 0 {
		t.Errorf("of many folders, %d, and %d are left out", n, tree.Others)
	}
	if got, want := show(tree.Folders[maxNavFolders]), "F90:3+ (In 0:1 0/1) (In 1:1!+ 1/1) (In 2:1 0/1)"; got != want {
		t.Errorf("the folder of the page is %s, want %s", got, want)
	}
	if n := navOf(nil, "B"); n.Tree != nil {
		t.Error("there is a tree of nothing")
	}
}

// What is unread in two channels counts once: in all, in the folders that have both channels, and in the tags that both
// have. Tags are listed as people count.
func TestItemsOfTwoChannelsCountOnce(t *testing.T) {
	channel := func(url, folder string, unread int, tags ...string) tidings.Subscription {
		return tidings.Subscription{Folder: folder, Tags: tags, Unread: unread, Channel: tidings.Channel{URL: url}}
	}
	all := []tidings.Subscription{channel("feed", "News/Local", 5, "daily", "Part 10"),
		channel("other", "Elsewhere", 3, "daily"), channel("query", "News", 4, "daily", "Part 2")}
	n := navOf(all, "")
	n.tag(all, "daily")
	n.once(all, []tidings.Doubled{{Query: "query", Of: "feed", Unread: 2}, {Query: "query", Of: "other", Unread: 1},
		{Query: "query", Of: "gone", Unread: 1}})
	news := n.Tree.within("News", "News")
	if n.Unread != 9 || news.Unread != 7 || news.within("News/Local", "Local").Unread != 5 ||
		n.Tree.within("Elsewhere", "Elsewhere").Unread != 3 {
		t.Errorf("unread: %d, in News %d, in %+v", n.Unread, news.Unread, news.Folders)
	}
	if got, want := fmt.Sprint(n.Tags), "[{daily 9 true} {Part 2 4 false} {Part 10 5 false}]"; got != want {
		t.Errorf("tags: %s, want %s", got, want)
	}
	for i := range 200 {
		all = append(all, channel(fmt.Sprint(i), "", 1, fmt.Sprintf("Tag %d", i)))
	}
	n = nav{}
	if n.tag(all, "Tag 150"); len(n.Tags) != maxNavTags+1 || !n.Tags[maxNavTags].Here || n.Others != 203-len(n.Tags) {
		t.Errorf("of 203 tags there are %d, and %d are left out", len(n.Tags), n.Others)
	}
}
