package api

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings/view"
)

// to is a client of whatever answers at a listener of pipes.
func to(l pipes) *Client {
	c := Dial("nowhere")
	c.http = &http.Client{Transport: &http.Transport{DialContext: l.dial, DisableKeepAlives: true}}
	return c
}

// hostile 61: a node may accept a request and send nothing, at once or in the middle of its answer. The client does not
// wait for it without end.
func TestHostile61ANodeThatDoesNotAnswer(t *testing.T) {
	for name, begin := range map[string]string{
		"at all":   "",
		"its head": "HTTP/1.1 200 OK\r\nContent-",
		"its body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := make(pipes)
				go func() {
					conn := <-l
					http.ReadRequest(bufio.NewReader(conn))
					io.WriteString(conn, begin)
				}()
				began := time.Now()
				_, err := to(l).Status(t.Context())
				if !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "said nothing for 5m0s") {
					t.Errorf("error %v", err)
				}
				if took := time.Since(began); took != answerWithin {
					t.Errorf("it was waited for %v", took)
				}
			})
		})
	}
}

// A node that sends something from time to time may answer as slowly as it likes. So may a backup, and a list that is
// sent slowly.
func TestASlowAnswerIsWaitedFor(t *testing.T) {
	const pause = answerWithin - time.Second
	synctest.Test(t, func(t *testing.T) {
		l := make(pipes)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == Base+"backup" {
				time.Sleep(time.Hour)
				w.Header().Set(headerBackup, "{}")
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Error(err)
			}
			for range 3 {
				time.Sleep(pause)
				fmt.Fprint(w, `{"total":1}`)
				_ = http.NewResponseController(w).Flush()
			}
			fmt.Fprint(w, `{"finished":true}`)
		})}
		go func() { _ = server.Serve(l) }()
		defer server.Close()
		if _, err := to(l).Backup(t.Context(), view.BackupOrder{}, io.Discard); err != nil {
			t.Errorf("a backup: %v", err)
		}
		list, w := io.Pipe()
		go func() {
			for range 3 {
				time.Sleep(pause)
				io.WriteString(w, "<opml/>")
			}
			w.Close()
		}()
		if last, err := to(l).Import(t.Context(), list, false, func(ImportProgress) {}); err != nil || !last.Finished {
			t.Errorf("an import: %+v, error %v", last, err)
		}
	})
}
