package reader

import (
	"errors"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Conditions is the language in which conditions of filters are written.
type Conditions interface {
	// Compile reads a condition. The error says what is wrong with it.
	Compile(text string) (Condition, error)
	// Prepare makes an article ready to be compared with many conditions, one after another.
	Prepare(a Candidate) Prepared
}

// Condition is a condition that was read. Its String is its canonical form.
type Condition interface {
	String() string
	// Holds reports whether it is true of an article. It counts work down; where that does not suffice, ok is false.
	Holds(article Prepared, work *int64) (holds, ok bool)
}

// Prepared is an article as its Conditions have prepared it.
type Prepared any

// Candidate is an article to which filters are applied.
type Candidate struct {
	Channel, Title string // URL and title of its channel
	Item           tidings.Item
	Delta          string // of a page
	Arrived        time.Time
}

// noConditions is a language without conditions.
type noConditions struct{}

func (noConditions) Compile(string) (Condition, error) {
	return nil, tidings.Invalidf("this node applies no filters")
}
func (noConditions) Prepare(Candidate) Prepared { return nil }

const (
	// filterWork bounds the work of all filters in one transaction, in what Conditions count: about a second.
	filterWork = 1 << 30
	// maxCompiled bounds the filters that are held compiled, of all accounts together.
	maxCompiled = 10_000
)

// compiledFilter is a filter whose condition was read.
type compiledFilter struct {
	id        int64
	condition Condition // nil: it cannot be read
	actions   tidings.FilterActions
}

// forget forgets the compiled filters of an account.
func (s *Filters) forget(account int64) {
	s.held -= len(s.compiled[account])
	delete(s.compiled, account)
}

// filters returns the filters of an account in their order.
func (s *Filters) filters(t *db.Tx, account int64) ([]compiledFilter, error) {
	if all, held := s.compiled[account]; held {
		return all, nil
	}
	stored, err := filtersOf(t.Conn, account)
	if err != nil {
		return nil, err
	}
	all := make([]compiledFilter, len(stored))
	for i, f := range stored {
		all[i] = compiledFilter{id: f.ID, actions: f.Actions}
		// An error is no reason to refuse what arrives: List says that the filter does nothing.
		if condition, err := s.language.Compile(f.Condition); err == nil {
			all[i].condition = condition
		}
	}
	if s.held+len(all) > maxCompiled {
		clear(s.compiled)
		s.held = 0
	}
	s.compiled[account], s.held = all, s.held+len(all)
	return all, nil
}

// outcome is what filters make of an article.
type outcome struct {
	dropped      int64 // the filter that drops it; 0: none
	read, star   bool
	labels       []string
	silent, loud bool
}

// add does what a filter does, and reports whether later ones are to be applied as well.
func (o *outcome) add(f compiledFilter, now time.Time) (more bool) {
	a := f.actions
	muted := now.Before(a.Mute)
	o.read = o.read || a.Read || muted
	o.star = o.star || a.Star
	for _, label := range a.Labels {
		if !slices.Contains(o.labels, label) {
			o.labels = append(o.labels, label)
		}
	}
	if muted { // of filters that mute and that notify, the last decides
		o.silent, o.loud = true, false
	}
	if a.Notify {
		o.silent, o.loud = false, true
	}
	if a.Drop {
		o.dropped = f.id
	}
	return !a.Drop && !a.Stop
}

// tally counts what filters have done and left.
type tally struct{ matched, skipped int64 }

// filtering is one application of the filters of an account.
type filtering struct {
	*Filters
	*db.Tx
	account int64
	filters []compiledFilter
	work    int64
	tallies []tally // of filters
	read    bool    // something was marked read
}

// outcome compares an article with the filters.
func (f *filtering) outcome(article Prepared) (o outcome) {
	for i, one := range f.filters {
		if one.condition == nil {
			continue
		}
		holds, ok := false, false
		if f.work > 0 {
			holds, ok = one.condition.Holds(article, &f.work)
		}
		if !ok {
			f.work = 0
			f.tallies[i].skipped++
			continue
		}
		if !holds {
			continue
		}
		f.tallies[i].matched++
		if !o.add(one, f.Now) {
			break
		}
	}
	return o
}

// Apply applies filters to revisions that have arrived, those of all accounts that follow their channels. It returns
// the accounts for which something was marked read. It is called in the transaction that stores the revisions, after
// [MakeUnread].
func (s *Filters) Apply(t *db.Tx, all []Arrived) (readers []tidings.AccountID, err error) {
	any, err := db.One(t.Conn, `SELECT 1 FROM filter LIMIT 1`, nil)
	if err != nil || !any {
		return nil, err
	}
	byChannel := make(map[int64][]Arrived)
	var channels []int64
	for _, of := range all {
		if byChannel[of.Channel] == nil {
			channels = append(channels, of.Channel)
		}
		byChannel[of.Channel] = append(byChannel[of.Channel], of)
	}
	for _, channel := range channels {
		var accounts []int64
		if err := db.Each(t.Conn,
			`SELECT s.account FROM subscription s INDEXED BY subscription_channel WHERE s.channel = ?
			AND EXISTS (SELECT 1 FROM filter f WHERE f.account = s.account)
			ORDER BY s.account`, func(r *sqlite.Stmt) error {
				accounts = append(accounts, r.ColumnInt64(0))
				return nil
			}, channel); err != nil {
			return nil, err
		}
		marked, err := s.apply(t, accounts, byChannel[channel], int64(filterWork/max(1, len(channels))))
		if err != nil {
			return nil, err
		}
		readers = append(readers, marked...)
	}
	slices.Sort(readers)
	return slices.Compact(readers), nil
}

// Begin applies the filters of an account to items that are unread to it because it begins to follow their channel.
func (s *Filters) Begin(t *db.Tx, account tidings.AccountID, channel int64, items []int64) error {
	var all []Arrived
	for _, item := range items {
		if _, err := db.One(t.Conn, `SELECT latest FROM item WHERE channel = ? AND id = ? AND latest != 0`,
			func(r *sqlite.Stmt) {
				all = append(all, Arrived{Channel: channel, Revision: r.ColumnInt64(0)})
			}, channel, item); err != nil {
			return err
		}
	}
	_, err := s.apply(t, []int64{int64(account)}, all, filterWork)
	return err
}

// apply applies the filters of some accounts to revisions of one channel, for so much work.
func (s *Filters) apply(t *db.Tx, accounts []int64, all []Arrived,
	work int64) (readers []tidings.AccountID, err error) {
	each := make([]filtering, 0, len(accounts))
	for _, account := range accounts {
		filters, err := s.filters(t, account)
		if err != nil {
			return nil, err
		}
		if len(filters) > 0 {
			each = append(each, filtering{Filters: s, Tx: t, account: account, filters: filters,
				work: work / int64(len(accounts)), tallies: make([]tally, len(filters))})
		}
	}
	if len(each) == 0 {
		return nil, nil
	}
	for _, of := range all {
		item, candidate, err := readCandidate(t, of.Revision)
		if err != nil {
			return nil, err
		}
		if candidate.Item.IsNotice() {
			continue
		}
		withdrawn := candidate.Item.News.Withdrawn()
		article := s.language.Prepare(candidate)
		for i := range each {
			f := &each[i]
			var o outcome
			if withdrawn { // readers of an article learn that it is withdrawn; others need not know of it
				if o.dropped, err = f.hiddenBy(item); err != nil {
					return nil, err
				}
			} else {
				o = f.outcome(article)
			}
			if err := f.bring(item, of, o); err != nil {
				return nil, err
			}
		}
	}
	for i := range each {
		if err := each[i].count(); err != nil {
			return nil, err
		}
		if each[i].read {
			readers = append(readers, tidings.AccountID(each[i].account))
		}
	}
	return readers, nil
}

func readCandidate(t *db.Tx, revision int64) (item int64, c Candidate, err error) {
	const itemAt = 4
	c.Arrived = t.Now
	found := false
	err = db.Each(t.Conn, `SELECT r.item, c.url, c.title, v.delta, `+column.ItemColumns+` FROM revision r
		JOIN version v ON v.id = r.version JOIN channel c ON c.id = r.channel WHERE r.id = ?`, func(r *sqlite.Stmt) (err error) {
		found = true
		item, c.Channel, c.Title = r.ColumnInt64(0), r.ColumnText(1), r.ColumnText(2)
		if c.Delta, err = column.Unpack(db.ColumnBlob(r, 3)); err != nil {
			return err
		}
		c.Item, err = column.Item(r, itemAt)
		return err
	}, revision)
	return item, c, db.Must(found, err)
}

func (f *filtering) hiddenBy(item int64) (filter int64, err error) {
	_, err = db.One(f.Conn, `SELECT hidden FROM filtered WHERE account = ? AND item = ?`,
		func(r *sqlite.Stmt) { filter = r.ColumnInt64(0) }, f.account, item)
	return filter, err
}

// bring stores an outcome in the place of that of the revision before.
func (f *filtering) bring(item int64, of Arrived, o outcome) error {
	if err := db.Exec(f.Conn, `DELETE FROM filtered WHERE account = ? AND item = ?`, f.account, item); err != nil {
		return err
	}
	if o.read || o.dropped != 0 {
		f.read = true
		if err := markItem(f.Tx, f.account, item, true); err != nil {
			return err
		}
	}
	if err := f.keep(item, o); err != nil {
		return err
	}
	loud := 0
	if o.loud && o.dropped == 0 {
		if loud = 1; o.read {
			loud = 2
		}
	}
	silent := o.silent || o.dropped != 0
	if !silent && loud == 0 {
		return nil
	}
	return db.Exec(f.Conn,
		`INSERT INTO filtered (account, item, channel, revision, hidden, silent, loud) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		f.account, item, of.Channel, of.Revision, o.dropped, silent, loud)
}

// keep stars and labels an item. What an account cannot have any more is left: that is no reason to refuse what
// arrives.
func (f *filtering) keep(item int64, o outcome) error {
	if !o.star && len(o.labels) == 0 {
		return nil
	}
	of, found, err := stateOf(f.Tx, f.account, item)
	if err != nil || !found {
		return err
	}
	if o.star {
		most := f.starred - 1
		room, err := db.One(f.Conn, `SELECT 1 FROM account WHERE id = ?1 AND (role != 'reader' OR ?2 < 0
			OR (SELECT count(*) FROM star WHERE account = ?1) <= ?2)`,
			nil, f.account, most)
		if err != nil {
			return err
		}
		if room {
			if err := of.star(f.Tx, true, 0); err != nil {
				return err
			}
		}
	}
	for _, label := range o.labels {
		err := validLabels(f.Tx, tidings.AccountID(f.account), []string{label})
		if err == nil {
			err = of.label(f.Tx, []string{label}, nil, true)
		}
		if err != nil && !errors.Is(err, tidings.ErrInvalid) {
			return err
		}
	}
	return nil
}

// count stores what the filters have done and left.
func (f *filtering) count() error {
	for i, n := range f.tallies {
		if n == (tally{}) {
			continue
		}
		if err := db.Exec(f.Conn,
			`UPDATE filter SET matched = matched + ?2, matched_at = CASE WHEN ?2 > 0 THEN ?4 ELSE matched_at END,
			skipped = skipped + ?3, skipped_at = CASE WHEN ?3 > 0 THEN ?4 ELSE skipped_at END WHERE id = ?1`,
			f.filters[i].id, n.matched, n.skipped, f.Now); err != nil {
			return err
		}
	}
	return nil
}

// isHidden is an SQL expression: whether a filter of the account has dropped an item. It needs expressions of both.
func isHidden(account, item string) string {
	return `EXISTS (SELECT 1 FROM filtered h WHERE h.account = ` + account + ` AND h.item = ` + item +
		` AND h.hidden != 0)`
}

// hiddenOfChannel is an SQL expression: how many items of the channel of subscription s filters hide from its account.
const hiddenOfChannel = `(SELECT count(*) FROM filtered h INDEXED BY filtered_hidden_channel
	WHERE h.account = s.account AND h.channel = s.channel AND h.hidden != 0)`

// hides reports whether anything is hidden from an account.
func hides(conn *sqlite.Conn, account int64) (bool, error) {
	return db.One(conn, `SELECT 1 FROM filtered INDEXED BY filtered_hidden WHERE account = ? AND hidden != 0 LIMIT 1`,
		nil, account)
}
