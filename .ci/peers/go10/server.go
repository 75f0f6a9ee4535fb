// Peer "go10": a2a-go v2.3.1 server (A2A 1.0, JSON-RPC + REST + gRPC) with the SDK's own v0.3 compat handlers.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	grpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpcv1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

type echo struct{}

func textOf(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	for _, p := range m.Parts {
		if t := p.Text(); t != "" {
			return t
		}
	}
	return ""
}

func (echo) Execute(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		t := textOf(ec.Message)
		if strings.HasPrefix(t, "message:") {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("echo: "+t)), nil)
			return
		}
		if ec.StoredTask == nil {
			if !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
				return
			}
		}
		if !yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart("working"))), nil) {
			return
		}
		switch {
		case strings.HasPrefix(t, "slow"):
			for i := 0; i < 30; i++ {
				select {
				case <-ctx.Done():
					return
				case <-time.After(200 * time.Millisecond):
				}
				if i%5 == 0 {
					if !yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, nil), nil) {
						return
					}
				}
			}
		case strings.HasPrefix(t, "input"):
			yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateInputRequired, a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart("which one?"))), nil)
			return
		case strings.HasPrefix(t, "fail"):
			yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateFailed, a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart("failed on purpose"))), nil)
			return
		case strings.HasPrefix(t, "error"):
			yield(nil, fmt.Errorf("agent exploded"))
			return
		}
		time.Sleep(20 * time.Millisecond)
		parts := []*a2a.Part{a2a.NewTextPart("echo: " + t)}
		if strings.HasPrefix(t, "parts") {
			f := a2a.NewFileURLPart("https://files.example.com/a.pdf", "application/pdf")
			f.Filename = "a.pdf"
			r := a2a.NewRawPart([]byte("raw bytes"))
			r.MediaType = "application/octet-stream"
			r.Filename = "r.bin"
			parts = append(parts, a2a.NewDataPart(map[string]any{"n": 1, "s": "x"}), f, r)
		}
		n := 0
		for _, p := range ec.Message.Parts {
			n += len(p.Raw())
		}
		if n > 0 {
			parts = append(parts, a2a.NewTextPart(fmt.Sprintf("received %d raw bytes", n)))
			if strings.HasPrefix(t, "bigreply") {
				parts = append(parts, a2a.NewRawPart(bytes.Repeat([]byte("A2A!"), n/4)))
			}
		}
		if !yield(a2a.NewArtifactEvent(ec, parts...), nil) {
			return
		}
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil), nil)
	}
}

func (echo) Cancel(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if ec.StoredTask == nil {
			yield(nil, a2a.ErrTaskNotFound)
			return
		}
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}

// guard enforces version / extension rules that the SDK itself does not enforce, using the SDK's own error types.
type guard struct {
	versions []string
	ext      string
}

func (g *guard) Before(ctx context.Context, cc *a2asrv.CallContext, req *a2asrv.Request) (context.Context, any, error) {
	if len(g.versions) > 0 {
		v := "0.3"
		if vs, ok := cc.ServiceParams().Get(a2a.SvcParamVersion); ok && len(vs) > 0 && vs[0] != "" {
			v = vs[0]
		}
		ok := false
		for _, s := range g.versions {
			ok = ok || s == v
		}
		if !ok {
			return ctx, nil, a2a.NewError(a2a.ErrVersionNotSupported, fmt.Sprintf("version %q is not supported, supported: %v", v, g.versions))
		}
	}
	if g.ext != "" {
		vs, _ := cc.ServiceParams().Get("A2A-Extensions")
		if !strings.Contains(strings.Join(vs, ","), g.ext) {
			return ctx, nil, a2a.NewError(a2a.ErrExtensionSupportRequired, "extension "+g.ext+" is required")
		}
	}
	return ctx, nil, nil
}
func (g *guard) After(ctx context.Context, cc *a2asrv.CallContext, resp *a2asrv.Response) error {
	return nil
}

// buggyVersionCheck reproduces section-5 row 6: looks the version up under the canonical HTTP spelling in gRPC metadata.
func buggyVersionCheck(ctx context.Context) error {
	md, _ := metadata.FromIncomingContext(ctx)
	v := ""
	if vs := map[string][]string(md)["A2A-Version"]; len(vs) > 0 {
		v = vs[0]
	}
	if v == "" {
		v = "0.3"
	}
	if v != "1.0" {
		st, _ := status.New(codes.FailedPrecondition, fmt.Sprintf("A2A version %q is not supported, supported versions: 1.0", v)).WithDetails(&errdetails.ErrorInfo{Reason: "VERSION_NOT_SUPPORTED", Domain: "a2a-protocol.org"})
		return st.Err()
	}
	return nil
}

func newStore() taskstore.Store {
	return taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: func(context.Context) (string, error) { return "anon", nil }})
}

func serverMain(args []string) {
	fs := flag.NewFlagSet("server", flag.ExitOnError)
	host := fs.String("host", "127.0.0.1", "")
	jr := fs.Int("jsonrpc", 0, "port of JSON-RPC 1.0 (also serves the card)")
	rs := fs.Int("rest", 0, "port of REST 1.0")
	gr := fs.Int("grpc", 0, "port of gRPC lf.a2a.v1")
	jr0 := fs.Int("jsonrpc03", 0, "port of compat JSON-RPC 0.3")
	rs0 := fs.Int("rest03", 0, "port of compat REST 0.3")
	gr0 := fs.Int("grpc03", 0, "port of compat gRPC a2a.v1")
	grBoth := fs.Bool("grpcboth", false, "register a2a.v1 on the gRPC port as well")
	cardMode := fs.String("card", "1.0", "1.0|compat|03|dual03first")
	streaming := fs.Bool("streaming", true, "")
	pushCap := fs.Bool("push", true, "")
	extCard := fs.Bool("extcard", true, "")
	capCheck := fs.Bool("capcheck", false, "a2asrv.WithCapabilityChecks")
	reqExt := fs.String("reqext", "", "required extension URI")
	versions := fs.String("versions", "", "comma list: enforce A2A-Version with an SDK interceptor")
	buggy := fs.Bool("buggygrpcversion", false, "")
	certs := fs.String("certs", "", "dir with cert.pem key.pem: serve TLS")
	tlsVer := fs.String("tlsver", "1.3", "")
	keylog := fs.String("keylog", "", "")
	h2cOn := fs.Bool("h2c", false, "serve HTTP/2 cleartext too")
	keepAlive := fs.Duration("ssekeepalive", 0, "")
	_ = fs.Parse(args)

	card := &a2a.AgentCard{
		Name: "go10 echo", Description: "echo agent (a2a-go v2.3.1)", Version: "1.0.0",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Capabilities: a2a.AgentCapabilities{Streaming: *streaming, PushNotifications: *pushCap, ExtendedAgentCard: *extCard},
		Skills:       []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "echoes", Tags: []string{"test"}}},
	}
	if *reqExt != "" {
		card.Capabilities.Extensions = []a2a.AgentExtension{{URI: *reqExt, Description: "required", Required: true}}
	}
	scheme := "http"
	if *certs != "" {
		scheme = "https"
	}
	add := func(port int, b a2a.TransportProtocol, v a2a.ProtocolVersion) {
		if port == 0 {
			return
		}
		u := fmt.Sprintf("%s://%s:%d", scheme, *host, port)
		if b == a2a.TransportProtocolGRPC {
			u = fmt.Sprintf("%s:%d", *host, port)
		}
		card.SupportedInterfaces = append(card.SupportedInterfaces, &a2a.AgentInterface{URL: u, ProtocolBinding: b, ProtocolVersion: v})
	}
	v1 := func() {
		add(*jr, a2a.TransportProtocolJSONRPC, "1.0")
		add(*rs, a2a.TransportProtocolHTTPJSON, "1.0")
		add(*gr, a2a.TransportProtocolGRPC, "1.0")
	}
	v0 := func() {
		add(*jr0, a2a.TransportProtocolJSONRPC, "0.3")
		add(*rs0, a2a.TransportProtocolHTTPJSON, "0.3")
		add(*gr0, a2a.TransportProtocolGRPC, "0.3")
	}
	if *cardMode == "dual03first" || *cardMode == "03" {
		v0()
		v1()
	} else {
		v1()
		v0()
	}

	opts := []a2asrv.RequestHandlerOption{
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)),
		a2asrv.WithTaskStore(newStore()),
	}
	if *extCard {
		ext := *card
		ext.Name = "go10 echo (extended)"
		opts = append(opts, a2asrv.WithExtendedAgentCard(&ext))
	}
	if *capCheck {
		opts = append(opts, a2asrv.WithCapabilityChecks(&card.Capabilities))
	}
	g := &guard{ext: *reqExt}
	if *versions != "" {
		g.versions = strings.Split(*versions, ",")
	}
	if *reqExt != "" || *versions != "" {
		opts = append(opts, a2asrv.WithCallInterceptors(g))
	}
	h := a2asrv.NewHandler(echo{}, opts...)
	topts := []a2asrv.TransportOption{}
	if *keepAlive > 0 {
		topts = append(topts, a2asrv.WithTransportKeepAlive(*keepAlive))
	}

	var tcfg *tls.Config
	if *certs != "" {
		c, err := tls.LoadX509KeyPair(*certs+"/cert.pem", *certs+"/key.pem")
		must(err)
		tcfg = &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"h2", "http/1.1"}}
		if *tlsVer == "1.2" {
			tcfg.MaxVersion = tls.VersionTLS12
		}
		if *keylog != "" {
			f, err := os.OpenFile(*keylog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			must(err)
			tcfg.KeyLogWriter = f
		}
	}
	var cardHandler http.Handler
	switch *cardMode {
	case "compat", "dual03first":
		cardHandler = a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card))
		if *cardMode == "dual03first" {
			cardHandler = a2asrv.NewStaticAgentCardHandler(card)
		}
	case "03":
		b, err := json.MarshalIndent(a2av0.FromV1AgentCard(card), "", " ")
		must(err)
		cardHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(b)
		})
	default:
		cardHandler = a2asrv.NewStaticAgentCardHandler(card)
	}
	serve := func(port int, handler http.Handler) {
		if port == 0 {
			return
		}
		mux := http.NewServeMux()
		mux.Handle("GET "+a2asrv.WellKnownAgentCardPath, cardHandler)
		mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
		mux.Handle("/", handler)
		var hh http.Handler = mux
		if *h2cOn {
			hh = h2c.NewHandler(mux, &http2.Server{})
		}
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", *host, port))
		must(err)
		srv := &http.Server{Handler: hh, TLSConfig: tcfg, ErrorLog: log.New(io.Discard, "", 0)}
		go func() {
			if tcfg != nil {
				log.Fatal(srv.ServeTLS(l, "", ""))
			}
			log.Fatal(srv.Serve(l))
		}()
	}
	serve(*jr, a2asrv.NewJSONRPCHandler(h, topts...))
	serve(*rs, a2asrv.NewRESTHandler(h, topts...))
	serve(*jr0, a2av0.NewJSONRPCHandler(h, topts...))
	serve(*rs0, a2av0.NewRESTHandler(h, topts...))
	serveG := func(port int, reg func(*grpc.Server)) {
		if port == 0 {
			return
		}
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", *host, port))
		must(err)
		so := []grpc.ServerOption{grpc.MaxRecvMsgSize(64 << 20)}
		if tcfg != nil {
			so = append(so, grpc.Creds(credentials.NewTLS(tcfg)))
		}
		if *buggy {
			so = append(so, grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
				if err := buggyVersionCheck(ctx); err != nil {
					return nil, err
				}
				return next(ctx, req)
			}), grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
				if err := buggyVersionCheck(ss.Context()); err != nil {
					return err
				}
				return next(srv, ss)
			}))
		}
		s := grpc.NewServer(so...)
		reg(s)
		healthpb.RegisterHealthServer(s, health.NewServer())
		reflection.Register(s)
		go func() { log.Fatal(s.Serve(l)) }()
	}
	serveG(*gr, func(s *grpc.Server) {
		grpcv1.NewHandler(h).RegisterWith(s)
		if *grBoth {
			grpcv0.NewHandler(h).RegisterWith(s)
		}
	})
	serveG(*gr0, func(s *grpc.Server) { grpcv0.NewHandler(h).RegisterWith(s) })
	fmt.Println("READY")
	select {}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
