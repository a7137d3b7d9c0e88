package desktop

import (
	"encoding/xml"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Liferea is a liferea under way with one account, of its source "Google Reader API".
type Liferea struct {
	*desktop
	gdbus string
}

const (
	noFeeds = `<opml version="1.0"><head><title>Feeds</title></head><body></body></opml>`
	oneList = `<opml version="1.0"><head><title>Feeds</title></head><body><outline title="Node" text="Node" type="source" id="account"
 sourceType="fl_google_reader" xmlUrl="SERVER" username="USER" password="PASSWORD" updateInterval="0"/></body></opml>`
)

// StartLiferea starts a liferea that reads what a server has for somebody, or skips the test where there is none. It
// asks for everything at once, and then when it is asked to ([Liferea.Refresh]).
func StartLiferea(t *testing.T, server, user, password string) *Liferea {
	t.Helper()
	program, gdbus := need(t, "liferea"), need(t, "gdbus")
	l := &Liferea{newDesktop(t), gdbus}
	list := strings.NewReplacer("SERVER", attribute(server), "USER", attribute(user), "PASSWORD",
		attribute(password)).Replace(oneList)
	l.write(".config/liferea/feedlist.opml", list)
	l.write(".cache/liferea/plugins/account.opml", noFeeds) // what it followed last
	t.Cleanup(l.start(nil, program, "--disable-plugins", "--debug-update"))
	return l
}

func attribute(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // into a Builder
	return b.String()
}

// Items returns what liferea's own database has, by title.
func (l *Liferea) Items() map[string]Item {
	l.t.Helper()
	return l.items(filepath.Join(l.home, ".local/share/liferea/liferea.db"),
		"SELECT title, item_id, read, marked FROM items WHERE comment = 0")
}

// Refresh has liferea ask the server for what is new, as its menu does.
func (l *Liferea) Refresh() {
	l.t.Helper()
	l.act("update-all", "[]")
}

// ToggleRead marks an item of liferea read, or unread if it is read, as its menu does.
func (l *Liferea) ToggleRead(i Item) {
	l.t.Helper()
	l.act("toggle-item-read-status", "[<uint64 "+i.ID+">]")
}

// ToggleStar flags an item, or removes the flag.
func (l *Liferea) ToggleStar(i Item) {
	l.t.Helper()
	l.act("toggle-item-flag", "[<uint64 "+i.ID+">]")
}

// act does what an entry of liferea's menus does.
func (l *Liferea) act(action, parameters string) {
	l.t.Helper()
	c := exec.Command(l.gdbus, "call", "--session", "--timeout", "600", "--dest", "net.sourceforge.liferea",
		"--object-path", "/net/sourceforge/liferea", "--method", "org.gtk.Actions.Activate", action, parameters, "{}")
	c.Env = l.env
	if out, err := c.CombinedOutput(); err != nil {
		l.t.Fatalf("liferea does not do %s: %v\n%s\n%s", action, err, out, l.log("liferea"))
	}
}
