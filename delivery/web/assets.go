package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"

	"tidings"
)

//go:embed assets/style.css assets/script.js assets/icon.svg
var assetFiles embed.FS

// assetFile is one of the page's own files.
type assetFile struct {
	body []byte
	kind string
	path string // with the hash of its content, so that browsers may keep it for ever
}

var assets = map[string]assetFile{
	"style.css": readAsset("style.css", "text/css; charset=utf-8"),
	"script.js": readAsset("script.js", "text/javascript; charset=utf-8"),
	"icon.svg":  readAsset("icon.svg", "image/svg+xml"),
}

func readAsset(name, kind string) assetFile {
	body, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	sum := sha256.Sum256(body)
	return assetFile{body, kind, "/assets/" + name + "?" + hex.EncodeToString(sum[:6])}
}

// assetPath returns the address of one of the page's own files.
func assetPath(name string) string { return assets[name].path }

func (s *site) asset(w http.ResponseWriter, r request) error {
	a, ok := assets[r.PathValue("file")]
	if !ok {
		return tidings.ErrNotFound
	}
	w.Header().Set("Content-Type", a.kind)
	if r.URL.RequestURI() == a.path {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Write(a.body)
	return nil
}
