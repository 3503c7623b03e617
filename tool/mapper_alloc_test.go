// SPDX-License-Identifier: Apache-2.0

//go:build !race

package tool

import "testing"

// The figure that the mapper is held to. The race detector empties pools.
func TestMapperAllocations(t *testing.T) {
	m := newMapper(t, Config{}, Options{})
	r, c := answer{}.request(t), &Call{}
	body := []byte(jsonOf(900))
	contentType := []string{"application/json; charset=utf-8"}
	n := testing.AllocsPerRun(100, func() {
		cw := m.capture(r, c)
		cw.Header()["Content-Type"] = contentType
		if _, err := cw.Write(body); err != nil {
			t.Fatal(err)
		}
		if res := cw.result(t.Context()); res.Structured == nil {
			t.Fatal(res.Err)
		}
	})
	if n > 10 {
		t.Errorf("%v allocations", n)
	}
}
