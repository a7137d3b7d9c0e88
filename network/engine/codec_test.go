package engine

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// huge takes more than a message's four bytes may stand for.
type huge struct {
	A [4 * MaxExpansion]byte `cbor:"1,keyasint"`
	B bool                   `cbor:"2,keyasint"`
}

func (*huge) Kind() Kind { return KindOf(Experiment, 1) }

func TestVocabulariesThatContradict(t *testing.T) {
	of := func(protocol ProtocolNumber, m ...Message) (v Vocabulary) {
		v = Vocabulary{Protocol: protocol, Name: "test"}
		for _, m := range m {
			v.Messages = append(v.Messages, MessageType{m, Control})
		}
		return v
	}
	for want, vocabularies := range map[string][]Vocabulary{
		"engine: kind 0xf001 of test.ping is wrong or taken": {of(Experiment,
			&ping{}, &ping{})},
		"engine: kind 0xf002 of test.routed is wrong or taken": {of(Experiment,
			&routed{}), of(Experiment, &routed{})},
		"engine: kind 0xf003 of test.leaves is wrong or taken": {of(Pastry,
			&leaves{})},
		"engine: test.huge takes 513 bytes of memory for 4 on the wire": {of(Experiment,
			&huge{})},
		"engine: test.Opaque: field Opaque.kind: it is embedded or not exported, and would not travel": {of(0,
			&Opaque{})},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			NewCodec(vocabularies...)
		}()
	}
}

func TestCodecKnowsItsKinds(t *testing.T) {
	c := NewCodec(testMessages, TransportVocabulary)
	want := []Kind{0x0010, 0xf001, 0xf002, 0xf003, 0xf004, 0xf005}
	if got := c.Kinds(); !slices.Equal(got, want) {
		t.Errorf("kinds %x, want %x", got, want)
	}
	if got := c.Name(0xf002); got != "test.routed" || c.Class(0xf002) != Update || c.New(0xf002).Kind() != 0xf002 {
		t.Errorf("kind 0xf002 is %s, class %s, %T", got, c.Class(0xf002), c.New(0xf002))
	}
	if got := c.Name(0x1234); got != "unknown 0x1234" || c.Class(0x1234) != Bulk || c.New(0x1234) != nil {
		t.Errorf("kind 0x1234 is %s, class %s, %T", got, c.Class(0x1234), c.New(0x1234))
	}
}

// What a message costs on the wire.
func TestWireForm(t *testing.T) {
	c := NewCodec(testMessages)
	for _, test := range []struct {
		message Message
		want    string
	}{
		{&ping{}, "d9f001 a0"},
		{&ping{Number: 500, At: -1}, "d9f001 a2 01 1901f4 02 20"},
		{&leaves{Peers: []Peer{{}, {Address: "ab"}}}, "d9f003 a1 01 82 40 56 " + strings.Repeat("00", 20) + "6162"},
		{&routed{Payload: &ping{Number: 1}}, "d9f002 a1 04 d9f001 a1 01 01"},
		{&kitchen{Double: 1.5, Where: "\xff", Parts: []part{{}}}, "d9f004 a3 06 f93e00 0a 41ff 18c8 81 a0"},
	} {
		got, err := c.Append(nil, test.message)
		if want := strings.ReplaceAll(test.want, " ", ""); err != nil || fmt.Sprintf("%x", got) != want {
			t.Errorf("%#v is %x, %v, want %s", test.message, got, err, want)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	c := NewCodec(testMessages)
	deep := Message(&ping{})
	for range MaxDepth {
		deep = &routed{Payload: deep}
	}
	list := Message(&leaves{Peers: []Peer{{}}})
	for range MaxDepth - 1 {
		list = &routed{Payload: list}
	}
	round := &routed{}
	round.Payload = round
	for what, m := range map[string]Message{
		"nothing":                   nil,
		"a nil pointer":             (*ping)(nil),
		"an unknown kind":           &blobMessage{},
		"an unknown payload":        &routed{Payload: &blobMessage{}},
		"a nil payload":             &routed{Payload: (*ping)(nil)},
		"another type of this kind": &huge{},
		"nine levels":               deep,
		"a list on the ninth level": list,
		"a message within itself":   round,
		"nothing in a list":         &kitchen{Letters: []Message{nil}},
	} {
		if data, err := c.Append([]byte("x"), m); err == nil || string(data) != "x" {
			t.Errorf("%s is written as %x, %v", what, data, err)
		}
	}
	for _, m := range []Message{deep.(*routed).Payload, list.(*routed).Payload} {
		data, err := c.Append(nil, m)
		if err != nil {
			t.Fatalf("eight levels: %v", err)
		}
		if _, err := c.Decode(data); err != nil {
			t.Errorf("eight levels, read: %v", err)
		}
	}
}

// Items that are fine by themselves and wrong where they stand.
func TestDecodeRefusesWrongValues(t *testing.T) {
	c := NewCodec(testMessages)
	zeros := func(n int) string { return strings.Repeat("00", n) }
	for what, content := range map[string]string{
		"a number for a bool":             "01 01",
		"a bool for a number":             "02 f5",
		"a number with a point":           "02 f93e00",
		"128 in an int8":                  "02 1880",
		"-129 in an int8":                 "02 3880",
		"2^63 in an int64":                "03 1b8000000000000000",
		"-2^63-1 in an int64":             "03 3b8000000000000000",
		"-1 in a uint64":                  "04 20",
		"an integer for a float":          "06 01",
		"a bool for a float":              "06 f5",
		"a float64 in a float32":          "05 fb3fb999999999999a",
		"bytes for a text":                "07 4161",
		"a text for bytes":                "08 6161",
		"three bytes of four":             "09 43 010203",
		"five bytes of four":              "09 45 0102030405",
		"a text for an address":           "0a 6161",
		"bytes for a list":                "0b 41ff",
		"a list for a struct":             "0e 81 01",
		"a list of wrong elements":        "0c 82 6161 4161",
		"a peer of 19 bytes":              "0e a1 01 53 01" + zeros(18),
		"a peer of one byte":              "0e a1 01 41 01",
		"a peer in an array":              "0e a1 01 82 54 01" + zeros(19) + "4161",
		"no peer, written out in a list":  "",
		"an empty text, as a field":       "0e a1 00 60",
		"a message's map without its tag": "19012c 81 a0",
	} {
		data := "d9f004 a1" + content
		if content == "" {
			data = "d9f003 a1 01 81 54" + zeros(20)
		}
		b, err := hex.DecodeString(strings.ReplaceAll(data, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checkItem(b, MaxDepth); err != nil {
			t.Errorf("%s: %s is wrong by itself: %v", what, data, err)
		}
		if m, err := c.Decode(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %s is %#v, %v", what, data, m, err)
		}
	}
}

func TestSizeAndAppendAllocateNothing(t *testing.T) {
	c := NewCodec(testMessages)
	for name, m := range samples() {
		dst := make([]byte, 0, 4096)
		if n := testing.AllocsPerRun(100, func() {
			c.Size(m)
			dst, _ = c.Append(dst[:0], m)
			dst, _ = c.AppendFrame(dst[:0], m)
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
