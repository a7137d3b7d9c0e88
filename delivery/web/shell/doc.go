// Package shell is what surrounds every page: the frame with its navigation, the stylesheet and the scripts, the words
// for errors, and how a request becomes a page.
//
// A part of the site is a Room. It brings pages of its own, which Parse makes of its templates, and Handlers that
// answer with them:
//
//	//go:embed templates/*.html
//	var files embed.FS
//
//	var pages = shell.Parse(files, template.FuncMap{…})
//
//	room := shell.Room{Shell: s, Templates: pages}
//	mux.Handle("GET /orchard", room.Known("GET /orchard", func(w http.ResponseWriter, r shell.Request) error {
//		room.Show(w, r, http.StatusOK, "orchard", shell.View{Title: "Orchard", Body: trees})
//		return nil
//	}))
//
// A handler that returns an error has written nothing; the requester gets a page that says what went wrong.
package shell
