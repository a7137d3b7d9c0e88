package sync_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
)

// mark is what somebody did with an item.
type mark struct {
	number  int64
	starred bool // which state it is about
	on      bool
}

// state is how an item is on a phone, or here.
type state struct{ read, starred bool }

// phone is a client with a copy of the items. It keeps marks until it syncs.
type phone interface {
	// mark marks an item that the phone has.
	mark(m mark)
	// sync sends the marks, and then does what this kind of client does to have everything.
	sync() error
	// markAll marks a feed as read, at once and on the node alone.
	markAll(feed int64) error
	// has returns the phone's copy.
	has() map[int64]state
	// idle reports whether there is nothing to send.
	idle() bool
}

// wire is how a phone speaks to a handler. It repeats to the model what the phone has done.
type wire struct {
	handler http.Handler
	person  sync.Person
	now     func() time.Time
	did     func(sync.Person, mark) // a mark that the handler has accepted
	toggled func(sync.Person, int64)
	copy    map[int64]state
	pending []mark
}

func (w *wire) has() map[int64]state { return w.copy }

func (w *wire) idle() bool { return len(w.pending) == 0 }

func (w *wire) mark(m mark) {
	s := w.copy[m.number]
	if m.starred {
		s.starred = m.on
	} else {
		s.read = m.on
	}
	w.copy[m.number] = s
	w.pending = append(w.pending, m)
}

func (w *wire) password() string {
	if w.person.ID == synctest.Ann.ID {
		return synctest.AnnPassword
	}
	return synctest.BenPassword
}

// call sends a request and reads the JSON of the answer into v, if that is not nil.
func (w *wire) call(method, target, body, kind string, v any) error {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "GoogleLogin auth="+w.password())
	r.Header.Set("X-Auth-Token", w.password())
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Code >= 300 {
		return fmt.Errorf("%s %s: %d %.200s", method, target, answer.Code, answer.Body)
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Body.Bytes(), v); err != nil {
		return fmt.Errorf("%s %s: %w", method, target, err)
	}
	return nil
}

const form = "application/x-www-form-urlencoded"

// greaderPhone is what phones that speak the Google Reader API have in common.
type greaderPhone struct{ wire }

// numbers returns the numbers of a list, all pages if the client follows continuations.
func (p *greaderPhone) numbers(query string, follow bool) (map[int64]bool, error) {
	numbers := make(map[int64]bool)
	for next := ""; ; {
		var list struct {
			Refs []struct{ ID string } `json:"itemRefs"`
			Next string                `json:"continuation"`
		}
		target := "/reader/api/0/stream/items/ids?output=json&" + query + "&c=" + next
		if err := p.call(http.MethodGet, target, "", form, &list); err != nil {
			return nil, err
		}
		for _, ref := range list.Refs {
			n, err := strconv.ParseInt(ref.ID, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("reading a number: %w", err)
			}
			numbers[n] = true
		}
		if next = list.Next; next == "" || !follow {
			return numbers, nil
		}
	}
}

// send sends marks, as many at once as a client does.
func (p *greaderPhone) send(marks []mark) error {
	for _, m := range marks {
		verb, name := "r", "read"
		if m.on {
			verb = "a"
		}
		if m.starred {
			name = "starred"
		}
		body := url.Values{"i": {fmt.Sprintf("tag:google.com,2005:reader/item/%016x", m.number)},
			verb: {"user/-/state/com.google/" + name}}.Encode()
		if err := p.call(http.MethodPost, "/reader/api/0/edit-tag", body, form, nil); err != nil {
			return err
		}
		p.did(p.person, m)
	}
	return nil
}

func (p *greaderPhone) markAll(feed int64) error {
	body := fmt.Sprintf("s=feed%%2F%d&ts=%d", feed, p.now().UnixMicro())
	return p.call(http.MethodPost, "/reader/api/0/mark-all-as-read", body, form, nil)
}

const (
	unreadList  = "s=user/-/state/com.google/reading-list&xt=user/-/state/com.google/read"
	starredList = "s=user/-/state/com.google/starred"
)

// twine gets items by time, and one list of unread and of starred numbers. What is missing there it marks,
// and sends back.
type twine struct {
	greaderPhone
	last time.Time
}

func (p *twine) sync() error {
	// It sends both states of each item that was touched.
	touched := make(map[int64]bool)
	for _, m := range p.pending {
		touched[m.number] = true
	}
	var marks []mark
	for _, n := range slices.Sorted(maps.Keys(touched)) {
		marks = append(marks, mark{n, false, p.copy[n].read}, mark{n, true, p.copy[n].starred})
	}
	if err := p.send(marks); err != nil {
		return err
	}
	p.pending = nil
	began := p.now()
	for next := ""; ; {
		var list struct {
			Items []struct{ ID string }
			Next  string `json:"continuation"`
		}
		target := fmt.Sprintf("/reader/api/0/stream/contents?s=user/-/state/com.google/reading-list&n=500&ot=%d&c=%s",
			max(p.last.Unix(), 0), next)
		if err := p.call(http.MethodGet, target, "", form, &list); err != nil {
			return err
		}
		for _, i := range list.Items {
			n, err := strconv.ParseInt(strings.TrimPrefix(i.ID, "tag:google.com,2005:reader/item/"), 16, 64)
			if err != nil {
				return fmt.Errorf("reading a number: %w", err)
			}
			if _, known := p.copy[n]; !known {
				p.copy[n] = state{}
			}
		}
		if next = list.Next; next == "" || len(list.Items) == 0 {
			break
		}
	}
	p.last = began
	unread, err := p.numbers(unreadList+"&n=50000", false)
	if err != nil {
		return err
	}
	starred, err := p.numbers(starredList+"&n=50000", false)
	if err != nil {
		return err
	}
	marks = nil
	for n, s := range p.copy {
		if read := !unread[n]; read != s.read {
			marks = append(marks, mark{n, false, read})
		}
		if starred[n] != s.starred {
			marks = append(marks, mark{n, true, starred[n]})
		}
		p.copy[n] = state{!unread[n], starred[n]}
	}
	return p.send(marks)
}

// readYou compares three lists of numbers, and gets items by those that it lacks.
type readYou struct{ greaderPhone }

func (p *readYou) sync() error {
	if err := p.send(p.pending); err != nil {
		return err
	}
	p.pending = nil
	unread, err := p.numbers(unreadList+"&n=1000", true)
	if err != nil {
		return err
	}
	starred, err := p.numbers(starredList+"&n=1000", true)
	if err != nil {
		return err
	}
	read, err := p.numbers(fmt.Sprintf("s=user/-/state/com.google/read&n=1000&ot=%d", p.now().AddDate(0, -1, 0).Unix()),
		true)
	if err != nil {
		return err
	}
	var lacks []string
	for _, list := range []map[int64]bool{unread, starred, read} {
		for n := range list {
			if _, known := p.copy[n]; !known {
				p.copy[n] = state{read: !unread[n]}
				lacks = append(lacks, "i="+strconv.FormatInt(n, 10))
			}
		}
	}
	for some := range slices.Chunk(lacks, 100) {
		var list struct{ Items []json.RawMessage }
		if err := p.call(http.MethodPost, "/reader/api/0/stream/items/contents?output=json", strings.Join(some, "&"),
			form, &list); err != nil {
			return err
		}
		if len(list.Items) != len(some) {
			return fmt.Errorf("%d of %d items come", len(list.Items), len(some))
		}
	}
	for n, s := range p.copy {
		s.starred = starred[n]
		if s.read { // each list is held against what the phone had before
			s.read = !unread[n]
		} else {
			s.read = read[n]
		}
		p.copy[n] = s
	}
	return nil
}

// feverPhone gets items by number until there are none, and two lists of numbers.
type feverPhone struct {
	wire
	since int64
}

func (p *feverPhone) ask(verbs string, v any) error {
	return p.call(http.MethodPost, "/fever/?api&"+verbs, "api_key="+synctest.FeverKey(p.person.Name, p.password()),
		form, v)
}

func (p *feverPhone) sync() error {
	for _, m := range p.pending {
		as := map[mark]string{{on: true}: "read", {}: "unread", {starred: true, on: true}: "saved",
			{starred: true}: "unsaved"}[mark{0, m.starred, m.on}]
		if err := p.ask(fmt.Sprintf("mark=item&as=%s&id=%d", as, m.number), nil); err != nil {
			return err
		}
		p.did(p.person, m)
	}
	p.pending = nil
	for {
		var list struct{ Items []struct{ ID int64 } }
		if err := p.ask(fmt.Sprintf("items&since_id=%d", p.since), &list); err != nil {
			return err
		}
		if len(list.Items) == 0 {
			break
		}
		for _, i := range list.Items {
			p.copy[i.ID], p.since = state{}, max(p.since, i.ID)
		}
	}
	var ids struct {
		Unread string `json:"unread_item_ids"`
		Saved  string `json:"saved_item_ids"`
	}
	if err := p.ask("unread_item_ids&saved_item_ids", &ids); err != nil {
		return err
	}
	unread, saved := set(ids.Unread), set(ids.Saved)
	for n := range p.copy {
		text := strconv.FormatInt(n, 10)
		p.copy[n] = state{!unread[text], saved[text]}
	}
	return nil
}

func set(list string) map[string]bool {
	all := make(map[string]bool)
	for one := range strings.SplitSeq(list, ",") {
		all[one] = true
	}
	return all
}

func (p *feverPhone) markAll(feed int64) error {
	return p.ask(fmt.Sprintf("mark=feed&as=read&id=%d&before=%d", feed, p.now().Unix()+1), nil)
}

// capy gets what is unread and starred once, by pages, and later what has changed. A star is a toggle.
type capy struct {
	wire
	last time.Time
}

func (p *capy) markAll(feed int64) error {
	return p.call(http.MethodPut, fmt.Sprintf("/v1/feeds/%d/mark-all-as-read", feed), "", "", nil)
}

func (p *capy) sync() error {
	for _, m := range p.pending {
		if m.starred {
			if err := p.call(http.MethodPut, fmt.Sprintf("/v1/entries/%d/bookmark", m.number), "", "",
				nil); err != nil {
				return err
			}
			p.toggled(p.person, m.number)
			continue
		}
		status := "unread"
		if m.on {
			status = "read"
		}
		if err := p.call(http.MethodPut, "/v1/entries", fmt.Sprintf(`{"entry_ids":[%d],"status":"%s"}`, m.number,
			status), "application/json", nil); err != nil {
			return err
		}
		p.did(p.person, m)
	}
	p.pending = nil
	queries, began := []string{"status=unread", "starred=true"}, p.now()
	if !p.last.IsZero() {
		queries = []string{fmt.Sprintf("changed_after=%d&order=id", p.last.Unix())}
	}
	for _, query := range queries {
		for offset, total := 0, 1; offset < total; offset += 250 {
			var list struct {
				Total   int
				Entries []struct {
					ID      int64
					Status  string
					Starred bool
				}
			}
			if err := p.call(http.MethodGet, fmt.Sprintf("/v1/entries?%s&limit=250&offset=%d", query, offset), "", "",
				&list); err != nil {
				return err
			}
			total = list.Total
			for _, e := range list.Entries {
				p.copy[e.ID] = state{e.Status == "read", e.Starred}
			}
		}
	}
	p.last = began
	return nil
}
