package engine

import (
	"bytes"
	"errors"
	"testing"
)

// hostile 29: a node carries a message within a message that it does not understand, and it
// arrives as it was sent.
func TestUnknownPayloadIsCarried(t *testing.T) {
	router := NewCodec(Vocabulary{Experiment, "test", []MessageType{{new(routed), Update}}})
	ends := NewCodec(testMessages)
	sent := &routed{Key: IDOf([]byte("key")), Hops: 1,
		Payload: &kitchen{Text: "hello", Letters: []Message{&ping{Number: 7}}}}
	data, err := ends.Append(nil, sent)
	if err != nil {
		t.Fatal(err)
	}
	m, err := router.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	payload, ok := m.(*routed).Payload.(*Opaque)
	if !ok || payload.Kind() != sent.Payload.Kind() || payload.Len() != ends.Size(sent.Payload) {
		t.Fatalf("the payload is %#v", m.(*routed).Payload)
	}
	if router.Size(m) != len(data) {
		t.Errorf("a message of %d bytes with an opaque payload has size %d", len(data), router.Size(m))
	}
	clear(data)
	m.(*routed).Hops++ // what a router does
	sent.Hops++
	onward, err := router.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := ends.Append(nil, sent)
	if !bytes.Equal(onward, want) {
		t.Errorf("it goes on as %x, want %x", onward, want)
	}
}

// A payload that is known with wrong content is as wrong as the message around it.
func TestWrongPayload(t *testing.T) {
	c := NewCodec(testMessages)
	for what, payload := range map[string]string{
		"no message":            "\x01",
		"a bare map":            "\xa0",
		"a field of wrong type": "\xd9\xf0\x01\xa1\x01\xf5",
		"an unknown kind, cut":  "\xd9\xff\xf0\xa1\x01",
		"a kind that is none":   "\xda\x00\x01\x00\x00\xa0",
	} {
		data := "\xd9\xf0\x02\xa1\x04" + payload
		if m, err := c.Decode([]byte(data)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %x is %#v, %v", what, data, m, err)
		}
	}
}

// An opaque message that is put deeper than it came can become too deep.
func TestOpaqueCountsItsLevels(t *testing.T) {
	router := NewCodec(Vocabulary{Experiment, "test", []MessageType{{new(routed), Update}}})
	deep := []byte("\xd9\xf0\x02\xa1\x04" + "\xd9\xff\xf0\xa1\x01" + "\x81\x81\x81\x81\x81\x80") // 8 levels
	m, err := router.Decode(deep)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := router.Append(nil, m); err != nil {
		t.Errorf("as deep as it came: %v", err)
	}
	if _, err := router.Append(nil, &routed{Payload: m}); err == nil {
		t.Error("it is written deeper than MaxDepth")
	}
}
