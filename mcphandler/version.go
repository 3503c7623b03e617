// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"net/http"
	"slices"
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

var legacyVersions = supportedVersions[1:]

// judge tells era and version of a message, from itself and its header
// (MCP 2026-07-28, versioning, "Backward Compatibility").
func judge(m *message, h http.Header) (era, version string, err *rpcError) {
	header, present, err := single(h, headerVersion)
	if err != nil {
		return eraNone, "", err
	}
	if !m.modern() {
		return judgeLegacy(m, header, present)
	}
	version, ok := text(m.meta.version)
	switch {
	case !ok:
		return eraModern, "", malformedMeta(`params._meta["` + metaVersion + `"]: expected a string`)
	case !present:
		return eraModern, version, headerMismatch("header MCP-Protocol-Version is missing")
	case header != version:
		return eraModern, version, headerMismatch("header MCP-Protocol-Version differs from the version in params._meta")
	case version != versionModern:
		return eraModern, version, unsupportedVersion(version)
	}
	return eraModern, version, nil
}

func judgeLegacy(m *message, header string, present bool) (era, version string, err *rpcError) {
	switch {
	case header == versionModern:
		return eraModern, header, malformedMeta(`params._meta["` + metaVersion + `"] is missing`)
	case m.method == "initialize":
		return eraLegacy, "", nil
	case m.method == "server/discover", m.method == "subscriptions/listen":
		return eraModern, "", malformedMeta(`params._meta["` + metaVersion + `"] is missing`)
	case !present:
		return eraLegacy, versionBatch, nil
	case slices.Contains(legacyVersions, header):
		return eraLegacy, header, nil
	}
	return eraNone, "", unsupportedVersion(header)
}
