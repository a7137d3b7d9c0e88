package web

import (
	"net/http"
	"net/url"
	"strings"

	"tidings"
)

// channelsPage lists all that is followed.
type channelsPage struct {
	Filter   string
	Total    int
	Shown    int
	Troubled int // channels that are not well
	Alarms   int // shown channels with a publisher's key to decide about
	Folders  []folder
}

// maxListed bounds the channels on one page; the filter finds the others.
const maxListed = 1000

func (s *site) channels(w http.ResponseWriter, r request) error {
	all, err := s.followed(r.Context(), r.account)
	if err != nil {
		return err
	}
	p := channelsPage{Filter: r.field("q"), Total: len(all)}
	var shown []tidings.Subscription
	for _, c := range all {
		if healthText(c.Health).Class == "bad" {
			p.Troubled++
		}
		if len(shown) < maxListed && matches(c, p.Filter) {
			shown = append(shown, c)
		}
	}
	if err := s.node.PollingStats(r.Context(), shown); err != nil {
		return err
	}
	for _, c := range shown {
		if c.Push != nil && c.Push.State.Alarming() {
			p.Alarms++
		}
	}
	p.Shown, p.Folders = len(shown), foldersOf(shown)
	s.show(w, r, http.StatusOK, "channels", view{Title: "Channels", Section: "channels", Said: said(r), Body: p})
	return nil
}

// filterText is what the filter is looked for in: a channel's name, address, folder and health.
func filterText(c tidings.Subscription) string {
	return strings.Join([]string{plain(c.Label(), maxTitle), plain(c.URL, maxURL), plain(tidings.FolderLabel(c.Folder), maxTitle), healthText(c.Health).Text}, " ")
}

func matches(c tidings.Subscription, filter string) bool {
	return strings.Contains(strings.ToLower(filterText(c)), strings.ToLower(filter))
}

func channelPath(address string) string {
	return "/channel?" + url.Values{"url": {address}}.Encode()
}

// The sentences that a page says after a form led back to it.
var sentences = map[string]string{
	"followed":   "You follow this now.",
	"unfollowed": "You do not follow it any more.",
	"saved":      "Saved.",
	"options":    "Saved. The page is read anew by these rules.",
	"polled":     "Checked again just now.",
	"password":   "The password is set. All other browsers are signed out.",
	"removed":    "The token is removed.",
	"ended":      "That browser is signed out.",
	"added":      "The person can sign in now.",
	"role":       "The role is changed.",
	"repassword": "The password is set, and the person is signed out everywhere.",
	"gone":       "The person is removed, with all that was that person’s.",
	"trusted":    "That key is trusted now.",
	"distrusted": "Pushes of its publisher are not taken any more.",
	"preferred":  "What it finds is always believed.",
	"doubted":    "What it finds is shown once a check of this node has seen it.",
	"neutral":    "It is believed like any other node.",
	"fetching":   "Other nodes are asked for the file again.",
	"joining":    "The address is kept, and tried now.",
	"resumed":    "It is published again from here. On the other node it must stay ended.",
	"forgotten":  "The address is forgotten. Connections stay.",
}

// said returns the sentence that the address asks for.
func said(r request) string { return sentences[r.URL.Query().Get("said")] }
