// SPDX-License-Identifier: Apache-2.0

package mcphandler

import (
	"strings"
	"testing"
)

// A small batch must not make an answer of any size.
func TestBatchAnswerTooLarge(t *testing.T) {
	t.Parallel()
	// Each becomes six bytes in JSON.
	big := &fakeTool{name: "big", result: textResult(strings.Repeat("\x01", 1<<20))}
	o := &recorder{}
	h := newHandler(t, Options{Observer: o}, big)
	body := callBody(versionBatch, "big", "{}")
	a := do(t, h, request{body: "[" + strings.Repeat(body+",", 19) + body + "]"})
	if n := big.calls.Load(); n != 2 {
		t.Errorf("%d calls", n)
	}
	if len(a.body) > 2*maxBatchAnswer || len(a.messages) != 20 {
		t.Fatalf("%d bytes, %d messages", len(a.body), len(a.messages))
	}
	for i, m := range a.messages {
		switch {
		case string(m.ID) != "7":
			t.Errorf("message %d: id %s", i, m.ID)
		case i < 2 && m.Error != nil:
			t.Errorf("message %d: %s", i, m.Error.Message)
		case i >= 2 && (m.Error == nil || m.Error.Code != codeInternal || !strings.Contains(m.Error.Message, "one by one")):
			t.Errorf("message %d: %+v", i, m.Error)
		}
	}
	if len(o.messages) != 20 || o.messages[1].Outcome != "ok" || o.messages[2].Outcome != "client_error" {
		t.Errorf("%+v", o.messages)
	}
}
