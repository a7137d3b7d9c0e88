package experiments

import (
	"testing"

	"tidings/lab/crowd/crowdtest"
)

func TestMain(m *testing.M) { crowdtest.Main(m) }
