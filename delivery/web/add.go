package web

import (
	"errors"
	"net/http"
	"strings"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
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
	Left    int          // items or lines that are not shown
	Link    wording.Link // of what would be followed
	Chosen  string       // which of the radio buttons is set: "" as found, "page", or a feed's address
	Choices []choice
}

type previewItem struct {
	tidings.Item
	Title   string
	Summary string
	Link    wording.Link
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
func (o optionsForm) NotifyText() string { return strings.Join(o.NotifyIf, "\n") }

// optionsOf reads what such a form sends.
func optionsOf(r shell.Request) tidings.PageOptions {
	return tidings.PageOptions{Select: optionLines(r.FormValue("select")), Ignore: optionLines(r.FormValue("ignore")),
		Keep:     optionLines(r.FormValue("keep")),
		NotifyIf: optionLines(r.FormValue("notify_if")), Prices: r.FormValue("prices") == "on"}
}

// Unlisted reports whether the privacy class shown is the closed one of the two to choose from.
func (p addPage) Unlisted() bool {
	if p.Order.Privacy != "" {
		return p.Order.Privacy == tidings.Unlisted
	}
	return p.Preview != nil && p.Preview.Privacy == tidings.Unlisted
}

// orderOf reads the forms of this page. If one of the found feeds was chosen, it replaces the typed address.
func orderOf(r shell.Request) (tidings.SubscribeRequest, string, error) {
	o := tidings.SubscribeRequest{URL: r.Field("url"), Name: r.Field("name"), Folder: r.Field("folder"),
		Options: optionsOf(r)}
	if p, ok := privacyNamed(r.FormValue("privacy")); ok {
		o.Privacy = p
	}
	if o.URL == "" {
		return o, "", tidings.Invalidf("no address was given")
	}
	chosen := r.Field("choice")
	switch chosen {
	case "":
	case "page":
		o.AsPage = true
	default:
		if wording.LinkTo(chosen).URL == "" {
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
		if l = wording.Plain(l, maxOption); l != "" && len(list) < maxOptions {
			list = append(list, l)
		}
	}
	return list
}

// add is the empty form. An address in the query is only filled in: polling is done by
// the form, so that no link on another page can make the node fetch something.
func (s *site) add(w http.ResponseWriter, r shell.Request) error {
	return s.showAdd(w, r, http.StatusOK,
		addPage{Order: tidings.SubscribeRequest{URL: r.Field("url"), Folder: r.Field("folder")}})
}

func (s *site) showAdd(w http.ResponseWriter, r shell.Request, status int, p addPage) error {
	channels, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	p.Folders = shell.FolderPaths(channels)
	title := r.Words.Text("Add a channel")
	if p.Preview != nil {
		title = r.Words.Text("Follow this?")
	}
	s.Show(w, r, status, "add", shell.View{Title: title, Section: "add", Body: p})
	return nil
}

// preview polls once and shows what was found.
func (s *site) preview(w http.ResponseWriter, r shell.Request) error {
	o, chosen, err := orderOf(r)
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	found, err := s.node.Preview(r.Context(), r.Account, chosenOrder(o, chosen))
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	p := addPage{Order: o, Chosen: chosen, Preview: &found, Link: wording.LinkTo(found.Channel)}
	for _, i := range found.Items[:min(len(found.Items), previewItems)] {
		p.Items = append(p.Items, previewItem{i, titleOf(r.Words, tidings.Entry{Content: i}),
			summaryOf(r.Words, tidings.Entry{Content: i}), wording.LinkTo(i.URL)})
	}
	p.Lines = found.Lines[:min(len(found.Lines), previewLines)]
	p.Left = len(found.Items) - len(p.Items) + len(found.Lines) - len(p.Lines)
	p.Choices = choicesOf(r.Words, o, chosen, found)
	return s.showAdd(w, r, http.StatusOK, p)
}

// choicesOf lists what can be followed instead: every feed that the page offers, and the page itself.
func choicesOf(w wording.Words, o tidings.SubscribeRequest, chosen string, found tidings.Preview) []choice {
	if len(found.Choices) == 0 && chosen == "" {
		return nil
	}
	var list []choice
	listed := false
	for _, c := range found.Choices {
		is := c.URL == found.Channel && found.Kind == tidings.KindFeed
		listed = listed || is
		list = append(list, choice{Value: c.URL, Label: wording.Plain(wording.Fallback(c.Title, c.URL), 120),
			Detail: wording.Plain(wording.HostIn(c.URL)+" · "+c.Type, 160), Checked: is})
	}
	if found.Kind == tidings.KindFeed && !listed {
		value := ""
		if chosen != "page" {
			value = chosen
		}
		first := choice{Value: value, Label: wording.Plain(wording.Fallback(found.Title, found.Channel), 120),
			Detail: w.Text("The feed shown here"), Checked: true}
		list = append([]choice{first}, list...)
	}
	return append(list, choice{Value: "page", Label: w.Text("The page itself"),
		Detail: w.Text("You get every change of its text"), Checked: found.Kind == tidings.KindPage})
}

func (s *site) subscribe(w http.ResponseWriter, r shell.Request) error {
	o, chosen, err := orderOf(r)
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	f, err := s.node.Subscribe(r.Context(), r.Account, chosenOrder(o, chosen))
	if errors.Is(err, tidings.ErrExists) && f.URL != "" {
		return shell.SeeOther(w, r, shell.ChannelPath(f.URL))
	}
	if err != nil {
		return s.addFailed(w, r, o, err)
	}
	return shell.SeeOther(w, r, shell.ChannelPath(f.URL)+"&said=followed")
}

// addFailed shows the form again with what was wrong.
func (s *site) addFailed(w http.ResponseWriter, r shell.Request, o tidings.SubscribeRequest, err error) error {
	if shell.IsCanceled(err) {
		return err
	}
	p := addPage{Order: o, Error: wording.Plain(r.Words.Reasoned(err), 400)}
	switch hint := tidings.HintOf(err); {
	case errors.Is(err, tidings.ErrExists):
		p.Error, p.Hint = r.Words.Text("You follow this already."), r.Words.Text("It is in your list of channels.")
	case hint != "":
		p.Hint = wording.Sentence(r.Words.Said(hint), 400) + "."
	}
	return s.showAdd(w, r, http.StatusUnprocessableEntity, p)
}
