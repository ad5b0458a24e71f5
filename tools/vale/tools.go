//go:build tools

// Package tools pins Vale, which reads prose.
package tools

import _ "github.com/vale-cli/vale/v3/cmd/vale"
