// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import (
	"errors"
	"time"
)

func cpuTime(int) (time.Duration, error) {
	return 0, errors.New("the CPU time of another process is read on Linux only")
}
