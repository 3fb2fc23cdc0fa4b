package main

import "syscall"

// processAttributes start a process group of its own, which the system kills with the bridge if it cannot clean up.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
