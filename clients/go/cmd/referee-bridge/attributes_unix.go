//go:build unix && !linux

package main

import "syscall"

func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
