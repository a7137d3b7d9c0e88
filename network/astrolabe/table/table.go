package table

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// MaxRows is how many rows a table has room for. A zone splits when it has more than a third of that, see
// astrolabe.Config.Full. The others are those that have moved on and are not forgotten yet.
const MaxRows = 192

// Table is a node's copy of a zone's table. Its zero value is one without rows.
type Table struct {
	rows   []held // by ascending labels; at most MaxRows, of which those that hold are the last to go
	sum    uint64 // of the marks of all rows that hold: two copies with one sum count as equal
	labels uint64 // of the names of these rows: see Labels
	shared bool   // other copies have the same rows in memory, until one changes
}

// held is a row as a node keeps it.
type held struct {
	Row
	issued time.Duration // on the node's clock, as far as the ages show with which the row travelled
	order  uint64        // the label's first bytes: see orderOf
	// stands for the label, but for the last bit: whether the row does not hold any more, withdrawn, or not stamped for
	// too long
	name uint64
}

func (h *held) over() bool { return h.name&1 == 1 }

func (h *held) setOver(over bool) {
	h.name &^= 1
	if over {
		h.name |= 1
	}
}

// mark stands for a row that holds in a table's sum. One that does not is remembered only by nodes that had it.
func (h *held) mark() uint64 {
	return engine.Mix(h.name ^ engine.Mix(uint64(h.Time)<<32|uint64(binary.BigEndian.Uint32(h.Stamp.Content[:]))))
}

// toggle adds a row to the sums of those that hold, or removes it from them.
func (t *Table) toggle(h *held) {
	if !h.over() {
		t.sum ^= h.mark()
		t.labels ^= engine.Mix(h.name)
	}
}

// nameOf returns the number that stands for a label.
func nameOf(label string) uint64 {
	id := engine.IDOf([]byte(label))
	return binary.BigEndian.Uint64(id[:]) &^ 1
}

// orderOf returns a label's first eight bytes. They distinguish and order most labels without reading them: they lie
// elsewhere in memory.
func orderOf(label string) uint64 {
	var first [8]byte
	copy(first[:], label)
	return binary.BigEndian.Uint64(first[:])
}

// Copy returns a copy, which shares t's memory as long as neither changes.
func (t *Table) Copy() Table {
	t.shared = true
	return *t
}

// own makes t's memory its own, before it changes.
func (t *Table) own() {
	if t.shared {
		t.rows, t.shared = slices.Clone(t.rows), false
	}
}

// find returns where the row with a label is, or would be. It is called several times for each message.
func (t *Table) find(label string) (at int, found bool) {
	order, end := orderOf(label), len(t.rows)
	for at < end {
		middle := (at + end) / 2
		h := &t.rows[middle]
		c := cmp.Compare(h.order, order)
		if c == 0 {
			c = cmp.Compare(h.Label, label)
		}
		switch {
		case c == 0:
			return middle, true
		case c < 0:
			at = middle + 1
		default:
			end = middle
		}
	}
	return at, false
}

// Put stores a row that has an age now, if it is newer than the stored one and not too old to be remembered. It reports
// whether the table has changed, and whether its visible part has: not if only a stamp was newer.
func (t *Table) Put(r Row, age, now time.Duration) (changed, news bool) {
	if age >= r.keeps() {
		return false, false
	}
	over := age >= r.holds()
	at, found := t.find(r.Label)
	if found {
		h := &t.rows[at]
		if !r.Stamp.newer(h.Stamp) {
			return false, false
		}
		news = h.Stamp.Content != r.Stamp.Content || h.over() != over
		if h.Stamp.Content == r.Stamp.Content {
			r.Content = h.Content
		}
		t.own()
		h = &t.rows[at]
		t.toggle(h)
		h.Row, h.issued = r, now-age
		h.setOver(over)
		t.toggle(h)
		return true, news
	}
	t.own()
	if len(t.rows) >= MaxRows {
		if over || !t.forget() {
			return false, false
		}
		at, _ = t.find(r.Label)
	}
	h := held{r, now - age, orderOf(r.Label), nameOf(r.Label)}
	h.setOver(over)
	t.rows = slices.Insert(t.rows, at, h)
	t.toggle(&h)
	return true, !over
}

// Newer reports whether Put would store a row with a label and a stamp.
func (t *Table) Newer(label string, s *Stamp) bool {
	at, found := t.find(label)
	if !found {
		return len(t.rows) < MaxRows || !s.Gone() && slices.ContainsFunc(t.rows, func(h held) bool { return h.over() })
	}
	return s.newer(t.rows[at].Stamp)
}

// forget makes room for another row: by the oldest of those that do not hold any more. It reports whether there is one.
func (t *Table) forget() bool {
	oldest := -1
	for i := range t.rows {
		if t.rows[i].over() && (oldest < 0 || t.rows[i].issued < t.rows[oldest].issued) {
			oldest = i
		}
	}
	if oldest < 0 {
		return false
	}
	t.toggle(&t.rows[oldest])
	t.rows = slices.Delete(t.rows, oldest, oldest+1)
	return true
}

// Get returns the row with a label, if it holds.
func (t *Table) Get(label string) (r Row, ok bool) {
	at, found := t.find(label)
	if !found || t.rows[at].over() {
		return Row{}, false
	}
	return t.rows[at].Row, true
}

// Known returns the row with a label, whether it holds or not, and its age.
func (t *Table) Known(label string, now time.Duration) (r Row, age time.Duration, ok bool) {
	at, found := t.find(label)
	if !found {
		return Row{}, 0, false
	}
	return t.rows[at].Row, now - t.rows[at].issued, true
}

// Size is how many rows At gives.
func (t *Table) Size() int { return len(t.rows) }

// At returns a row by its place among the labels; not ok: it does not hold.
func (t *Table) At(i int) (r Row, ok bool) { return t.rows[i].Row, !t.rows[i].over() }

// All returns the rows that hold, by ascending labels.
func (t *Table) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for i := range t.rows {
			if h := &t.rows[i]; !h.over() && !yield(h.Row) {
				return
			}
		}
	}
}

// Children returns the rows of members and zones, by ascending labels: those that are aggregated.
func (t *Table) Children() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for r := range t.All() {
			if !zone.IsFunction(r.Label) && !yield(r) {
				return
			}
		}
	}
}

// Len returns how many rows of members and zones there are.
func (t *Table) Len() (n int) {
	for range t.Children() {
		n++
	}
	return n
}

// Expire notes which rows were not stamped for longer than they hold, returns those, and forgets what has been over for
// long.
func (t *Table) Expire(now time.Duration) (expired []Row) {
	if !slices.ContainsFunc(t.rows, func(h held) bool {
		return !h.over() && now-h.issued >= h.holds() ||
			now-h.issued >= h.keeps()
	}) {
		return nil
	}
	t.own()
	t.rows = slices.DeleteFunc(t.rows, func(h held) bool {
		if now-h.issued < h.keeps() {
			return false
		}
		t.toggle(&h)
		if !h.over() { // nobody looked for long, as where the machine was suspended
			expired = append(expired, h.Row)
		}
		return true
	})
	for i := range t.rows {
		if h := &t.rows[i]; !h.over() && now-h.issued >= h.holds() {
			t.toggle(h)
			h.setOver(true)
			expired = append(expired, h.Row)
		}
	}
	return expired
}

// End has those rows not hold any more of which f says so, and returns them.
func (t *Table) End(f func(Row) bool) (ended []Row) {
	for i := range t.rows {
		if h := &t.rows[i]; !h.over() && f(h.Row) {
			t.own()
			h = &t.rows[i]
			t.toggle(h)
			h.setOver(true)
			ended = append(ended, h.Row)
		}
	}
	return ended
}

// Sum stands for all rows that hold: two copies with one sum are equal.
func (t *Table) Sum() uint64 { return t.sum }

// Labels stands for the labels of all rows that hold. In two copies for which it is the same, each row that holds in
// one holds in the other, perhaps with an older stamp or content.
func (t *Table) Labels() uint32 { return uint32(t.labels) }

// markBytes is how many bytes stand for a row in a comparison: four for its label, four for its time, and two for its
// content, of which the last bit says whether it does not hold any more.
const markBytes = 10

// MaxMarks is the length of the longest list of marks.
const MaxMarks = MaxRows * markBytes

// version is the time and the content within a mark, and its last bit.
type version uint64

// versionMask is a version within the last eight bytes of a mark.
const versionMask = 1<<48 - 1

func (h *held) version() version {
	v := version(h.Time)<<16 | version(binary.BigEndian.Uint16(h.Stamp.Content[:]))&^1
	if h.over() {
		v |= 1
	}
	return v
}

// newer reports whether a row of version v replaces one of another. Of two stamps that are else the same, one that does
// not hold does.
func (v version) newer(than version) bool {
	return v>>1 > than>>1 || v>>1 == than>>1 && v.over() && !than.over()
}

func (v version) over() bool                  { return v&1 == 1 }
func (v version) sameContent(as version) bool { return uint16(v)>>1 == uint16(as)>>1 }

// Marks lists what a table holds, for another copy's Compare. salt is drawn anew each time, so that an attacker cannot
// choose labels with equal marks. over: with the rows that do not hold any more. A copy with the same Labels has none
// of them that holds.
func (t *Table) Marks(salt uint32, over bool) []byte {
	marks := make([]byte, 0, len(t.rows)*markBytes)
	for i := range t.rows {
		if t.rows[i].over() && !over {
			continue
		}
		marks = binary.BigEndian.AppendUint32(marks, t.rows[i].salted(salt))
		v := t.rows[i].version()
		marks = binary.BigEndian.AppendUint32(marks, uint32(v>>16))
		marks = binary.BigEndian.AppendUint16(marks, uint16(v))
	}
	return marks
}

func (h *held) salted(salt uint32) uint32 {
	return uint32(engine.Mix(h.name&^1 ^ uint64(salt)<<16))
}

// Sent is a row on its way to another copy.
type Sent struct {
	Row
	Age   time.Duration
	Known bool // the other copy has the content, with an older stamp
}

// Compare returns the rows that another copy lacks or has older ones of. It also returns the names of those of which it
// has newer ones, for Named: wanted whole, or stamps alone, where the content is the same. A copy that lacks a row need
// not learn that it does not hold any more.
func (t *Table) Compare(marks []byte, salt uint32, now time.Duration) (newer []Sent, wanted, stamps []byte) {
	theirs := markReader{marks: marks[:min(len(marks), MaxMarks)]}
	for i := range t.rows {
		h := &t.rows[i]
		name, ours := h.salted(salt), h.version()
		other, known := theirs.find(name)
		switch {
		case !known && ours.over():
		case !known || ours.newer(other):
			newer = append(newer, Sent{h.Row, now - h.issued, known && ours.sameContent(other)})
		case other.newer(ours) && ours.sameContent(other):
			stamps = binary.BigEndian.AppendUint32(stamps, name)
		case other.newer(ours):
			wanted = binary.BigEndian.AppendUint32(wanted, name)
		}
	}
	return newer, theirs.rest(wanted), stamps
}

// markReader finds marks by their names. Two copies have mostly the same labels in the same order: each mark is sought
// where the one before was found.
type markReader struct {
	marks []byte
	at    int
	used  [MaxRows]bool
}

func (r *markReader) name(i int) uint32 { return binary.BigEndian.Uint32(r.marks[i*markBytes:]) }

func (r *markReader) version(i int) version {
	return version(binary.BigEndian.Uint64(r.marks[i*markBytes+2:]) & versionMask)
}

func (r *markReader) find(name uint32) (v version, ok bool) {
	size := len(r.marks) / markBytes
	for range size {
		if r.at >= size {
			r.at = 0
		}
		i := r.at
		r.at++
		if !r.used[i] && r.name(i) == name {
			r.used[i] = true
			return r.version(i), true
		}
	}
	return 0, false
}

// rest adds the names that were not sought, of rows that hold.
func (r *markReader) rest(names []byte) []byte {
	for i := range len(r.marks) / markBytes {
		if !r.used[i] && !r.version(i).over() {
			names = binary.BigEndian.AppendUint32(names, r.name(i))
		}
	}
	return names
}

// Named returns the rows with the names that another copy's Compare asked for; known: it has their contents.
func (t *Table) Named(names []byte, salt uint32, known bool, now time.Duration) (rows []Sent) {
	for i := range t.rows {
		h := &t.rows[i]
		name := h.salted(salt)
		for left := names[:min(len(names), 4*MaxRows)]; len(left) >= 4; left = left[4:] {
			if binary.BigEndian.Uint32(left) == name {
				rows = append(rows, Sent{h.Row, now - h.issued, known})
				break
			}
		}
	}
	return rows
}
