package live

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A node has several addresses, of which some are wrong. Each error is true of its own address, whatever libp2p has
// learned of the others, and the right one works.
func TestWrongAddressesOfOneNode(t *testing.T) {
	a, b, other := startHost(t, onTCP(1)), startHost(t, onTCP(2)), startHost(t, onTCP(3))
	right := b.Addresses()[0]
	_, identity, _ := strings.Cut(right, "/p2p/")
	place, _, _ := strings.Cut(other.Addresses()[0], "/p2p/")
	refused, others := "/ip4/127.0.0.1/tcp/"+freePort(t)+"/p2p/"+identity, place+"/p2p/"+identity
	for range 3 {
		for address, want := range map[string]error{refused: ErrRefused, others: ErrOtherKey} {
			if _, err := a.Connect(t.Context(), address); err == nil || err.Error() != want.Error() {
				t.Errorf("%s: %v; want %v", address, err, want)
			}
		}
	}
	_, err := a.Connect(t.Context(), refused+","+others)
	if !errors.Is(err, ErrRefused) || !errors.Is(err, ErrOtherKey) ||
		!strings.Contains(err.Error(), place+": "+ErrOtherKey.Error()) {
		t.Errorf("both at once: %v", err)
	}
	if _, err := a.Connect(t.Context(), right); err != nil {
		t.Errorf("the right one: %v", err)
	}
}

// Two people, or lines of a list, connect to two addresses of one node at the same time. A wrong one that is tried
// first does not block the right one, and is not mistaken for it.
func TestTwoAddressesAtOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		a, b := w.host(1), w.host(2)
		identity := strings.TrimPrefix(FormatAddress(contactOf(t, 2)), "/p2p/")
		wrong := listenAt(7, 8000) + "/p2p/" + identity
		first, second := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := a.Connect(t.Context(), wrong)
			first <- err
		}()
		time.Sleep(time.Second)
		go func() {
			_, err := a.Connect(t.Context(), b.Addresses()[0])
			second <- err
		}()
		if err := <-first; !errors.Is(err, ErrTimeout) {
			t.Errorf("the wrong one: %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the right one: %v", err)
		}
	})
}

// Where UDP is blocked, an address with QUIC alone leads to the node by TCP, at the port of the same number.
func TestQUICAddressesWorkWithoutUDP(t *testing.T) {
	a, b := startHost(t, onTCP(1)), startHost(t, onTCP(2))
	byTCP := b.Addresses()[0]
	byQUIC := strings.Replace(byTCP, "/tcp/"+strconv.Itoa(b.Port()), "/udp/"+strconv.Itoa(b.Port())+"/quic-v1", 1)
	if byQUIC == byTCP {
		t.Fatalf("%s is no address with TCP", byTCP)
	}
	if _, err := a.Connect(t.Context(), byQUIC); err != nil {
		t.Errorf("%s: %v", byQUIC, err)
	}
}

// The error of an address that does not work is about that one, not about others that were tried besides.
func TestNothingIsSaidOfGuessedAddresses(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		wrong := listenAt(7, 8000) + "/p2p/" + strings.TrimPrefix(FormatAddress(contactOf(t, 2)), "/p2p/")
		if _, err := w.host(1).Connect(t.Context(), wrong); !errors.Is(err, ErrTimeout) ||
			strings.Contains(err.Error(), "/tcp/") {
			t.Errorf("%v", err)
		}
	})
}
