package stream

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"net"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// readAll reads stanzas from bytes until the stream ends.
func readAll(data []byte) (all []*Element, err error) {
	server, client := net.Pipe()
	server.Close()
	client.Close()
	r := newReader(client, bufio.NewReader(bytes.NewReader(data)), nsClient)
	if _, err := r.open(); err != nil {
		return nil, err
	}
	for {
		e, err := r.next()
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
}

// FuzzStream reads whatever a server may send. What was read is the same once written and read again, and within its
// bounds.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"<message from='a@b/c' type='chat'><body>x &amp; y</body></message></stream:stream>",
		"<iq type='get' id='1'><ping xmlns='urn:xmpp:ping'/></iq><r xmlns='urn:xmpp:sm:3'/>",
		"<presence><c xmlns='urn:c' xmlns:x='urn:x' x:y='z'><x:d/></c></presence>",
		"<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
		strings.Repeat("<a>", 40) + strings.Repeat("</a>", 40), "<!DOCTYPE x>", "<a", "&#0;", "]]>",
		"<a><![CDATA[<b>]]></a>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, _ := readAll(append([]byte(clientHeader), data...))
		for _, e := range all {
			if e.Large || strings.Contains(e.Local, ":") {
				continue
			}
			text := e.String()
			again, err := readAll([]byte(clientHeader + text))
			if len(again) != 1 {
				t.Fatalf("%q is read as %d elements: %v", text, len(again), err)
			}
			if got := again[0].String(); got != text && !again[0].Large {
				t.Fatalf("%q becomes %q", text, got)
			}
			_ = ErrorOf(e).Error()
			_ = streamError(e)
		}
	})
}

// FuzzChallenge checks that whatever is let through is computed within bounds.
func FuzzChallenge(f *testing.F) {
	for _, seed := range []string{"r=abc,s=c2FsdA==,i=4096", "x", "r=,s=,i=", "m=x,r=abc,s=c2FsdA==,i=1",
		"r=abc,s=c2FsdA==,i=99999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, challenge string) {
		_ = checkChallenge([]byte(challenge))
		_, _ = decode(New(nsSASL, "challenge").Says(base64.StdEncoding.EncodeToString([]byte(challenge))))
		_, _ = decode(New(nsSASL, "challenge").Says(challenge))
	})
}

// What is written is read as the same, whatever text it has, but for characters that XML does not have.
func TestElementsRoundTrip(t *testing.T) {
	var element func(depth int) *rapid.Generator[*Element]
	element = func(depth int) *rapid.Generator[*Element] {
		return rapid.Custom(func(t *rapid.T) *Element {
			e := New(rapid.SampledFrom([]string{"", "urn:x", nsStream}).Draw(t, "space"),
				rapid.SampledFrom([]string{"a", "body", "x-y"}).Draw(t, "name"),
				"to", rapid.String().Draw(t, "to")).Says(rapid.String().Draw(t, "text"))
			if depth > 0 {
				e.With(rapid.SliceOfN(element(depth-1), 0, 3).Draw(t, "children")...)
			}
			return e
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		e := element(3).Draw(t, "element")
		text := e.String()
		again, err := readAll([]byte(clientHeader + text))
		if len(again) != 1 || again[0].String() != text {
			t.Fatalf("%q is read as %v, %v", text, again, err)
		}
	})
}
