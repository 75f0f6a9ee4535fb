package child

import "syscall"

// dieWithUs has the system end the process when we were killed: a program whose
// tap is gone cannot speak with anybody.
func dieWithUs(a *syscall.SysProcAttr, hard bool) {
	a.Pdeathsig = syscall.SIGTERM
	if hard {
		a.Pdeathsig = syscall.SIGKILL
	}
}
