package diagnose

// goCheck is a condition written in Go, for what CEL cannot say. It reads the
// same facts; a rule names it under "check".
type goCheck struct {
	name string
	run  func(*Facts) bool
}

// checks lists every Go check; each lives in check_<name>.go.
func checks() []goCheck { return nil }

func checkByName(name string) (goCheck, bool) {
	for _, c := range checks() {
		if c.name == name {
			return c, true
		}
	}
	return goCheck{}, false
}

func checkNames() []string {
	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
	}
	return names
}
