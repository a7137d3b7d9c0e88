package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"tidings"
)

// Marks are what a person did without a network, in the order in which it was done.
type Marks struct {
	Person string `json:"person"` // whose they are: PersonTag
	Marks  []Mark `json:"marks"`
}

// Mark is one of them. Of "read-all", Show, Folder, Channel and Older are what the form of the page says.
type Mark struct {
	Do      string `json:"do"`
	Entry   int64  `json:"entry"`
	Ago     int64  `json:"ago"` // milliseconds since then, so that the clocks of browser and node need not agree
	Show    string `json:"show,omitempty"`
	Folder  string `json:"folder,omitempty"`
	Channel string `json:"channel,omitempty"`
	Older   string `json:"older,omitempty"` // "day" or "week": only what was older than that
}

// maxAgo bounds how long a mark has waited.
const maxAgo = 10 * 365 * 24 * time.Hour

// MarkedAges are what a person can choose to mark read alone: what is older than that.
var MarkedAges = map[string]time.Duration{"day": 24 * time.Hour, "week": 7 * 24 * time.Hour}

// ParseMarks reads marks as they are sent; at most tidings.MaxMarks.
func ParseMarks(r io.Reader) (m Marks, err error) {
	d := json.NewDecoder(r)
	if err := d.Decode(&m); err != nil {
		return Marks{}, malformed(err)
	}
	if _, err := d.Token(); err == nil {
		return Marks{}, tidings.Invalidf("reading marks: there is something behind them")
	} else if !errors.Is(err, io.EOF) {
		return Marks{}, malformed(err)
	}
	if len(m.Marks) > tidings.MaxMarks {
		return Marks{}, tidings.Invalidf("%d marks at once are too many: at most %d", len(m.Marks), tidings.MaxMarks)
	}
	for i, mark := range m.Marks {
		if mark.Ago < 0 || mark.Ago > maxAgo.Milliseconds() {
			return Marks{}, tidings.Invalidf("mark %d has waited for %d milliseconds", i, mark.Ago)
		}
	}
	return m, nil
}

// malformed says that what was sent cannot be read; errors of reading stay what they are.
func malformed(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) {
		return tidings.Invalidf("reading marks: %w", err)
	}
	return fmt.Errorf("reading marks: %w", err)
}

// At returns the marks with the times at which they were made, as the node's clock has it now.
func (m Marks) At(now time.Time) []tidings.Mark {
	all := make([]tidings.Mark, 0, len(m.Marks))
	for _, mark := range m.Marks {
		at := now.Add(-time.Duration(mark.Ago) * time.Millisecond)
		one := tidings.Mark{Do: tidings.MarkAction(mark.Do), Entry: mark.Entry, At: at}
		if one.Do == tidings.MarkAllRead {
			one.Query = tidings.EntryQuery{Folder: mark.Folder, Channel: mark.Channel, Starred: mark.Show == "starred"}
			if age, ok := MarkedAges[mark.Older]; ok {
				one.Query.ByDate, one.Query.Behind = true, tidings.Place{Dated: at.Add(-age), Item: 1}
			}
		}
		all = append(all, one)
	}
	return all
}
