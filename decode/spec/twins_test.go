package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every name of the pairs is in the tables, and what has no counterpart is
// exactly this: a member that is added to the tables needs a decision.
func TestTwins(t *testing.T) {
	alone := []string{
		"Message.kind J", "Task.kind J", "TaskStatusUpdateEvent.kind J", "TaskArtifactUpdateEvent.kind J",
		"TaskStatusUpdateEvent.final J", "TaskStatusUpdateEvent.final P",
		"SendMessageRequest.tenant 1.0/J", "SendMessageRequest.tenant 1.0/P",
		"TaskPushNotificationConfig.tenant 1.0/J", "TaskPushNotificationConfig.tenant 1.0/P",
		"TaskPushNotificationConfig.taskId 1.0/J", "TaskPushNotificationConfig.taskId 1.0/P",
		"GetTaskRequest.tenant 1.0/J", "GetTaskRequest.tenant 1.0/P", "GetTaskRequest.metadata J",
		"CancelTaskRequest.tenant 1.0/J", "CancelTaskRequest.tenant 1.0/P", "CancelTaskRequest.metadata 1.0/P",
		"SubscribeToTaskRequest.tenant 1.0/J", "SubscribeToTaskRequest.tenant 1.0/P", "SubscribeToTaskRequest.metadata J",
		"GetTaskPushNotificationConfigRequest.tenant 1.0/J", "GetTaskPushNotificationConfigRequest.tenant 1.0/P", "GetTaskPushNotificationConfigRequest.metadata J",
		"DeleteTaskPushNotificationConfigRequest.tenant 1.0/J", "DeleteTaskPushNotificationConfigRequest.tenant 1.0/P", "DeleteTaskPushNotificationConfigRequest.metadata J",
		"ListTaskPushNotificationConfigsRequest.tenant 1.0/J", "ListTaskPushNotificationConfigsRequest.tenant 1.0/P", "ListTaskPushNotificationConfigsRequest.metadata J",
		"ListTaskPushNotificationConfigsRequest.pageSize 1.0/J", "ListTaskPushNotificationConfigsRequest.pageToken 1.0/J",
		"GetExtendedAgentCardRequest.tenant 1.0/P",
		// What the card says by other members: translate/card.go.
		"AgentCard.supportedInterfaces 1.0/J", "AgentCard.protocolVersion J", "AgentCard.url J", "AgentCard.preferredTransport J",
		"AgentCard.additionalInterfaces J", "AgentCard.supportsAuthenticatedExtendedCard J", "AgentCapabilities.extendedAgentCard 1.0/J",
		"AgentCapabilities.stateTransitionHistory J",
		"APIKeySecurityScheme.type J", "HTTPAuthSecurityScheme.type J", "OAuth2SecurityScheme.type J", "OpenIdConnectSecurityScheme.type J", "MutualTlsSecurityScheme.type J",
		"OAuthFlows.deviceCode 1.0/J", "AuthorizationCodeOAuthFlow.pkceRequired 1.0/J",
	}
	var got []string
	for i := range twins {
		tw := &twins[i]
		if tw.V10 == "Part" {
			continue // three objects of J in one
		}
		young, ok := ShapeOf(V10, Dialect10, tw.V10)
		if !ok {
			t.Errorf("1.0 has no message %s", tw.V10)
			continue
		}
		for _, d := range []Dialect{DialectJ, DialectP} {
			if tw.Name(d) == "" {
				continue
			}
			old, ok := ShapeOf(V03, d, tw.Name(d))
			if !ok {
				t.Errorf("0.3 has no %s object %s", d, tw.Name(d))
				continue
			}
			for _, m := range tw.Members {
				if _, ok := young.ByJSON(m.V10); !ok {
					t.Errorf("%s has no member %s", tw.V10, m.V10)
				}
				if _, ok := old.ByJSON(m.Name(d)); !ok && m.Name(d) != "" {
					t.Errorf("%s %s has no member %s", d, old.Name, m.Name(d))
				}
			}
			for _, f := range young.Fields {
				name, _ := tw.Member(Dialect10, d, f.JSON)
				if _, ok := old.ByJSON(name); !ok {
					got = append(got, fmt.Sprintf("%s.%s 1.0/%s", tw.V10, f.JSON, d))
				}
			}
			for _, f := range old.Fields {
				name, _ := tw.Member(d, Dialect10, f.JSON)
				if _, ok := young.ByJSON(name); !ok {
					got = append(got, fmt.Sprintf("%s.%s %s", tw.V10, f.JSON, d))
				}
			}
		}
	}
	for _, g := range got {
		if !slices.Contains(alone, g) {
			t.Errorf("%s has no counterpart in the other version, and nobody said so", g)
		}
	}
	for _, a := range alone {
		if !slices.Contains(got, a) {
			t.Errorf("%s has a counterpart, or is not there", a)
		}
	}
	for _, s := range SchemeTypes() {
		tw, _ := TwinOf(Dialect10, s.V10)
		scheme, _ := ShapeOf(V10, Dialect10, "SecurityScheme")
		old, _ := ShapeOf(V03, DialectJ, tw.J)
		if f, ok := scheme.ByJSON(s.Member); !ok || f.Type != s.V10 {
			t.Errorf("a security scheme has no member %s of %s", s.Member, s.V10)
		}
		if f, ok := old.ByJSON("type"); !ok || f.Const != s.Type {
			t.Errorf("%s is not of type %s", tw.J, s.Type)
		}
	}
	for _, m := range fileTwin.Members {
		part, _ := ShapeOf(V10, Dialect10, "Part")
		if _, ok := part.ByJSON(m.V10); !ok {
			t.Errorf("Part has no member %s", m.V10)
		}
		file, _ := ShapeOf(V03, DialectP, "FilePart")
		if _, ok := file.ByJSON(m.P); !ok {
			t.Errorf("FilePart has no member %s", m.P)
		}
		bytes, _ := ShapeOf(V03, DialectJ, "FileWithBytes")
		uri, _ := ShapeOf(V03, DialectJ, "FileWithUri")
		_, in := bytes.ByJSON(m.J)
		if _, too := uri.ByJSON(m.J); !in && !too {
			t.Errorf("no file of 0.3 has a member %s", m.J)
		}
	}
}

func TestTwinMember(t *testing.T) {
	get, _ := TwinOf(Dialect10, "GetTaskPushNotificationConfigRequest")
	for _, c := range []struct {
		from, to   Dialect
		name, want string
	}{
		{DialectJ, Dialect10, "id", "taskId"}, {DialectJ, Dialect10, "pushNotificationConfigId", "id"},
		{Dialect10, DialectJ, "id", "pushNotificationConfigId"}, {Dialect10, DialectP, "taskId", "name"},
		{Dialect10, DialectJ, "pushNotificationConfigId", ""}, {Dialect10, DialectJ, "tenant", "tenant"},
	} {
		if got, _ := get.Member(c.from, c.to, c.name); got != c.want {
			t.Errorf("%s of %s in %s is %q, want %q", c.name, c.from, c.to, got, c.want)
		}
	}
	if _, ok := TwinOf(DialectJ, ""); ok {
		t.Error("nothing has a twin")
	}
	if tw, ok := TwinOf(DialectJ, "TaskIdParams"); !ok || !strings.HasPrefix(tw.V10, "Cancel") {
		t.Error("the first of two messages that share an object is not found")
	}
}
