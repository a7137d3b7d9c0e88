package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	pagepictures "tidings/delivery/pictures"
	"tidings/node/pictures"
	"tidings/node/wholefile"
	"tidings/source/fetch"
	"tidings/source/page"
	"tidings/source/picture"
)

const (
	picturesDir  = "pictures"
	pictureKey   = "key" // in that directory: by which the page signs what it shows
	pictureBytes = 32    // of the key
)

// pictureFetching is the configuration for pictures: as for documents, with more requests to each host.
func (c Config) pictureFetching() fetch.Config {
	f := c.fetching()
	f.MaxBody = picture.MaxBytes
	f.HostConnections, f.HostRate, f.HostBurst, f.HostQueue = 4, 4, 40, 256
	f.Total, f.MaxWait = 30*time.Second, 30*time.Second
	return f
}

// openPictures returns what shows the pictures of articles, and what ends it; nil if there is no room for them.
func (n *Node) openPictures() (*pagepictures.Pictures, func(), error) {
	if n.config.PicturesQuota == 0 {
		return nil, func() {}, nil
	}
	client, err := fetch.New(n.config.pictureFetching())
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(n.config.Data, picturesDir)
	cache, err := pictures.Open(pictures.Config{Dir: dir, Quota: n.config.PicturesQuota, Log: n.log,
		Fetch: func(ctx context.Context, address string) ([]byte, error) {
			res, err := fetchFor(ctx, client, address)
			if err != nil {
				return nil, err
			}
			return res.Body, nil
		},
		IconNamed: func(ctx context.Context, address string) (string, error) {
			res, err := fetchFor(ctx, client, address)
			if err != nil {
				return "", err
			}
			return page.IconOf(res.Body, res.URL), nil
		}})
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	end := func() { cache.Close(); client.Close() }
	key, err := secretOf(filepath.Join(dir, pictureKey))
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("the key by which pictures are shown: %w", err)
	}
	return pagepictures.New(cache, key, n.log), end, nil
}

// fetchFor fetches what is shown on the page. It fails with pictures.ErrUnanswered where no origin answers.
func fetchFor(ctx context.Context, client *fetch.Client, address string) (*fetch.Response, error) {
	res, err := client.Fetch(ctx, fetch.Request{URL: address})
	var network *fetch.NetworkError
	var limited *fetch.LimitedError
	if errors.As(err, &network) || errors.As(err, &limited) {
		return nil, fmt.Errorf("%w: %w", pictures.ErrUnanswered, err)
	}
	return res, err
}

// secretOf returns the secret in a file, which is made if it is missing.
func secretOf(file string) ([]byte, error) {
	key, err := wholefile.Read(file, pictureBytes)
	if err == nil && len(key) == pictureBytes || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = make([]byte, pictureBytes)
	rand.Read(key)
	return key, wholefile.Write(file, key)
}
