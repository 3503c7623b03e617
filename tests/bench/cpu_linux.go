// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// cpuTime is the CPU time that a process has used, user and system, to the
// nanosecond: /proc/PID/stat counts in hundredths of a second.
func cpuTime(pid int) (time.Duration, error) {
	// clock_getcpuclockid(3): the process's clock, counted by the scheduler.
	const sched = 2
	clock := int32(^pid<<3 | sched)
	var ts syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&ts)), 0)
	if errno != 0 {
		return 0, fmt.Errorf("reading the CPU clock of process %d: %w", pid, errno)
	}
	return time.Duration(ts.Nano()), nil
}
