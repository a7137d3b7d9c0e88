package astrolabe_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// script is messages as FuzzNode reads them: its sender, how many bytes it has, and the bytes.
func script(messages ...engine.Message) (data []byte) {
	for i, m := range messages {
		encoded, err := codec.Append(nil, m)
		if err != nil {
			panic(err)
		}
		data = append(data, byte(i))
		data = binary.BigEndian.AppendUint16(data, uint16(len(encoded)))
		data = append(data, encoded...)
	}
	return data
}

// play sends a node the messages of a script, some of them from nodes that it knows, and lets time pass between them.
func (o *one) play(data []byte) (decoded int) {
	senders := []engine.Peer{puppet, stranger, self, {}}
	for len(data) >= 3 && decoded < 50 {
		by, n := data[0], min(int(binary.BigEndian.Uint16(data[1:])), len(data)-3)
		if m, err := codec.Decode(data[3 : 3+n]); err == nil {
			o.Receive(senders[int(by)%len(senders)], m)
			decoded++
		}
		o.Advance(time.Duration(by>>4) * time.Second)
		data = data[3+n:]
	}
	return decoded
}

// survived fails if a node has come to harm. It says what it should not, keeps too much, or has changed.
func (o *one) survived() {
	o.t.Helper()
	for _, s := range o.Env.Sent() {
		if data, err := codec.Append(nil, s.Message); err != nil || len(data) > engine.MaxMessage {
			o.t.Errorf("%T cannot be sent: %v, %d bytes", s.Message, err, len(data))
		}
	}
	p, ok := o.Path()
	if !ok || !zone.Path("/eu").Contains(p) || p.Validate() != nil {
		o.t.Errorf("the node is in %q", p)
	}
	if _, ok := o.Table(p).Get(zone.Member(self.ID)); !ok {
		o.t.Errorf("the node has no row in %s", p)
	}
	for depth := range p.Depth() + 1 {
		if marks := o.Table(p.At(depth)).Marks(0, true); len(marks) > table.MaxMarks {
			o.t.Errorf("%d bytes of marks", len(marks))
		}
	}
}

// hostileScripts begin what a fuzzer goes on with: each kind of message, as it should be and with something wrong.
func hostileScripts(at uint32) (scripts [][]byte) {
	known := &astrolabe.Rows{Zone: "/eu", Rows: []astrolabe.Update{update(memberRow(puppet, "/eu"), at, 600),
		update(zoneRow(puppet, "/us"), at, 600)}}
	deep := &astrolabe.Rows{Zone: "/eu", Rows: []astrolabe.Update{update(memberRow(stranger, "/eu"), at, 600)}}
	deep.Rows[0].Depth = 9
	nothing := &astrolabe.Rows{Zone: "/eu", Rows: []astrolabe.Update{
		{Label: "@x"}, {Depth: 1, Label: "@x", Content: known.Rows[0].Content},
		{Depth: 1, Label: "@x", Stamp: known.Rows[0].Content},
		{Depth: 1, Label: "@x", Content: known.Rows[0].Stamp, Stamp: known.Rows[0].Stamp},
	}}
	scripts = append(scripts,
		script(known, &astrolabe.Gossip{Zone: "/eu", Sums: []uint64{1, 2}, Labels: []uint32{1, 2}},
			&astrolabe.Gossip{Zone: "/eu", Sums: []uint64{1}, Labels: []uint32{1}}, &astrolabe.Gossip{Zone: "eu"}),
		script(known, &astrolabe.Compare{Zone: "/eu", Tables: []astrolabe.Marks{{Depth: 1, Marks: make([]byte, 95)},
			{Depth: 200}}}),
		script(known, &astrolabe.Want{Zone: "/", Tables: []astrolabe.Names{{Depth: 0, Names: make([]byte, 7)},
			{Depth: 1}}}),
		script(deep, nothing, known),
		script(&astrolabe.Locate{Home: "/eu/de"}, &astrolabe.Locate{Home: "//"}, &astrolabe.Locate{},
			&astrolabe.Locate{Home: "/us"}),
		script(&astrolabe.Located{Home: "/eu", Zone: "/eu", Rows: known.Rows},
			&astrolabe.Located{Zone: "x", Rows: nothing.Rows}),
		script(known, &astrolabe.Move{From: "/eu", To: "/", Peers: []engine.Peer{puppet}},
			&astrolabe.Move{From: "/eu", To: "/eu/~1", Peers: []engine.Peer{{}}}),
		script(known, known.Rows[0].Content, known.Rows[0].Stamp),
	)
	return scripts
}

func FuzzNode(f *testing.F) {
	f.Add([]byte(nil))
	for _, s := range hostileScripts(newOne(f, "/eu", nil).now()) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := newOne(t, "/eu", func(s *astrolabe.Seams) { s.Trusted, s.Compile = trust(), compileSQL })
		o.play(data)
		o.Advance(time.Minute)
		o.survived()
	})
}

// The fuzzer's scripts are messages.
func TestHostileScripts(t *testing.T) {
	for i, s := range hostileScripts(newOne(t, "/eu", nil).now()) {
		o := newOne(t, "/eu", nil)
		if n := o.play(s); n < 2 {
			t.Errorf("script %d is %d messages", i, n)
		}
		o.survived()
	}
}

// A node with tables of the greatest size, with all rows of the greatest length, still sends only messages that the
// codec accepts.
func TestLargestTables(t *testing.T) {
	o := newOne(t, "/eu", nil)
	for i := range 2 * table.MaxRows {
		p := engine.Peer{ID: engine.IDOf(fmt.Append(nil, i)), Address: "there"}
		o.give("/eu", update(memberRow(p, "/eu", blob(1800)), o.now(), 6000))
		z := zoneRow(p, zone.Path(fmt.Sprintf("/z%d", i)))
		z.Attributes = attr.Of(append(z.Attributes, blob(4096),
			attr.Attribute{Name: "more", Value: attr.Bytes(make([]byte, 3900))})...)
		o.give("/eu", update(z, o.now(), 6000))
	}
	if o.Table("/").Len() != table.MaxRows {
		t.Errorf("%d rows of zones", o.Table("/").Len())
	}
	o.Receive(puppet, &astrolabe.Locate{Home: "/eu"})
	o.Receive(puppet, &astrolabe.Locate{Home: "/us"})
	o.Receive(puppet, &astrolabe.Gossip{Zone: "/eu", Sums: []uint64{1, 2}, Labels: []uint32{1, 2}})
	o.Receive(puppet, &astrolabe.Compare{Zone: "/eu", Tables: []astrolabe.Marks{{Depth: 0}, {Depth: 1}}})
	o.Advance(time.Minute)
	if o.Table("/eu").Len() != table.MaxRows {
		t.Errorf("%d rows", o.Table("/eu").Len())
	}
	o.survived()
}
