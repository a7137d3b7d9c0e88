package fetch

import "net"

// frameHeader is the length of what begins a frame of HTTP/2 (RFC 9113, 4.1).
const frameHeader = 9

// frames reads HTTP/2 and counts its frames. Each costs time, and PING and SETTINGS even an answer, but only those with
// content bring a poll further. An origin that floods with the others keeps a reader busy without ever filling a body:
// PING, SETTINGS, WINDOW_UPDATE, PRIORITY, RST_STREAM, CONTINUATION, empty DATA and unknown types.
type frames struct {
	net.Conn
	meter *meter
	head  [frameHeader]byte
	have  int // bytes of head
	rest  int // bytes of the frame's payload that are to come
}

// Read is net.Conn's.
func (f *frames) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	if flood := f.count(p[:n]); flood != nil {
		return 0, flood
	}
	return n, err
}

// count follows the frames in what was received.
func (f *frames) count(p []byte) error {
	for len(p) > 0 {
		if f.rest > 0 {
			n := min(f.rest, len(p))
			f.rest, p = f.rest-n, p[n:]
			continue
		}
		n := copy(f.head[f.have:], p)
		f.have, p = f.have+n, p[n:]
		if f.have < frameHeader {
			return nil
		}
		f.have, f.rest = 0, int(f.head[0])<<16|int(f.head[1])<<8|int(f.head[2])
		if cost := f.meter.cost.Load(); cost != nil {
			if err := cost.frame(f.carried()); err != nil {
				return err
			}
		}
	}
	return nil
}

// carried is how much of a document is in the frame that begins, in bytes.
func (f *frames) carried() int64 {
	const data, padded = 0, 0x8
	switch {
	case f.head[3] != data:
		return 0
	case f.head[4]&padded != 0:
		return int64(max(0, f.rest-256)) // how much is padding is said behind the header, and 256 at most
	}
	return int64(f.rest)
}
