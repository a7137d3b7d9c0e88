package openid

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// Patience is how long a request may wait for the provider: for its description, token, keys and user together.
	Patience = 10 * time.Second
	// maxAnswer bounds each answer of the provider, in bytes. Real ones have kilobytes.
	maxAnswer = 1 << 20
	// maxSignIns is how many requests wait for the provider at a time.
	maxSignIns = 16
)

// newHTTP returns a client that keeps the bounds on what the provider answers.
func newHTTP(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     bounded{transport},
		Timeout:       Patience + time.Second, // of keys, fetched apart: the request that waits gives up first
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded is a transport. Its answers fail beyond maxAnswer.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{resp.Body, maxAnswer}
	return resp, nil
}

// boundedBody is a body that fails once more than left bytes were read.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	}
	return n, err
}
