//go:build !unix

package har

import (
	"errors"
	"os"
)

// mapFile is not used here: the file is read as a stream.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
