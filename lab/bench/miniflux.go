package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// minifluxUser signs in at Miniflux.
const minifluxUser = "reader"

// miniflux is a running one (https://miniflux.app), which has its data in PostgreSQL.
type miniflux struct {
	base   string
	client *http.Client
}

// startMiniflux starts Miniflux with a database, and waits until it answers. It polls nothing by itself.
func startMiniflux(ctx context.Context, program, database string) (_ *miniflux, stop func(), err error) {
	address, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	command := exec.CommandContext(ctx, program)
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "DATABASE_URL=" + database, "RUN_MIGRATIONS=1", "LISTEN_ADDR=" + address,
		"BASE_URL=http://" + address,
		"CREATE_ADMIN=1", "ADMIN_USERNAME=" + minifluxUser, "ADMIN_PASSWORD=" + readerPassword,
		"FETCHER_ALLOW_PRIVATE_NETWORKS=1", "DISABLE_SCHEDULER_SERVICE=1", "LOG_LEVEL=error",
	}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = time.Minute
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of this program is passed on by ctx alone
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Start(); err != nil {
		return nil, nil, fmt.Errorf("starting Miniflux: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
	}
	m := &miniflux{"http://" + address, &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}}
	for {
		if err := m.do(ctx, http.MethodGet, "/healthcheck", nil, nil); err == nil {
			return m, stop, nil
		}
		select {
		case err := <-ended:
			return nil, nil, fmt.Errorf("starting Miniflux: %w: %s", errors.Join(err, errEnded),
				bytes.TrimSpace(said.Bytes()))
		case <-ctx.Done():
			stop()
			return nil, nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// errEnded says that a program has ended that was to run.
var errEnded = errors.New("it has ended")

// do sends a request to its API. The answer is decoded into answer, unless that is nil.
func (m *miniflux) do(ctx context.Context, method, path string, body []byte, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, m.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.SetBasicAuth(minifluxUser, readerPassword)
	resp, err := m.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return fmt.Errorf("reading the answer to %s %s: %w", method, path, err)
	case resp.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s: %.200s", method, path, resp.Status, text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}

// miniflux has Miniflux follow the library, which is offered before at base, unless it does already. It describes its
// pages.
func (l library) miniflux(ctx context.Context, m *miniflux, base string, offer func() error) (site, error) {
	ctx, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	var entries struct{ Total int }
	if err := m.do(ctx, http.MethodGet, "/v1/entries?limit=1", nil, &entries); err != nil {
		return site{}, err
	}
	if entries.Total == 0 {
		if err := offer(); err != nil {
			return site{}, err
		}
		if err := m.do(ctx, http.MethodPost, "/v1/import", l.opml(base), nil); err != nil {
			return site{}, err
		}
		if err := m.do(ctx, http.MethodPut, "/v1/feeds/refresh", nil, nil); err != nil {
			return site{}, err
		}
	}
	for entries.Total < l.feeds*l.items {
		select {
		case <-ctx.Done():
			return site{}, fmt.Errorf("filling Miniflux, which has %d items: %w", entries.Total, ctx.Err())
		case <-time.After(time.Second):
		}
		if err := m.do(ctx, http.MethodGet, "/v1/entries?limit=1", nil, &entries); err != nil {
			return site{}, err
		}
	}
	var self struct{ ID int64 }
	if err := m.do(ctx, http.MethodGet, "/v1/me", nil, &self); err != nil {
		return site{}, err
	}
	newest := []byte(`{"entry_sorting_direction":"desc"}`) // as Tidings has it
	if err := m.do(ctx, http.MethodPut, fmt.Sprintf("/v1/users/%d", self.ID), newest, nil); err != nil {
		return site{}, err
	}
	var feeds []struct{ ID int64 }
	if err := m.do(ctx, http.MethodGet, "/v1/feeds", nil, &feeds); err != nil {
		return site{}, err
	}
	if len(feeds) != l.feeds {
		return site{}, fmt.Errorf("the program beside Tidings follows %d feeds and not %d", len(feeds), l.feeds)
	}
	return site{
		name: "Miniflux", base: m.base,
		pages: map[string]string{
			pagesRead[0]: "/unread", pagesRead[1]: fmt.Sprintf("/feed/%d/entries", feeds[l.feeds/2].ID),
			pagesRead[2]: "/feeds",
			pagesRead[3]: "/search?q=" + soughtWord,
		},
		first: ".item-status-unread .item-title a",
		text:  ".entry-content",
		form:  "/",
		login: fmt.Sprintf(`document.querySelector("[name=username]").value = %q, document.querySelector("[name=password]").value = %q`, minifluxUser, readerPassword),
	}, nil
}
