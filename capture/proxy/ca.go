package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// The files of the authority, in its folder.
const (
	certFile   = "ca.pem"     // the certificate, for stores that add it to their own
	keyFile    = "ca.key"     // its key: mode 0600, never leaves the machine
	bundleFile = "bundle.pem" // the system's roots and the certificate, for variables that replace the store
)

const (
	caYears = 5
	// Long enough for a debugging session, short enough for clients with a limit.
	leafDays = 90
	maxLeafs = 1024
)

var errNoAuthority = errors.New("no authority")

// Authority is the certificate authority of the tap. It is made on first use
// and lives in the user's configuration.
type Authority struct {
	dir   string
	now   func() time.Time
	cert  *x509.Certificate
	key   *ecdsa.PrivateKey
	leaf1 *ecdsa.PrivateKey // one key for all leaves: making keys is what costs

	mu    sync.Mutex
	leafs map[string]*tls.Certificate
}

// OpenAuthority reads the authority in a folder, or makes it.
func OpenAuthority(dir string, now func() time.Time) (*Authority, error) {
	a := &Authority{dir: dir, now: now, leafs: map[string]*tls.Certificate{}}
	err := a.load()
	if errors.Is(err, fs.ErrNotExist) {
		if err = a.create(); errors.Is(err, fs.ErrExist) {
			err = a.load() // another a2ascope was faster
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the certificate authority in %s: %w", dir, err)
	}
	if a.leaf1, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	a.writeBundle()
	return a, nil
}

// CertFile is the authority's certificate, BundleFile the same with the system's roots.
func (a *Authority) CertFile() string   { return filepath.Join(a.dir, certFile) }
func (a *Authority) BundleFile() string { return filepath.Join(a.dir, bundleFile) }

// Certificate returns the authority's certificate.
func (a *Authority) Certificate() *x509.Certificate { return a.cert }

func (a *Authority) load() error {
	name := filepath.Join(a.dir, keyFile)
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if m := info.Mode().Perm(); runtime.GOOS != "windows" && m&0o077 != 0 {
		return fmt.Errorf("%s can be read by others (mode %04o): chmod 600 it, or remove the folder to have a new authority made", name, m)
	}
	keyPEM, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	certPEM, err := os.ReadFile(a.CertFile())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing beside its key: remove %s to have a new authority made", a.CertFile(), name)
	}
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return fmt.Errorf("%w; remove the folder to have a new authority made", err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || pair.Leaf == nil || !pair.Leaf.IsCA {
		return errors.New("it is not one of ours; remove the folder to have a new authority made")
	}
	if a.now().After(pair.Leaf.NotAfter) {
		return fmt.Errorf("it expired on %s; remove the folder to have a new one made, and install that", pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	a.cert, a.key = pair.Leaf, key
	return nil
}

// create makes the authority. The key file is what decides who was first.
func (a *Authority) create() error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := serialNumber()
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	now := a.now()
	tmpl := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "a2ascope on " + host, Organization: []string{"a2ascope (debugging, this machine only)"}},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.AddDate(caYears, 0, 0),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true, // it signs leaves, no authorities
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	// Both files appear complete: written aside first, and the certificate before
	// the key, whose name tells others that the authority is there.
	tmp, err := os.MkdirTemp(a.dir, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	certTmp, keyTmp := filepath.Join(tmp, certFile), filepath.Join(tmp, keyFile)
	if err := os.WriteFile(keyTmp, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(certTmp, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return err
	}
	lock := filepath.Join(a.dir, keyFile+".lock")
	l, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return a.awaitOther(lock)
	}
	if err != nil {
		return err
	}
	defer os.Remove(lock)
	defer l.Close()
	if _, err := os.Stat(filepath.Join(a.dir, keyFile)); err == nil {
		return fs.ErrExist
	}
	if err := os.Rename(certTmp, a.CertFile()); err != nil {
		return err
	}
	if err := os.Rename(keyTmp, filepath.Join(a.dir, keyFile)); err != nil {
		return err
	}
	return a.load()
}

// awaitOther waits for another process that is making the authority.
func (a *Authority) awaitOther(lock string) error {
	for range 100 {
		if _, err := os.Stat(filepath.Join(a.dir, keyFile)); err == nil {
			return fs.ErrExist
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s is there but no key: another a2ascope was stopped while it made the authority; remove that file", lock)
}

func serialNumber() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
}

// leaf returns a certificate for a host name or address, with the authority's behind it.
func (a *Authority) leaf(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if c := a.leafs[host]; c != nil && now.Before(c.Leaf.NotAfter.Add(-time.Hour)) {
		return c, nil
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	tmpl := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: commonName(host), Organization: a.cert.Subject.Organization},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.AddDate(0, 0, leafDays),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	// An address goes into the addresses: Go and Node refuse it as a name.
	if ip := net.ParseIP(host); ip != nil {
		tmpl.IPAddresses = []net.IP{ip}
		if ip.IsLoopback() {
			tmpl.DNSNames = []string{"localhost"}
		}
	} else {
		tmpl.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &a.leaf1.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate for %q: %w", host, err)
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.leaf1}
	if c.Leaf, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	if len(a.leafs) >= maxLeafs {
		clear(a.leafs)
	}
	a.leafs[host] = c
	return c, nil
}

// commonName fits the 64 letters X.520 allows.
func commonName(host string) string { return host[:min(len(host), 64)] }

// systemRoots are where systems keep their roots in one file.
var systemRoots = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem", "/usr/local/etc/ssl/cert.pem",
}

// writeBundle writes the system's roots and the certificate into one file.
// Without it only hosts that pass through the tap untouched would suffer, so a
// failure is no reason to stop.
func (a *Authority) writeBundle() {
	var roots []byte
	for _, f := range systemRoots {
		if b, err := os.ReadFile(f); err == nil {
			roots = b
			break
		}
	}
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
	tmp, err := os.CreateTemp(a.dir, ".bundle-")
	if err != nil {
		return
	}
	_, err = tmp.Write(append(append(own, roots...), '\n'))
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), a.BundleFile())
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
}

// lazyAuthority opens the authority when the first client speaks TLS.
type lazyAuthority struct {
	dir  string
	now  func() time.Time
	once sync.Once
	a    *Authority
	err  error
}

func (l *lazyAuthority) get() (*Authority, error) {
	l.once.Do(func() {
		if l.dir == "" {
			l.err = fmt.Errorf("%w: the tap was given no folder for its certificates", errNoAuthority)
			return
		}
		if l.a, l.err = OpenAuthority(l.dir, l.now); l.err != nil {
			l.err = fmt.Errorf("%w: %w", errNoAuthority, l.err)
		}
	})
	return l.a, l.err
}
