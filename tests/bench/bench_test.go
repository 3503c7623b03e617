// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Not parallel: all goroutines' allocations are counted.
func TestAllocations(t *testing.T) {
	for _, e := range []era{modern, legacy} {
		n, err := allocations(e)
		if err != nil {
			t.Fatal(err)
		}
		if n > allocationsAtMost {
			t.Errorf("%s: %v allocations per call, want at most %d", e, n, allocationsAtMost)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	for _, e := range []era{modern, legacy} {
		b.Run(string(e), func(b *testing.B) {
			call, err := newCall(e)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What is sent and answered must have the size that the figures say.
func TestPayloads(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1 << 10, 10_000, 100_000, 1_000_000} {
		if a := answer(n); len(a) != n || !json.Valid([]byte(a)) {
			t.Errorf("answer(%d) has %d bytes, valid JSON: %v", n, len(a), json.Valid([]byte(a)))
		}
	}
	for _, n := range []int{10_000, 100_000} {
		if a := arguments(n); len(a) < n-200 || len(a) > n || !json.Valid([]byte(a)) {
			t.Errorf("arguments(%d) has %d bytes, valid JSON: %v", n, len(a), json.Valid([]byte(a)))
		}
	}
	if len(smallArguments) != 100 {
		t.Errorf("smallArguments has %d bytes, want 100", len(smallArguments))
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	if got := median([]time.Duration{3, 1, 2}); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("got %v, want 2.5", got)
	}
	if low, high := quartiles([]float64{5, 1, 4, 2, 3}); low != 2 || high != 4 {
		t.Errorf("quartiles %v and %v, want 2 and 4", low, high)
	}
}

func TestInsertTable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "doc.md")
	for _, tc := range []struct{ before, after string }{
		{"a\n<!-- figures -->\nold\n<!-- figures -->\nb\n", "a\n<!-- figures -->\nnew\n<!-- figures -->\nb\n"},
		{"a\n", ""},
	} {
		if err := os.WriteFile(file, []byte(tc.before), 0o600); err != nil {
			t.Fatal(err)
		}
		err := insertTable(file, []byte("new\n"))
		if (err == nil) != (tc.after != "") {
			t.Fatalf("%q: %v", tc.before, err)
		}
		if got, _ := os.ReadFile(file); err == nil && string(got) != tc.after {
			t.Errorf("got %q, want %q", got, tc.after)
		}
	}
}
