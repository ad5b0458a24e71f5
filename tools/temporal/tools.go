//go:build tools

// Package tools pins the Temporal server and its SQL schema tool.
package tools

import (
	_ "go.temporal.io/server/cmd/server"
	_ "go.temporal.io/server/cmd/tools/sql"
)
