package origin

import (
	"bytes"
	"encoding/xml"
	"math"
	"reflect"
	"testing"

	"tidings/lab/dataset"
)

// rssDocument is what the tests read of a feed.
type rssDocument struct {
	Built string `xml:"channel>lastBuildDate"`
	Items []struct {
		GUID  string `xml:"guid"`
		Title string `xml:"title"`
		Text  string `xml:"description"`
	} `xml:"channel>item"`
}

// A made-up history has the times, lengths, items and news of what was noted.
func TestAMadeHistoryHasTheShapeThatWasNoted(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	for _, noted := range dataset.Feeds() {
		updates := noted.Updates[len(noted.Updates)-noted.Recent:]
		if updates[0].Bytes > 40_000 {
			continue // a few long ones need most of the time
		}
		h := MakeHistory(noted)
		if h.Name != noted.Name || len(h.Snapshots) != len(updates) {
			t.Fatalf("%s: %d states, want %d", noted.Name, len(h.Snapshots), len(updates))
		}
		seen := make(map[string]bool)
		var before rssDocument
		var bytesHere, bytesNoted int
		for i, s := range h.Snapshots {
			u := updates[i]
			var now rssDocument
			if err := xml.Unmarshal(s.Body, &now); err != nil {
				t.Fatalf("%s, state %d: %v", noted.Name, i, err)
			}
			if !s.Time.Equal(u.Time) {
				t.Errorf("%s: state %d is of %v, want %v", noted.Name, i, s.Time, u.Time)
			}
			fresh := 0
			for _, it := range now.Items {
				if !seen[it.GUID] {
					fresh++
				}
				seen[it.GUID] = true
			}
			if i > 0 {
				if len(now.Items) != u.Items || fresh != u.NewItems {
					t.Errorf("%s: state %d has %d items, %d of them new; want %d and %d", noted.Name, i, len(now.Items),
						fresh, u.Items, u.NewItems)
				}
				if bytes.Equal(s.Body, h.Snapshots[i-1].Body) {
					t.Errorf("%s: state %d is that before it", noted.Name, i)
				}
				if changed := !reflect.DeepEqual(now.Items, before.Items); changed != u.Changed {
					t.Errorf("%s: state %d changed: %v, noted as %v", noted.Name, i, changed, u.Changed)
				}
			}
			before = now
			bytesHere, bytesNoted = bytesHere+len(s.Body), bytesNoted+max(u.Bytes, len(now.Items)*leastItem)
		}
		if off := math.Abs(float64(bytesHere)/float64(bytesNoted) - 1); off > 0.1 {
			t.Errorf("%s: %d bytes in all, noted were %d", noted.Name, bytesHere, bytesNoted)
		}
	}
}

// The same feed is made up in the same way each time.
func TestAMadeHistoryIsTheSameEachTime(t *testing.T) {
	noted := dataset.Feeds()[0]
	if !reflect.DeepEqual(MakeHistory(noted), MakeHistory(noted)) {
		t.Error("two histories of one feed differ")
	}
}
