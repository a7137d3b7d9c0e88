package webpushtest

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed service.js
var serviceScript string

// Service is a push service that others wrote: web-push-testing, from npm. It checks and decrypts what it is sent.
type Service struct{ url string }

// Subscribed is a subscription at a Service.
type Subscribed struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
	Hash string `json:"clientHash"`
}

// StartService starts a push service that lives as long as the test. It skips the test if the service or Node.js is
// missing, and with -short. root is the project's folder.
func StartService(t testing.TB, root string) *Service {
	t.Helper()
	if testing.Short() {
		t.Skip("a push service takes its time: not with -short")
	}
	folder, err := filepath.Abs(filepath.Join(root, "artefacts", "tools", "node_modules", "web-push-testing"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if _, missing := os.Stat(folder); missing != nil || err != nil {
		t.Skip("web-push-testing is missing (npm install --prefix artefacts/tools web-push-testing@1)")
	}
	cmd := exec.Command(node, "-e", serviceScript, folder)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Process.Kill(); err != nil {
			t.Log("ending web-push-testing:", err)
		}
		_ = cmd.Wait()
	})
	var begun struct{ Port int }
	lines := bufio.NewReader(out)
	first, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(first, &begun) != nil || begun.Port == 0 {
		t.Fatalf("web-push-testing has not started: %q, %v", first, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return &Service{fmt.Sprintf("http://127.0.0.1:%d", begun.Port)}
}

// Subscribe makes a subscription that accepts messages of a node's key alone.
func (s *Service) Subscribe(ctx context.Context, key string) (made Subscribed, err error) {
	return made, s.ask(ctx, "/subscribe", map[string]string{"userVisibleOnly": "true", "applicationServerKey": key},
		&made)
}

// Messages returns what a subscription was sent, decrypted.
func (s *Service) Messages(ctx context.Context, of Subscribed) (all []string, err error) {
	var answer struct {
		Messages []string `json:"messages"`
	}
	err = s.ask(ctx, "/get-notifications", map[string]string{"clientHash": of.Hash}, &answer)
	return answer.Messages, err
}

// Expire ends a subscription.
func (s *Service) Expire(ctx context.Context, of Subscribed) error {
	return s.ask(ctx, "/expire-subscription/"+of.Hash, struct{}{}, nil)
}

// ask posts a question; what is below "data" in the answer goes to to, unless that is nil.
func (s *Service) ask(ctx context.Context, path string, question, to any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, answer.Status, text)
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(text, &struct {
		Data any `json:"data"`
	}{to})
}
