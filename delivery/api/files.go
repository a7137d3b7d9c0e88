package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"tidings"
)

// Files is what the API asks about the larger files that items carry.
type Files interface {
	// FetchFile asks other nodes again for a file, named by its address or by [tidings.Copy].Ref. It returns the state
	// of the file here afterwards. Errors: [tidings.ErrNotFound] if no item that the account follows carries it,
	// [tidings.ErrInvalid] if there is no room for it.
	FetchFile(ctx context.Context, account tidings.AccountID, file string) (tidings.Copy, error)
}

// fileOrder names a file.
type fileOrder struct {
	File string `json:"file"`
}

func (h *handler) fetchFile(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var o fileOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.File = strings.TrimSpace(o.File); o.File == "" {
		return refuse(http.StatusBadRequest, `field "file" is missing`, "send the file's address, or ref of its copy")
	}
	copied, err := h.Node.FetchFile(r.Context(), account, o.File)
	if errors.Is(err, tidings.ErrNotFound) {
		return refuse(http.StatusNotFound, tidings.Reason(err), "the files of a channel's items: tidings show URL")
	}
	if err != nil {
		return err
	}
	return ok(w, r, copied)
}

// FetchFile has other nodes asked again for a file, and returns how it is here then.
func (c *Client) FetchFile(ctx context.Context, file string) (copied tidings.Copy, err error) {
	return copied, c.do(ctx, http.MethodPost, "files", nil, fileOrder{file}, &copied)
}
