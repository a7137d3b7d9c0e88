package live

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// hostile 27: frames that no honest peer sends end the connection, are remembered, and after repeats keep the peer out
// for a while.
func TestBrokenFramesAreStruck(t *testing.T) {
	codec := testCodec()
	sound := func(m engine.Message) []byte {
		data, err := codec.AppendFrame(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	long := binary.AppendUvarint(nil, 1<<31)
	overlong := []byte{0x81, 0x80, 0x00}
	trailing := append(binary.AppendUvarint(nil, uint64(len(sound(aWord(1))))), append(sound(aWord(1))[1:], 0)...)
	cut := append(binary.AppendUvarint(nil, uint64(len(sound(aWord(1)))-2)),
		sound(aWord(1))[1:len(sound(aWord(1)))-1]...)
	flipped := sound(someNews(1, 30))
	flipped[4] ^= 0xff
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"length of 2^31", long},
		{"length of too many bytes", overlong},
		{"empty frame", []byte{0}},
		{"trailing bytes", trailing},
		{"message cut off", cut},
		{"bits flipped", flipped},
		{"no CBOR at all", []byte("\x10GET / HTTP/1.1\r\n")},
		{"Hello twice", sound(engine.NewHello("x", 1))},
		{"place of another", sound(&Place{Address: contact{key: make([]byte, 32)}.address()})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				a, good := w.host(1), w.host(2)
				w.connect(good, a)
				bad := w.stranger(3)
				bad.ignore()
				for i := range a.limits.Strikes {
					out := bad.mustOpen(a)
					bad.say(out, aWord(uint64(i)))
					if _, err := out.Write(c.data); err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * time.Second)
					if n := len(bad.net.Network().ConnsToPeer(a.pid)); n != 0 {
						t.Fatalf("after fault %d there are %d connections", i+1, n)
					}
				}
				if got := a.numbers(); !sameNumbers(got, upTo(uint64(a.limits.Strikes))) {
					t.Errorf("of what came before the faults, %v was heard", got)
				}
				struck := eventsOf[Struck](a.recorder)
				if len(struck) != a.limits.Strikes || struck[len(struck)-1].Refused != a.limits.Refuse ||
					struck[0].Refused != 0 {
					t.Errorf("penalties: %+v", struck)
				}
				if _, err := bad.open(a); err == nil {
					time.Sleep(time.Second)
					if len(bad.net.Network().ConnsToPeer(a.pid)) != 0 {
						t.Error("a peer that is refused came in")
					}
				}
				if _, err := a.Connect(t.Context(), FormatAddress(bad.self())); !errors.Is(err, ErrBanned) {
					t.Errorf("connecting to it says: %v", err)
				}
				time.Sleep(a.limits.Refuse)
				out := bad.mustOpen(a)
				bad.say(out, aWord(77))
				time.Sleep(time.Second)
				if got := a.numbers(); got[len(got)-1] != 77 {
					t.Errorf("after the refusal, the peer was not heard: %v", got)
				}
				if len(a.downs()) == 0 || len(good.downs()) != 0 {
					t.Errorf("reported down: %v here, %v there", a.downs(), good.downs())
				}
			})
		})
	}
}

// hostile 27: what comes before Hello must be Hello.
func TestStreamsBeginWithHello(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, bad := w.host(1), w.stranger(3)
		bad.ignore()
		own := &Place{Address: bad.self().Address}
		for i, first := range [][]engine.Message{
			{aWord(1)}, {own}, {engine.NewHello("x", 1), aWord(1)},
			{engine.NewHello("x", 1), &Place{Address: a.Host.Self().Address}},
		} {
			if i == 2 {
				time.Sleep(2 * a.limits.StrikeFor) // so that the third is not refused
			}
			out, err := bad.open(a)
			if err != nil {
				t.Fatal(err)
			}
			bad.say(out, first...)
			time.Sleep(time.Second)
			if n := len(bad.net.Network().ConnsToPeer(a.pid)); n != 0 {
				t.Errorf("case %d: %d connections are left", i, n)
			}
		}
		if n := len(eventsOf[Struck](a.recorder)); n != 4 || len(a.numbers()) != 0 {
			t.Errorf("%d penalties, heard %v", n, a.numbers())
		}
	})
}

// hostile 29: a Hello of versions that are not spoken here is refused in words and without blame. One of a newer
// program that still speaks ours is welcome.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		next := w.stranger(3)
		next.read(0)
		out, err := next.open(a)
		if err != nil {
			t.Fatal(err)
		}
		place := &Place{Address: next.self().Address}
		next.say(out, &engine.Hello{Oldest: engine.NewestVersion, Newest: engine.NewestVersion + 1, Program: "next"},
			place, aWord(1))
		time.Sleep(time.Second)
		if !sameNumbers(a.numbers(), []uint64{1}) {
			t.Errorf("of a newer program was heard %v", a.numbers())
		}
		later := w.stranger(4)
		later.ignore()
		out, err = later.open(a)
		if err != nil {
			t.Fatal(err)
		}
		greeting := &engine.Hello{Oldest: engine.NewestVersion + 1, Newest: engine.NewestVersion + 1, Program: "later"}
		later.say(out, greeting, place, aWord(2))
		time.Sleep(2 * a.limits.Farewell)
		if !sameNumbers(a.numbers(), []uint64{1}) || len(later.net.Network().ConnsToPeer(a.pid)) != 0 {
			t.Error("a program of another time was not sent away")
		}
		if n := len(eventsOf[Incompatible](a.recorder)); n != 1 || len(eventsOf[Struck](a.recorder)) != 0 {
			t.Errorf("%d incompatible, penalties %v", n, eventsOf[Struck](a.recorder))
		}
		// A node that dialled it learns why it cannot be, too.
		last := w.stranger(5)
		last.net.SetStreamHandler(protocolID, func(in network.Stream) {
			if out, err := last.net.NewStream(t.Context(), in.Conn().RemotePeer(), protocolID); err == nil {
				_, _ = out.Write(last.frames(greeting, place))
			}
		})
		if _, err := a.Connect(t.Context(), FormatAddress(last.self())); err == nil ||
			!strings.Contains(err.Error(), "update this node") {
			t.Errorf("connecting to a newer program says: %v", err)
		}
	})
}

// hostile 29: a message of an unknown kind is counted and dropped, and the connection lives.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, next := w.host(1), w.stranger(3)
		next.read(0)
		out := next.mustOpen(a)
		next.say(out, aWord(1), &newer{2}, aWord(3))
		time.Sleep(time.Second)
		if !sameNumbers(a.numbers(), []uint64{1, 3}) || a.downCount() != 0 {
			t.Errorf("received %v, reported down %v", a.numbers(), a.downs())
		}
		for _, x := range a.Traffic() {
			if x.Name == "unknown" && x.Received == 1 {
				return
			}
		}
		t.Errorf("the unknown message was not counted: %+v", a.Traffic())
	})
}

// What a peer sends above its rate is dropped; far above, it is at fault. Others do not
// notice.
func TestRates(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1, func(c *Config) { c.Limits.Rates[engine.Update] = Rate{PerSecond: 10, Burst: 20} })
		good := w.host(2)
		loud := w.stranger(3)
		loud.ignore()
		out := loud.mustOpen(a)
		for i := range uint64(30) {
			loud.say(out, someNews(i, 0))
		}
		loud.say(out, aWord(1000)) // of another class
		time.Sleep(time.Second)
		if got := a.numbers(); !sameNumbers(got, append(upTo(20), 1000)) {
			t.Errorf("heard %v", got)
		}
		loud.keepAlive(out)
		time.Sleep(10 * time.Second)
		good.send(a.Host.Self(), someNews(2000, 0))
		time.Sleep(time.Second)
		if got := a.numbers(); got[len(got)-1] != 2000 {
			t.Errorf("the other peer was not heard: %v", got)
		}
		if n := len(eventsOf[Struck](a.recorder)); n != 0 {
			t.Fatalf("%d penalties for a small excess", n)
		}
		for i := range uint64(60) {
			if _, err := out.Write(loud.frames(someNews(i, 0))); err != nil {
				break
			}
		}
		time.Sleep(time.Second)
		if n := len(eventsOf[Struck](a.recorder)); n != 1 || a.downCount() != 1 {
			t.Errorf("%d penalties, reported down %v", n, a.downs())
		}
	})
}

// hostile 33: two machines with one key. A node that is connected to both notices, and notifies each of the two.
func TestDuplicateKey(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		first := w.host(2)
		second := w.host(3, func(c *Config) { c.Key = testKey(2) })
		first.send(a.Host.Self(), aWord(1))
		time.Sleep(time.Second)
		second.send(a.Host.Self(), aWord(2))
		time.Sleep(time.Second)
		if n := len(eventsOf[DuplicateKeyFound](a.recorder)); n != 0 {
			t.Fatal("a restart counts as another node with its key")
		}
		for i := range uint64(10) {
			first.send(a.Host.Self(), aWord(3+i))
			second.send(a.Host.Self(), aWord(103+i))
			time.Sleep(3 * time.Second)
		}
		if seen := eventsOf[DuplicateKeyFound](a.recorder); len(seen) == 0 || seen[0].ID != first.id || seen[0].Own {
			t.Errorf("a saw %+v", seen)
		}
		for _, r := range []*running{first, second} {
			if seen := eventsOf[DuplicateKeyFound](r.recorder); len(seen) == 0 || !seen[0].Own || seen[0].By != a.id {
				t.Errorf("one of the two received %+v", seen)
			}
		}
		if _, err := second.Connect(t.Context(), first.Addresses()[0]); !errors.Is(err, ErrMyself) {
			t.Errorf("connecting to its own key says: %v", err)
		}
	})
}

// Lies about others: a peer with an ID other than that of the key in its address is never dialled.
func TestLies(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b, c := w.host(1), w.host(2), w.host(3)
		lie := engine.Peer{ID: b.id, Address: c.Host.Self().Address}
		for range 5 {
			a.send(lie, aWord(1))
			time.Sleep(time.Second)
		}
		if len(a.downs()) != 1 || a.downs()[0] != lie {
			t.Errorf("reported down: %v", a.downs())
		}
		if n := len(a.net.Network().Conns()); n != 0 {
			t.Errorf("a lie was dialled: %d connections", n)
		}
		// The truth still works.
		a.send(b.Host.Self(), aWord(2))
		time.Sleep(time.Second)
		if !sameNumbers(b.numbers(), []uint64{2}) || len(c.numbers()) != 0 {
			t.Errorf("b heard %v, c %v", b.numbers(), c.numbers())
		}
		// A true key at another's place: the node that answers cannot prove it.
		key, err := check(w.stranger(4).self())
		if err != nil {
			t.Fatal(err)
		}
		at, err := check(c.Host.Self())
		if err != nil {
			t.Fatal(err)
		}
		moved := engine.Peer{ID: NodeID(key.key), Address: contact{key.key, at.places}.address()}
		a.send(moved, aWord(3))
		time.Sleep(30 * time.Second)
		if len(a.downs()) != 2 || a.downs()[1] != moved || len(c.numbers()) != 0 {
			t.Errorf("reported down: %v, c received %v", a.downs(), c.numbers())
		}
		if _, err := a.Connect(t.Context(), FormatAddress(moved)); !errors.Is(err, ErrOtherKey) {
			t.Errorf("connecting to it says: %v", err)
		}
	})
}

// A peer that accepts and says nothing does not count as a node.
func TestSilentStranger(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, mute, deaf := w.host(1), w.stranger(3), w.stranger(4)
		mute.ignore()
		if _, err := a.Connect(t.Context(), FormatAddress(mute.self())); !errors.Is(err, errNoHello) {
			t.Errorf("connecting to a mute node says: %v", err)
		}
		if _, err := a.Connect(t.Context(), FormatAddress(deaf.self())); !errors.Is(err, ErrNoTidings) {
			t.Errorf("connecting to another program says: %v", err)
		}
		// hostile 49: streams that are opened and not used are closed.
		var open int
		for range 100 {
			if s, err := mute.net.NewStream(context.Background(), a.pid, protocolID); err == nil {
				if _, err := s.Write([]byte{0x80}); err == nil {
					open++
				}
			}
		}
		time.Sleep(time.Second)
		if n := streamsOf(a); n > streamsOfOurs {
			t.Errorf("%d half-open streams are held", n)
		}
		time.Sleep(a.limits.HelloWithin)
		if n := streamsOf(a); n != 0 {
			t.Errorf("%d half-open streams are left", n)
		}
	})
}

// streamsOf counts the streams of ours that peers opened.
func streamsOf(r *running) (n int) {
	for _, c := range r.net.Network().Conns() {
		for _, s := range c.GetStreams() {
			if s.Protocol() == protocolID {
				n++
			}
		}
	}
	return n
}
