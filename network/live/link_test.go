package live

import (
	"errors"
	"sync"
	"testing"
	"time"

	"tidings/network/engine"
)

func TestMessagesArriveInOrder(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		for i := range uint64(1000) {
			a.send(b.Host.Self(), someNews(i, int(i%10)*100))
		}
		time.Sleep(5 * time.Second)
		if !sameNumbers(b.numbers(), upTo(1000)) {
			t.Errorf("%d messages came, not 1000 in order", len(b.numbers()))
		}
		if from := b.gotten()[0].from; from != a.Host.Self() {
			t.Errorf("they came from %v", FormatAddresses(from))
		}
	})
}

func TestLinkCutIsReportedOnceAndSoon(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		w.connect(a, b)
		time.Sleep(time.Minute)
		if n := a.downCount() + b.downCount(); n != 0 {
			t.Fatalf("%d peers were reported down while all was well", n)
		}
		w.plug(2, false)
		start := time.Now()
		for a.downCount() == 0 && time.Since(start) < time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		if elapsed := time.Since(start); elapsed > 15*time.Second {
			t.Errorf("the outage was reported after %v", elapsed)
		}
		for range 120 {
			a.send(b.Host.Self(), aWord(1))
			time.Sleep(time.Second)
		}
		if n := a.downCount(); n != 1 {
			t.Errorf("the outage was reported %d times", n)
		}
		w.plug(2, true)
		time.Sleep(time.Minute)
		a.send(b.Host.Self(), aWord(7))
		time.Sleep(5 * time.Second)
		if got := b.numbers(); !sameNumbers(got, []uint64{7}) {
			t.Errorf("after the outage came %v", got)
		}
		b.send(a.Host.Self(), aWord(8)) // ends the outage for a
		time.Sleep(time.Second)
		w.plug(2, false)
		time.Sleep(time.Minute)
		if n := a.downCount(); n != 2 {
			t.Errorf("after the second outage, %d were reported", n)
		}
	})
}

// Two that dial each other, at the same moment or nearly so, lose nothing and report no peer down.
func TestBothDialAtOnce(t *testing.T) {
	for apart := time.Duration(0); apart <= 6*oneWay; apart += 3 * time.Millisecond {
		inWorld(t, func(t *testing.T, w *world) {
			a, b := w.host(1), w.host(2)
			for i := range uint64(20) {
				a.send(b.Host.Self(), aWord(i))
			}
			time.Sleep(apart)
			for i := range uint64(20) {
				b.send(a.Host.Self(), aWord(i))
			}
			time.Sleep(time.Minute)
			if !sameNumbers(a.numbers(), upTo(20)) || !sameNumbers(b.numbers(), upTo(20)) {
				t.Errorf("%v apart: a got %v, b got %v", apart, a.numbers(), b.numbers())
			}
			if a.downCount()+b.downCount() != 0 {
				t.Errorf("%v apart: reported down %v and %v", apart, a.downs(), b.downs())
			}
		})
	}
}

// Two that dial each other at the same moment over TCP meet in one connection, on which both began: they dial again.
func TestBothDialAtOnceOverTCP(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		var both [2]*running
		for j := range both {
			c := loopback(2*i + j)
			c.Listen = []string{"/ip4/127.0.0.1/tcp/0"}
			both[j] = startHost(t, c)
		}
		begin := make(chan struct{})
		var done sync.WaitGroup
		for j, h := range both {
			to := both[1-j].Addresses()[0]
			done.Go(func() {
				<-begin
				if _, err := h.Connect(t.Context(), to); err != nil {
					t.Errorf("%d of pair %d: %v", j, i, err)
				}
			})
		}
		close(begin)
		done.Wait()
		both[0].stop()
		both[1].stop()
	}
}

// If a link's connection dies, it moves to another that the two have, and no outage is reported.
func TestLinkMovesToTheOtherConnection(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		for range 2 { // both dial: two connections
			a.send(b.Host.Self(), aWord(0))
			b.send(a.Host.Self(), aWord(0))
		}
		time.Sleep(time.Second)
		if n := len(a.net.Network().Conns()); n != 2 {
			t.Fatalf("%d connections, not 2", n)
		}
		a.do(func() {
			c := a.loop.links[b.id].stream.Conn()
			go func() { _ = c.Close() }()
		})
		time.Sleep(time.Second)
		a.send(b.Host.Self(), aWord(1))
		b.send(a.Host.Self(), aWord(2))
		time.Sleep(time.Minute)
		if got := b.numbers(); !sameNumbers(got, []uint64{0, 0, 1}) {
			t.Errorf("b heard %v", got)
		}
		if got := a.numbers(); !sameNumbers(got, []uint64{0, 0, 2}) {
			t.Errorf("a heard %v", got)
		}
		if a.downCount()+b.downCount() != 0 || len(a.net.Network().Conns()) != 1 {
			t.Errorf("reported down %v and %v: %v", a.downs(), b.downs(), append(a.failures(), b.failures()...))
		}
	})
}

// A connection that is closed without a word is noticed at once.
func TestClosedConnectionIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		w.connect(a, b)
		if err := b.net.Network().ClosePeer(a.pid); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * oneWay)
		if a.downCount() != 1 || b.downCount() != 1 {
			t.Errorf("reported down %v and %v", a.downs(), b.downs())
		}
		a.send(b.Host.Self(), aWord(1))
		time.Sleep(10 * time.Second)
		if got := b.numbers(); len(got) > 1 || a.downCount() != 1 {
			t.Errorf("b received %v, a was notified of %v", got, a.downs())
		}
	})
}

// No node answers: that is reported once, when the dial has timed out.
func TestDialIntoNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a := w.host(1)
		nobody := contactOf(t, 9, listenAt(77, 8000))
		a.send(nobody, aWord(1))
		time.Sleep(a.limits.DialTimeout + time.Second)
		if got := a.downs(); len(got) != 1 || got[0] != nobody {
			t.Errorf("reported down: %v", got)
		}
		if _, err := a.Connect(t.Context(), FormatAddress(nobody)); !errors.Is(err, ErrTimeout) {
			t.Errorf("connecting says: %v", err)
		}
	})
}

// What a host knows of its traffic is what was sent.
func TestTrafficIsCounted(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		for i := range uint64(10) {
			a.send(b.Host.Self(), someNews(i, 1000))
		}
		a.send(contactOf(t, 9), aWord(1)) // has no place
		time.Sleep(time.Minute)
		size := uint64(0)
		for i := range uint64(10) {
			size += uint64(a.config.Codec.Size(someNews(i, 1000)))
		}
		var sent, got, gone, pings Traffic
		for _, x := range a.Traffic() {
			switch x.Name {
			case "test.news":
				sent = x
			case "test.word":
				gone = x
			case "transport.Ping", "transport.Pong":
				pings.Sent += x.Sent // every ping is answered, and one side's is enough
				pings.Received += x.Received
			}
		}
		for _, x := range b.Traffic() {
			if x.Name == "test.news" {
				got = x
			}
		}
		if sent.Sent != 10 || sent.SentBytes != size || got.Received != 10 || got.ReceivedBytes != size {
			t.Errorf("sent %+v, received %+v", sent, got)
		}
		if gone.Dropped != 1 || gone.Sent != 0 {
			t.Errorf("to nowhere: %+v", gone)
		}
		if pings.Sent < 14 || pings.Sent > 22 || pings.Received < 14 {
			t.Errorf("pings in a minute: %+v", pings)
		}
		peers := a.Peers()
		if len(peers) != 1 || peers[0].RTT < 2*oneWay || peers[0].RTT > 3*oneWay {
			t.Errorf("round trip: %+v", peers)
		}
	})
}

// A connection is dead, and its one end alone knows that, as where a router has another address. A node that dials anew
// is answered on the new connection at once, and never counts as lost.
func TestWhoLostItsConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		b.setOnGet(func(from engine.Peer, m engine.Message) { b.env.Send(from, aWord(numberOf(m)+1)) })
		w.connect(a, b)
		time.Sleep(time.Minute)
		for round := range uint64(3) {
			w.plug(1, false) // so that nobody hears that
			for _, c := range a.net.Network().ConnsToPeer(b.pid) {
				_ = c.Close()
			}
			time.Sleep(100 * time.Millisecond)
			w.plug(1, true)
			a.send(b.Host.Self(), aWord(2*round))
			time.Sleep(time.Second)
			if got := a.numbers(); len(got) != int(round)+1 || got[round] != 2*round+1 {
				t.Errorf("after %d connections were lost came %v", round+1, got)
			}
			time.Sleep(30 * time.Second)
		}
		if n := b.downCount(); n > 0 {
			t.Errorf("the one that knew of nothing was notified of %d outages", n)
		}
		if all := b.net.Network().ConnsToPeer(a.pid); len(all) != 1 {
			t.Errorf("%d connections are left", len(all))
		}
	})
}
