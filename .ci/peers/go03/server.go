// Peer "go03": an echo agent and a client on a2a-go v0.3.15, A2A 0.3 over
// JSON-RPC and gRPC (this SDK has no HTTP+JSON).
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"github.com/a2aproject/a2a-go/a2asrv/push"
	"google.golang.org/grpc"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 && os.Args[1] == "server" {
		serve(os.Args[2:])
		return
	}
	call(os.Args[1:])
}

// echo answers every text; "slow" works until it is cancelled, "message:" is
// answered without a task, "fail" and "input" end as they say.
type echo struct{}

func textOf(m *a2a.Message) string {
	for _, p := range m.Parts {
		if t, ok := p.(a2a.TextPart); ok {
			return t.Text
		}
	}
	return ""
}

func (echo) Execute(ctx context.Context, rc *a2asrv.RequestContext, q eventqueue.Queue) error {
	text := textOf(rc.Message)
	if strings.HasPrefix(text, "message:") {
		return q.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: "echo: " + text}))
	}
	say := func(words string) *a2a.Message {
		return a2a.NewMessageForTask(a2a.MessageRoleAgent, rc, a2a.TextPart{Text: words})
	}
	final := func(state a2a.TaskState, m *a2a.Message) error {
		e := a2a.NewStatusUpdateEvent(rc, state, m)
		e.Final = true
		return q.Write(ctx, e)
	}
	if rc.StoredTask == nil {
		if err := q.Write(ctx, a2a.NewSubmittedTask(rc, rc.Message)); err != nil {
			return err
		}
	}
	if err := q.Write(ctx, a2a.NewStatusUpdateEvent(rc, a2a.TaskStateWorking, say("working"))); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(text, "slow"):
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(6 * time.Second):
		}
	case strings.HasPrefix(text, "input"):
		return final(a2a.TaskStateInputRequired, say("which one?"))
	case strings.HasPrefix(text, "fail"):
		return final(a2a.TaskStateFailed, say("failed on purpose"))
	}
	time.Sleep(20 * time.Millisecond)
	if err := q.Write(ctx, a2a.NewArtifactEvent(rc, a2a.TextPart{Text: "echo: " + text})); err != nil {
		return err
	}
	return final(a2a.TaskStateCompleted, nil)
}

func (echo) Cancel(ctx context.Context, rc *a2asrv.RequestContext, q eventqueue.Queue) error {
	if rc.StoredTask == nil {
		return a2a.ErrTaskNotFound
	}
	e := a2a.NewStatusUpdateEvent(rc, a2a.TaskStateCanceled, nil)
	e.Final = true
	return q.Write(ctx, e)
}

func serve(args []string) {
	fs := flag.NewFlagSet("go03 server", flag.ExitOnError)
	httpPort := fs.Int("jsonrpc", 0, "`port` of JSON-RPC and of the card")
	grpcPort := fs.Int("grpc", 0, "`port` of gRPC")
	_ = fs.Parse(args)
	card := &a2a.AgentCard{
		Name: "go03 echo", Description: "echo agent (a2a-go v0.3.15)", Version: "1.0.0", ProtocolVersion: "0.3.0",
		URL: fmt.Sprintf("http://127.0.0.1:%d", *httpPort), PreferredTransport: a2a.TransportProtocolJSONRPC,
		AdditionalInterfaces: []a2a.AgentInterface{{Transport: a2a.TransportProtocolGRPC, URL: fmt.Sprintf("127.0.0.1:%d", *grpcPort)}},
		DefaultInputModes:    []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Capabilities: a2a.AgentCapabilities{Streaming: true, PushNotifications: true}, SupportsAuthenticatedExtendedCard: true,
		Skills: []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "echoes", Tags: []string{"test"}}},
	}
	extended := *card
	extended.Name += " (extended)"
	h := a2asrv.NewHandler(echo{}, a2asrv.WithExtendedAgentCard(&extended),
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)))

	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/", a2asrv.NewJSONRPCHandler(h))
	go func() { log.Fatal(http.Serve(listen(*httpPort), mux)) }()

	s := grpc.NewServer()
	a2agrpc.NewHandler(h).RegisterWith(s)
	log.Fatal(s.Serve(listen(*grpcPort)))
}

func listen(port int) net.Listener {
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		log.Fatal(err)
	}
	return ln
}
