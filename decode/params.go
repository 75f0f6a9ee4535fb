package decode

import (
	"strings"

	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// asked is what the parameters of a request say.
type asked struct {
	found
	configID string
	tenant   string
	tenantAt string // pointer below the parameters
	push     *PushFact
}

// readParams looks at the parameters of an operation: the JSON-RPC params, the
// REST body or the gRPC message, standing at base. t is nil where the schema
// already says the version.
func readParams(t *tally, op spec.Operation, p jsontree.Node, base Place) asked {
	var a asked
	if !p.IsObject() {
		return a
	}
	switch op {
	case spec.SendMessage, spec.SendStreamingMessage:
		readSend(t, p, base, &a)
	case spec.CreatePushConfig:
		readCreatePush(t, p, base, &a)
	case spec.GetPushConfig, spec.ListPushConfigs, spec.DeletePushConfig:
		readPushIDs(t, op, p, base, &a)
	case spec.ListTasks:
		readListTasks(t, p, base, &a)
	case spec.GetTask, spec.CancelTask, spec.SubscribeToTask:
		readTaskIDs(t, op, p, base, &a)
	default:
		// An operation of unknown name: a message and ids are read where they stand.
		if p.Get("message").IsObject() {
			readSend(t, p, base, &a)
		} else {
			readTaskIDs(nil, op, p, base, &a)
		}
	}
	if tn := p.Get("tenant"); tn.IsString() && tn.Str() != "" {
		a.tenant, a.tenantAt = tn.Str(), "/tenant"
		t.add(evTenant, base, tn)
	}
	return a
}

func readSend(t *tally, p jsontree.Node, base Place, a *asked) {
	var conf jsontree.Node
	for c := range p.Children() {
		switch string(c.KeyText()) {
		case "message", "request":
			if c.IsObject() {
				scanMessage(t, c, base, &a.found)
			}
		case "configuration":
			conf = c
		case "id":
			a.taskID = firstOf(a.taskID, c.Str()) // 0.1: the task is named beside the message
		case "sessionId":
			a.contextID = firstOf(a.contextID, c.Str())
			t.add(evSessionID, base, c)
		case "pushNotification": // 0.1
			a.push = pushConfig(nil, c, base)
		}
	}
	// Where the rest speaks 1.0, names that 0.3 and the draft share are of the draft.
	young := t.has(evRoleEnum) || t.has(evPartFlat)
	for c := range conf.Children() {
		key := string(c.KeyText())
		switch key {
		case "returnImmediately":
			t.add(evReturnImmediately, base, c)
		case "blocking":
			t.add(pick(young, evBlockingDraft, evBlocking), base, c)
		case "taskPushNotificationConfig":
			t.addAs(evTaskPushConfig, base, c, key)
			a.push = pushConfig(t, c, base)
		case "pushNotificationConfig":
			t.addAs(pick(young, evConfigPushDraft, evConfigPush), base, c, key)
			a.push = pushConfig(t, c, base)
		case "pushNotification":
			t.addAs(evPushNotification, base, c, key)
			a.push = pushConfig(t, c, base)
		case "push_notification_config", "task_push_notification_config", "push_notification":
			a.snake = true
			a.push = pushConfig(t, c, base)
		case "accepted_output_modes", "history_length", "return_immediately":
			a.snake = true
		}
	}
	if a.snake && (t.has(evKind) || t.has(evRoleLower)) {
		t.addAs(evSnake, base, p.Get("message"), "snake_case")
	}
	if a.push != nil {
		a.push.TaskID = a.taskID
	}
}

func pick(yes bool, a, b evidence) evidence {
	if yes {
		return a
	}
	return b
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// pushConfig reads a webhook configuration. Its token is noted as there, never copied.
func pushConfig(t *tally, n jsontree.Node, base Place) *PushFact {
	if !n.IsObject() {
		return nil
	}
	p := &PushFact{}
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "url":
			p.URL = c.Str()
		case "id":
			p.ConfigID = c.Str()
		case "taskId", "task_id":
			p.TaskID = c.Str()
		case "token":
			p.Token = c.Str() != ""
		case "authentication":
			if s := c.Get("schemes"); s.IsArray() {
				t.addAs(evSchemes, base, s, "schemes")
			}
			if s := c.Get("scheme"); s.IsString() {
				t.add(evScheme, base, s)
			}
		}
	}
	return p
}

// resourceTask returns the task id and the config id of a 0.3 resource name.
func resourceTask(name string) (task, config string, ok bool) {
	rest, ok := strings.CutPrefix(name, "tasks/")
	if !ok {
		return "", "", false
	}
	task, config, _ = strings.Cut(rest, "/pushNotificationConfigs/")
	task, _, _ = strings.Cut(task, "/")
	return task, config, true
}

func readTaskIDs(t *tally, op spec.Operation, p jsontree.Node, base Place, a *asked) {
	for c := range p.Children() {
		switch string(c.KeyText()) {
		case "id":
			a.taskID = c.Str()
		case "name":
			if task, _, ok := resourceTask(c.Str()); ok {
				a.taskID = task
				t.add(evResourceName, base, c)
			}
		case "taskId", "task_id":
			a.taskID = firstOf(a.taskID, c.Str())
		case "contextId":
			a.contextID = c.Str()
		case "metadata":
			if op == spec.GetTask || op == spec.SubscribeToTask {
				t.addAs(evMetadata, base, c, "metadata")
			}
		case "history_length":
			a.snake = true
		}
	}
}

func readListTasks(t *tally, p jsontree.Node, base Place, a *asked) {
	for c := range p.Children() {
		switch key := string(c.KeyText()); key {
		case "contextId":
			a.contextID = c.Str()
		case "context_id":
			a.contextID, a.snake = c.Str(), true
		case "page_size", "page_token", "history_length", "last_updated_after", "include_artifacts", "status_timestamp_after":
			a.snake = true
			t.addAs(evSnake, base, c, key)
		case "status":
			if lowered(c) {
				t.add(evStateLower, base, c)
			} else if startsWith(c, "TASK_STATE_") {
				t.add(evStateEnum, base, c)
			}
		}
	}
}

func readCreatePush(t *tally, p jsontree.Node, base Place, a *asked) {
	var id, taskID, url, wrap, parent, configID, config, name jsontree.Node
	for c := range p.Children() {
		switch string(c.KeyText()) {
		case "id":
			id = c
		case "taskId":
			taskID = c
		case "task_id":
			taskID, a.snake = c, true
		case "url":
			url = c
		case "pushNotificationConfig":
			wrap = c
		case "push_notification_config":
			wrap, a.snake = c, true
		case "parent":
			parent = c
		case "configId", "config_id":
			configID = c
		case "config":
			config = c
		case "name":
			name = c
		}
	}
	switch {
	case parent.IsString() && config.Exists():
		t.add(evPushParent, base, parent)
		a.push = pushConfig(t, innerConfig(config), base)
		a.taskID, _, _ = resourceTask(parent.Str())
	case config.IsObject() && taskID.Exists():
		t.add(evPushConfigIDDraft, base, config)
		a.push = pushConfig(t, innerConfig(config), base)
	case config.IsObject(): // the SDKs' 0.3 REST body, the task in the path
		t.add(evPushParent, base, config)
		a.push = pushConfig(t, innerConfig(config), base)
	case wrap.IsObject() && id.Exists() && taskID.Exists():
		t.addAs(evPushWrappedDraft, base, wrap, "pushNotificationConfig")
		a.push = pushConfig(t, wrap, base)
	case wrap.IsObject():
		t.addAs(evPushWrapped, base, wrap, "pushNotificationConfig")
		a.push = pushConfig(t, wrap, base)
		if !taskID.Exists() {
			a.taskID = id.Str() // 0.1 and a2a-js: the task by "id"
		}
	case url.Exists():
		t.add(evPushFlat, base, url)
		a.push = pushConfig(t, p, base)
	}
	a.taskID = firstOf(a.taskID, taskID.Str())
	if task, config, ok := resourceTask(name.Str()); ok {
		t.add(evResourceName, base, name)
		a.taskID, a.configID = firstOf(a.taskID, task), config
	}
	if a.push == nil {
		a.push = &PushFact{}
	}
	a.configID = firstOf(firstOf(a.configID, configID.Str()), a.push.ConfigID)
	a.push.TaskID, a.push.ConfigID = a.taskID, a.configID
}

// innerConfig steps into {name, pushNotificationConfig}.
func innerConfig(n jsontree.Node) jsontree.Node {
	if in := n.Get("pushNotificationConfig"); in.IsObject() {
		return in
	}
	if in := n.Get("push_notification_config"); in.IsObject() {
		return in
	}
	return n
}

func readPushIDs(t *tally, op spec.Operation, p jsontree.Node, base Place, a *asked) {
	var id, taskID, config, name jsontree.Node
	for c := range p.Children() {
		switch string(c.KeyText()) {
		case "id":
			id = c
		case "taskId":
			taskID = c
		case "task_id":
			taskID, a.snake = c, true
		case "pushNotificationConfigId":
			config = c
		case "push_notification_config_id":
			config, a.snake = c, true
		case "name", "parent":
			name = c
		case "metadata":
			t.addAs(evMetadata, base, c, "metadata")
		}
	}
	if config.Exists() {
		t.add(evNotificationConfigID, base, config)
	}
	switch {
	case name.IsString():
		if task, cfg, ok := resourceTask(name.Str()); ok {
			a.taskID, a.configID = task, cfg
			t.add(evResourceName, base, name)
		}
	case taskID.Exists():
		a.taskID = taskID.Str()
		a.configID = id.Str()
		t.add(evPushTaskID, base, taskID)
	case id.Exists():
		a.taskID = id.Str()
		if !config.Exists() {
			t.add(evPushIDOnly, base, id)
		}
	}
	a.configID = firstOf(a.configID, config.Str())
	a.push = &PushFact{TaskID: a.taskID, ConfigID: a.configID}
}
