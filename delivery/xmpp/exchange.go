package xmpp

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

// nsAccount is the namespace of what nodes that share an account ask each other:
//
//   - get claim, with an address and names of parts: those that the sender may send, of the address's primary;
//   - get seen, after a number: keys of parts that are known to be sent;
//   - get followings, after a cursor; set followings: what addresses follow.
//
// Messages carry the names of their parts in the element parts.
const nsAccount = "urn:tidings:account:1"

// Bounds on pages, so that each fits into a stanza of stream.MaxStanza bytes.
const (
	seenPage       = 1000      // keys
	followingsPage = 200       // rows
	followingsSize = 30_000    // bytes of their addresses, URLs and schedules; one row is in a page however large it is
	maxSchedule    = 500       // bytes
	mostAhead      = time.Hour // by which the clock of another node may be ahead
)

// states of the answer to a claim.
const (
	stateYours = "yours" // the parts that are named may be sent
	stateSent  = "sent"  // all are
	stateWait  = "wait"  // ask again
)

func claimElement(address, state string, parts []string) *stream.Element {
	return stream.New(nsAccount, "claim", "address", address, "state", state).Says(strings.Join(parts, " "))
}

// readGrant reads the answer to a claim of parts: the indexes of those that may be sent, or that it is to be asked
// again. None, and no wait, is that all are sent.
func readGrant(answer *stream.Element, parts []string) (granted []int, wait bool) {
	switch answer.Get("state") {
	case stateSent:
		return nil, false
	case stateYours:
		yours := make(map[string]bool)
		for _, name := range readParts(answer.Text) {
			yours[name] = true
		}
		for i, name := range parts {
			if yours[name] {
				granted = append(granted, i)
			}
		}
		return granted, len(granted) == 0
	}
	return nil, true
}

func partsElement(parts []string) *stream.Element {
	return stream.New(nsAccount, "parts").Says(strings.Join(parts, " "))
}

func seenElement(keys []share.Key, last uint64) *stream.Element {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = base64.RawURLEncoding.EncodeToString(k[:])
	}
	e := stream.New(nsAccount, "seen").Says(strings.Join(names, " "))
	if last != 0 {
		e.Attributes = map[string]string{"last": strconv.FormatUint(last, 10)}
	}
	return e
}

// readSeen reads a page of keys; last is 0 if there are no more.
func readSeen(e *stream.Element) (keys []share.Key, last uint64) {
	for _, name := range strings.Fields(e.Text) {
		raw, err := base64.RawURLEncoding.DecodeString(name)
		if err != nil || len(raw) != len(share.Key{}) || len(keys) == seenPage {
			return nil, 0
		}
		keys = append(keys, share.Key(raw))
	}
	last, err := strconv.ParseUint(e.Get("last"), 10, 64)
	if err != nil {
		return keys, 0
	}
	return keys, last
}

// pullSeen learns page by page what another node knows to be sent. ask requests what comes after a number. It ends with
// the last page, with one that leads back, or with an error of ask.
func pullSeen(ask func(after *stream.Element) (*stream.Element, error), saw func([]share.Key)) error {
	after := uint64(0)
	for range 2 * share.MaxSeen / seenPage {
		answer, err := ask(stream.New(nsAccount, "seen", "after", strconv.FormatUint(after, 10)))
		if err != nil {
			return err
		}
		keys, last := readSeen(answer)
		saw(keys)
		if last <= after {
			return nil
		}
		after = last
	}
	return nil
}

// fit returns how many of the rows go into a page.
func fit(rows []tidings.Following) int {
	size := 0
	for i, f := range rows {
		size += 2*len(f.Address) + 2*len(f.Channel) + 150 // escaping makes them longer
		if f.Schedule != nil {
			size += maxSchedule
		}
		if i > 0 && (size > followingsSize || i == followingsPage) {
			return i
		}
	}
	return len(rows)
}

func followingsElement(rows []tidings.Following) *stream.Element {
	e := stream.New(nsAccount, "followings")
	for _, f := range rows {
		row := stream.New(nsAccount, "following", "address", f.Address, "channel", f.Channel, "forgotten", f.Forgotten,
			"changed", strconv.FormatInt(f.Changed.UnixMilli(), 10))
		if f.Ended {
			row.Attributes["ended"] = "true"
		}
		if f.Schedule != nil {
			text, _ := json.Marshal(f.Schedule) // which never fails
			row.Says(string(text))
		}
		e.With(row)
	}
	return e
}

// readFollowings reads rows, and leaves out those that cannot be.
func readFollowings(e *stream.Element, now time.Time) (rows []tidings.Following) {
	for _, row := range e.Children {
		if row.Space != nsAccount || row.Local != "following" || len(rows) == followingsPage {
			continue
		}
		ms, err := strconv.ParseInt(row.Get("changed"), 10, 64)
		f := tidings.Following{
			Address: row.Get("address"), Channel: row.Get("channel"), Ended: row.Get("ended") == "true",
			Forgotten: row.Get("forgotten"),
			Changed:   time.UnixMilli(ms),
		}
		if err != nil || ms <= 0 || f.Changed.After(now.Add(mostAhead)) {
			continue
		}
		if f.Forgotten != "" {
			if len(f.Forgotten) <= 64 {
				rows = append(rows, tidings.Following{Forgotten: f.Forgotten, Changed: f.Changed})
			}
			continue
		}
		bare, err := stream.Bare(f.Address)
		if err != nil || bare != f.Address || !strings.Contains(bare, "@") || len(f.Channel) > maxURL {
			continue
		}
		if f.Channel == "" {
			continue
		}
		if f.Channel == tidings.FollowingSchedule {
			f.Schedule, f.Ended = new(tidings.Schedule), false
			if len(row.Text) > maxSchedule || json.Unmarshal([]byte(row.Text), f.Schedule) != nil ||
				f.Schedule.Validate() != nil {
				continue
			}
		}
		rows = append(rows, f)
	}
	return rows
}
