package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// caller prints what the SDK gives it, one line for each operation.
type caller struct {
	*a2aclient.Client
	last a2a.TaskID
}

func call(args []string) {
	fs := flag.NewFlagSet("go03", flag.ExitOnError)
	cardURL := fs.String("card", "", "base `URL` of the agent card")
	endpoint := fs.String("endpoint", "", "`URL` to call without a card")
	binding := fs.String("binding", "JSONRPC", "JSONRPC or GRPC")
	ops := fs.String("ops", "send:hello", "operations, separated by commas")
	_ = fs.Parse(args)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	transport := a2a.TransportProtocol(*binding)
	opts := []a2aclient.FactoryOption{
		a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{transport}}),
	}
	c := caller{last: "00000000-0000-0000-0000-00000000dead"}
	var err error
	if *cardURL != "" {
		var card *a2a.AgentCard
		if card, err = agentcard.NewResolver(nil).Resolve(ctx, *cardURL); err == nil {
			c.Client, err = a2aclient.NewFromCard(ctx, card, opts...)
		}
	} else {
		c.Client, err = a2aclient.NewFromEndpoints(ctx, []a2a.AgentInterface{{URL: *endpoint, Transport: transport}}, opts...)
	}
	if err != nil {
		fmt.Println("client: error", err)
		return
	}
	defer func() { _ = c.Destroy() }()
	for op := range strings.SplitSeq(*ops, ",") {
		name, arg, _ := strings.Cut(op, ":")
		v, err := c.run(ctx, name, arg)
		if err != nil {
			fmt.Printf("%s: error %v\n", op, err)
			continue
		}
		b, err := json.Marshal(v)
		fmt.Printf("%s: %T %s %v\n", op, v, b, err)
	}
}

func (c *caller) run(ctx context.Context, name, arg string) (any, error) {
	id := c.last
	if arg == "unknown" {
		id = "11111111-2222-3333-4444-555555555555"
	}
	ask := &a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: arg})}
	switch name {
	case "send":
		return c.seen(c.SendMessage(ctx, ask))
	case "sendnow":
		blocking := false
		ask.Config = &a2a.MessageSendConfig{Blocking: &blocking}
		if _, err := c.seen(c.SendMessage(ctx, ask)); err != nil {
			return nil, err
		}
		return c.last, nil
	case "stream":
		return c.drain(c.SendStreamingMessage(ctx, ask), 0)
	case "streamcut":
		return c.drain(c.SendStreamingMessage(ctx, ask), 2)
	case "get":
		return c.GetTask(ctx, &a2a.TaskQueryParams{ID: id})
	case "cancel":
		t, err := c.CancelTask(ctx, &a2a.TaskIDParams{ID: id})
		if err != nil {
			return nil, err
		}
		return t.Status.State, nil
	case "subscribe":
		return c.drain(c.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: id}), 0)
	case "hookset":
		return c.SetTaskPushConfig(ctx, &a2a.TaskPushConfig{TaskID: id, Config: a2a.PushConfig{ID: "hook-1", URL: "http://127.0.0.1:1/hook", Token: "tok"}})
	case "hookget":
		return c.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigParams{TaskID: id, ConfigID: "hook-1"})
	case "hookdelete":
		return nil, c.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigParams{TaskID: id, ConfigID: "hook-1"})
	case "extcard":
		card, err := c.GetAgentCard(ctx)
		if err != nil {
			return nil, err
		}
		return card.Name, nil
	}
	return nil, fmt.Errorf("there is no operation %s", name)
}

func (c *caller) seen(r a2a.SendMessageResult, err error) (any, error) {
	if err == nil && r.TaskInfo().TaskID != "" {
		c.last = r.TaskInfo().TaskID
	}
	return r, err
}

// drain reads a stream to its end, or to its most-th event.
func (c *caller) drain(events iter.Seq2[a2a.Event, error], most int) (any, error) {
	var all []a2a.Event
	for e, err := range events {
		if err != nil {
			return nil, fmt.Errorf("after %d events: %w", len(all), err)
		}
		if id := e.TaskInfo().TaskID; id != "" {
			c.last = id
		}
		if all = append(all, e); len(all) == most {
			break
		}
	}
	return all, nil
}
