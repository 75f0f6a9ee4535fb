package child

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"software.sslmate.com/src/go-pkcs12"
)

// storePassword protects nothing: the store holds certificates that are public.
// It is the one that Java's own store has.
const storePassword = "changeit"

// maxTrustFile bounds a file of certificates; the systems' own have 250 KB.
const maxTrustFile = 16 << 20

// Trust is the files that make runtimes accept an authority. They live in a
// folder of their own until Remove.
type Trust struct {
	Bundle string // PEM: the authority, the system's roots and the user's own
	Extra  string // PEM: the authority and what the user gave Node
	Store  string // PKCS 12: the bundle for Java

	// Own is what the environment named before: roots of the user, PEM. Whoever
	// speaks with the agents in the program's place has to trust them as well.
	Own []byte

	dir string
}

// NewTrust writes the files for an authority. roots is a PEM file with the
// system's, "" for none; env is the user's environment: what a variable that is
// replaced pointed at stays trusted.
func NewTrust(authority *x509.Certificate, roots string, env []string) (*Trust, error) {
	own, err := userRoots(env)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "a2ascope-trust-")
	if err != nil {
		return nil, fmt.Errorf("a folder for certificates: %w", err)
	}
	t := &Trust{Bundle: filepath.Join(dir, "bundle.pem"), Extra: filepath.Join(dir, "extra.pem"), Store: filepath.Join(dir, "trust.p12"), Own: own, dir: dir}
	if err := t.write(authority, roots, Variable(env, extraVariable)); err != nil {
		t.Remove()
		return nil, fmt.Errorf("certificates for the program: %w", err)
	}
	return t, nil
}

// Remove takes the files away.
func (t *Trust) Remove() {
	if t != nil && t.dir != "" {
		_ = os.RemoveAll(t.dir)
	}
}

func (t *Trust) write(authority *x509.Certificate, roots, nodeFile string) error {
	ours := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	extra := slices.Clone(ours)
	if nodeFile != "" {
		b, err := readCertificates(nodeFile)
		if err != nil {
			return fmt.Errorf("%s: %w", extraVariable, err)
		}
		extra = append(append(extra, b...), '\n')
	}
	bundle := append(slices.Clone(ours), t.Own...)
	if roots != "" {
		b, err := readCertificates(roots)
		if err != nil {
			return err
		}
		bundle = append(append(bundle, b...), '\n')
	}
	store, err := pkcs12.Modern.EncodeTrustStore(certificates(bundle), storePassword)
	if err != nil {
		return fmt.Errorf("the store for Java: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{t.Bundle, bundle}, {t.Extra, extra}, {t.Store, store}} {
		if err := os.WriteFile(f.name, f.data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// userRoots collects what the variables that are going to be replaced name. A
// file that is not there is said: the program would fail on it too, elsewhere
// and with other words.
func userRoots(env []string) ([]byte, error) {
	var all []byte
	var seen []string
	for _, name := range slices.Concat(bundleVariables, []string{extraVariable}) {
		f := Variable(env, name)
		if f == "" || slices.Contains(seen, f) {
			continue
		}
		seen = append(seen, f)
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			continue // REQUESTS_CA_BUNDLE may be a folder of hashes
		}
		b, err := readCertificates(f)
		if err != nil {
			return nil, fmt.Errorf("%s of your environment: %w; correct it or unset it", name, err)
		}
		all = append(append(all, b...), '\n')
	}
	return all, nil
}

func readCertificates(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxTrustFile {
		return nil, fmt.Errorf("%s is no file of certificates", name)
	}
	return os.ReadFile(name)
}

// certificates reads the certificates of a PEM text, each once. What cannot be
// read is left out, as OpenSSL does.
func certificates(text []byte) []*x509.Certificate {
	var all []*x509.Certificate
	seen := map[string]bool{}
	for {
		var b *pem.Block
		if b, text = pem.Decode(text); b == nil {
			return all
		}
		c, err := x509.ParseCertificate(b.Bytes)
		if b.Type != "CERTIFICATE" || err != nil || seen[string(c.Raw)] {
			continue
		}
		seen[string(c.Raw)] = true
		all = append(all, c)
	}
}
