//go:build deps

package deps

import (
	_ "github.com/andybalholm/brotli"
	_ "github.com/go-json-experiment/json/jsontext"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/itchyny/gojq"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "go.opentelemetry.io/otel/trace"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/sdk/trace"
	_ "golang.org/x/net/html/charset"
	_ "golang.org/x/text/encoding/htmlindex"
)
