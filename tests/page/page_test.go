// SPDX-License-Identifier: Apache-2.0

// Package page_test opens an endpoint in a browser.
package page_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/caddymcp/caddy-mcp/tests/harness"
)

const caddyfile = `
{
	admin {$ADMIN}
	persist_config off
	auto_https off
}
http:// {
	bind {$LISTEN}
	mcp {
		name shop
		title "The <b>Shop</b>"
		version 1.4.0
		instructions "Search before you order. Prices are in cents."
		tool search_books {
			title "Search books"
			description "Find books by words of their title, author or subject."
			arg q string "Words that must all occur." min_length=2
			arg limit integer "How many books at most." default=10 min=1 max=50
			arg sort string "Order of the list." enum=title,year,price default=title
			request GET /books?q={q}&limit={limit}&sort={sort}
		}
		tool cancel_order {
			description "Cancel an order.<script>alert(1)</script>"
			arg a_rather_long_name_of_an_argument_as_there_are string "The order's number."
			request DELETE /orders/{a_rather_long_name_of_an_argument_as_there_are}
		}
		respond "ok"
	}
	mcp /off {
		name off
		instructions ""
		page off
		tool ping {
			description "Answer."
			request GET /ping
		}
		respond "ok"
	}
}
`

func TestPage(t *testing.T) {
	t.Parallel()
	c := openTab(t)
	caddy := harness.Start(t, harness.Config{Caddyfile: true, Text: caddyfile})
	url := caddy.URL + "/mcp"
	artifacts := t.ArtifactDir()

	for _, view := range []struct {
		name, scheme string
		width        int
		mobile       bool
	}{
		{"phone-light", "light", 360, true},
		{"phone-dark", "dark", 360, true},
		{"desktop-light", "light", 1280, false},
		{"desktop-dark", "dark", 1280, false},
	} {
		c.do("Emulation.setDeviceMetricsOverride", map[string]any{
			"width": view.width, "height": 800, "deviceScaleFactor": 1, "mobile": view.mobile,
		}, nil)
		c.do("Emulation.setEmulatedMedia", map[string]any{
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": view.scheme}},
		}, nil)
		c.open(url)
		c.screenshot(filepath.Join(artifacts, view.name+".png"))

		var width int
		c.eval("document.scrollingElement.scrollWidth", &width)
		if width > view.width {
			t.Errorf("%s: the page is %d wide and scrolls sideways", view.name, width)
		}
		checkContrast(t, c, view.name, view.scheme)
		checkContent(t, c, view.name, url)
	}
	checkCopy(t, c)

	if got := c.complaints(); len(got) > 0 {
		t.Errorf("Chromium complains:\n%s", strings.Join(got, "\n"))
	}
	for _, p := range c.seen("Network.requestWillBeSent") {
		var e struct{ Request struct{ URL string } }
		if err := json.Unmarshal(p, &e); err != nil {
			t.Fatal(err)
		}
		if e.Request.URL != url {
			t.Errorf("the page makes a request to %s", e.Request.URL)
		}
	}
}

func checkContent(t *testing.T, c *tab, view, url string) {
	t.Helper()
	var got struct {
		Title, Heading string
		Tools, Args    []string
		Code           []string
		Buttons        int
		Scripts        int
	}
	c.eval(`({
		title: document.title,
		heading: document.querySelector("h1").textContent,
		tools: [...document.querySelectorAll(".tools summary code")].map(e => e.textContent),
		args: [...document.querySelectorAll(".tools dt code")].map(e => e.textContent),
		code: [...document.querySelectorAll(".copy code")].map(e => e.textContent),
		buttons: document.querySelectorAll(".copy button").length,
		scripts: document.scripts.length,
	})`, &got)
	if !strings.HasPrefix(got.Title, "The <b>Shop</b>") || got.Heading != "The <b>Shop</b>" {
		t.Errorf("%s: title %q, heading %q", view, got.Title, got.Heading)
	}
	if diff := cmp.Diff([]string{"search_books", "cancel_order"}, got.Tools); diff != "" {
		t.Errorf("%s: tools (-want +got):\n%s", view, diff)
	}
	if diff := cmp.Diff([]string{"q", "limit", "sort", "a_rather_long_name_of_an_argument_as_there_are"}, got.Args); diff != "" {
		t.Errorf("%s: arguments (-want +got):\n%s", view, diff)
	}
	if len(got.Code) < 4 || got.Buttons != len(got.Code) {
		t.Errorf("%s: %d things to copy, %d buttons; want at least 4, and a button for each", view, len(got.Code), got.Buttons)
	}
	for _, code := range got.Code {
		if !strings.Contains(code, url) {
			t.Errorf("%s: %q does not name the endpoint %s", view, code, url)
		}
	}
	if got.Scripts != 1 {
		t.Errorf("%s: %d scripts, want only the page's own", view, got.Scripts)
	}
}

// checkContrast compares the colours of the text and of what is behind it.
func checkContrast(t *testing.T, c *tab, view, scheme string) {
	t.Helper()
	var got struct{ Text, Page float64 }
	c.eval(`(() => {
		const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
		const light = (color) => {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = color;
			canvas.fillRect(0, 0, 1, 1);
			const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255)
				.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const own = [document.body, document.documentElement].map(e => getComputedStyle(e).backgroundColor)
			.find(color => color !== "rgba(0, 0, 0, 0)") ?? "Canvas";
		return {text: light(getComputedStyle(document.body).color), page: light(own)};
	})()`, &got)
	if dark := got.Page < got.Text; dark != (scheme == "dark") {
		t.Errorf("%s: the page's lightness is %.2f, the text's %.2f", view, got.Page, got.Text)
	}
	// WCAG 2.2, success criterion 1.4.3.
	high, low := max(got.Page, got.Text), min(got.Page, got.Text)
	if ratio := (high + 0.05) / (low + 0.05); ratio < 4.5 {
		t.Errorf("%s: the contrast of text is %.1f, want at least 4.5", view, ratio)
	}
}

func checkCopy(t *testing.T, c *tab) {
	t.Helper()
	c.do("Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}}, nil)
	var got struct{ Label, Want, Copied string }
	c.eval(`(async () => {
		const box = document.querySelector(".copy"), button = box.querySelector("button");
		const changed = new Promise(done => new MutationObserver(done).observe(button, {childList: true}));
		button.click();
		await changed;
		return {
			label: button.textContent, want: box.querySelector("code").textContent,
			copied: await navigator.clipboard.readText(),
		};
	})()`, &got)
	if got.Label != "Copied" || got.Want == "" || got.Copied != got.Want {
		t.Errorf("the button says %q and copied %q, want Copied and %q", got.Label, got.Copied, got.Want)
	}
}

func TestPageOff(t *testing.T) {
	t.Parallel()
	caddy := harness.Start(t, harness.Config{Caddyfile: true, Text: caddyfile})
	for path, want := range map[string]int{"/mcp": http.StatusOK, "/off": http.StatusMethodNotAllowed} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, caddy.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		res, err := caddy.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, res.StatusCode, want)
		}
	}
}
