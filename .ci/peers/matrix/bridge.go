package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// passage is a way through the tap that is not the one of the pairs.
type passage struct {
	client  client
	server  server
	secure  bool
	h2c     bool
	forward bool // the client takes the tap for its proxy; otherwise the tap stands before the agent
	binding string
}

func (p passage) String() string {
	way := "reverse"
	if p.forward {
		way = "CONNECT"
	}
	switch {
	case p.secure:
		way += " TLS"
	case p.h2c:
		way += " h2c"
	default:
		way += " cleartext"
	}
	return fmt.Sprintf("%s on %s, %s, %s", p.client.name, p.server.name, p.binding, way)
}

// outward returns an address of this machine that is not loopback: by their
// environment, Go programs never use a proxy for loopback.
func outward() (string, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
			return n.IP.String(), nil
		}
	}
	return "", errors.New("this machine has no address but loopback; the CONNECT runs need one")
}

// passages starts agents that are reached by name, with and without TLS, and
// lists what goes through the tap to them.
func (l *lab) passages() ([]passage, error) {
	host, err := outward()
	if err != nil {
		return nil, err
	}
	if err := l.certificates(host); err != nil {
		return nil, err
	}
	var all []passage
	for _, secure := range []bool{false, true} {
		servers, err := l.outside(host, secure)
		if err != nil {
			return nil, err
		}
		for i, c := range l.clients()[:2] { // 1.0: each on the other's agent
			for _, b := range c.bindings {
				p := passage{client: c, server: servers[1-i], secure: secure, binding: b}
				if secure {
					all = append(all, p)
				}
				p.forward = true
				all = append(all, p)
			}
		}
		if !secure {
			for _, b := range []string{jsonrpc, rest} {
				all = append(all, passage{client: l.clients()[0], server: servers[0], h2c: true, binding: b})
			}
		}
	}
	return all, nil
}

// outside starts go10 and js10 on an address that is not loopback.
func (l *lab) outside(host string, secure bool) ([]server, error) {
	var ports []int
	for range 5 {
		p, err := freePort(host)
		if err != nil {
			return nil, err
		}
		ports = append(ports, p)
	}
	scheme, name := "http", "outside"
	goArgs := []string{l.scratch + "/go10", "server", "-host", host, "-h2c",
		"-jsonrpc", fmt.Sprint(ports[0]), "-rest", fmt.Sprint(ports[1]), "-grpc", fmt.Sprint(ports[2])}
	jsArgs := []string{"node", l.peers + "/js10/server.mjs", "--host", host, "--http", fmt.Sprint(ports[3]), "--grpc", fmt.Sprint(ports[4])}
	if secure {
		scheme, name = "https", "secure"
		goArgs = append(goArgs, "-certs", l.scratch)
		jsArgs = append(jsArgs, "--certs", l.scratch)
	}
	if err := l.serve(name+"-go10", host, ports[:3], goArgs...); err != nil {
		return nil, err
	}
	if err := l.serve(name+"-js10", host, ports[3:], jsArgs...); err != nil {
		return nil, err
	}
	return []server{
		{name: "go10", version: "1.0", card: fmt.Sprintf("%s://%s:%d", scheme, host, ports[0])},
		{name: "js10", version: "1.0", card: fmt.Sprintf("%s://%s:%d", scheme, host, ports[3])},
	}, nil
}

// certificates makes an authority of the agents, their certificate, and a
// bundle of it and of the tap's authority for the clients.
func (l *lab) certificates(host string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the agents"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		return err
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, IPAddresses: []net.IP{net.ParseIP(host)},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, &key.PublicKey, key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	out, err := exec.CommandContext(l.ctx, l.tool, "ca", "path").Output()
	if err != nil {
		return fmt.Errorf("a2ascope ca path: %w", err)
	}
	ours, err := os.ReadFile(strings.TrimSpace(string(out)))
	if err != nil {
		return err
	}
	for name, b := range map[string][]byte{
		"ca.pem": text("CERTIFICATE", rootDER), "cert.pem": text("CERTIFICATE", leafDER), "key.pem": text("PRIVATE KEY", keyDER),
		"bundle.pem": slices.Concat(text("CERTIFICATE", rootDER), ours),
	} {
		if err := os.WriteFile(filepath.Join(l.scratch, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// pass runs a client without and with the tap; what it says must be the same,
// and the tap must have read every call.
func (l *lab) pass(p passage) error {
	bundle := filepath.Join(l.scratch, "bundle.pem")
	trust := []string{"SSL_CERT_FILE=" + bundle, "NODE_EXTRA_CA_CERTS=" + bundle, "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=" + bundle}
	r := run{client: p.client, server: p.server, binding: p.binding, way: "card"}
	flags := func(card string) []string {
		argv := r.flags(card, "")
		if p.secure {
			argv = append(argv, "--tls")
		}
		if p.h2c {
			argv = append(argv, "--h2c")
		}
		return argv
	}
	direct, err := l.client(trust, flags(p.server.card)...)
	if err != nil {
		return err
	}
	if strings.Contains(direct, "stream:hello: error") || !strings.Contains(direct, "stream:hello: ") {
		return fmt.Errorf("without the tap already:\n%s", direct)
	}
	t, err := l.tapped(p.server.card, "--upstream-ca", filepath.Join(l.scratch, "ca.pem"))
	if err != nil {
		return err
	}
	card, env := t.url, trust
	argv := flags(card)
	if p.forward {
		argv = flags(p.server.card)
		for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "grpc_proxy"} {
			env = append(env, name+"="+t.url)
		}
		env = append(env, "NO_PROXY=", "no_proxy=", "no_grpc_proxy=")
		if p.client.name == "js10" {
			argv = append(argv, "--proxy", t.url)
		}
	}
	tapped, cerr := l.client(env, argv...)
	lines, err := t.end()
	if err = errors.Join(err, cerr); err != nil {
		return err
	}
	if err := same(plain(direct), plain(tapped)); err != nil {
		return err
	}
	return r.judge(result{plain(direct), lines})
}
