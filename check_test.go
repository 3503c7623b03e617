// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"strings"
	"testing"
)

func TestNormalOrigin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://app.example.com":     "https://app.example.com",
		"https://App.Example.com/":    "https://app.example.com",
		"https://app.example.com:443": "https://app.example.com",
		"http://localhost:80":         "http://localhost",
		"http://localhost:3000":       "http://localhost:3000",
		"vscode-webview://abc":        "vscode-webview://abc",
		"https://[::1]:8443":          "https://[::1]:8443",
		"app.example.com":             "",
		"https://a.example/path":      "",
		"https://a.example?q":         "",
		"https://u@a.example":         "",
		"https://a.example#f":         "",
		"mailto:a@b":                  "",
		"*":                           "",
		"https://*.example.com":       "",
		"null":                        "",
		"":                            "",
	} {
		got, err := normalOrigin(in)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "https://app.example.com") {
			t.Errorf("%q: the error shows no example: %v", in, err)
		}
	}
}

func TestDialAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ scheme, host, want string }{
		{"https", "api.example.com", "api.example.com:443"},
		{"http", "api.example.com", "api.example.com:80"},
		{"http", "127.0.0.1:8081", "127.0.0.1:8081"},
		{"https", "[::1]", "[::1]:443"},
		{"https", "[::1]:8443", "[::1]:8443"},
	} {
		if got := dialAddress(tc.scheme, tc.host); got != tc.want {
			t.Errorf("%s %s: got %s, want %s", tc.scheme, tc.host, got, tc.want)
		}
	}
}
