package store

import (
	"tidings"
	"tidings/store/pushed"
)

// Push is a published item with what it tells readers; a nil Change is nothing. An item that is here already is stored no
// more; what a poll has found of it becomes what its publisher has signed, see signed.go.
type Push struct {
	pushed.Item
	Change *tidings.Change
}

func (p Push) url() string             { return p.URL }
func (p Push) change() *tidings.Change { return p.Change }

func (p Push) apply(t *tx, prepared *prepared) (Applied, error) {
	return t.takePushed(p.URL, prepared, &p.Item)
}

// takePushed takes one item; of one that is stale it stores nothing.
func (t *tx) takePushed(url string, p *prepared, item *pushed.Item) (taken Applied, err error) {
	ch, err := t.channel(url)
	if err != nil {
		return taken, err
	}
	place, err := pushed.Find(t.Tx, ch.id, item.Number)
	if err != nil {
		return taken, err
	}
	if p != nil {
		p.trusted, p.late = place.Since, false
	}
	if !place.Fresh {
		taken.Have, err = pushed.Count(t.Tx, ch.id, item, place.Have, 0, false)
		return taken, err
	}
	if p != nil {
		if err := t.mustKnow(ch, p.Change); err != nil {
			return taken, err
		}
	}
	if place.Here {
		return Applied{Have: place.Have}, nil
	}
	if taken.Update, err = t.store(ch, p); err != nil { // which may be stale
		return taken, err
	}
	var files []tidings.File
	if p != nil {
		files = p.Files
	}
	if err := pushed.Keep(t.Tx, ch.id, item, files); err != nil {
		return taken, err
	}
	told := 0
	if taken.Update != nil {
		told = len(taken.Update.Items)
	}
	taken.Late = p != nil && (taken.Update == nil || p.late)
	taken.Have, err = pushed.Count(t.Tx, ch.id, item, place.Have, told, taken.Late)
	return taken, err
}
