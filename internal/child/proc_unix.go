//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// terminate asks a program to end.
const terminate = syscall.SIGTERM

// Signals are those that a program in our place would get from a terminal or
// from whoever started it.
func Signals() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
}

// kill signals the whole group of the program.
func (c *Child) kill(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok && c.cmd != nil && c.cmd.Process != nil {
		_ = syscall.Kill(-c.cmd.Process.Pid, n)
	}
}

// codeOf is how a process ended, in the words of a shell.
func codeOf(p *os.ProcessState) int {
	if p == nil {
		return CodeCannotRun
	}
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return codeSignal + int(w.Signal())
	}
	return p.ExitCode()
}

// ownSession gives a process a session of its own: no terminal, and a group that can be
// signalled as a whole.
func ownSession(cmd *exec.Cmd, hard bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWithUs(cmd.SysProcAttr, hard)
}
