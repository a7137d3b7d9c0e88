package shell

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"tidings"
	"tidings/delivery/accept"
	"tidings/delivery/web/offline"
)

//go:embed assets/style.css assets/script.js assets/passkeys.js assets/worker.js assets/offline.js assets/offline-worker.js assets/pull.js assets/icon.svg assets/*.png assets/app.webmanifest
var assetFiles embed.FS

// assetFile is one of the page's own files.
type assetFile struct {
	Body []byte
	kind string
	path string // with the hash of its content, so that browsers may keep it for ever

	zipped func() []byte // Body by gzip; nil: it is no text
}

var Assets = map[string]assetFile{
	"style.css":   readAsset("style.css", "text/css; charset=utf-8"),
	"script.js":   readAsset("script.js", "text/javascript; charset=utf-8"),
	"passkeys.js": readAsset("passkeys.js", "text/javascript; charset=utf-8"),
	"worker.js":   readAsset("worker.js", "text/javascript; charset=utf-8"),
	"pull.js":     readAsset("pull.js", "text/javascript; charset=utf-8"),
	"offline.js":  readAsset("offline.js", "text/javascript; charset=utf-8"),
	"icon.svg":    readAsset("icon.svg", "image/svg+xml"),

	// Phones install the page as an app by its manifest (https://www.w3.org/TR/appmanifest), and iPhones show
	// notifications of none but such. They draw icons in shapes of their own: those are icon.svg with its ground up to
	// the corners.
	"app.webmanifest": readAsset("app.webmanifest", "application/manifest+json"),
	"icon-180.png":    readAsset("icon-180.png", "image/png"),
	"icon-192.png":    readAsset("icon-192.png", "image/png"),
	"icon-512.png":    readAsset("icon-512.png", "image/png"),
}

// OfflineWorker is the worker that has articles without a network. It is another one for each build of the assets: its
// text begins with their build, and with the paths of those that its pages need.
const OfflineWorker = "offline-worker.js"

var assetsBuild = offline.BuildOf(assetFiles)

// BuildOf names a build of pages: that of the assets, a dash, and that of the templates of the shell and of a room.
func BuildOf(room fs.FS) string { return assetsBuild + "-" + offline.BuildOf(shellFiles, room) }

// asWorker returns the worker that keeps the assets in kept.
func asWorker(worker assetFile, kept ...assetFile) assetFile {
	paths := make([]string, 0, len(kept))
	for _, a := range kept {
		paths = append(paths, a.path)
	}
	head, err := json.Marshal(map[string]any{"build": assetsBuild, "assets": paths})
	if err != nil {
		panic(err) // they are strings
	}
	return newAsset(OfflineWorker, worker.kind, slices.Concat([]byte("const BUILT = "), head, []byte(";\n"),
		worker.Body))
}

func readAsset(name, kind string) assetFile {
	body, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return newAsset(name, kind, body)
}

func newAsset(name, kind string, body []byte) assetFile {
	sum := sha256.Sum256(body)
	a := assetFile{Body: body, kind: kind, path: "/assets/" + name + "?" + hex.EncodeToString(sum[:6])}
	if !strings.HasSuffix(name, ".png") {
		a.zipped = sync.OnceValue(func() []byte { return zipped(body) })
	}
	return a
}

// zipped compresses a text as far as gzip can, which costs milliseconds.
func zipped(text []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is constant
	}
	z.Write(text) // into memory
	z.Close()
	return b.Bytes()
}

func init() {
	Assets[OfflineWorker] = asWorker(readAsset(OfflineWorker, "text/javascript; charset=utf-8"),
		Assets["style.css"], Assets["script.js"], Assets["offline.js"], Assets["pull.js"], Assets["icon.svg"],
		Assets["icon-192.png"], Assets["app.webmanifest"])
}

// AssetPath returns the address of one of the page's own files.
func AssetPath(name string) string { return Assets[name].path }

func ServeAsset(w http.ResponseWriter, r Request) error {
	a, ok := Assets[r.PathValue("file")]
	if !ok {
		return tidings.ErrNotFound
	}
	w.Header().Set("Content-Type", a.kind)
	if r.PathValue("file") == OfflineWorker {
		w.Header().Set("Service-Worker-Allowed", "/") // all pages, though it is below /assets/
	}
	if r.URL.RequestURI() == a.path {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if a.zipped == nil {
		w.Write(a.Body)
		return nil
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if !accept.Gzip(r.Header.Get("Accept-Encoding")) {
		w.Write(a.Body)
		return nil
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Write(a.zipped())
	return nil
}
