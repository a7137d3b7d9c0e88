package node

import (
	"context"
	"errors"
	"fmt"
	"html"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/dataset"
	"tidings/lab/origin"
	"tidings/source/feed"
	"tidings/source/feed/feedtest"
	"tidings/source/page/pagetest"
)

// Histories are replayed state by state from an origin on loopback through a whole node. The updates of recorded ones
// are compared with plain models of the documents. Those of generated ones are compared with what is known of them. In
// -short mode only a part of each kind is replayed.

func histories(t *testing.T, folder string, short ...string) []dataset.History {
	t.Helper()
	files, err := dataset.Histories(filepath.Join(dataset.NeedDir(t), folder))
	if err != nil {
		t.Fatal(err)
	}
	var all []dataset.History
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".tar.bz2")
		if testing.Short() && !strings.Contains(strings.Join(short, " "), name) {
			continue
		}
		h, err := dataset.ReadHistory(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	if len(all) == 0 {
		t.Fatalf("no histories in %s", folder)
	}
	return all
}

// replay shows every state of a history to a node, one poll each, and passes the updates of each state to tell.
func replay(t *testing.T, h dataset.History, tell func(state int, polled tidings.Poll, updates []tidings.Update)) (
	*api.Client, string) {
	t.Helper()
	o, base := startOrigin(t)
	if err := o.Add(h.Name, h, origin.Options{}); err != nil {
		t.Fatal(err)
	}
	_, client := startNode(t)
	ctx := t.Context()
	f, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: base + h.Name})
	if err != nil {
		t.Fatal(err)
	}
	cursor := int64(0)
	for state := range h.Snapshots {
		poll := f.Last
		if state > 0 {
			if err := o.Set(h.Name, state); err != nil {
				t.Fatal(err)
			}
			if poll, err = client.Poll(ctx, f.URL); err != nil {
				t.Fatalf("state %d: %v", state, err)
			}
		}
		updates, err := client.Updates(ctx, tidings.UpdateQuery{After: cursor, Limit: tidings.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(updates); n > 0 {
			cursor = updates[n-1].ID
		}
		if len(updates) > 1 {
			t.Fatalf("state %d: %d updates of one check", state, len(updates))
		}
		tell(state, poll, updates)
	}
	return client, f.URL
}

func TestReplayedFeedsTellExactlyWhatChanged(t *testing.T) {
	for _, h := range histories(t, "feed-histories", "rust-blog olshansk-groq rsstea-json") {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			m := newFeedModel(t)
			replay(t, h, func(state int, poll tidings.Poll, updates []tidings.Update) {
				m.state(state, h.Snapshots[state].Body, poll, updates)
			})
			t.Logf("%d states, %d updates, %d items new, %d revisions; %d known by another guid or link",
				len(h.Snapshots), m.updates, m.news, m.revisions, m.rewritten)
		})
	}
}

// The stream reports for each state of the generated histories exactly what is known to be new in it. In -short mode
// every tenth is replayed.
func TestGeneratedFeedsTellExactlyWhatChanged(t *testing.T) {
	for i, h := range feedtest.Histories(1) {
		if testing.Short() && i%10 != 0 {
			continue
		}
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			replay(t, dataset.HistoryOf(h.Name, h.Ext, h.Bodies()...),
				func(state int, poll tidings.Poll, updates []tidings.Update) {
					if !poll.Outcome.Read() {
						t.Fatalf("state %d was not read: %+v", state, poll)
					}
					told, want := map[string]string{}, map[string]string{}
					for _, u := range updates {
						for _, item := range u.Items {
							if _, twice := told[item.Title]; twice {
								t.Errorf("state %d: %q is told twice", state, item.Title)
							}
							told[item.Title] = string(item.Change)
						}
					}
					for _, item := range h.States[state].Items {
						if item.Change != feedtest.Same {
							want[item.Title] = string(item.Change)
						}
					}
					if !maps.Equal(told, want) {
						t.Errorf("state %d: told are %q, want %q", state, told, want)
					}
				})
		})
	}
}

// feedModel is a plain reader of one feed. An item is its guid or id, else its link. Its title and text are read
// without markup. Several items of a document may share an id, as a podcast's site is the link of all its episodes.
// Then the id and the title together name them.
type feedModel struct {
	t      *testing.T
	shared map[string]bool   // ids that several items had
	keys   map[string]bool   // of items ever seen
	said   map[string]string // by key: what the item said last
	same   map[string]bool   // title with link, title with date, of items ever seen

	updates, news, rewritten, revisions int
}

func newFeedModel(t *testing.T) *feedModel {
	return &feedModel{t: t, shared: map[string]bool{}, keys: map[string]bool{}, said: map[string]string{},
		same: map[string]bool{}}
}

// modelItem is an item as the model reads it.
type modelItem struct{ id, link, title, date, text string }

// byLink and byDate identify a story after its guid or link was rewritten.
func (i modelItem) byLink() string {
	_, rest, _ := strings.Cut(i.link, "://")
	return strings.TrimSuffix(rest, "/") + " " + i.title
}

func (i modelItem) byDate() string { return i.date + " " + i.title }

// key names an item once m.shared is known.
func (m *feedModel) key(id, title string) string {
	if m.shared[id] {
		return id + " " + title
	}
	return id
}

func (m *feedModel) state(state int, body []byte, poll tidings.Poll, updates []tidings.Update) {
	m.t.Helper()
	if !poll.Outcome.Read() {
		m.t.Fatalf("state %d was not read: %+v", state, poll)
	}
	items := m.read(body)
	listed := map[string]map[string]bool{} // by key: dates; items with several are several
	for _, item := range items {
		key := m.key(item.id, item.title)
		if listed[key] == nil {
			listed[key] = map[string]bool{}
		}
		listed[key][item.date] = true
	}
	told := m.shown(state, updates, listed)
	seen := map[string]bool{}
	for _, item := range items {
		key := m.key(item.id, item.title)
		if seen[key] {
			continue
		}
		seen[key] = true
		change, isTold := told[key]
		delete(told, key)
		switch known := m.keys[key]; {
		case !known && change == tidings.New:
		case !known && (m.same[item.byLink()] || m.same[item.byDate()]):
			m.rewritten++ // the same story under another guid or link
		case !known:
			m.t.Errorf("state %d: new item %q %q is missed (told: %q)", state, item.id, item.title, change)
		case change == tidings.New:
			m.t.Errorf("state %d: %q %q is told as new again", state, item.id, item.title)
		case isTold && m.said[key] == item.text:
			m.t.Errorf("state %d: %q is told as changed, but says the same: %.200q", state, item.id, item.text)
		case !isTold && m.said[key] != item.text:
			m.t.Errorf("state %d: a change of %q is missed: %s", state, item.id, difference(m.said[key], item.text))
		}
		m.keys[key] = true
		m.same[item.byLink()], m.same[item.byDate()] = true, true
		m.said[key] = item.text
	}
	for key, change := range told {
		m.t.Errorf("state %d: %q is told as %s, but is not in the document", state, key, change)
	}
}

// shown sums up what readers learned, by key. Items of one key are reported as often as the document lists them with
// other dates.
func (m *feedModel) shown(state int, updates []tidings.Update,
	listed map[string]map[string]bool) map[string]tidings.ChangeKind {
	told, times := map[string]tidings.ChangeKind{}, map[string]int{}
	for _, u := range updates {
		m.updates++
		for _, item := range u.Items {
			key := m.key(item.ID, item.Title)
			if times[key]++; times[key] > max(1, len(listed[key])) {
				m.t.Errorf("state %d: %q is told %d times in one update", state, key, times[key])
			}
			told[key] = item.Change
			if item.Change == tidings.New {
				m.news++
			} else {
				m.revisions++
			}
		}
	}
	return told
}

// read gets a document's items from the parser, which its own tests compare with an independent reader. Their text
// comes from the markup as published.
func (m *feedModel) read(body []byte) []modelItem {
	doc, err := feed.Parse(body, "", "http://model.example/", feed.Default())
	if err != nil {
		m.t.Fatal(err)
	}
	items := make([]modelItem, 0, len(doc.Items))
	titles := map[string]string{}
	for i := range doc.Items {
		item := &doc.Items[i]
		id := item.ID
		if id == "" {
			id = item.URL
		}
		if title, ok := titles[id]; ok && title != item.Title {
			m.shared[id] = true
		}
		titles[id] = item.Title
		items = append(items, modelItem{id: id, link: item.URL, title: item.Title, date: item.Published.String(),
			text: item.Title + " | " + plain(item.Raw)})
	}
	return items
}

var (
	hiddenParts = regexp.MustCompile(`(?is)<(script|style|template)\b.*?</(script|style|template)>|<!--.*?-->`)
	anyTag      = regexp.MustCompile(`(?s)<[^>]*>`)
	altText     = regexp.MustCompile(`(?is)<img\b[^>]*\balt="([^"]*)"[^>]*>`)
	blanks      = regexp.MustCompile(`[\s\x{00a0}\x{200b}\x{feff}]+`)
)

// shown is what a page shows, images by their alternative texts, in the crudest way.
func shown(markup string) string {
	text := anyTag.ReplaceAllString(altText.ReplaceAllString(hiddenParts.ReplaceAllString(markup, " "), "[$1]"), " ")
	return strings.TrimSpace(blanks.ReplaceAllString(html.UnescapeString(text), " "))
}

// plain strips markup in the crudest way, and blanks too, as markup may stand for them or not.
func plain(markup string) string {
	text := anyTag.ReplaceAllString(hiddenParts.ReplaceAllString(markup, ""), "")
	return blanks.ReplaceAllString(html.UnescapeString(text), "")
}

// difference returns what differs between two texts: the middle of each.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return fmt.Sprintf("%.300q -> %.300q", a[max(0, i-20):min(len(a), len(a)-j+20)],
		b[max(0, i-20):min(len(b), len(b)-j+20)])
}

func TestReplayedPagesTellExactlyWhatChanged(t *testing.T) {
	patch := needPatch(t)
	for _, h := range histories(t, "page-histories", "websub-spec") {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			var before string // what the page says without markup
			silent := 0
			updates, _ := replayPage(t, patch, h, func(state int, told []tidings.Update) {
				says := shown(string(h.Snapshots[state].Body))
				switch {
				case len(told) == 0 && says != before:
					silent++
				case len(told) == 1 && says == before:
					t.Errorf("state %d: an update, though the page says the same:\n%.600s", state, told[0].Delta)
				}
				before = says
			})
			t.Logf("%d states, %d updates, %d states differ only in what is ignored", len(h.Snapshots), updates, silent)
		})
	}
}

// For the generated pages it is known which states differ from the one before, and what the last one says. In -short
// mode every fifth is replayed.
func TestGeneratedPagesTellExactlyWhatChanged(t *testing.T) {
	patch := needPatch(t)
	for i, h := range pagetest.Histories(1) {
		if h.Learn || testing.Short() && i%5 != 0 {
			continue // an origin that replays gives no other bytes when it is asked again
		}
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			_, lines := replayPage(t, patch, dataset.HistoryOf(h.Name, "html", h.Bodies()...),
				func(state int, told []tidings.Update) {
					if changed := state == 0 || h.States[state].Changed; changed != (len(told) == 1) {
						t.Errorf("state %d: %d updates, changed %t", state, len(told), changed)
					}
				})
			if want := h.States[len(h.States)-1].Lines; !slices.Equal(lines, want) {
				t.Errorf("the latest version says %q, want %q", lines, want)
			}
		})
	}
}

func needPatch(t *testing.T) string {
	t.Helper()
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("needs GNU patch")
	}
	return patch
}

// replayPage replays the history of a page, and uses patch to make each version from the one before. It returns how
// many updates there were and the latest lines.
func replayPage(t *testing.T, patch string, h dataset.History, tell func(state int, told []tidings.Update)) (
	updates int, lines []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	client, url := replay(t, h, func(state int, poll tidings.Poll, told []tidings.Update) {
		if !poll.Outcome.Read() {
			t.Fatalf("state %d was not read: %+v", state, poll)
		}
		tell(state, told)
		for _, u := range told {
			updates++
			if int(u.Version) != updates {
				t.Errorf("state %d: version %d, want %d", state, u.Version, updates)
			}
			applyPatch(t, patch, file, u.Delta)
		}
	})
	patched, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	state, err := client.State(t.Context(), url, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(state.Lines, "\n") + "\n"; string(patched) != want {
		t.Errorf("all deltas applied by patch give %d bytes, the latest version has %d", len(patched), len(want))
	}
	return updates, state.Lines
}

// applyPatch lets GNU patch apply a delta to file.
func applyPatch(t *testing.T, patch, file, delta string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, patch, "--normal", "--silent", "--no-backup-if-mismatch", file)
	cmd.Stdin = strings.NewReader(delta)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("patch refuses a delta: %v: %s\n%.500s", err, out, delta)
	}
	if rejects, err := os.Stat(file + ".rej"); err == nil {
		t.Fatalf("patch rejects %d bytes", rejects.Size())
	} else if !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
