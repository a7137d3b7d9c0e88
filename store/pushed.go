package store

import (
	"tidings"
	"tidings/store/content"
	"tidings/store/pushed"
)

// Push is a published item with its change for readers; with a nil Change there is none. An item that is here already
// is not stored again. If a poll has found the item before, the publisher's signed version replaces it; see signed.go.
type Push struct {
	pushed.Item
	Change *tidings.Change
}

func (p Push) url() string             { return p.URL }
func (p Push) change() *tidings.Change { return p.Change }

func (p Push) apply(t *content.Tx, prepared *content.Prepared) (taken Applied, err error) {
	ch, err := content.Find(t, p.URL)
	if err != nil {
		return taken, err
	}
	place, err := pushed.Find(t.Tx, ch.ID, p.Number)
	if err != nil {
		return taken, err
	}
	if prepared != nil {
		prepared.Trusted, prepared.Late = place.Since, false
	}
	if !place.Fresh {
		taken.Have, err = pushed.Count(t.Tx, ch.ID, &p.Item, place.Have, 0, false)
		return taken, err
	}
	if prepared != nil {
		if err := content.MustKnow(t, ch, prepared.Change); err != nil {
			return taken, err
		}
	}
	if place.Here {
		return Applied{Have: place.Have}, nil
	}
	if taken.Update, err = content.Add(t, ch, prepared); err != nil { // it may be stale: then nothing is stored
		return taken, err
	}
	var files []tidings.File
	if prepared != nil {
		files = prepared.Files
	}
	if err := pushed.Keep(t.Tx, ch.ID, &p.Item, files); err != nil {
		return taken, err
	}
	told := 0
	if taken.Update != nil {
		told = len(taken.Update.Items)
	}
	taken.Late = prepared != nil && (taken.Update == nil || prepared.Late)
	taken.Have, err = pushed.Count(t.Tx, ch.ID, &p.Item, place.Have, told, taken.Late)
	return taken, err
}
