package api

import (
	"fmt"
	"net/http"
	"slices"

	"tidings"
)

// Difference says how a channel's content changed between two versions.
type Difference struct {
	Channel string          `json:"channel"`
	Title   string          `json:"title"`
	Kind    tidings.Kind    `json:"kind"`
	From    tidings.Version `json:"from"` // 0: nothing
	To      tidings.Version `json:"to"`
	Delta   string          `json:"delta,omitempty"` // pages: POSIX diff's normal output
	// feeds: those that differ, in the later document's order, then those gone
	Items []ItemChange `json:"items,omitempty"`
}

// ItemChange says how one item differs.
type ItemChange struct {
	Change tidings.ChangeKind `json:"change"` // "new", "changed", or "gone": no longer in the document
	Item   tidings.Item       `json:"item"`
	Before *tidings.Item      `json:"before,omitempty"` // of a changed one
}

// Gone is the change of an item that is no longer in the document.
const Gone tidings.ChangeKind = "gone"

func (h *handler) state(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q := queryOf(r)
	version := q.version("version")
	if q.err != nil {
		return q.err
	}
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	s, err := h.stateOf(r, f, version)
	if err != nil {
		return err
	}
	return ok(w, r, s)
}

// stateOf reads one version, and says plainly when there is none.
func (h *handler) stateOf(r *http.Request, f tidings.Subscription, v tidings.Version) (tidings.State, error) {
	if f.Version == 0 {
		return tidings.State{}, refuse(http.StatusNotFound, "nothing of "+f.URL+" has been read yet",
			"see why: tidings list")
	}
	if v > f.Version {
		return tidings.State{}, refuse(http.StatusNotFound, fmt.Sprintf("%s has no version %d", f.URL, v),
			fmt.Sprintf("the latest is %d", f.Version))
	}
	return h.Store.State(r.Context(), f.URL, v)
}

// diff compares two versions: by default the latest with the one before it.
func (h *handler) diff(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	q := queryOf(r)
	from, to := q.version("from"), q.version("to")
	if q.err != nil {
		return q.err
	}
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	if to == 0 {
		to = f.Version
	}
	if from == 0 && to > 0 {
		from = to - 1
	}
	later, err := h.stateOf(r, f, to)
	if err != nil {
		return err
	}
	earlier := tidings.State{Kind: later.Kind}
	if from > 0 {
		if earlier, err = h.stateOf(r, f, from); err != nil {
			return err
		}
	}
	difference, err := h.compare(earlier, later)
	if err != nil {
		return err
	}
	difference.From, difference.To = from, to
	return ok(w, r, difference)
}

func (h *handler) compare(earlier, later tidings.State) (Difference, error) {
	result := Difference{Channel: later.Channel, Title: later.Title, Kind: later.Kind}
	if later.Kind == tidings.KindFeed {
		result.Items = compareItems(earlier.Items, later.Items)
		return result, nil
	}
	if h.Diff == nil {
		return result, refuse(http.StatusNotImplemented, "this node does not compare pages here", "")
	}
	var err error
	result.Delta, err = h.Diff(earlier.Lines, later.Lines)
	return result, err
}

// compareItems pairs items by their IDs; of equal IDs the first with the first, and so on.
func compareItems(earlier, later []tidings.Item) []ItemChange {
	before := map[string][]int{}
	for i, item := range earlier {
		before[item.ID] = append(before[item.ID], i)
	}
	var changes []ItemChange
	kept := make([]bool, len(earlier))
	for _, item := range later {
		same := before[item.ID]
		if len(same) == 0 {
			changes = append(changes, ItemChange{Change: tidings.New, Item: item})
			continue
		}
		was := earlier[same[0]]
		kept[same[0]] = true
		before[item.ID] = same[1:]
		if !looksSame(was, item) {
			changes = append(changes, ItemChange{Change: tidings.Changed, Item: item, Before: &was})
		}
	}
	for i, item := range earlier {
		if !kept[i] {
			changes = append(changes, ItemChange{Change: Gone, Item: item})
		}
	}
	return changes
}

// looksSame reports whether a reader sees no difference.
func looksSame(a, b tidings.Item) bool {
	return a.Title == b.Title && a.URL == b.URL && a.Author == b.Author &&
		a.Summary == b.Summary && a.Content == b.Content && slices.EqualFunc(a.Enclosures, b.Enclosures, sameFile)
}

// sameFile reports whether a reader sees no difference, however the file is here by now.
func sameFile(a, b tidings.Enclosure) bool {
	a.Copy, b.Copy = nil, nil
	return a == b
}
