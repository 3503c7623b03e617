// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/caddymcp/caddy-mcp/tool"
)

// takes checks how many arguments a line has, and that it opens no block.
func (m *mistakes) takes(l line, lo, hi int, what string) bool {
	if l.braces {
		m.add(l.word, "%q takes no block, but %s", l.word.Text, what)
		return false
	}
	if n := len(l.args); n < lo || hi >= 0 && n > hi {
		m.add(l.end(), "%q takes %s; got %s", l.word.Text, what, counted(n, "word"))
		return false
	}
	return true
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return "nothing"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

const oneText = "one text, in quotes if it has spaces"

// text reads the one text of a line.
func (m *mistakes) text(l line, what string) (string, bool) {
	if !m.takes(l, 1, 1, what) {
		return "", false
	}
	return shorten(l.args[0].Text, nil), true
}

// textOrFile reads the one text of a line, or the file that it names.
func (m *mistakes) textOrFile(l line) (string, bool) {
	if len(l.args) == 2 && isWord(l.args[0], "file") && !l.braces {
		b, ok := m.file(l.args[1])
		return strings.TrimSpace(string(b)), ok
	}
	return m.text(l, oneText+", or file <path>")
}

// maxFile keeps a mistaken path from filling the memory.
const maxFile = 16 << 20

// file reads a file whose path is relative to the Caddyfile that names it.
func (m *mistakes) file(path token) ([]byte, bool) {
	b, err := readFile(path)
	if err != nil {
		m.add(path, "%v", err)
		return nil, false
	}
	return b, true
}

func readFile(path token) ([]byte, error) {
	name := path.Text
	if name == "" {
		return nil, errors.New("expected the path of a file, got nothing")
	}
	if !filepath.IsAbs(name) {
		from, err := caddy.FastAbs(path.File)
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", path.Text, err)
		}
		name = filepath.Join(filepath.Dir(from), name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", path.Text, cause(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("file %s: not a regular file", path.Text)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", path.Text, cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", path.Text, cause(err))
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("file %s: larger than %s", path.Text, humanize.IBytes(maxFile))
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), nil
}

// cause leaves out the path, which the message has already.
func cause(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err
	}
	return err
}

// json reads JSON from one argument, or from the file that `file <path>` names.
// In plain JSON, what Caddy took for placeholders is put back.
func (m *mistakes) json(l line, args []token, what string, plain bool) (jsontext.Value, bool) {
	switch {
	case len(args) == 2 && isWord(args[0], "file"):
		b, ok := m.file(args[1])
		if !ok {
			return nil, false
		}
		if at, err := checkJSON(b); err != nil {
			m.add(args[1], "file %s, line %d: %v", args[1].Text, 1+bytes.Count(b[:at], []byte("\n")), err)
			return nil, false
		}
		return b, true
	case len(args) == 1:
		b := []byte(args[0].Text)
		if plain {
			b = []byte(shorten(args[0].Text, nil))
		}
		if at, err := checkJSON(b); err != nil {
			where := args[0]
			where.Line += bytes.Count(b[:at], []byte("\n"))
			m.add(where, "%s is not JSON: %v", what, err)
			return nil, false
		}
		return b, true
	}
	m.add(l.end(), "%q takes %s: JSON in one text (backticks or a heredoc keep its quotes), or file <path>; got %s",
		l.word.Text, what, counted(len(args), "word"))
	return nil, false
}

// checkJSON finds what is wrong with a JSON text, and where.
func checkJSON(b []byte) (offset int, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	if _, err = d.ReadValue(); err == nil {
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err == nil {
			err = errors.New("more text after the value")
		}
	}
	offset = int(d.InputOffset())
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = int(se.ByteOffset)
		if se.Err != nil {
			err = se.Err
		}
		if se.JSONPointer != "" {
			err = fmt.Errorf("%w at %s", err, se.JSONPointer)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return min(offset, len(b)), err
}

// duration reads the one duration of a line.
func (m *mistakes) duration(l line) caddy.Duration {
	if !m.takes(l, 1, 1, "a duration such as 30s") {
		return 0
	}
	d, err := caddy.ParseDuration(l.args[0].Text)
	if err != nil || d <= 0 {
		m.add(l.args[0], "%s %q: expected a duration above zero, such as 500ms, 30s or 2m", l.word.Text, l.args[0].Text)
		return 0
	}
	return caddy.Duration(d)
}

// size reads a number of bytes.
func (m *mistakes) size(l line, t token) int64 {
	n, err := humanize.ParseBytes(t.Text)
	if err != nil || n == 0 || n > 1<<40 {
		m.add(t, "%s %q: expected a size above zero, such as 64KiB, 1MiB or 1MB", l.word.Text, t.Text)
		return 0
	}
	return int64(n)
}

// number reads the one count of a line.
func (m *mistakes) number(l line) (int, bool) {
	if !m.takes(l, 1, 1, "a number") {
		return 0, false
	}
	n, err := strconv.Atoi(l.args[0].Text)
	if err != nil || n <= 0 {
		m.add(l.args[0], "%s %q: expected a whole number above zero", l.word.Text, l.args[0].Text)
		return 0, false
	}
	return n, true
}

// icon reads an icon line, of a tool or of the server.
func (m *mistakes) icon(l line) (icon tool.Icon, ok bool) {
	if !m.takes(l, 1, -1, "an https or data URL, then mime_type=, sizes= or theme=") {
		return icon, false
	}
	icon.Src = l.args[0].Text
	if u, err := url.Parse(icon.Src); err != nil || u.Scheme != "https" && u.Scheme != "data" {
		m.add(l.args[0], "icon %q: clients take https and data URLs only", l.args[0].Text)
		return icon, false
	}
	ok = true
	for _, t := range l.args[1:] {
		key, value, _ := keyValue(t)
		switch key {
		case "mime_type":
			icon.MIMEType = value
		case "sizes":
			icon.Sizes = strings.Split(value, ",")
		case "theme":
			if icon.Theme = value; !slices.Contains([]string{"light", "dark"}, value) {
				m.add(t, "icon theme %q: expected light or dark", value)
				ok = false
			}
		default:
			m.add(t, "%s", unknown(t.Text, "icon", []string{"mime_type=", "sizes=", "theme="}))
			ok = false
		}
	}
	return icon, ok
}
