package child

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

func authority(t *testing.T, name string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pemFile(t *testing.T, cs ...*x509.Certificate) string {
	t.Helper()
	var b bytes.Buffer
	for _, c := range cs {
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	}
	name := filepath.Join(t.TempDir(), "certs.pem")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func names(cs []*x509.Certificate) string {
	var all []string
	for _, c := range cs {
		all = append(all, c.Subject.CommonName)
	}
	return strings.Join(all, " ")
}

func TestTrust(t *testing.T) {
	ours, root, mine, node := authority(t, "ours"), authority(t, "root"), authority(t, "mine"), authority(t, "node")
	env := []string{"SSL_CERT_FILE=" + pemFile(t, mine), "NODE_EXTRA_CA_CERTS=" + pemFile(t, node)}
	tr, err := NewTrust(ours, pemFile(t, ours, root), env)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Remove()
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if got := names(certificates(read(tr.Bundle))); got != "ours mine node root" {
		t.Errorf("the bundle holds %s", got)
	}
	if got := names(certificates(read(tr.Extra))); got != "ours node" {
		t.Errorf("Node's file holds %s", got)
	}
	if got := names(certificates(tr.Own)); got != "mine node" {
		t.Errorf("the user's own are %s", got)
	}
	store, err := pkcs12.DecodeTrustStore(read(tr.Store), storePassword)
	if err != nil || len(store) != 4 {
		t.Errorf("the store for Java: %d certificates, %v", len(store), err)
	}
	if path, err := exec.LookPath("keytool"); err == nil {
		out, err := exec.Command(path, "-list", "-keystore", tr.Store, "-storepass", storePassword).CombinedOutput()
		if err != nil || strings.Count(string(out), "trustedCertEntry") != 4 {
			t.Errorf("keytool: %v\n%s", err, out)
		}
	}
	dir := filepath.Dir(tr.Bundle)
	tr.Remove()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("the files are still there:", err)
	}
}

// A variable that leads nowhere is said with its name; nothing stays behind.
func TestTrustOfAMissingFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, err := NewTrust(authority(t, "ours"), "", []string{"CURL_CA_BUNDLE=/nowhere/ca.pem"})
	if err == nil || !strings.Contains(err.Error(), "CURL_CA_BUNDLE") {
		t.Errorf("got %v", err)
	}
	if _, err := NewTrust(authority(t, "ours"), "/nowhere/roots.pem", nil); err == nil {
		t.Error("missing roots are no error")
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
