// SPDX-License-Identifier: Apache-2.0

package mcphandler

const (
	// smallAnswer is what an answer may have without being counted: the buffers
	// of a connection are about as large.
	smallAnswer = 64 << 10
	// maxWriting is the most bytes of larger answers that wait for their readers
	// besides those of the calls that run.
	maxWriting = 64 << 20
)

// takeSlot takes one of the slots for calls, unless there is one already.
func (x *exchange) takeSlot() bool {
	if x.slot {
		return true
	}
	if x.h.running.Add(1) > int64(x.h.opt.Limits.Calls) {
		x.h.running.Add(-1)
		return false
	}
	x.slot = true
	return true
}

// leaveSlot gives the slot back before an answer of n bytes is written, so that
// slow readers keep nobody from calling. As soon as many large answers wait for
// theirs, the slot is kept until the answer is written: what clients do not
// read must not fill the memory.
func (x *exchange) leaveSlot(n int) {
	if !x.slot {
		return
	}
	if n > smallAnswer {
		if x.h.writing.Add(int64(n)) > maxWriting {
			x.h.writing.Add(-int64(n))
			return
		}
		x.reserved = int32(n) // at most maxWriting
	}
	x.slot = false
	x.h.running.Add(-1)
}

// release gives back what the exchange still holds.
func (x *exchange) release() {
	if x.slot {
		x.slot = false
		x.h.running.Add(-1)
	}
	if x.reserved > 0 {
		x.h.writing.Add(-int64(x.reserved))
		x.reserved = 0
	}
}
