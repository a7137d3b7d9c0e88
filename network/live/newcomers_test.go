package live

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	libp2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/quic-go/quic-go"
)

// hostile 79: from each of eight addresses come eight connections a second, which stop in their handshake, or after it
// without a word. Twelve newcomers, which try again every three seconds, are in within half a minute: while the
// attackers have tried as often as they do in that time, however slow this machine is.
func TestHostile79Newcomers(t *testing.T) {
	const addresses, each, newcomers, within, again = 8, 8, 12, 30, 3 * time.Second
	for _, test := range []struct {
		name   string
		config func(int) Config
		attack func(ctx context.Context, from net.IP, to *running, key crypto.PrivKey)
	}{
		{"TCP, half-open", onTCP, halfOpenTCP}, {"TCP, no Hello", onTCP, securedTCP},
		{"QUIC, half-open", loopback, halfOpenQUIC}, {"QUIC, no Hello", loopback, securedQUIC},
	} {
		t.Run(test.name, func(t *testing.T) {
			if raced && strings.HasPrefix(test.name, "QUIC") {
				t.Skip("under the race detector handshakes last longer than QUIC waits for them")
			}
			if testing.Short() && strings.HasSuffix(test.name, "no Hello") {
				t.Skip("half-open ones are many enough")
			}
			a := startHost(t, test.config(1))
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			defer all.Wait()
			defer cancel()
			var attempts, joined atomic.Int32
			for n := range addresses {
				all.Go(func() {
					for ctx.Err() == nil {
						key, _, err := crypto.GenerateEd25519Key(rand.Reader)
						if err != nil {
							panic(err)
						}
						all.Go(func() { test.attack(ctx, net.IPv4(127, 0, 0, byte(2+n)), a, key) })
						attempts.Add(1)
						sleep(ctx, time.Second/each)
					}
				})
			}
			limits := a.limits.Resources
			eventually(t, "as many attempts as there are places",
				func() bool { return int(attempts.Load()) >= 2*(limits.Handshakes+limits.Greetings) })
			begin, before := time.Now(), attempts.Load()
			for n := range newcomers {
				good := startHost(t, test.config(2+n))
				all.Go(func() {
					for ctx.Err() == nil {
						if _, err := good.Connect(ctx, a.Addresses()[0]); err == nil {
							joined.Add(1)
							return
						}
						sleep(ctx, again)
					}
				})
			}
			most := before + addresses*each*within
			eventually(t, "the newcomers are in, or it is too late", func() bool {
				return joined.Load() == newcomers ||
					attempts.Load() >= most
			})
			t.Logf("%d of %d are in after %v and %d attempts", joined.Load(), newcomers,
				time.Since(begin).Round(time.Millisecond), attempts.Load()-before)
			if joined.Load() != newcomers {
				t.Errorf("%d of %d newcomers are in", joined.Load(), newcomers)
			}
		})
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// addressOf returns where a host listens.
func addressOf(to *running) string {
	parts := strings.Split(to.Addresses()[0], "/")
	return parts[2] + ":" + parts[4]
}

// halfOpenTCP says nothing.
func halfOpenTCP(ctx context.Context, from net.IP, to *running, _ crypto.PrivKey) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	if c, err := d.DialContext(ctx, "tcp", addressOf(to)); err == nil {
		stay(ctx, c)
	}
}

// stay waits until a connection is closed from the other side.
func stay(ctx context.Context, c net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	_, _ = c.Read(make([]byte, 1<<10))
	_, _ = c.Read(make([]byte, 1))
	_ = c.Close()
}

// securedTCP comes through the handshake, and opens no stream.
func securedTCP(ctx context.Context, from net.IP, to *running, key crypto.PrivKey) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	c, err := d.DialContext(ctx, "tcp", addressOf(to))
	if err != nil {
		return
	}
	defer c.Close()
	muxers := []upgrader.StreamMuxer{{ID: yamux.ID, Muxer: yamux.DefaultTransport}}
	secure, err := noise.New(noise.ID, key, muxers)
	if err != nil {
		panic(err)
	}
	u, err := upgrader.New([]sec.SecureTransport{secure}, muxers, nil, nil, nil)
	if err != nil {
		panic(err)
	}
	m, err := manet.WrapNetConn(c)
	if err != nil {
		panic(err)
	}
	up, err := u.Upgrade(ctx, nil, m, network.DirOutbound, to.pid, &network.NullScope{})
	if err != nil {
		return
	}
	defer up.Close()
	_, _ = up.AcceptStream()
	<-ctx.Done()
}

// deafSocket is a socket that receives nothing but what is requested of it before its handshake begins: a Retry.
type deafSocket struct{ net.PacketConn }

func (d deafSocket) ReadFrom(b []byte) (n int, from net.Addr, err error) {
	for {
		if n, from, err = d.PacketConn.ReadFrom(b); err != nil || n > 0 && b[0]>>4 == 0xf {
			return n, from, err
		}
	}
}

func dialQUIC(ctx context.Context, c net.PacketConn, to *running, key crypto.PrivKey) (*quic.Conn, error) {
	identity, err := libp2ptls.NewIdentity(key)
	if err != nil {
		panic(err)
	}
	config, _ := identity.ConfigForPeer(to.pid)
	config.NextProtos = []string{"libp2p"}
	at, err := net.ResolveUDPAddr("udp", addressOf(to))
	if err != nil {
		panic(err)
	}
	return quic.Dial(ctx, c, at, config, &quic.Config{KeepAlivePeriod: time.Second, HandshakeIdleTimeout: time.Minute})
}

// halfOpenQUIC begins, and does not go on.
func halfOpenQUIC(ctx context.Context, from net.IP, to *running, key crypto.PrivKey) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: from})
	if err != nil {
		return
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if q, err := dialQUIC(ctx, deafSocket{c}, to, key); err == nil {
		panic(fmt.Sprint("it is connected: ", q))
	}
}

// securedQUIC comes through the handshake, and opens no stream.
func securedQUIC(ctx context.Context, from net.IP, to *running, key crypto.PrivKey) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: from})
	if err != nil {
		return
	}
	defer c.Close()
	q, err := dialQUIC(ctx, c, to, key)
	if err != nil {
		return
	}
	select {
	case <-ctx.Done():
	case <-q.Context().Done():
	}
	_ = q.CloseWithError(0, "")
}
