package web

import (
	"errors"
	"net/http"
	"strings"

	"tidings"
)

const (
	maxOptions   = 20  // selectors and expressions of each sort
	maxOption    = 500 // characters of each
	previewItems = 6
	previewLines = 12
)

// addPage is the form that follows something, and what a first poll found.
type addPage struct {
	Order   tidings.SubscribeRequest
	Folders []string
	Error   string
	Hint    string
	Preview *tidings.Preview // nil: not checked so far
	Items   []previewItem
	Lines   []string
	Left    int    // items or lines that are not shown
	Link    link   // of what would be followed
	Chosen  string // which of the radio buttons is set: "" as found, "page", or a feed's address
	Choices []choice
}

type previewItem struct {
	tidings.Item
	Title   string
	Summary string
	Link    link
}

type choice struct {
	Value, Label, Detail string
	Checked              bool
}

// optionsForm is what counts of a page, as forms show it: one entry a line.
type optionsForm tidings.PageOptions

func (o optionsForm) SelectText() string { return strings.Join(o.Select, "\n") }
func (o optionsForm) IgnoreText() string { return strings.Join(o.Ignore, "\n") }
func (o optionsForm) KeepText() string   { return strings.Join(o.Keep, "\n") }

// optionsOf reads what such a form sends.
func optionsOf(r request) tidings.PageOptions {
	return tidings.PageOptions{Select: optionLines(r.FormValue("select")), Ignore: optionLines(r.FormValue("ignore")), Keep: optionLines(r.FormValue("keep"))}
}

// Unlisted reports whether the privacy class shown is the closed one of the two to choose from.
func (p addPage) Unlisted() bool {
	if p.Order.Privacy != "" {
		return p.Order.Privacy == tidings.Unlisted
	}
	return p.Preview != nil && p.Preview.Privacy == tidings.Unlisted
}

// orderOf reads what the forms of this page send. What was chosen among the feeds found
// takes the place of the address that was typed.
func orderOf(r request) (tidings.SubscribeRequest, string, error) {
	o := tidings.SubscribeRequest{URL: r.field("url"), Name: r.field("name"), Folder: r.field("folder"), Options: optionsOf(r)}
	if p, ok := privacyNamed(r.FormValue("privacy")); ok {
		o.Privacy = p
	}
	if o.URL == "" {
		return o, "", tidings.Invalidf("no address was given")
	}
	if _, zone := tidings.ZonePath(o.URL); !zone && !strings.Contains(o.URL, "://") {
		o.URL = "https://" + o.URL
	}
	chosen := r.field("choice")
	switch chosen {
	case "":
	case "page":
		o.AsPage = true
	default:
		if linkTo(chosen).URL == "" {
			return o, "", tidings.Invalidf("the chosen feed has no usable address")
		}
	}
	return o, chosen, nil
}

// chosenOrder returns the order for what is really followed.
func chosenOrder(o tidings.SubscribeRequest, chosen string) tidings.SubscribeRequest {
	if chosen != "" && chosen != "page" {
		o.URL = chosen
	}
	return o
}

func optionLines(text string) []string {
	var list []string
	for l := range strings.Lines(text) {
		if l = plain(l, maxOption); l != "" && len(list) < maxOptions {
			list = append(list, l)
		}
	}
	return list
}

// add is the empty form. An address in the query is only filled in: polling is done by
// the form, so that no link on another page can make the node fetch something.
func (s *site) add(w http.ResponseWriter, r request) error {
	return s.showAdd(w, r, http.StatusOK, addPage{Order: tidings.SubscribeRequest{URL: r.field("url"), Folder: r.field("folder")}})
}

func (s *site) showAdd(w http.ResponseWriter, r request, status int, p addPage) error {
	channels, err := s.followed(r.Context(), r.account)
	if err != nil {
		return err
	}
	p.Folders = folderPaths(channels)
	title := "Add a channel"
	if p.Preview != nil {
		title = "Follow this?"
	}
	s.show(w, r, status, "add", view{Title: title, Section: "add", Body: p})
	return nil
}

// preview polls once and shows what was found.
func (s *site) preview(w http.ResponseWriter, r request) error {
	o, chosen, err := orderOf(r)
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	found, err := s.node.Preview(r.Context(), r.account, chosenOrder(o, chosen))
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	p := addPage{Order: o, Chosen: chosen, Preview: &found, Link: linkTo(found.Channel)}
	for _, i := range found.Items[:min(len(found.Items), previewItems)] {
		p.Items = append(p.Items, previewItem{i, titleOf(tidings.Entry{Content: i}), summaryOf(tidings.Entry{Content: i}), linkTo(i.URL)})
	}
	p.Lines = found.Lines[:min(len(found.Lines), previewLines)]
	p.Left = len(found.Items) - len(p.Items) + len(found.Lines) - len(p.Lines)
	p.Choices = choicesOf(o, chosen, found)
	return s.showAdd(w, r, http.StatusOK, p)
}

// choicesOf lists what can be followed instead: every feed that the page offers, and the page itself.
func choicesOf(o tidings.SubscribeRequest, chosen string, found tidings.Preview) []choice {
	if len(found.Choices) == 0 && chosen == "" {
		return nil
	}
	var list []choice
	listed := false
	for _, c := range found.Choices {
		is := c.URL == found.Channel && found.Kind == tidings.KindFeed
		listed = listed || is
		list = append(list, choice{Value: c.URL, Label: plain(fallback(c.Title, c.URL), 120), Detail: plain(hostOf(c.URL)+" · "+c.Type, 160), Checked: is})
	}
	if found.Kind == tidings.KindFeed && !listed {
		value := ""
		if chosen != "page" {
			value = chosen
		}
		first := choice{Value: value, Label: plain(fallback(found.Title, found.Channel), 120), Detail: "The feed shown here", Checked: true}
		list = append([]choice{first}, list...)
	}
	return append(list, choice{Value: "page", Label: "The page itself", Detail: "You hear of every change to its text", Checked: found.Kind == tidings.KindPage})
}

func (s *site) subscribe(w http.ResponseWriter, r request) error {
	o, chosen, err := orderOf(r)
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	f, err := s.node.Subscribe(r.Context(), r.account, chosenOrder(o, chosen))
	if errors.Is(err, tidings.ErrExists) && f.URL != "" {
		return seeOther(w, r, channelPath(f.URL))
	}
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	return seeOther(w, r, channelPath(f.URL)+"&said=followed")
}

// addFailed shows the form again with what was wrong.
func (s *site) addFailed(w http.ResponseWriter, r request, o tidings.SubscribeRequest, err error) error {
	if isCanceled(err) {
		return err
	}
	p := addPage{Order: o, Error: plain(tidings.Reason(err), 400)}
	switch hint := tidings.HintOf(err); {
	case errors.Is(err, tidings.ErrExists):
		p.Error, p.Hint = "You follow this already.", "It is in your list of channels."
	case hint != "":
		p.Hint = sentence(hint, 400) + "."
	case errors.Is(err, tidings.ErrInvalid):
		p.Hint = "Check the address: it begins with https:// or http://, as in the browser's address bar."
	default:
		p.Hint = "The site may be down or slow, or refuse readers. Trying again later often helps."
	}
	return s.showAdd(w, r, http.StatusUnprocessableEntity, p)
}
