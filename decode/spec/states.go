package spec

// State is a task state.
type State struct {
	Number      int
	V03J        string // 0.3 JSON-RPC
	V03P        string // 0.3 ProtoJSON and gRPC
	V10         string
	Terminal    bool // no update follows
	Interrupted bool // the agent waits for the client
}

// states are the task states: 0.3 §6.3, 1.0 §4.1.3. 0.3's "unknown" has no
// number of its own and is nearest to UNSPECIFIED.
var states = []State{
	{0, "unknown", "TASK_STATE_UNSPECIFIED", "TASK_STATE_UNSPECIFIED", false, false},
	{1, "submitted", "TASK_STATE_SUBMITTED", "TASK_STATE_SUBMITTED", false, false},
	{2, "working", "TASK_STATE_WORKING", "TASK_STATE_WORKING", false, false},
	{3, "completed", "TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED", true, false},
	{4, "failed", "TASK_STATE_FAILED", "TASK_STATE_FAILED", true, false},
	{5, "canceled", "TASK_STATE_CANCELLED", "TASK_STATE_CANCELED", true, false},
	{6, "input-required", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_INPUT_REQUIRED", false, true},
	{7, "rejected", "TASK_STATE_REJECTED", "TASK_STATE_REJECTED", true, false},
	{8, "auth-required", "TASK_STATE_AUTH_REQUIRED", "TASK_STATE_AUTH_REQUIRED", false, true},
}

// States returns a copy of the table, in order of their numbers.
func States() []State { return append([]State(nil), states...) }

// StateByWord finds a state by its exact spelling. v is V03 for the lower-case
// words and for TASK_STATE_CANCELLED, V10 for TASK_STATE_CANCELED, NoVersion for
// the spellings that 0.3 ProtoJSON and 1.0 share.
func StateByWord(word string) (s State, v Version, ok bool) {
	for i := range states {
		switch s := &states[i]; word {
		case s.V10:
			if s.V03P == s.V10 {
				return *s, NoVersion, true
			}
			return *s, V10, true
		case s.V03J, s.V03P:
			return *s, V03, true
		}
	}
	return State{}, NoVersion, false
}

// StateByNumber finds a state by its protobuf number.
func StateByNumber(n int) (State, bool) {
	if n < 0 || n >= len(states) {
		return State{}, false
	}
	return states[n], true
}

// wrongStates are words seen in place of a state that no version has; Is is the number of the state that is meant.
var wrongStates = []struct {
	Word string
	Is   int
}{
	{"input_required", 6}, {"auth_required", 8}, {"cancelled", 5}, {"pending", 1}, {"running", 2},
	{"TASK_STATE_RUNNING", 2}, {"TASK_STATE_PENDING", 1}, {"TASK_STATE_UNKNOWN", 0},
}

// WrongState reports a word that is used for a state but is in no version, and the state it stands for.
func WrongState(word string) (State, bool) {
	for _, w := range wrongStates {
		if w.Word == word {
			return states[w.Is], true
		}
	}
	return State{}, false
}

// Role is a message role.
type Role struct {
	Number int
	V03J   string // 0.3 JSON-RPC, "" when it has none
	V10    string // 1.0, and 0.3 ProtoJSON and gRPC
}

// roles: 0.3 §6.4, 1.0 §4.1.5.
var roles = []Role{
	{0, "", "ROLE_UNSPECIFIED"},
	{1, "user", "ROLE_USER"},
	{2, "agent", "ROLE_AGENT"},
}

// Roles returns a copy of the table, in order of their numbers.
func Roles() []Role { return append([]Role(nil), roles...) }

// RoleByWord finds a role by its exact spelling. v is V03 for "user" and
// "agent", NoVersion for ROLE_*, which 0.3 ProtoJSON and 1.0 share.
func RoleByWord(word string) (r Role, v Version, ok bool) {
	if word == "" {
		return Role{}, NoVersion, false
	}
	for i := range roles {
		switch r := &roles[i]; word {
		case r.V10:
			return *r, NoVersion, true
		case r.V03J:
			return *r, V03, true
		}
	}
	return Role{}, NoVersion, false
}

// Enum returns the values of an enum of a protobuf schema in order of their
// numbers: "TaskState" or "Role".
func Enum(v Version, name string) ([]string, bool) {
	switch name {
	case "TaskState":
		out := make([]string, len(states))
		for i, s := range states {
			out[i] = s.V10
			if v == V03 || v == V02 {
				out[i] = s.V03P
			}
		}
		return out, true
	case "Role":
		out := make([]string, len(roles))
		for i, r := range roles {
			out[i] = r.V10
		}
		return out, true
	}
	return nil, false
}
