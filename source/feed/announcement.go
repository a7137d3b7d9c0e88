package feed

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// AnnouncementSpace is the XML namespace of an announcement's elements.
const AnnouncementSpace = "urn:tidings:feedtree:1"

// AnnouncementField is the name of the JSON Feed extension that holds an announcement.
const AnnouncementField = "_tidings_push"

// Bounds of an announcement. One whose topic, fingerprint or silence is outside is passed over as a
// whole; of statements those that are outside are.
const (
	MaxSilence    = 31 * 24 * time.Hour
	MaxStatements = 16  // rotations, and revocations, of an announcement
	MaxStatement  = 512 // bytes of one
)

// Announcement is a feed's statement that its items are pushed. It is a claim: anybody able to write the
// document can write it. The first of a document counts.
//
// In RSS and Atom it is an element of the channel or feed, in the namespace [AnnouncementSpace]:
//
//	<tidings:push xmlns:tidings="urn:tidings:feedtree:1" topic="…" fingerprint="…" silence="3600">
//	  <tidings:rotation>…</tidings:rotation>
//	</tidings:push>
//
// In JSON Feed it is an object under [AnnouncementField] with the same names, where rotations and revocations are
// lists. Bytes are in hexadecimal, those of statements in base64.
type Announcement struct {
	Topic       [20]byte      // under which items are published
	Fingerprint [32]byte      // of the publisher's key: its SHA-256
	Silence     time.Duration // within which the next word follows the last, in whole seconds; 0: nothing is promised
	Rotations   [][]byte      // signed statements that one key follows another, in their canonical form
	Revocations [][]byte      // signed statements that a key is void, in their canonical form
}

// readAnnouncement reads the three parts that every announcement has. It reports whether they can be used.
func readAnnouncement(topic, fingerprint, silence string) (a Announcement, ok bool) {
	seconds, err := strconv.ParseUint(silence, 10, 32)
	if err != nil || time.Duration(seconds)*time.Second > MaxSilence {
		return a, false
	}
	a.Silence = time.Duration(seconds) * time.Second
	return a, unhex(a.Topic[:], topic) && unhex(a.Fingerprint[:], fingerprint)
}

func unhex(to []byte, digits string) bool {
	if hex.DecodedLen(len(digits)) != len(to) || len(digits)%2 != 0 {
		return false
	}
	_, err := hex.Decode(to, []byte(digits))
	return err == nil
}

// addStatement adds a signed statement, unless it is none or there are enough.
func addStatement(list *[][]byte, text string) {
	text = strings.TrimSpace(text)
	if len(*list) >= MaxStatements || text == "" || len(text) > base64.StdEncoding.EncodedLen(MaxStatement) {
		return
	}
	if b, err := base64.StdEncoding.DecodeString(text); err == nil && len(b) <= MaxStatement {
		*list = append(*list, b)
	}
}

// announced reads an announcement's element. Its start tag was just read, and it lies on top of the stack.
func (r *xmlReader) announced() {
	depth := len(r.stack)
	if !r.inChannel() || depth < 2 || r.stack[depth-2].el != elChannel {
		return
	}
	a, ok := readAnnouncement(r.attr("topic"), r.attr("fingerprint"), r.attr("silence"))
	switch {
	case !ok:
		r.doc.note("passed over an announcement of pushed items that cannot be one")
	case r.doc.Announcement != nil:
		r.doc.note("passed over a further announcement of pushed items")
	default:
		r.doc.Announcement, r.announcing = &a, depth
	}
}

// statement stores a signed statement of the announcement.
func (r *xmlReader) statement(el element, text string) {
	if r.announcing == 0 || len(r.stack) != r.announcing+1 {
		return
	}
	if el == elRotation {
		addStatement(&r.doc.Announcement.Rotations, text)
	} else {
		addStatement(&r.doc.Announcement.Revocations, text)
	}
}

// jsonAnnouncement reads a JSON Feed's announcement; nil if there is none.
func jsonAnnouncement(d *Document, head object) *Announcement {
	o := head.object(AnnouncementField)
	if o == nil {
		return nil
	}
	a, ok := readAnnouncement(o.text("topic"), o.text("fingerprint"), o.text("silence"))
	if !ok {
		d.note("passed over an announcement of pushed items that cannot be one")
		return nil
	}
	for _, raw := range o.list("rotations", MaxStatements) {
		addStatement(&a.Rotations, scalar(raw))
	}
	for _, raw := range o.list("revocations", MaxStatements) {
		addStatement(&a.Revocations, scalar(raw))
	}
	return &a
}
