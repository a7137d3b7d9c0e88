package live

import (
	"log/slog"
	"os"
	"sync"

	"github.com/libp2p/go-libp2p/gologshim"
)

// quieten keeps libp2p from writing to standard error on its own, past Config.Logger: what
// matters of it comes back as errors. Its own switch has it speak, for whoever looks into it.
var quieten = sync.OnceFunc(func() {
	if os.Getenv("GOLOG_LOG_LEVEL") == "" {
		gologshim.SetDefaultHandler(slog.DiscardHandler)
	}
})
