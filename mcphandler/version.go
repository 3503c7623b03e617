// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// The eras of the protocol: with metadata in each request, and with a
// handshake before.
const (
	eraModern = "modern"
	eraLegacy = "legacy"
	eraNone   = "none"
)

const (
	versionModern = "2026-07-28"
	versionLegacy = "2025-11-25" // the newest with a handshake
	versionBatch  = "2025-03-26" // the only one with batches, and the one of clients that name none
)

// supportedVersions are all that this server speaks, newest first.
var supportedVersions = []string{versionModern, versionLegacy, "2025-06-18", versionBatch}

// legacyVersion gives a version with a handshake, if v is one.
func legacyVersion[T string | []byte](v T) (string, bool) {
	for _, known := range supportedVersions[1:] {
		if string(v) == known {
			return known, true
		}
	}
	return "", false
}

// judge tells era and version of a message, from itself and its header
// (MCP 2026-07-28, versioning, "Backward Compatibility"). The order matters: a
// version that is not known must be told before anything that a later revision
// may have changed.
func judge(m *message, h http.Header) (era, version string, err *rpcError) {
	header, present, err := single(h, headerVersion)
	if err != nil {
		return eraNone, "", err
	}
	if !m.modern() {
		return judgeLegacy(m, header, present)
	}
	claimed, ok := unquote(m.meta.version)
	switch {
	case !ok:
		return eraModern, "", malformedMeta(metaVersion, "expected a string")
	case !present:
		return eraModern, "", headerMismatch("header MCP-Protocol-Version is missing")
	case header != string(claimed):
		return eraModern, "", headerMismatch("header MCP-Protocol-Version differs from the version in params._meta")
	case header != versionModern:
		return eraModern, "", unsupportedVersion(header)
	}
	return eraModern, versionModern, nil
}

func judgeLegacy(m *message, header string, present bool) (era, version string, err *rpcError) {
	if header == versionModern {
		if m.id == nil {
			// The rules for metadata are those of requests.
			return eraModern, versionModern, nil
		}
		return eraModern, "", malformedMeta(metaVersion, "missing")
	}
	switch m.method {
	case "initialize":
		return eraLegacy, "", nil
	case "server/discover", "subscriptions/listen":
		return eraModern, "", malformedMeta(metaVersion, "missing")
	}
	if !present {
		return eraLegacy, versionBatch, nil
	}
	if known, ok := legacyVersion(header); ok {
		return eraLegacy, known, nil
	}
	return eraNone, "", unsupportedVersion(header)
}

// initialize answers the handshake of the legacy era: with the version that
// the client asks for if it is one of them, else with the newest.
func (h *Handler) initialize(m *message, b []byte) (reply, *rpcError) {
	asked, ok := unquote(m.params.protocolVersion)
	if !ok {
		return reply{}, invalidParams("params.protocolVersion: expected a string")
	}
	version, ok := legacyVersion(asked)
	if !ok {
		version = versionLegacy
	}
	b = append(appendResponse(b, m.id), `{"protocolVersion":`...)
	return reply{head: quote(b, version), tail: h.catalog.initialize}, nil
}

// unsupportedVersion tells which versions there are.
func unsupportedVersion(requested string) *rpcError {
	b := []byte(`{"supported":[`)
	for i, v := range supportedVersions {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, v)
	}
	b = quote(append(b, `],"requested":`...), clip(requested, 64))
	return &rpcError{
		code: codeVersion, status: http.StatusBadRequest,
		message: "unsupported protocol version", data: jsontext.Value(append(b, '}')),
	}
}
