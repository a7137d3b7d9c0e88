package experiments

import (
	"testing"

	"tidings/lab/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }
