package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
)

// channelsPage lists all that is followed.
type channelsPage struct {
	Filter   string
	Total    int
	Matching int // of them, those that the filter lets through
	From, To int // of those, which are shown, from 1
	Earlier  string
	Later    string // addresses of the pages beside this one; "": there is none
	Troubled int    // channels that are not well
	Alarms   int    // shown channels with a publisher's key to decide about
	Folders  []shell.Folder
	Paths    []string // of all folders, and all tags, to choose from
	Tags     []string
}

// Listed returns the channels on the page.
func (p channelsPage) Listed() (all []tidings.Subscription) {
	for _, f := range p.Folders {
		all = append(all, f.Channels...)
	}
	return all
}

// maxListed bounds the channels on one page.
const maxListed = 100

func (s *site) channels(w http.ResponseWriter, r shell.Request) error {
	all, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	p := channelsPage{Filter: r.Field("q"), Total: len(all)}
	var matching []tidings.Subscription
	for _, c := range all {
		if wording.HealthOf(c.Health).Class == "bad" {
			p.Troubled++
		}
		if matches(c, p.Filter) {
			matching = append(matching, c)
		}
	}
	p.Matching = len(matching)
	first := int(min(max(r.Number("from"), 1), int64(len(all))+1)) - 1
	if first >= p.Matching { // the last ones were unfollowed since
		first = max(0, (p.Matching-1)/maxListed*maxListed)
	}
	shown := matching[first:min(first+maxListed, p.Matching)]
	if err := s.node.PollingStats(r.Context(), shown); err != nil {
		return err
	}
	for _, c := range shown {
		if c.Push != nil && c.Push.State.Alarming() {
			p.Alarms++
		}
	}
	p.From, p.To, p.Folders = first+1, first+len(shown), shell.FoldersOf(shown)
	p.Paths, p.Tags = shell.FolderPaths(all), shell.TagsOf(all)
	if first > 0 {
		p.Earlier = channelsPath(p.Filter, max(1, p.From-maxListed))
	}
	if p.To < p.Matching {
		p.Later = channelsPath(p.Filter, p.To+1)
	}
	s.Show(w, r, http.StatusOK, "channels", shell.View{Title: r.Words.Text("Channels"), Section: "channels",
		Said: said(r), Body: p})
	return nil
}

// filterText is what the filter is looked for in: a channel's name, address, folder, tags and health.
func filterText(c tidings.Subscription) string {
	tags := tidings.JoinTags(c.Tags)
	for _, tag := range c.Tags {
		tags += " tag:" + tag // as a search has it
	}
	return strings.Join([]string{wording.Plain(c.Label(), wording.MaxTitle), wording.Plain(c.URL, wording.MaxURL),
		wording.Plain(tidings.FolderLabel(c.Folder), wording.MaxTitle), tags, wording.HealthOf(c.Health).Text}, " ")
}

func matches(c tidings.Subscription, filter string) bool {
	return strings.Contains(strings.ToLower(filterText(c)), strings.ToLower(filter))
}

// channelsPath returns the address of the list from one of its channels on.
func channelsPath(filter string, from int) string {
	q := url.Values{"from": {strconv.Itoa(from)}}
	if filter != "" {
		q.Set("q", filter)
	}
	return "/channels?" + q.Encode()
}

// sentenceAfter returns what a page says after a form led back to it.
func sentenceAfter(w wording.Words, form string) string {
	switch form {
	case "followed":
		return w.Text("You follow this now.")
	case "unfollowed":
		return w.Text("You do not follow it any more.")
	case "saved":
		return w.Text("Saved.")
	case "polling":
		return w.Text("The channels are checked soon, as fast as their sites allow.")
	case "options":
		return w.Text("Saved. The page is read anew by these rules.")
	case "polled":
		return w.Text("Checked again just now.")
	case "password":
		return w.Text("The password is set. All other browsers are signed out.")
	case "removed":
		return w.Text("The token is removed.")
	case "ended":
		return w.Text("That browser is signed out.")
	case "passkey":
		return w.Text("The passkey is added.")
	case "nopasskey":
		return w.Text("The passkey is removed.")
	case "nofeed":
		return w.Text("The feed is removed. Its addresses no longer work.")
	case "notified":
		return w.Text("Updates go there from now on. Test shows whether they arrive.")
	case "target":
		return w.Text("Saved.")
	case "asked":
		return w.Text("A mail with a code was sent there. Nothing else goes there until the address is confirmed.")
	case "confirmed":
		return w.Text("The address is confirmed. Updates go there from now on.")
	case "untarget":
		return w.Text("The address is removed, with what waited for it.")
	case "retried":
		return w.Text("It is sent again, the oldest first. Reload this page to see whether it has arrived.")
	case "dropped":
		return w.Text("Dropped.")
	case "added":
		return w.Text("The person can sign in now.")
	case "role":
		return w.Text("The role is changed.")
	case "repassword":
		return w.Text("The password is set, and the person is signed out everywhere. Passkeys are removed.")
	case "gone":
		return w.Text("The person is removed, with all that was that person’s.")
	case "trusted":
		return w.Text("That key is trusted now.")
	case "distrusted":
		return w.Text("Pushes of its publisher are refused from now on.")
	case "fetching":
		return w.Text("Other nodes are asked for the file again.")
	case "resumed":
		return w.Text("It is published again from here. On the other node it must stay ended.")
	}
	return ""
}

// said returns the sentence that the address asks for.
func said(r shell.Request) string {
	if n := max(r.Number("n"), 0); r.URL.Query().Get("said") == "changed" {
		return r.Words.Text("Changed: %s.", r.Words.Count(n, "channel", "channels"))
	}
	return sentenceAfter(r.Words, r.URL.Query().Get("said"))
}
