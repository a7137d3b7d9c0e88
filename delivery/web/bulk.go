package web

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"tidings"
	"tidings/delivery/opml"
	"tidings/delivery/web/shell"
)

// maxBulk bounds the channels that one form changes.
const maxBulk = 2000

// changeChannels does one thing with several channels: those that are checked, or all that the filter finds.
func changeChannels(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		chosen, err := s.checked(r)
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			return tidings.Invalidf("no channel is checked: check some first")
		}
		if len(chosen) > maxBulk {
			return tidings.Invalidf("%d channels are too many at once: at most %d", len(chosen), maxBulk)
		}
		change := func(c tidings.ChannelChange) error { return s.changeAll(w, r, chosen, c) }
		switch r.FormValue("do") {
		case "folder":
			return change(tidings.ChannelChange{Folder: new(r.Field("folder"))})
		case "tag", "untag":
			tags := tidings.SplitTags(r.FormValue("tags"))
			if len(tags) == 0 {
				return tidings.Invalidf("no tag is named")
			}
			if r.FormValue("do") == "tag" {
				return change(tidings.ChannelChange{Tags: &tidings.TagChange{Add: tags}})
			}
			return change(tidings.ChannelChange{Tags: &tidings.TagChange{Remove: tags}})
		case "shown":
			return change(shownIn(r))
		case "poll":
			for _, f := range chosen {
				s.node.PollSoon(f.URL)
			}
			return shell.SeeOther(w, r, withQuery(backToChannels(r), "said", "polling"))
		case "unsubscribe":
			s.Show(w, r, http.StatusOK, "unfollow",
				shell.View{Title: r.Words.Text("Unsubscribe from %s",
					r.Words.Count(int64(len(chosen)), "channel", "channels")),
					Section: "channels", Narrow: true, Body: unfollowing{Channels: chosen, Filter: r.Field("q")}})
			return nil
		case "unsubscribe-sure":
			return s.unfollow(w, r, chosen)
		}
		return tidings.Invalidf("nothing to do")
	}
}

// checked returns the channels that a form names, sorted as they are listed. Those that are not followed any more are
// passed over.
func (s *site) checked(r shell.Request) ([]tidings.Subscription, error) {
	all, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return nil, err
	}
	filter := r.Field("q")
	if r.FormValue("all") != "" {
		return slices.DeleteFunc(all, func(f tidings.Subscription) bool { return !matches(f, filter) }), nil
	}
	named := make(map[string]bool)
	for _, address := range r.Form["url"] {
		named[address] = true
	}
	return slices.DeleteFunc(all, func(f tidings.Subscription) bool { return !named[f.URL] }), nil
}

// changeAll changes channels, and goes back to their list, which says how many are different now.
func (s *site) changeAll(w http.ResponseWriter, r shell.Request, chosen []tidings.Subscription,
	change tidings.ChannelChange) error {
	urls := make([]string, len(chosen))
	for i, f := range chosen {
		urls[i] = f.URL
	}
	n, err := s.node.ChangeAll(r.Context(), r.Account, urls, change)
	if err != nil {
		return err
	}
	return shell.SeeOther(w, r, withQuery(withQuery(backToChannels(r), "said", "changed"), "n", strconv.Itoa(n)))
}

// shownIn returns what a form sets for how the items of channels are shown; what it leaves open stays.
func shownIn(r shell.Request) (c tidings.ChannelChange) {
	switch r.FormValue("text") {
	case "full":
		c.FullText = new(true)
	case "feed":
		c.FullText = new(false)
	}
	switch pictures := r.FormValue("pictures"); pictures {
	case "":
	case "set":
		c.Pictures = new(tidings.PicturesAsSet)
	default:
		c.Pictures = new(tidings.PicturesWish(pictures))
	}
	switch r.FormValue("edits") {
	case "on":
		c.EditsAsItems = new(true)
	case "off":
		c.EditsAsItems = new(false)
	}
	return c
}

// backToChannels is the address of the part of the list from which a form was sent.
func backToChannels(r shell.Request) string {
	return channelsPath(r.Field("q"), int(max(r.Number("from"), 1)))
}

// unfollowing is the page before channels are unsubscribed from, and the one after that.
type unfollowing struct {
	Channels []tidings.Subscription
	Filter   string
	Done     bool
	List     string // OPML by which they are followed again; empty: that cannot be
	Lost     int    // of them, those that cannot be followed again so
}

// unfollow ends subscriptions, and shows what ended, with a way back.
func (s *site) unfollow(w http.ResponseWriter, r shell.Request, chosen []tidings.Subscription) error {
	list := opml.List{Title: "Tidings"}
	p := unfollowing{Done: true, Filter: r.Field("q")}
	for _, f := range chosen {
		if err := s.node.Unsubscribe(r.Context(), r.Account, f.URL); err != nil {
			if len(p.Channels) == 0 || shell.IsCanceled(err) {
				return err
			}
			s.Log.Error("unsubscribing from several channels", "error", err)
			break // the page says what has ended
		}
		p.Channels = append(p.Channels, f)
		if f.Privacy == tidings.Credentialed || f.Kind == tidings.KindPosted {
			p.Lost++
			continue
		}
		list.Entries = append(list.Entries, opml.EntryOf(f))
	}
	if len(list.Entries) > 0 {
		var b bytes.Buffer
		if err := opml.Write(&b, list); err != nil {
			return fmt.Errorf("listing what was unfollowed: %w", err)
		}
		p.List = b.String()
	}
	s.Show(w, r, http.StatusOK, "unfollow", shell.View{Title: r.Words.Text("Unsubscribed"), Section: "channels",
		Narrow: true, Body: p})
	return nil
}
