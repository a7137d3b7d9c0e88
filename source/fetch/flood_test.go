package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// rawHTTP2 is an origin that speaks HTTP/2 frame by frame.
type rawHTTP2 struct {
	url                   string
	roots                 *x509.CertPool
	connections, requests atomic.Int64
	ended                 chan struct{} // one value for each connection that has ended
}

// serveHTTP2 starts an origin that answers each request by answer, which reports whether the connection goes on.
func serveHTTP2(t testing.TB, answer func(s *stream) bool) *rawHTTP2 {
	t.Helper()
	lender := httptest.NewUnstartedServer(nil) // of a certificate
	lender.EnableHTTP2 = true
	lender.StartTLS()
	lender.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", lender.TLS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	origin := &rawHTTP2{
		url: "https://" + l.Addr().String(), ended: make(chan struct{}, 1000),
		roots: lender.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			origin.connections.Add(1)
			go origin.serve(conn, answer)
		}
	}()
	return origin
}

func (o *rawHTTP2) serve(conn net.Conn, answer func(*stream) bool) {
	defer func() {
		_ = conn.Close()
		o.ended <- struct{}{}
	}()
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	read := http2.NewFramer(nil, conn)
	requests := make(chan uint32, 100)
	go func() { // reads on, whatever is being answered
		defer close(requests)
		for {
			frame, err := read.ReadFrame()
			if err != nil {
				return
			}
			if frame.Header().Type == http2.FrameHeaders {
				requests <- frame.Header().StreamID
			}
		}
	}()
	write := http2.NewFramer(conn, nil)
	_ = write.WriteSettings()
	for id := range requests {
		o.requests.Add(1)
		if !answer(&stream{Framer: write, Conn: conn, id: id}) {
			return
		}
	}
}

// stream is one request to a rawHTTP2.
type stream struct {
	*http2.Framer
	net.Conn
	id uint32
}

// status sends the header of an answer.
func (s *stream) status(code string) {
	_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: statusBlock(code), EndHeaders: true})
}

func statusBlock(code string) []byte {
	var block bytes.Buffer
	_ = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: code})
	return block.Bytes()
}

// document sends a whole answer.
func (s *stream) document() {
	s.status("200")
	_ = s.WriteData(s.id, true, []byte("<rss/>"))
}

// flood sends frames until the connection ends.
func (s *stream) flood(add func(f *http2.Framer, id uint32)) {
	var batch bytes.Buffer
	for f := http2.NewFramer(&batch, nil); batch.Len() < 8<<10; {
		add(f, s.id)
	}
	for {
		if _, err := s.Conn.Write(batch.Bytes()); err != nil {
			return
		}
	}
}

// floods are frames that carry nothing, by what they are called.
var floods = map[string]func(f *http2.Framer, id uint32){
	"PING":            func(f *http2.Framer, _ uint32) { _ = f.WritePing(false, [8]byte{}) },
	"answers to PING": func(f *http2.Framer, _ uint32) { _ = f.WritePing(true, [8]byte{}) },
	"SETTINGS":        func(f *http2.Framer, _ uint32) { _ = f.WriteSettings() },
	"changed SETTINGS": func(f *http2.Framer, _ uint32) {
		_ = f.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 14})
	},
	"WINDOW_UPDATE":  func(f *http2.Framer, _ uint32) { _ = f.WriteWindowUpdate(0, 1) },
	"empty DATA":     func(f *http2.Framer, id uint32) { _ = f.WriteData(id, false, nil) },
	"padded DATA":    func(f *http2.Framer, id uint32) { _ = f.WriteDataPadded(id, false, nil, make([]byte, 255)) },
	"PRIORITY":       func(f *http2.Framer, _ uint32) { _ = f.WritePriority(99, http2.PriorityParam{}) },
	"RST_STREAM":     func(f *http2.Framer, _ uint32) { _ = f.WriteRSTStream(99, http2.ErrCodeCancel) },
	"unknown frames": func(f *http2.Framer, _ uint32) { _ = f.WriteRawFrame(0xfa, 0, 0, nil) },
	"GOAWAY":         func(f *http2.Framer, _ uint32) { _ = f.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil) },
	"informational answers": func(f *http2.Framer, id uint32) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: statusBlock("103"), EndHeaders: true})
	},
	"CONTINUATION": func(f *http2.Framer, id uint32) { _ = f.WriteContinuation(id, false, nil) },
}

// hostile 76: a flood of frames that carry nothing ends the poll and its connection. It may come instead of an answer,
// of a body, or after both.
func TestHostile76FloodsOfFrames(t *testing.T) {
	for name, add := range floods {
		for when, begin := range map[string]func(*stream){
			"instead of an answer": func(s *stream) {
				if name == "CONTINUATION" {
					_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: statusBlock("200")})
				}
			},
			"instead of a body": func(s *stream) { s.status("200") },
			"after the answer":  (*stream).document,
		} {
			t.Run(name+" "+when, func(t *testing.T) {
				over := make(chan struct{}) // the poll is
				origin := serveHTTP2(t, func(s *stream) bool {
					begin(s)
					if when == "after the answer" {
						<-over
					}
					s.flood(add)
					return false
				})
				client := newClient(t, func(c *Config) { c.Roots = origin.roots })
				var cost Cost
				received := countReads(client)
				_, err := get(t, client, Request{URL: origin.url, Cost: &cost})
				close(over)
				if when == "after the answer" && err != nil {
					t.Errorf("the answer was whole: %v", err)
				}
				if when != "after the answer" && err == nil {
					t.Error("a flood was read as a document")
				}
				<-origin.ended // the flood ends with the connection
				if n := cost.idle.Load(); n > maxIdleFrames+1 {
					t.Errorf("%d frames were received", n)
				}
				if n := received.Load(); n > 256<<10 {
					t.Errorf("%d bytes were received", n)
				}
				if n := origin.connections.Load(); n != 1 {
					t.Errorf("%d connections", n)
				}
			})
		}
	}
}

// countReads counts the bytes that a client receives from now on, whatever it makes of them.
func countReads(client *Client) *atomic.Int64 {
	received, dial := new(atomic.Int64), client.dial
	client.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return countedConn{conn, received}, err
	}
	return received
}

type countedConn struct {
	net.Conn
	received *atomic.Int64
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}

// hostile 76: what a poll met is said, and its connection is not used again.
func TestHostile76TheNextPollHasAnotherConnection(t *testing.T) {
	var flooded atomic.Bool
	origin := serveHTTP2(t, func(s *stream) bool {
		if flooded.CompareAndSwap(false, true) {
			s.status("200")
			s.flood(floods["PING"])
			return false
		}
		s.document()
		return true
	})
	client := newClient(t, func(c *Config) { c.Roots = origin.roots })
	if _, err := get(t, client, Request{URL: origin.url}); !errors.Is(err, errFrames) {
		t.Errorf("got %v, want %v", err, errFrames)
	}
	for range 3 { // and a good connection is used again
		mustGet(t, client, Request{URL: origin.url})
	}
	if n := origin.connections.Load(); n != 2 {
		t.Errorf("%d connections, want one that was flooded and one that was not", n)
	}
}

// A large document in small frames, with a PING for each 16 KB of it, is no flood.
func TestManySmallFramesAreRead(t *testing.T) {
	const frames, size = 40_000, 100
	origin := serveHTTP2(t, func(s *stream) bool {
		s.status("200")
		for i := range frames {
			if i%(16<<10/size) == 0 {
				_ = s.WritePing(false, [8]byte{})
			}
			_ = s.WriteData(s.id, i == frames-1, make([]byte, size))
		}
		return true
	})
	client := newClient(t, func(c *Config) { c.Roots = origin.roots })
	if res := mustGet(t, client, Request{URL: origin.url}); len(res.Body) != frames*size {
		t.Errorf("read %d bytes", len(res.Body))
	}
}

// BenchmarkFlood is what one poll costs the processor whose origin floods, the origin's own part included. Without a
// bound it is most of a core for 15 s and for 30 s after.
func BenchmarkFlood(b *testing.B) {
	for name, add := range floods {
		b.Run(name, func(b *testing.B) {
			origin := serveHTTP2(b, func(s *stream) bool {
				s.status("200")
				s.flood(add)
				return false
			})
			client := newClient(b, func(c *Config) { c.Roots = origin.roots })
			report := oneCore(b)
			for b.Loop() {
				if _, err := client.Fetch(b.Context(), Request{URL: origin.url}); err == nil {
					b.Fatal("a flood was read as a document")
				}
				<-origin.ended
			}
			report()
		})
	}
}

// Frames are counted the same however they are divided into reads.
func TestFramesAreCountedInAnyPieces(t *testing.T) {
	var sent bytes.Buffer
	f := http2.NewFramer(&sent, nil)
	_ = f.WriteSettings()
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: statusBlock("200"), EndHeaders: true})
	_ = f.WriteData(1, false, make([]byte, 3000))
	_ = f.WriteDataPadded(1, false, make([]byte, 10), make([]byte, 100)) // as good as empty
	_ = f.WriteDataPadded(1, false, make([]byte, 1000), make([]byte, 255))
	_ = f.WritePing(false, [8]byte{})
	_ = f.WriteData(1, true, nil)
	for _, piece := range []int{1, 2, 8, 9, 10, 100, sent.Len()} {
		var cost Cost
		read := frames{meter: new(meter)}
		read.meter.cost.Store(&cost)
		for b := sent.Bytes(); len(b) > 0; b = b[min(piece, len(b)):] {
			if err := read.count(b[:min(piece, len(b))]); err != nil {
				t.Fatal(err)
			}
		}
		if idle, carried := cost.idle.Load(), cost.document.Load(); idle != 5 || carried != 4000 {
			t.Errorf("in pieces of %d: %d frames that carry nothing and %d bytes of documents, want 5 and 4000", piece,
				idle, carried)
		}
	}
}

// hostile 6: headers of HTTP/2 that are huge, many, compressed beyond all reason or without end are cut, before the
// document and after it.
func TestHostile6HeadersOfHTTP2(t *testing.T) {
	endless := func(s *stream) {
		for block := bytes.Repeat([]byte{0x40, 1, 'a', 1, 'b'}, 3000); s.WriteContinuation(s.id, false, block) == nil; {
		}
	}
	header := func(s *stream, more []byte) {
		_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, EndHeaders: true,
			BlockFragment: append(statusBlock("200"), more...)})
		_ = s.WriteData(s.id, true, []byte("<rss/>"))
	}
	for name, answer := range map[string]func(*stream){
		"without end": func(s *stream) {
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: statusBlock("200")})
			endless(s)
		},
		"without end behind the document": func(s *stream) {
			s.status("200")
			_ = s.WriteData(s.id, false, []byte("<rss/>"))
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, EndStream: true})
			endless(s)
		},
		"3,000 lines": func(s *stream) { header(s, bytes.Repeat([]byte{0x40, 1, 'a', 1, 'b'}, 3000)) },
		"40 MB in 14 KB": func(s *stream) { // one long line, and references to it
			line := append([]byte{0x40, 1, 'a', 0x7f, 0xa1, 0x1e}, bytes.Repeat([]byte{'b'}, 4000)...)
			header(s, append(line, bytes.Repeat([]byte{0x80 | 62}, 10_000)...))
		},
	} {
		origin := serveHTTP2(t, func(s *stream) bool { answer(s); return true })
		client := newClient(t, func(c *Config) { c.Roots = origin.roots })
		if res, err := get(t, client, Request{URL: origin.url}); err == nil {
			t.Errorf("%s: read a document of %d bytes", name, len(res.Body))
		}
		<-origin.ended
	}
}
