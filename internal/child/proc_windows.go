package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// terminate: a console program of Windows cannot be asked, it is ended.
var terminate = os.Kill

// Signals are those that Windows has.
func Signals() []os.Signal { return []os.Signal{os.Interrupt} }

// kill ends the program and what it started.
func (c *Child) kill(os.Signal) {
	if c.cmd == nil || c.cmd.Process == nil {
		return
	}
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(c.cmd.Process.Pid)).Run() != nil {
		_ = c.cmd.Process.Kill()
	}
}

func codeOf(p *os.ProcessState) int {
	if p == nil {
		return CodeCannotRun
	}
	return p.ExitCode()
}

// ownSession keeps a program out of our console's group: ctrl+c reaches it once, from us.
func ownSession(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
